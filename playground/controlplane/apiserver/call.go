package apiserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// call is one request on its way: sent, being handled, answered.
type call struct {
	server  *Server
	id      int64
	request *client.Request
	path    string
	caller  *sim.Proc
	ref     trace.Ref
	// generateName is what the server will begin the name with, when the
	// request to create leaves that to it.
	generateName string
	warnings     []string

	done   bool
	result client.Result
	stream *watch // for a watch that was opened
	err    error
	code   int32
	reason metav1.StatusReason
	// retryAfter is the answer's header of that name.
	retryAfter time.Duration
	cause      trace.ID // what the end is due to: the reply, or the server's stop
}

// Do implements client.Transport.
func (s *Server) Do(p *sim.Proc, r *client.Request) (client.Result, error) {
	c := s.request(p, r)
	return c.result, c.err
}

// maxRetries is how often a client sends a request again that it is asked to.
const maxRetries = 10

// request sends a request, and again when the server says after how long.
// Upstream: client-go rest/with_retry.go.
func (s *Server) request(p *sim.Proc, r *client.Request) *call {
	for attempt := 1; ; attempt++ {
		c := s.send(p, r)
		if c.retryAfter == 0 || attempt > maxRetries {
			return c
		}
		p.Logger().V(4).Info("Got a Retry-After response", "delay", c.retryAfter, "attempt", attempt, "url", baseURL+c.path)
		p.Sleep(c.retryAfter)
	}
}

// Watch implements client.Transport.
func (s *Server) Watch(p *sim.Proc, r *client.Request) (client.Stream, error) {
	if r.Verb != client.Watch {
		copied := *r
		copied.Verb = client.Watch
		r = &copied
	}
	c := s.request(p, r)
	if c.err != nil {
		return nil, c.err
	}
	return c.stream, nil
}

// send carries a request to the server and waits for what comes back.
func (s *Server) send(p *sim.Proc, r *client.Request) *call {
	c := &call{server: s, id: s.kernel.NextMessage(), request: r, path: r.Path(), caller: p}
	c.ref = trace.Ref{Resource: r.Resource.Resource, Namespace: r.Namespace, Name: c.name()}
	delay := s.latency()
	if s.traced() {
		c.readBody()
		p.Due(p.Emit(trace.RequestSend, c.ref, c.unnamed(trace.Attrs("request", c.id, "verb", r.Verb, "path", c.path)),
			trace.Set(c.requestCell(), c.message("request", p.Component().Name(), s.component.Name(), method(r)+" "+c.resource(), true, delay))))
	}
	var timer *sim.Timer
	if r.Timeout > 0 {
		timer = s.kernel.After(r.Timeout, func() { c.fail("%w", client.ErrDeadlineExceeded) })
	}
	if cut := s.cuts[p.Component().Name()]; cut != nil {
		cut.send(c, delay)
	} else {
		c.travel(delay)
	}
	for !c.done {
		p.Park()
	}
	timer.Stop()
	if r.Warn != nil && c.code != 0 {
		for _, text := range c.warnings {
			r.Warn(text)
		}
	}
	if r.Answered != nil && c.code != 0 {
		r.Answered(c.code)
	}
	p.Due(c.cause)
	if s.traced() {
		p.Due(p.Emit(trace.RequestDone, c.ref, c.attrs(),
			trace.Unset(c.requestCell()), trace.Unset(c.replyCell())))
	}
	return c
}

// travel brings the request to the server, or finds nobody there.
func (c *call) travel(delay time.Duration) {
	s := c.server
	if s.component.Running() {
		s.calls = append(s.calls, c)
		// The server's component may stop meanwhile: then lost ends the call.
		s.component.After(delay, func() { s.component.Go("request", c.handle) })
	} else {
		s.kernel.After(2*delay, func() { c.fail("dial tcp %s: %w", address, client.ErrConnectionRefused) })
	}
}

// Where the server is, as errors of the connection show it.
const (
	address = "10.0.0.1:6443"
	baseURL = "https://" + address
)

// traced tells whether requests and watches are recorded: when they are not,
// nothing is made ready for it.
func (s *Server) traced() bool { return s.kernel.Trace().Keeps(trace.RequestSend) }

func (s *Server) latency() time.Duration {
	return s.network.Between(s.opts.Network.Min, s.opts.Network.Max)
}

// handle is the server's side: the root of every request's stack.
func (c *call) handle(p *sim.Proc) {
	s := c.server
	if s.traced() {
		p.Due(p.Emit(trace.RequestReceive, c.ref,
			c.unnamed(trace.Attrs("request", c.id, "verb", c.request.Verb, "path", c.path, "user", c.caller.Component().Name())),
			trace.Unset(c.requestCell())))
	}
	p.Sleep(s.work.Between(s.opts.Processing.Min, s.opts.Processing.Max))
	if err := s.failure.strike(c); err != nil {
		c.reply(p, nil, nil, 0, err)
		return
	}
	p.SetDeadline(p.Now() + c.timeout())
	result, stream, code, err := s.serve(p, c)
	if err != nil && p.Now() >= p.Deadline() {
		err = c.timedOut()
	}
	c.reply(p, result, stream, code, err)
}

// reply sends the answer on its way.
func (c *call) reply(p *sim.Proc, result client.Result, stream *watch, code int32, err error) {
	s := c.server
	s.calls = slices.DeleteFunc(s.calls, func(o *call) bool { return o == c })
	if c.done { // the client has given it up
		if stream != nil {
			stream.close("client is gone")
		}
		return
	}
	c.result, c.stream, c.code = result, stream, code
	if err != nil {
		status := errorToAPIStatus(err)
		c.result, c.stream, c.code, c.reason = nil, nil, status.Code, status.Reason
		c.err = apierrors.FromStatus(status)
	}
	if obj, ok := result.(api.Object); ok && err == nil && c.request.Verb == client.Create && c.request.Subresource == "" {
		c.ref.Name = obj.GetName()
	}
	delay := s.latency()
	if s.traced() {
		p.Due(p.Emit(trace.RequestReply, c.ref, c.attrs(), trace.Set(c.replyCell(),
			c.message("reply", s.component.Name(), c.caller.Component().Name(), fmt.Sprint(c.code), err == nil, delay))))
	}
	if c.stream != nil {
		c.stream.opened(s.kernel.Elapsed() + delay)
	}
	// It is on the wire: it arrives even if the server dies now.
	s.kernel.After(delay, func() { c.arrive() })
}

// arrive hands the reply to the caller, or to nobody if the caller is dead.
func (c *call) arrive() {
	if cut := c.server.cuts[c.caller.Component().Name()]; cut != nil && !c.done {
		cut.hold(c, c.arrive)
		return
	}
	if c.done { // the client has given it up meanwhile
		return
	}
	if c.caller.Component().Running() {
		c.end()
		return
	}
	c.orphaned()
	if c.stream != nil {
		c.server.run(c.caller.Component(), func() { c.stream.close("client is gone") })
	}
}

// orphaned takes off the wire what belongs to a client that is dead.
func (c *call) orphaned() {
	c.server.run(c.caller.Component(), func() {
		c.server.kernel.Emit(trace.RequestDone, c.ref, append(c.attrs(), trace.Attr{Key: "lost", Value: "client is gone"}),
			trace.Unset(c.requestCell()), trace.Unset(c.replyCell()))
	})
}

// lost ends a call whose server died: whether it was carried out is unknown.
func (c *call) lost() {
	fail := func() { c.fail("%w", client.ErrConnectionLost) }
	c.server.kernel.After(c.server.latency(), func() {
		if cut := c.server.cuts[c.caller.Component().Name()]; cut != nil {
			cut.hold(c, fail)
			return
		}
		fail()
	})
}

// fail ends a call without an answer, for a reason that Go's net/http puts
// behind the method and the URL.
func (c *call) fail(format string, args ...any) {
	if c.done || !c.caller.Component().Running() {
		return
	}
	url := baseURL + c.path
	if c.request.Timeout > 0 {
		url += "?timeout=" + c.request.Timeout.String()
	}
	c.err = fmt.Errorf("%s %q: "+format, append([]any{urlMethod(c.request), url}, args...)...)
	c.result, c.code, c.reason, c.retryAfter = nil, 0, "", 0
	if c.stream != nil { // the answer is on its way, to nobody
		stream := c.stream
		c.stream = nil
		c.server.run(c.caller.Component(), func() { stream.close("client is gone") })
	}
	c.end()
}

func (c *call) end() {
	c.done = true
	c.cause = c.server.kernel.Cause()
	c.caller.Wake()
}

func (c *call) attrs() []trace.Attr {
	reason := string(c.reason)
	if c.err != nil && reason == "" {
		reason = c.err.Error()
	}
	return trace.Attrs("request", c.id, "verb", c.request.Verb, "path", c.path, "code", c.code, "reason", reason)
}

// about names the object that a request without a name in its path carries.
// Upstream: apiserver/pkg/audit/request.go, LogRequestObject.
func (c *call) about(obj api.Object) {
	if c.ref.Name == "" {
		c.ref.Name = obj.GetName()
	}
}

func (c *call) requestCell() trace.Cell { return messageCell(strconv.FormatInt(c.id, 10)) }
func (c *call) replyCell() trace.Cell   { return messageCell(strconv.FormatInt(c.id, 10) + "/reply") }

func messageCell(key string) trace.Cell { return trace.Cell{Kind: trace.CellMessage, Key: key} }

func (c *call) message(kind, from, to, label string, good bool, delay time.Duration) trace.Message {
	now := c.server.kernel.Elapsed()
	return trace.Message{Kind: kind, From: from, To: to, Label: label, Good: good, Sent: now, Arrives: now + delay}
}

// name is the object's, as far as the client knows it.
func (c *call) name() string {
	if c.request.Name == "" && c.request.Object != nil {
		return c.request.Object.GetName()
	}
	return c.request.Name
}

// readBody takes from the body what the trace says of a request to create: the
// name, or what the name will begin with. A body that is no JSON has neither;
// the server will say so.
func (c *call) readBody() {
	r := c.request
	if r.Verb != client.Create || c.ref.Name != "" {
		return
	}
	if r.Object != nil {
		c.generateName = r.Object.GetGenerateName()
		return
	}
	var body struct {
		Metadata struct{ Name, GenerateName string }
	}
	if json.Unmarshal(r.Body, &body) == nil {
		c.ref.Name, c.generateName = body.Metadata.Name, body.Metadata.GenerateName
	}
}

// unnamed adds what an object's name will begin with, while it has none.
func (c *call) unnamed(attrs []trace.Attr) []trace.Attr {
	if c.ref.Name == "" && c.generateName != "" {
		attrs = append(attrs, trace.Attr{Key: "generateName", Value: c.generateName})
	}
	return attrs
}

func (c *call) resource() string {
	if c.request.Subresource != "" {
		return c.request.Resource.Resource + "/" + c.request.Subresource
	}
	return c.request.Resource.Resource
}

// method is what the picture calls a request: its HTTP method, or WATCH.
func method(r *client.Request) string {
	if r.Verb == client.Watch {
		return "WATCH"
	}
	return r.Method()
}

// urlMethod is the method as Go's net/http writes it into errors.
func urlMethod(r *client.Request) string {
	m := r.Method()
	return m[:1] + strings.ToLower(m[1:])
}

// errorToAPIStatus makes an answer of any error.
// Upstream: endpoints/handlers/responsewriters/status.go, ErrorToAPIStatus.
func errorToAPIStatus(err error) *metav1.Status {
	if e, ok := err.(apierrors.APIStatus); ok {
		status := e.Status()
		status.Kind, status.APIVersion = "Status", "v1"
		return &status
	}
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: 500, Message: err.Error(),
	}
}

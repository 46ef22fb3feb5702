package transport

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Call is one request on its way: sent, being handled, answered.
type Call struct {
	Request *client.Request
	// Caller is the process that waits for the answer.
	Caller *sim.Proc
	// Ref is the object that the request is about, as far as it is known: see About.
	Ref trace.Ref
	// RetryAfter is the answer's header of that name.
	RetryAfter time.Duration

	network *Network
	id      int64
	key     string       // of the message cells: the request's; the reply's has "/reply" behind it
	about   []trace.Attr // what each event says of it, of the first one: request, verb and path
	// generateName is what the server will begin the name with, when the
	// request to create leaves that to it.
	generateName string
	warnings     []string
	warned       int  // characters that they have
	truncating   bool // which was too much

	aside  bool // whoever asks only looks
	done   bool
	result client.Result
	stream *Stream // for a watch that was opened
	err    error
	code   int32
	reason metav1.StatusReason
	cause  trace.ID // what the end is due to: the reply, or the server's stop
}

// Sender is the program that the request is from, by its credentials.
func (c *Call) Sender() string { return cmp.Or(c.Request.Credentials, c.Caller.Component().Name()) }

// Do implements client.Transport.
func (n *Network) Do(p *sim.Proc, r *client.Request) (client.Result, error) {
	c := n.request(p, r)
	return c.result, c.err
}

// maxRetries is how often a client sends a request again that it is asked to.
const maxRetries = 10

// request sends a request, and again when the server says after how long.
// Upstream: client-go rest/with_retry.go.
func (n *Network) request(p *sim.Proc, r *client.Request) *Call {
	for attempt := 1; ; attempt++ {
		c := n.send(p, r)
		if c.RetryAfter == 0 || attempt > maxRetries {
			return c
		}
		p.Logger().V(4).Info("Got a Retry-After response", "delay", c.RetryAfter, "attempt", attempt, "url", baseURL+r.Path())
		p.Sleep(c.RetryAfter)
	}
}

// Watch implements client.Transport.
func (n *Network) Watch(p *sim.Proc, r *client.Request) (client.Stream, error) {
	if r.Verb != client.Watch {
		copied := *r
		copied.Verb = client.Watch
		r = &copied
	}
	c := n.request(p, r)
	if c.err != nil {
		return nil, c.err
	}
	return c.stream, nil
}

// send carries a request to the server and waits for what comes back.
func (n *Network) send(p *sim.Proc, r *client.Request) *Call {
	c := &Call{network: n, id: n.kernel.NextMessage(), Request: r, Caller: p, aside: n.kernel.IsAside()}
	c.Ref = trace.Ref{Resource: api.StorageName(r.Resource), Namespace: r.Namespace, Name: c.name()}
	delay := n.latency()
	if n.traced() {
		c.readBody()
		c.key = strconv.FormatInt(c.id, 10)
		attrs := [...]trace.Attr{{Key: "request", Value: c.id}, {Key: "verb", Value: r.Verb}, {Key: "path", Value: r.Path()}, {}}
		sent := p.Emit(trace.RequestSend, c.Ref, c.unnamed(attrs[:3]),
			trace.Set(c.requestCell(), c.message("request", p.Component().Name(), n.name, method(r)+" "+c.resource(), true, delay)))
		if sent != 0 {
			c.about = n.kernel.Trace().Event(sent).Attrs[:3:3]
		}
		p.Due(sent)
	}
	var timer *sim.Timer
	if r.Timeout > 0 {
		timer = n.kernel.After(r.Timeout, func() { c.fail("%w", client.ErrDeadlineExceeded) })
	}
	if cut := n.cuts[p.Component().Name()]; cut != nil {
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
			r.Warn(c.cut(text))
		}
	}
	if r.Answered != nil && c.code != 0 {
		r.Answered(c.code)
	}
	p.Due(c.cause)
	if n.traced() {
		var attrs [mostAttrs]trace.Attr
		p.Due(p.Emit(trace.RequestDone, c.Ref, c.answer(attrs[:0]),
			trace.Unset(c.requestCell()), trace.Unset(c.replyCell())))
	}
	return c
}

// travel brings the request to the server, or finds nobody there.
func (c *Call) travel(delay time.Duration) {
	n := c.network
	if n.serving() {
		n.calls = append(n.calls, c)
		// The server's component may stop meanwhile: then lost ends the call.
		n.server.Later(delay, func() { n.server.Go("request", c.receive) })
	} else {
		n.kernel.Later(2*delay, func() { c.fail("dial tcp %s: %w", address, client.ErrConnectionRefused) })
	}
}

// Where the server is, as errors of the connection show it.
const (
	address = "10.0.0.1:6443"
	baseURL = "https://" + address
)

// receive is the server's side: the root of every request's stack.
func (c *Call) receive(p *sim.Proc) {
	n := c.network
	if n.traced() {
		var some [mostAttrs]trace.Attr
		attrs := c.unnamed(append(append(some[:0], c.about...), trace.Attr{Key: "user", Value: c.Caller.Component().Name()}))
		if from := c.Request.List.ResourceVersion; from != "" && from != "0" && c.Request.Verb == client.List {
			attrs = append(attrs, trace.Attr{Key: "resourceVersion", Value: from})
		}
		if n.Username != nil {
			attrs = append(attrs, trace.Attr{Key: "username", Value: n.Username(c.Sender())})
		}
		if as := c.Request.Impersonate; as != nil {
			attrs = append(attrs, trace.Attr{Key: "as", Value: as.Username})
		}
		p.Due(p.Emit(trace.RequestReceive, c.Ref, attrs, trace.Unset(c.requestCell())))
	}
	n.handler.Handle(p, c)
}

// Answer is what a server replies: a result, an open watch, or a status that says what is wrong.
type Answer struct {
	Code   int32
	Result client.Result
	Stream *Stream
	Failed *metav1.Status // its code is the answer's
	// Passage tells the trace what became of a write.
	Passage Passage
}

// Passage is how a request to write got through the server.
type Passage struct {
	Changed []string // the admission plugins that changed its object, in order
	Phase   string   // the one of trace.Phases that refused it; "" if none did
	Plugin  string   // the admission plugin that refused it
	Audit   []string // what policies want to be noted of it, each "key=value"
}

func (w *Passage) attrs(message string) (out []trace.Attr) {
	add := func(key, value string) {
		if value != "" {
			out = append(out, trace.Attr{Key: key, Value: value})
		}
	}
	add("changed", strings.Join(w.Changed, ", "))
	add("annotations", strings.Join(w.Audit, ", "))
	if w.Phase != "" {
		add("phase", w.Phase)
		add("plugin", w.Plugin)
		add("message", message)
	}
	return out
}

// Asks tells the trace that the server asks a webhook about the request, in which phase.
func (c *Call) Asks(p *sim.Proc, webhook, phase string) {
	if c.network.traced() {
		p.Due(p.Emit(trace.AdmissionCall, c.Ref, append(c.about,
			trace.Attrs("user", c.Caller.Component().Name(), "phase", phase, "webhook", webhook)...)))
	}
}

// Reply sends the answer on its way.
func (c *Call) Reply(p *sim.Proc, a Answer) {
	n := c.network
	n.calls = slices.DeleteFunc(n.calls, func(o *Call) bool { return o == c })
	if c.done { // the client has given it up
		if a.Stream != nil {
			a.Stream.Close("client is gone")
		}
		return
	}
	c.result, c.stream, c.code = a.Result, a.Stream, a.Code
	if a.Failed != nil {
		c.result, c.stream, c.code, c.reason = nil, nil, a.Failed.Code, a.Failed.Reason
		c.err = apierrors.FromStatus(a.Failed)
	}
	if obj, ok := c.result.(api.Object); ok && c.Request.Verb == client.Create && c.Request.Subresource == "" {
		c.Ref.Name = obj.GetName()
	}
	delay := n.latency()
	if n.traced() {
		message := ""
		if c.err != nil {
			message = c.err.Error()
		}
		var some [mostAttrs]trace.Attr
		attrs := append(c.answer(some[:0]), a.Passage.attrs(message)...)
		if list, ok := c.result.(interface{ GetListMeta() *metav1.ListMeta }); ok {
			attrs = append(attrs, trace.Attr{Key: "revision", Value: list.GetListMeta().ResourceVersion})
		}
		p.Due(p.Emit(trace.RequestReply, c.Ref, attrs, trace.Set(c.replyCell(),
			c.message("reply", n.name, c.Caller.Component().Name(), strconv.Itoa(int(c.code)), c.err == nil, delay))))
	}
	if c.stream != nil {
		c.stream.opened(n.kernel.Elapsed() + delay)
	}
	// It is on the wire: it arrives even if the server dies now.
	c.land(delay, c.arrive)
}

// land has something come to the client: from now on that is all the caller waits for.
func (c *Call) land(delay time.Duration, arrive func()) {
	n := c.network
	n.landing = append(n.landing, c)
	n.kernel.Later(delay, func() {
		n.landing = slices.DeleteFunc(n.landing, func(o *Call) bool { return o == c })
		arrive()
	})
}

// arrive hands the reply to the caller, or to nobody if the caller is dead.
func (c *Call) arrive() {
	if cut := c.network.cuts[c.Caller.Component().Name()]; cut != nil && !c.done {
		cut.hold(c, c.arrive)
		return
	}
	if c.done { // the client has given it up meanwhile
		return
	}
	if c.Caller.Component().Running() {
		c.end()
		return
	}
	c.orphaned()
	if c.stream != nil {
		c.network.run(c.Caller.Component(), func() { c.stream.Close("client is gone") })
	}
}

// orphaned takes off the wire what belongs to a client that is dead.
func (c *Call) orphaned() {
	c.network.run(c.Caller.Component(), func() {
		c.network.kernel.Emit(trace.RequestDone, c.Ref, append(c.answer(nil), trace.Attr{Key: "lost", Value: "client is gone"}),
			trace.Unset(c.requestCell()), trace.Unset(c.replyCell()))
	})
}

// lost ends a call whose server died: whether it was carried out is unknown.
func (c *Call) lost() {
	defer c.network.kernel.SetAside(c.network.kernel.SetAside(c.aside))
	fail := func() { c.fail("%w", client.ErrConnectionLost) }
	c.land(c.network.latency(), func() {
		if cut := c.network.cuts[c.Caller.Component().Name()]; cut != nil {
			cut.hold(c, fail)
			return
		}
		fail()
	})
}

// fail ends a call without an answer, for a reason that Go's net/http puts
// behind the method and the URL.
func (c *Call) fail(format string, args ...any) {
	if c.done || !c.Caller.Component().Running() {
		return
	}
	url := baseURL + c.Request.Path()
	if c.Request.Timeout > 0 {
		url += "?timeout=" + c.Request.Timeout.String()
	}
	c.err = fmt.Errorf("%s %q: "+format, append([]any{URLMethod(c.Request), url}, args...)...)
	c.result, c.code, c.reason, c.RetryAfter = nil, 0, "", 0
	if c.stream != nil { // the answer is on its way, to nobody
		stream := c.stream
		c.stream = nil
		c.network.run(c.Caller.Component(), func() { stream.Close("client is gone") })
	}
	c.end()
}

func (c *Call) end() {
	c.done = true
	c.cause = c.network.kernel.Cause()
	c.Caller.Wake()
}

// Bounds of what the warnings of an answer say together, and of each if that is too much, in characters.
const truncateAtTotalRunes, truncateItemRunes = 4 << 10, 256

// Warn adds a warning to the answer, once. If it would be too much, all of them are cut, and later ones left out.
// Upstream: apiserver/pkg/endpoints/filters/warning.go, AddWarning.
func (c *Call) Warn(text string) {
	if c.truncating && c.warned >= truncateAtTotalRunes || slices.Contains(c.warnings, text) {
		return
	}
	c.warnings = append(c.warnings, text)
	if c.warned += utf8.RuneCountInString(c.cut(text)); c.warned <= truncateAtTotalRunes || c.truncating {
		return
	}
	c.truncating, c.warned = true, 0
	for _, w := range c.warnings {
		c.warned += utf8.RuneCountInString(c.cut(w))
	}
}

// cut is as much of a warning as is said.
func (c *Call) cut(text string) string {
	if c.truncating && len(text) > truncateItemRunes {
		if all := []rune(text); len(all) > truncateItemRunes {
			return string(all[:truncateItemRunes])
		}
	}
	return text
}

// mostAttrs is how many attributes an event of a call has, as a rule: who emits one has room for them on the stack.
const mostAttrs = 8

// answer adds to attributes what an event says of a call that was answered.
func (c *Call) answer(to []trace.Attr) []trace.Attr {
	reason := string(c.reason)
	if c.err != nil && reason == "" {
		reason = c.err.Error()
	}
	return append(append(to, c.about...), trace.Attr{Key: "code", Value: int64(c.code)}, trace.Attr{Key: "reason", Value: reason})
}

// About names the object that a request without a name in its path carries.
// Upstream: apiserver/pkg/audit/request.go, LogRequestObject.
func (c *Call) About(obj api.Object) {
	if c.Ref.Name == "" {
		c.Ref.Name = obj.GetName()
	}
}

func (c *Call) requestCell() trace.Cell { return messageCell(c.key) }
func (c *Call) replyCell() trace.Cell   { return messageCell(c.key + "/reply") }

func messageCell(key string) trace.Cell { return trace.Cell{Kind: trace.CellMessage, Key: key} }

func (c *Call) message(kind, from, to, label string, good bool, delay time.Duration) trace.Message {
	now := c.network.kernel.Elapsed()
	return trace.Message{Kind: kind, From: from, To: to, Label: label, Good: good, Sent: now, Arrives: now + delay}
}

// name is the object's, as far as the client knows it.
func (c *Call) name() string {
	if c.Request.Name == "" && c.Request.Object != nil {
		return c.Request.Object.GetName()
	}
	return c.Request.Name
}

// readBody takes from the body what the trace says of a request to create: the
// name, or what the name will begin with. A body that is no JSON has neither;
// the server will say so.
func (c *Call) readBody() {
	r := c.Request
	if r.Verb != client.Create || c.Ref.Name != "" {
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
		c.Ref.Name, c.generateName = body.Metadata.Name, body.Metadata.GenerateName
	}
}

// unnamed adds what an object's name will begin with, while it has none.
func (c *Call) unnamed(attrs []trace.Attr) []trace.Attr {
	if c.Ref.Name == "" && c.generateName != "" {
		attrs = append(attrs, trace.Attr{Key: "generateName", Value: c.generateName})
	}
	return attrs
}

func (c *Call) resource() string {
	if c.Request.Subresource != "" {
		return c.Request.Resource.Resource + "/" + c.Request.Subresource
	}
	return c.Request.Resource.Resource
}

// method is what the picture calls a request: its HTTP method, or WATCH.
func method(r *client.Request) string {
	if r.Verb == client.Watch {
		return "WATCH"
	}
	return r.Method()
}

// URLMethod is the method as Go's net/http writes it into errors.
func URLMethod(r *client.Request) string {
	m := r.Method()
	return m[:1] + strings.ToLower(m[1:])
}

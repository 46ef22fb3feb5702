// Package jsapi is a cluster for programs in JavaScript: requests of the Kubernetes API, inputs, time, and the trace. wasm/cluster registers its
// functions, and the module of site/npm calls them from a worker. As everywhere below the hosts, time passes only when run lets it.
package jsapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/sorting"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/endpoints"
	"kubewalk/playground/trace"
)

// Bridge is a cluster behind functions that take and return JSON text. The zero value has no cluster yet.
//
//	open({seed, nodes, config})              makes the cluster; nothing has happened in it → {epoch}
//	fetch({id, method, url, header, body})   sends a request                       → {}; its response comes with run
//	cancel({id})                             gives a response up, such as a watch → {}
//	give({id, input})                        does something to the cluster        → {}; its outcome comes with run
//	run({until, for, ready})                 lets virtual time pass               → {now, next, done, messages}
//	trace({from})                            what happened, from an event on      → {events, more}
//
// Whatever goes wrong is answered as {error}.
type Bridge struct {
	cluster   *cluster.Cluster
	endpoints endpoints.Server
	pending   map[int]*pending
	followers []*follower
	inputs    int       // that were given
	given     []awaited // of them, those whose outcome is not told
	messages  []Message
}

// pending is a request or an input that goes on.
type pending struct {
	stop     func() // ends it from this side; nil for what ends by itself
	answered bool   // its head is told
}

// awaited is an input that is not done.
type awaited struct{ id, input int }

// Functions are the names that Call knows.
var Functions = []string{"open", "fetch", "cancel", "give", "run", "trace"}

// Call calls a function. It does not panic: a panic of the cluster becomes the answer, and ends it, since nobody knows its state.
func (b *Bridge) Call(name string, text []byte) (answer []byte) {
	defer func() {
		if r := recover(); r != nil {
			*b = Bridge{}
			answer = failure(fmt.Sprint(r))
		}
	}()
	result, err := b.call(name, text)
	if err == nil {
		if answer, err = json.Marshal(result); err == nil {
			return answer
		}
	}
	return failure(name + ": " + err.Error())
}

func failure(message string) []byte {
	out, _ := json.Marshal(map[string]string{"error": message}) // a text always can be
	return out
}

func (b *Bridge) call(name string, text []byte) (any, error) {
	if b.cluster == nil && name != "open" {
		return nil, errors.New("no cluster is open")
	}
	switch name {
	case "open":
		return with(b.open, text)
	case "fetch":
		return with(b.fetch, text)
	case "cancel":
		return with(b.cancel, text)
	case "give":
		return with(b.give, text)
	case "run":
		return with(b.run, text)
	case "trace":
		return with(b.trace, text)
	}
	return nil, errors.New("there is no such function")
}

// with calls a function with its argument read from JSON.
func with[Argument, Answer any](function func(Argument) (Answer, error), text []byte) (Answer, error) {
	var in Argument
	if err := json.Unmarshal(text, &in); err != nil {
		var none Answer
		return none, err
	}
	return function(in)
}

// address is what discovery calls the server; no packet goes there.
const address = "127.0.0.1:6443"

// maxNodes bounds what a cluster of machines with kubelets takes; config.hollowNodes has thousands.
const maxNodes = 100

func (b *Bridge) open(in openArgument) (openAnswer, error) {
	if b.cluster != nil {
		return openAnswer{}, errors.New("a cluster is open")
	}
	if in.Nodes < 0 || in.Nodes > maxNodes {
		return openAnswer{}, fmt.Errorf("nodes %d is not a number between 0 and %d", in.Nodes, maxNodes)
	}
	config := cluster.DefaultConfig()
	config.Nodes, config.Network, config.Metrics, config.Trace = cluster.NumberedNodes(in.Nodes), in.Nodes > 0, in.Nodes > 0, trace.Unstacked
	if len(in.Config) > 0 {
		decoder := json.NewDecoder(strings.NewReader(string(in.Config)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&config); err != nil {
			return openAnswer{}, fmt.Errorf("config: %w", err)
		}
	}
	if err := config.Validate(); err != nil {
		return openAnswer{}, fmt.Errorf("config: %w", err)
	}
	b.cluster = cluster.New(config, in.Seed)
	b.endpoints = endpoints.Server{Cluster: b.cluster, Address: address, Submit: b.submit}
	b.pending = map[int]*pending{}
	return openAnswer{config.Epoch}, nil
}

// submit sends a request: one that writes as an input, so the trace says who began it.
func (b *Bridge) submit(r *client.Request, in cluster.Input, answered func(cluster.Answer)) {
	if r.Verb == client.Get || r.Verb == client.List {
		b.cluster.Send(r, answered)
		return
	}
	if _, err := b.cluster.Give(in, func(_ cluster.Outcome, a cluster.Answer) { answered(a) }); err != nil {
		answered(cluster.Answer{Err: err})
		return
	}
	b.inputs++
}

func (b *Bridge) fetch(in fetchArgument) (nothing, error) {
	at, err := url.ParseRequestURI(in.URL)
	if err != nil {
		return nothing{}, err
	}
	if b.pending[in.ID] != nil {
		return nothing{}, fmt.Errorf("request %d goes on", in.ID)
	}
	r := &endpoints.Request{Method: in.Method, URL: at, Header: endpoints.Header{}, Body: []byte(in.Body)}
	for _, pair := range in.Header {
		name := endpoints.CanonicalName(pair[0])
		r.Header[name] = append(r.Header[name], pair[1])
	}
	p := &pending{}
	b.pending[in.ID] = p
	request, err := endpoints.Parse(r)
	if err == nil {
		err = b.endpoints.Permit(r, request)
	}
	whole := func(response endpoints.Response) { b.whole(in.ID, r, response) }
	switch {
	case err != nil:
		whole(endpoints.Failure(err))
	case request == nil:
		whole(b.endpoints.NonResource(r))
	case endpoints.Proxied(request), endpoints.Connects(request):
		whole(endpoints.Failure(notHere(request)))
	case request.Verb == client.Watch:
		p.stop = b.endpoints.Watch(r, request, func(response endpoints.Response) {
			if response.Code != 200 {
				whole(response)
				return
			}
			b.head(in.ID, response)
		}, func(line []byte) { b.text(in.ID, string(line)) }, func() { b.end(in.ID) })
	case endpoints.Follows(request):
		b.follow(in.ID, request)
	default:
		b.endpoints.Answer(r, request, whole)
	}
	return nothing{}, nil
}

// head tells a response's head, unless nobody wants it any more.
func (b *Bridge) head(id int, response endpoints.Response) {
	p := b.pending[id]
	if p == nil || p.answered {
		return
	}
	p.answered = true
	head := &Head{Status: response.Code, Header: [][2]string{{"Cache-Control", "no-cache, private"}}}
	for name, values := range response.Header { // order: sorted below
		for _, value := range values {
			head.Header = append(head.Header, [2]string{name, value})
		}
	}
	sorting.Stable(head.Header, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	b.messages = append(b.messages, Message{ID: id, Head: head})
}

func (b *Bridge) text(id int, text string) {
	if b.pending[id] != nil && text != "" {
		b.messages = append(b.messages, Message{ID: id, Text: text})
	}
}

func (b *Bridge) end(id int) {
	if b.pending[id] != nil {
		delete(b.pending, id)
		b.messages = append(b.messages, Message{ID: id, End: true})
	}
}

func (b *Bridge) failed(id int, why string) {
	if b.pending[id] != nil {
		delete(b.pending, id)
		b.messages = append(b.messages, Message{ID: id, Failed: why})
	}
}

// whole tells a response that has its body, or that there is none because the API server does not answer.
func (b *Bridge) whole(id int, r *endpoints.Request, response endpoints.Response) {
	if response.Unanswered != nil {
		b.failed(id, response.Unanswered.Error())
		return
	}
	b.head(id, response)
	if r.Method != "HEAD" {
		b.text(id, string(response.Body))
	}
	b.end(id)
}

func (b *Bridge) cancel(in cancelArgument) (nothing, error) {
	if p := b.pending[in.ID]; p != nil {
		delete(b.pending, in.ID)
		if p.stop != nil {
			p.stop()
		}
	}
	return nothing{}, nil
}

func (b *Bridge) give(in giveArgument) (nothing, error) {
	if b.pending[in.ID] != nil {
		return nothing{}, fmt.Errorf("request %d goes on", in.ID)
	}
	if _, err := b.cluster.Give(in.Input, func(cluster.Outcome, cluster.Answer) {}); err != nil {
		return nothing{}, err
	}
	b.pending[in.ID] = &pending{}
	b.given = append(b.given, awaited{in.ID, b.inputs})
	b.inputs++
	return nothing{}, nil
}

// tellOutcomes tells what became of inputs.
func (b *Bridge) tellOutcomes() {
	b.given = slices.DeleteFunc(b.given, func(a awaited) bool {
		o := b.cluster.Outcome(a.input)
		if o.Done && b.pending[a.id] != nil {
			delete(b.pending, a.id)
			b.messages = append(b.messages, Message{ID: a.id, Outcome: &Outcome{Output: o.Output, Error: o.Error, Warning: o.Warning}})
		}
		return o.Done
	})
}

const (
	// longestRun is how far virtual time can go: what is beyond it is a mistake.
	longestRun = 365 * 24 * time.Hour
	// mostAtOnce is how much may happen in one run: between two, others are listened to.
	mostAtOnce = 2000
	// readyEvery is after how many things that happen it is looked whether the nodes are ready.
	readyEvery = 50
)

func (b *Bridge) run(in runArgument) (runAnswer, error) {
	if in.Until < 0 || in.Until > longestRun.Microseconds() {
		return runAnswer{}, fmt.Errorf("until %d is no time between 0 and a year", in.Until)
	}
	until := time.Duration(in.Until) * time.Microsecond
	over := func(things int) bool {
		p := b.pending[in.For]
		return in.For != 0 && (p == nil || p.answered) || in.Ready && things%readyEvery == 0 && b.cluster.Ready()
	}
	done := false
	for things := 0; things < mostAtOnce && !done; things++ {
		if done = over(things); done {
			break
		}
		next, ok := b.cluster.Next()
		if done = !ok || next > until; done {
			b.cluster.RunUntil(until)
		} else {
			b.cluster.RunFor(next, 1)
		}
		b.tellOutcomes()
		b.readLogs()
	}
	next := int64(-1)
	if at, ok := b.cluster.Next(); ok {
		next = at.Microseconds()
	}
	out := runAnswer{Now: b.cluster.Elapsed().Microseconds(), Next: next, Done: done, Messages: append([]Message{}, b.messages...)}
	b.messages = nil
	return out, nil
}

// mostEvents is how many a call to trace answers.
const mostEvents = 2000

func (b *Bridge) trace(in traceArgument) (traceAnswer, error) {
	all := b.cluster.Trace()
	from := max(in.From, 1)
	to := min(from+mostEvents-1, all.Len())
	out := traceAnswer{Events: []TraceEvent{}, More: to < all.Len()}
	for i := from; i <= to; i++ {
		out.Events = append(out.Events, eventOf(all.Event(trace.ID(i))))
	}
	return out, nil
}

func eventOf(e *trace.Event) TraceEvent {
	out := TraceEvent{ID: int(e.ID), Cause: int(e.Cause), At: e.At.Microseconds(), Component: e.Component, Process: e.Process, Op: e.Op}
	if e.Object != (trace.Ref{}) {
		out.Object = &ObjectReference{e.Object.Resource, e.Object.Namespace, e.Object.Name}
	}
	if len(e.Attrs) > 0 {
		out.Attrs = map[string]any{}
		for _, a := range e.Attrs {
			out.Attrs[a.Key] = a.Value
		}
	}
	for _, d := range e.Deltas {
		out.Deltas = append(out.Deltas, Delta{d.Cell.Kind, d.Cell.Owner, d.Cell.Key, d.New})
	}
	return out
}

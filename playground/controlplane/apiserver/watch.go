package apiserver

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/cacher"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// watch is one open watch: the server's end, the connection, and, as a client.Stream, the client's end.
//
// The invariant of the connection: messages arrive in the order in which they were sent. Each arrives no earlier than
// the one before (arrives), and what has arrived waits in queue until the client takes it.
type watch struct {
	server   *Server
	id       int64
	client   *sim.Component
	registry *registry.Store
	filter   filter
	ref      trace.Ref
	asked    bool   // for bookmarks
	begin    func() // sends what there is, and subscribes

	subscription *cacher.Watcher
	timers       []*sim.Timer
	arrives      time.Duration // when the newest message arrives
	sent         int64         // messages that the trace has
	flying       []trace.Cell  // those of them that were not taken
	number, to   trace.Attr    // what the trace says of each: the watch, and its client
	after        int64         // events up to this revision are not sent
	isClosed     bool          // at the server
	cause        trace.ID

	queue []*arrival
	ended bool // at the client
	why   trace.ID
	taker *sim.Proc
}

// arrival is a message on its way to the client's end, or there.
type arrival struct {
	watch *watch
	event client.Event
	cell  trace.Cell
	cause trace.ID     // the WatchSend
	attrs []trace.Attr // of the WatchSend: watch, client, type, revision
	local bool         // the client's own end says so: nothing was received
}

// watchHandler opens a watch. Upstream: endpoints/handlers/get.go ListResource, and storage/cacher/cacher.go, Cacher.Watch.
func (s *Server) watchHandler(p *sim.Proc, c *call, e *registry.Store) (*watch, error) {
	opts := &c.request.List
	if err := validateListOptions(opts, true); err != nil {
		return nil, err
	}
	f, err := newFilter(c.request, e)
	if err != nil {
		return nil, err
	}
	revision, err := parseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return nil, err
	}
	s.knows(c.caller.Component())
	w := &watch{
		server: s, id: s.kernel.NextMessage(), client: c.caller.Component(), registry: e, filter: f, asked: opts.AllowWatchBookmarks,
		ref: trace.Ref{Resource: e.Kind.Resource, Namespace: c.request.Namespace, Name: c.request.Name},
	}
	w.number, w.to = trace.Attr{Key: "watch", Value: w.id}, trace.Attr{Key: "client", Value: w.client.Name()}
	s.watches = append(s.watches, w)
	p.Due(p.Emit(trace.WatchOpen, w.ref,
		trace.Attrs("watch", w.id, "resource", e.Kind.Resource, "client", w.client.Name(), "revision", opts.ResourceVersion,
			"namespace", c.request.Namespace, "labelSelector", opts.LabelSelector, "fieldSelector", opts.FieldSelector),
		trace.Set(w.cell(), e.Kind.Resource)))
	w.cause = s.kernel.Cause()
	timeout := s.work.Between(s.opts.WatchTimeout.Min, s.opts.WatchTimeout.Max)
	if opts.TimeoutSeconds != nil {
		timeout = time.Duration(*opts.TimeoutSeconds) * time.Second
	}
	w.timers = append(w.timers, s.component.After(timeout, func() { w.close("timeout") }))
	if w.asked && s.opts.BookmarkFrequency > 0 {
		w.timers = append(w.timers, s.component.After(s.opts.BookmarkFrequency, w.bookmarks))
	}
	w.begin = func() { w.sendInitial(revision, opts) }
	return w, nil
}

// sendInitial sends what there is before the first live event, and subscribes.
func (w *watch) sendInitial(revision int64, opts *metav1.ListOptions) {
	s := w.server
	c := s.caches[w.registry.Kind.Resource]
	initial := revision == 0
	if opts.SendInitialEvents != nil {
		initial = *opts.SendInitialEvents
	}
	switch {
	case initial:
		w.after = s.revision
		for _, obj := range c.List(w.filter.namespace) {
			if w.filter.matches(obj) {
				w.send(client.Added, obj, obj.GetResourceVersion())
			}
		}
		if opts.SendInitialEvents != nil && w.asked {
			w.bookmark(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		}
	case revision == 0:
		w.after = s.revision
	default:
		w.after = revision
		events, err := c.Since(revision)
		if err != nil {
			w.fail(errorToAPIStatus(err))
			return
		}
		for _, e := range events {
			s.kernel.Because(e.Cause, func() { w.event(e) })
		}
	}
	w.subscription = c.Watch(w.event)
}

// opened starts the watch when the reply is on its way. at is when it arrives: nothing overtakes it.
func (w *watch) opened(at time.Duration) {
	w.arrives = at
	w.begin()
}

// event sends what an event means to this watch: an object that comes to match is added, one that no longer does is
// deleted. Upstream: storage/cacher/cache_watcher.go, cacheWatcher.convertToWatchEvent.
func (w *watch) event(e store.Event) {
	if w.isClosed || e.Revision <= w.after {
		return
	}
	w.after = e.Revision
	is := e.Type != store.Deleted && w.filter.matches(e.Object)
	was := e.Previous != nil && w.filter.matches(e.Previous)
	revision := w.server.textOf(e.Revision)
	switch {
	case is && was:
		w.send(client.Modified, e.Object, revision)
	case is:
		w.send(client.Added, e.Object, revision)
	case was && e.Type == store.Deleted:
		w.send(client.Deleted, e.Object, revision)
	case was:
		left := e.Previous.DeepCopyObject()
		left.SetResourceVersion(revision)
		w.send(client.Deleted, left, revision)
	}
}

// textOf is a revision as a string. All watches of a resource ask for the same ones, one after the other.
func (s *Server) textOf(revision int64) string {
	if s.written.revision != revision {
		s.written.revision, s.written.text = revision, strconv.FormatInt(revision, 10)
	}
	return s.written.text
}

// send puts an event on the wire.
func (w *watch) send(typ client.EventType, obj api.Object, revision string) {
	w.transmit(client.Event{Type: typ, Object: w.registry.Served(obj)}, trace.Ref{Resource: w.registry.Kind.Resource, Namespace: obj.GetNamespace(),
		Name: obj.GetName()}, revision)
}

func (w *watch) transmit(event client.Event, ref trace.Ref, revision string) {
	s := w.server
	now := s.kernel.Elapsed()
	w.arrives = max(w.arrives, now+s.latency())
	a := &arrival{watch: w, event: event, cause: s.kernel.Cause()}
	if s.traced() {
		w.sent++
		a.cell = messageCell(strconv.FormatInt(w.id, 10) + "/" + strconv.FormatInt(w.sent, 10))
		label := string(event.Type)
		if ref.Name != "" {
			label += " " + ref.Name
		}
		a.attrs = []trace.Attr{w.number, w.to, {Key: "type", Value: string(event.Type)}, {Key: "revision", Value: revision}}
		a.cause = s.kernel.Emit(trace.WatchSend, ref, a.attrs,
			trace.Set(a.cell, trace.Message{Kind: "watch", From: s.component.Name(), To: w.client.Name(), Label: label, Good: true, Sent: now, Arrives: w.arrives}))
		w.flying = append(w.flying, a.cell)
	}
	if a.cause == s.kernel.Cause() {
		s.kernel.After(w.arrives-now, a.arrive)
		return
	}
	s.kernel.Because(a.cause, func() { s.kernel.After(w.arrives-now, a.arrive) })
}

// arrive puts a message into the client's end, unless the connection is cut.
func (a *arrival) arrive() {
	w := a.watch
	if w.ended || !w.client.Running() {
		return // whoever cut the connection took the message off the wire
	}
	if cut := w.server.cuts[w.client.Name()]; cut != nil {
		cut.hold(nil, a.arrive)
		return
	}
	w.queue = append(w.queue, a)
	w.wake()
}

func (w *watch) wake() {
	if w.taker != nil {
		w.taker.Wake()
	}
}

// bookmarks sends the newest revision now and then. Upstream: storage/cacher/cacher.go, Cacher.dispatchEvents.
func (w *watch) bookmarks() {
	if w.isClosed {
		return
	}
	w.server.kernel.Because(w.cause, func() {
		w.bookmark(nil)
		w.timers = append(w.timers[:1], w.server.component.After(w.server.opts.BookmarkFrequency, w.bookmarks))
	})
}

func (w *watch) bookmark(annotations map[string]string) {
	obj := w.registry.Kind.New()
	api.SetKind(obj)
	revision := strconv.FormatInt(max(w.server.revision, w.after), 10)
	obj.SetResourceVersion(revision)
	obj.SetAnnotations(annotations)
	w.transmit(client.Event{Type: client.Bookmark, Object: obj}, trace.Ref{Resource: w.registry.Kind.Resource}, revision)
}

// fail sends an error and ends the watch.
func (w *watch) fail(status *metav1.Status) {
	w.transmit(client.Event{Type: client.Error, Status: status}, trace.Ref{Resource: w.registry.Kind.Resource}, "")
	w.close(status.Message)
}

// close ends the watch from the server's side: what was sent still arrives, then the end does.
func (w *watch) close(reason string) {
	if w.isClosed {
		return
	}
	w.shut()
	s := w.server
	deltas := []trace.Delta{trace.Unset(w.cell())}
	if !w.client.Running() {
		deltas = append(deltas, w.offTheWire()...)
	}
	id := s.kernel.Emit(trace.WatchClose, w.ref, w.closed(reason), deltas...)
	if id == 0 {
		id = s.kernel.Cause()
	}
	now := s.kernel.Elapsed()
	w.arrives = max(w.arrives, now+s.latency())
	s.kernel.Because(id, func() { s.kernel.After(w.arrives-now, w.end) })
}

// closed is what is said of the end: of which watch, and why.
func (w *watch) closed(reason string) []trace.Attr {
	return trace.Attrs("watch", w.id, "resource", w.registry.Kind.Resource, "client", w.client.Name(), "reason", reason)
}

// broken ends the watch because the connection broke: both ends notice, and what was on its way is lost.
func (w *watch) broken() {
	if w.isClosed {
		return
	}
	w.shut()
	s := w.server
	var id trace.ID
	s.run(w.client, func() {
		id = s.kernel.Emit(trace.WatchClose, w.ref, w.closed("connection is lost"),
			append([]trace.Delta{trace.Unset(w.cell())}, w.offTheWire()...)...)
	})
	w.queue = nil
	if id == 0 {
		id = s.kernel.Cause()
	}
	s.kernel.Because(id, w.end)
}

// givenUp ends the watch because its connection answers no ping: the client's end says so, and the server's goes with it.
// Simplified: upstream's server learns of it when the packets that it sends again and again are given up.
// Upstream: apimachinery/pkg/watch/streamwatcher.go, StreamWatcher.receive.
func (w *watch) givenUp() {
	if w.ended || !w.client.Running() {
		return
	}
	if !w.isClosed {
		w.shut()
	}
	s := w.server
	id := s.kernel.Cause()
	w.client.Run(func() {
		if n := s.kernel.Emit(trace.WatchClose, w.ref, w.closed(client.ErrHTTP2ConnectionLost.Error()),
			append([]trace.Delta{trace.Unset(w.cell())}, w.offTheWire()...)...); n != 0 {
			id = n
		}
	})
	w.queue = append(w.queue, &arrival{event: client.Event{Type: client.Error, Status: undecodable()}, cause: id, local: true})
	w.ended, w.why = true, id
	w.wake()
}

// shut takes the watch out of the server's memory.
func (w *watch) shut() {
	w.isClosed = true
	if w.subscription != nil {
		w.subscription.Stop()
	}
	for _, t := range w.timers {
		t.Stop()
	}
	w.server.watches = slices.DeleteFunc(slices.Clone(w.server.watches), func(o *watch) bool { return o == w })
}

func (w *watch) offTheWire() []trace.Delta {
	var out []trace.Delta
	for _, cell := range w.flying {
		out = append(out, trace.Unset(cell))
	}
	w.flying = nil
	return out
}

// end reaches the client's end.
func (w *watch) end() {
	if w.ended {
		return
	}
	if cut := w.server.cuts[w.client.Name()]; cut != nil {
		cut.half = append(cut.half, w)
		cut.hold(nil, w.end)
		return
	}
	w.ended = true
	w.why = w.server.kernel.Cause()
	w.wake()
}

func (w *watch) cell() trace.Cell {
	return trace.Cell{Kind: trace.CellWatch, Owner: w.client.Name(), Key: strconv.FormatInt(w.id, 10)}
}

// Next implements client.Stream.
func (w *watch) Next(p *sim.Proc) (client.Event, bool) {
	w.taker = p
	for len(w.queue) == 0 {
		if w.ended {
			p.Due(w.why)
			return client.Event{}, false
		}
		p.Park()
	}
	a := w.queue[0]
	if w.queue[0] = nil; len(w.queue) == 1 {
		w.queue = w.queue[:0] // its array is there for the next one
	} else {
		w.queue = w.queue[1:]
	}
	p.Due(a.cause)
	if a.local || !w.server.traced() {
		return a.event, true
	}
	w.flying = slices.DeleteFunc(w.flying, func(c trace.Cell) bool { return c == a.cell })
	ref := w.ref
	if a.event.Object != nil {
		ref = trace.Ref{Resource: w.ref.Resource, Namespace: a.event.Object.GetNamespace(), Name: a.event.Object.GetName()}
	}
	p.Due(p.Emit(trace.WatchReceive, ref, []trace.Attr{a.attrs[0], a.attrs[2], a.attrs[3]}, trace.Unset(a.cell)))
	return a.event, true
}

// Stop implements client.Stream: the client closes the connection.
func (w *watch) Stop() {
	if w.ended {
		return
	}
	w.ended = true
	w.why = w.server.kernel.Cause()
	w.queue = nil
	w.wake()
	if w.isClosed && len(w.flying) == 0 {
		return
	}
	w.shut()
	w.client.Run(func() {
		w.server.kernel.Emit(trace.WatchClose, w.ref, w.closed("client stopped it"),
			append([]trace.Delta{trace.Unset(w.cell())}, w.offTheWire()...)...)
	})
}

// parseResourceVersion reads the version from which to list or watch.
// Upstream: storage/versioner.go, APIObjectVersioner.ParseResourceVersion.
func parseResourceVersion(v string) (int64, error) {
	n, err := store.ParseRevision(v)
	if err != nil {
		return 0, apierrors.NewBadRequest(fmt.Sprintf("Invalid value: %q: %v", v, err))
	}
	return n, nil
}

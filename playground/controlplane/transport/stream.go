package transport

import (
	"slices"
	"strconv"
	"time"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Stream is one open watch: the server's end, the connection, and, as a client.Stream, the client's end.
//
// The invariant of the connection: messages arrive in the order in which they were sent. Each arrives no earlier than
// the one before (arrives), and what has arrived waits in queue until the client takes it.
type Stream struct {
	network *Network
	id      int64
	client  *sim.Component
	ref     trace.Ref
	// begin sends what there is before the first live event; it is called when the reply is on its way.
	begin func()
	// over is called when the server's end is closed.
	over func()

	arrives    time.Duration // when the newest message arrives
	sent       int64         // messages that the trace has
	flying     []trace.Cell  // those of them that were not taken
	number, to trace.Attr    // what the trace says of each: the watch, and its client
	isClosed   bool          // at the server
	aside      bool          // the client only looks

	queue []*arrival
	ended bool // at the client
	why   trace.ID
	taker *sim.Proc
}

// Open makes the stream that answers a call. ref is what is watched: a resource, all of it, of a namespace, or one
// object; about is what else the trace says of the watch.
func (n *Network) Open(p *sim.Proc, c *Call, ref trace.Ref, about []trace.Attr) *Stream {
	n.knows(c.Caller.Component())
	w := &Stream{network: n, id: n.kernel.NextMessage(), client: c.Caller.Component(), ref: ref, aside: c.aside}
	w.number, w.to = trace.Attr{Key: "watch", Value: w.id}, trace.Attr{Key: "client", Value: w.client.Name()}
	n.streams = append(n.streams, w)
	p.Due(p.Emit(trace.WatchOpen, ref, append([]trace.Attr{w.number, {Key: "resource", Value: ref.Resource}, w.to}, about...),
		trace.Set(w.cell(), ref.Resource)))
	return w
}

// Serve says what the server does with its end: begin is called when the reply is on its way, over when the end is closed.
func (w *Stream) Serve(begin, over func()) { w.begin, w.over = begin, over }

// Closed tells whether the server's end is closed.
func (w *Stream) Closed() bool { return w.isClosed }

// arrival is a message on its way to the client's end, or there.
type arrival struct {
	stream *Stream
	event  client.Event
	cell   trace.Cell
	cause  trace.ID // the WatchSend
	said   told     // by the WatchSend
	local  bool     // the client's own end says so: nothing was received
	lands  func()   // arrive; nil for what is local
}

// told is what the trace says of an event, to whichever watch it goes.
type told struct {
	event         client.EventType
	name, version string
	typ, revision trace.Attr
	label         string // of the message
}

// tells makes that of an event. Many watches get the same one, one after the other.
func (n *Network) tells(event client.EventType, name, version string) told {
	if t := &n.told; t.event != event || t.name != name || t.version != version {
		label := string(event)
		if name != "" {
			label += " " + name
		}
		n.told = told{event, name, version, trace.Attr{Key: "type", Value: string(event)}, trace.Attr{Key: "revision", Value: version}, label}
	}
	return n.told
}

// mostSpare is how many arrivals a network keeps for the next messages. Of a long list, more were on their way at once.
const mostSpare = 1024

// arrival is one that was used before, or a new one.
func (n *Network) arrival() *arrival {
	if last := len(n.spare) - 1; last >= 0 {
		a := n.spare[last]
		n.spare = n.spare[:last]
		return a
	}
	a := &arrival{}
	a.lands = a.arrive
	return a
}

// reuse takes back an arrival that nobody has any more.
func (n *Network) reuse(a *arrival) {
	if a.lands != nil && len(n.spare) < mostSpare {
		*a = arrival{lands: a.lands}
		n.spare = append(n.spare, a)
	}
}

// opened starts the watch when the reply is on its way. at is when it arrives: nothing overtakes it.
func (w *Stream) opened(at time.Duration) {
	w.arrives = at
	w.begin()
}

// Send puts an event on the wire: ref is the object, revision its version.
func (w *Stream) Send(event client.Event, ref trace.Ref, revision string) {
	n := w.network
	before := n.kernel.SetAside(w.aside)
	now := n.kernel.Elapsed()
	w.arrives = max(w.arrives, now+n.latency())
	a := n.arrival()
	a.stream, a.event, a.cause = w, event, n.kernel.Cause()
	if n.traced() {
		w.sent++
		var digits [40]byte
		key := append(strconv.AppendInt(digits[:0], w.id, 10), '/')
		a.cell = messageCell(string(strconv.AppendInt(key, w.sent, 10)))
		a.said = n.tells(event.Type, ref.Name, revision)
		a.cause = n.kernel.Emit(trace.WatchSend, ref, []trace.Attr{w.number, w.to, a.said.typ, a.said.revision}, trace.Set(a.cell,
			trace.Message{Kind: "watch", From: n.name, To: w.client.Name(), Label: a.said.label, Good: true, Sent: now, Arrives: w.arrives}))
		w.flying = append(w.flying, a.cell)
	}
	if a.cause == n.kernel.Cause() {
		n.kernel.Later(w.arrives-now, a.lands)
	} else {
		n.kernel.Because(a.cause, func() { n.kernel.Later(w.arrives-now, a.lands) })
	}
	n.kernel.SetAside(before)
}

// arrive puts a message into the client's end, unless the connection is cut.
func (a *arrival) arrive() {
	w := a.stream
	if w.ended || !w.client.Running() {
		w.network.reuse(a) // whoever cut the connection took the message off the wire
		return
	}
	if cut := w.network.cuts[w.client.Name()]; cut != nil {
		cut.hold(nil, a.lands)
		return
	}
	w.queue = append(w.queue, a)
	w.wake()
}

func (w *Stream) wake() {
	if w.taker != nil {
		w.taker.Wake()
	}
}

// Close ends the watch from the server's side: what was sent still arrives, then the end does.
func (w *Stream) Close(reason string) {
	defer w.network.kernel.SetAside(w.network.kernel.SetAside(w.aside))
	if w.isClosed {
		return
	}
	w.shut()
	n := w.network
	deltas := []trace.Delta{trace.Unset(w.cell())}
	if !w.client.Running() {
		deltas = append(deltas, w.offTheWire()...)
	}
	id := n.kernel.Emit(trace.WatchClose, w.ref, w.closed(reason), deltas...)
	if id == 0 {
		id = n.kernel.Cause()
	}
	now := n.kernel.Elapsed()
	w.arrives = max(w.arrives, now+n.latency())
	n.kernel.Because(id, func() { n.kernel.Later(w.arrives-now, w.end) })
}

// closed is what is said of the end: of which watch, and why.
func (w *Stream) closed(reason string) []trace.Attr {
	return trace.Attrs("watch", w.id, "resource", w.ref.Resource, "client", w.client.Name(), "reason", reason)
}

// broken ends the watch because the connection broke: both ends notice, and what was on its way is lost.
func (w *Stream) broken() {
	defer w.network.kernel.SetAside(w.network.kernel.SetAside(w.aside))
	if w.isClosed {
		return
	}
	w.shut()
	n := w.network
	var id trace.ID
	n.run(w.client, func() {
		id = n.kernel.Emit(trace.WatchClose, w.ref, w.closed("connection is lost"),
			append([]trace.Delta{trace.Unset(w.cell())}, w.offTheWire()...)...)
	})
	w.queue = nil
	if id == 0 {
		id = n.kernel.Cause()
	}
	n.kernel.Because(id, w.end)
}

// givenUp ends the watch because its connection answers no ping: the client's end says so, and the server's goes with it.
// Simplified: upstream's server learns of it when the packets that it sends again and again are given up.
// Upstream: apimachinery/pkg/watch/streamwatcher.go, StreamWatcher.receive.
func (w *Stream) givenUp() {
	defer w.network.kernel.SetAside(w.network.kernel.SetAside(w.aside))
	if w.ended || !w.client.Running() {
		return
	}
	if !w.isClosed {
		w.shut()
	}
	n := w.network
	id := n.kernel.Cause()
	w.client.Run(func() {
		if closed := n.kernel.Emit(trace.WatchClose, w.ref, w.closed(client.ErrHTTP2ConnectionLost.Error()),
			append([]trace.Delta{trace.Unset(w.cell())}, w.offTheWire()...)...); closed != 0 {
			id = closed
		}
	})
	w.queue = append(w.queue, &arrival{event: client.Event{Type: client.Error, Status: undecodable()}, cause: id, local: true})
	w.ended, w.why = true, id
	w.wake()
}

// shut takes the watch out of the server's memory.
func (w *Stream) shut() {
	w.isClosed = true
	if w.over != nil {
		w.over()
	}
	w.network.streams = slices.DeleteFunc(slices.Clone(w.network.streams), func(o *Stream) bool { return o == w })
}

func (w *Stream) offTheWire() []trace.Delta {
	var out []trace.Delta
	for _, cell := range w.flying {
		out = append(out, trace.Unset(cell))
	}
	w.flying = nil
	return out
}

// end reaches the client's end.
func (w *Stream) end() {
	if w.ended {
		return
	}
	if cut := w.network.cuts[w.client.Name()]; cut != nil {
		cut.half = append(cut.half, w)
		cut.hold(nil, w.end)
		return
	}
	w.ended = true
	w.why = w.network.kernel.Cause()
	w.wake()
}

func (w *Stream) cell() trace.Cell {
	return trace.Cell{Kind: trace.CellWatch, Owner: w.client.Name(), Key: strconv.FormatInt(w.id, 10)}
}

// Next implements client.Stream.
func (w *Stream) Next(p *sim.Proc) (client.Event, bool) {
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
	event := a.event
	p.Due(a.cause)
	if !a.local && w.network.traced() {
		w.flying = slices.DeleteFunc(w.flying, func(c trace.Cell) bool { return c == a.cell })
		ref := w.ref
		if event.Object != nil {
			ref = trace.Ref{Resource: w.ref.Resource, Namespace: event.Object.GetNamespace(), Name: event.Object.GetName()}
		}
		p.Due(p.Emit(trace.WatchReceive, ref, []trace.Attr{w.number, a.said.typ, a.said.revision}, trace.Unset(a.cell)))
	}
	w.network.reuse(a)
	return event, true
}

// Stop implements client.Stream: the client closes the connection.
func (w *Stream) Stop() {
	defer w.network.kernel.SetAside(w.network.kernel.SetAside(w.aside))
	if w.ended {
		return
	}
	w.ended = true
	w.why = w.network.kernel.Cause()
	w.queue = nil
	w.wake()
	if w.isClosed && len(w.flying) == 0 {
		return
	}
	w.shut()
	w.client.Run(func() {
		w.network.kernel.Emit(trace.WatchClose, w.ref, w.closed("client stopped it"),
			append([]trace.Delta{trace.Unset(w.cell())}, w.offTheWire()...)...)
	})
}

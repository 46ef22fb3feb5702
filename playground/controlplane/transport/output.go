package transport

import (
	"errors"
	"slices"
	"time"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Output is what a container goes on to print, on its way to a client: the server's end, the connection, and, as a client.Output,
// the client's end. Messages arrive in the order in which they were sent.
//
// Simplified: the trace has nothing of it but what the client makes of it.
type Output struct {
	network *Network
	client  *sim.Component
	over    func() // is called when the server's end is closed

	arrives  time.Duration // when the newest message arrives
	typed    time.Duration // when what was typed last arrives at the server
	isClosed bool          // at the server

	queue []printed
	last  printed // what Next has returned last
	why   error   // why there will be no more; nil while there may be
	cause trace.ID
	taker *sim.Proc
}

// Print makes the output that answers a call. over is called when the server's end is closed.
func (n *Network) Print(c *Call, over func()) *Output {
	n.knows(c.Caller.Component())
	o := &Output{network: n, client: c.Caller.Component(), over: over}
	n.outputs = append(n.outputs, o)
	return o
}

type printed struct {
	text   string
	stderr bool
}

// Send puts text on the wire that was printed to standard output, or to standard error.
func (o *Output) Send(text string, stderr bool) {
	if !o.isClosed {
		o.deliver(func() { o.queue = append(o.queue, printed{text, stderr}) })
	}
}

// Close ends the output from the server's side: what was sent still arrives, then the end does, which is io.EOF or how a command ended.
func (o *Output) Close(why error) {
	if !o.isClosed {
		o.shut()
		o.deliver(func() { o.end(why) })
	}
}

// Type has something happen at the server, behind everything that the client has typed before, unless the connection is closed by then.
func (o *Output) Type(what func()) {
	k := o.network.kernel
	now := k.Elapsed()
	o.typed = max(o.typed, now+o.network.latency())
	k.Later(o.typed-now, func() {
		if !o.isClosed {
			what()
		}
	})
}

// deliver has something happen at the client's end, behind everything that was sent before.
func (o *Output) deliver(what func()) {
	k := o.network.kernel
	now := k.Elapsed()
	o.arrives = max(o.arrives, now+o.network.latency())
	var arrive func()
	arrive = func() {
		if o.why != nil || !o.client.Running() {
			return
		}
		if cut := o.network.cuts[o.client.Name()]; cut != nil {
			cut.hold(nil, arrive)
			return
		}
		o.cause = k.Cause()
		what()
		o.wake()
	}
	k.Later(o.arrives-now, arrive)
}

// broken ends the output because the connection broke: both ends notice, and what was on its way is lost.
func (o *Output) broken(why error) {
	if !o.isClosed {
		o.shut()
	}
	o.cause = o.network.kernel.Cause()
	o.end(why)
}

// shut closes the server's end.
func (o *Output) shut() {
	o.isClosed = true
	o.network.outputs = slices.DeleteFunc(slices.Clone(o.network.outputs), func(other *Output) bool { return other == o })
	o.over()
}

func (o *Output) end(why error) {
	if o.why == nil {
		o.why = why
		o.wake()
	}
}

func (o *Output) wake() {
	if o.taker != nil {
		o.taker.Wake()
	}
}

// errStopped ends what the client itself has stopped.
var errStopped = errors.New("the client has closed the connection")

// Next implements client.Output.
func (o *Output) Next(p *sim.Proc) (string, error) {
	for o.taker = p; len(o.queue) == 0; p.Park() {
		if o.why != nil {
			p.Due(o.cause)
			return "", o.why
		}
	}
	o.last, o.queue = o.queue[0], o.queue[1:]
	p.Due(o.cause)
	return o.last.text, nil
}

// Stderr implements client.Output.
func (o *Output) Stderr() bool { return o.last.stderr }

// Stop implements client.Output: the client closes the connection.
func (o *Output) Stop() {
	if o.why == nil {
		o.queue = nil
		o.broken(errStopped)
	}
}

var _ client.Output = (*Output)(nil)

package transport

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// How long it takes until somebody notices that packets no longer get through.
const (
	// connectionLostAfter is when a client gives up a connection over which nothing comes: 30 s without a frame, and 15 s for
	// the answer to a ping. Upstream: apimachinery/pkg/util/net/http.go, readIdleTimeoutSeconds and pingTimeoutSeconds.
	connectionLostAfter = 45 * time.Second
	// dialTimeout is how long it tries to open another. Upstream: client-go/transport/cache.go, net.Dialer.
	dialTimeout = 30 * time.Second
	// firstRetransmission, and twice as long after that each time, is when TCP sends again what nobody acknowledged; for
	// the packet that opens a connection it is firstSYN.
	firstRetransmission = 200 * time.Millisecond
	firstSYN            = time.Second
)

// cut is a client to and from whom no packet gets through: a partition. Nobody is told. What was sent, either way, is
// held, for TCP sends it again; the client waits, until it loses its patience with the request or with the connection.
// When the partition heals before that, everything arrives in its order, late.
type cut struct {
	network *Network
	client  string
	since   time.Duration
	// lost: there is no connection any more (or there was none). Requests try to open one.
	lost    bool
	timer   *sim.Timer
	healing *sim.Timer // when packets get through, and those that were lost are sent again
	held    []held
	calls   []*Call   // that were sent since, or wait for their answer
	half    []*Stream // that the server has closed, which the client does not know
	dials   []dial

	holder *sim.Component // whose connection it is
}

// held is a packet that has not got through.
type held struct {
	at      time.Duration
	deliver func()
}

// dial is an attempt to open a connection for a call.
type dial struct {
	at    time.Duration
	call  *Call
	cause trace.ID
	timer *sim.Timer
}

// Cut lets no packet pass between a component and the server, until Heal.
func (n *Network) Cut(name string) {
	if c := n.cuts[name]; c != nil {
		c.healing.Stop() // if it was about to
		c.healing = nil
		return
	}
	c := &cut{network: n, client: name, since: n.kernel.Elapsed(), lost: true}
	for _, w := range n.streams {
		if w.client.Name() == name {
			c.lost, c.holder = false, w.client
		}
	}
	for _, o := range n.outputs {
		if o.client.Name() == name {
			c.lost, c.holder = false, o.client
		}
	}
	for _, o := range append(slices.Clone(n.calls), n.landing...) {
		if o.Caller.Component().Name() == name {
			c.lost, c.holder = false, o.Caller.Component()
			c.calls = append(c.calls, o)
		}
	}
	n.cuts[name] = c
	if !c.lost {
		c.timer = n.kernel.After(connectionLostAfter, c.lose)
	}
}

// Heal ends Cut.
func (n *Network) Heal(name string) {
	c := n.cuts[name]
	if c == nil {
		return
	}
	if len(c.held) > 0 {
		if c.healing != nil {
			return
		}
		// A connection keeps the order: what is sent from now on waits for what was lost.
		c.healing = n.kernel.After(again(c.held[0].at, n.kernel.Elapsed(), firstRetransmission), c.flush)
		c.redial()
		return
	}
	c.timer.Stop()
	delete(n.cuts, name)
	c.redial()
}

// redial sends what opens a connection again, now that it gets through.
func (c *cut) redial() {
	n := c.network
	for _, d := range c.dials {
		d.timer.Stop()
		if d.call.done || !d.call.Caller.Component().Running() {
			continue
		}
		n.kernel.Because(d.cause, func() {
			n.kernel.After(again(d.at, n.kernel.Elapsed(), firstSYN), func() { d.call.travel(n.latency()) })
		})
	}
	c.dials = nil
}

// flush delivers what was held, in its order.
func (c *cut) flush() {
	c.timer.Stop()
	delete(c.network.cuts, c.client)
	for _, h := range c.held {
		h.deliver()
	}
}

// again is how long it takes from now until a packet that was first sent at a time is sent once more: after first, and
// twice as long after that each time.
func again(sent, now, first time.Duration) time.Duration {
	at := sent + first
	for wait := first; at <= now; {
		wait *= 2
		at += wait
	}
	return at - now
}

// hold keeps what would have arrived. call is the one whose answer it is, nil for what comes over a watch.
func (c *cut) hold(call *Call, deliver func()) {
	if c.lost {
		return // it belongs to a connection that nobody listens to
	}
	cause := c.network.kernel.Cause()
	c.held = append(c.held, held{c.network.kernel.Elapsed(), func() { c.network.kernel.Because(cause, deliver) }})
	if call != nil && !slices.Contains(c.calls, call) {
		c.calls = append(c.calls, call)
	}
}

// send takes a request that the client sends.
func (c *cut) send(sent *Call, delay time.Duration) {
	k := c.network.kernel
	component := sent.Caller.Component()
	component.OnStop(func() {
		if !sent.done && c.forget(sent) {
			sent.orphaned()
		}
	})
	c.calls = append(c.calls, sent)
	if !c.lost && component == c.holder {
		c.hold(sent, func() {
			if c.forget(sent) && !sent.done {
				sent.travel(delay)
			}
		})
		return
	}
	d := dial{at: k.Elapsed(), call: sent, cause: k.Cause()}
	d.timer = k.After(dialTimeout, func() { sent.fail("dial tcp %s: %w", address, client.ErrDialTimeout) })
	c.dials = append(c.dials, d)
}

// forget takes a call off the list, and tells whether it was on it.
func (c *cut) forget(o *Call) bool {
	i := slices.Index(c.calls, o)
	if i < 0 {
		return false
	}
	c.calls = slices.Delete(c.calls, i, i+1)
	return true
}

// lose is when the client gives its connection up: everything that goes over it ends.
func (c *cut) lose() {
	n := c.network
	c.lost, c.held = true, nil
	if c.healing.Stop() { // too late for this connection
		delete(n.cuts, c.client)
	}
	for _, call := range c.calls {
		call.fail("%w", client.ErrHTTP2ConnectionLost)
	}
	c.calls = nil
	for _, w := range slices.Clone(n.streams) {
		if w.client.Name() == c.client {
			w.givenUp()
		}
	}
	for _, o := range slices.Clone(n.outputs) {
		if o.client.Name() == c.client {
			o.broken(client.ErrHTTP2ConnectionLost)
		}
	}
	for _, w := range c.half {
		w.givenUp()
	}
	c.half = nil
}

// undecodable is what a client's end of a watch says when the connection below it is gone.
// Upstream: api/errors/errors.go, NewClientErrorReporter and NewGenericServerResponse, for code 500.
func undecodable() *metav1.Status {
	return &metav1.Status{
		Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonInternalError,
		Message: fmt.Sprintf("an error on the server (%q) has prevented the request from succeeding",
			"unable to decode an event from the watch stream: "+client.ErrHTTP2ConnectionLost.Error()),
	}
}

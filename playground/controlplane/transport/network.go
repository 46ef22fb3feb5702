// Package transport is what is between the API server and its clients: requests and answers on their way, the connections
// of watches, and partitions, which hold both.
//
// A request is a message from the client's component, a process of the server's own that handles it, and a message back.
// So a client that dies does not cancel its request, a server that dies leaves its clients with an error, and both see
// what the other did only when the message arrives. Messages of one watch never overtake each other; replies of
// different requests do.
//
// Simplified: a component has one connection, without TLS, and objects travel as they are, not encoded.
//
// Upstream: client-go/rest and client-go/transport at one end, apiserver/pkg/server and apiserver/pkg/endpoints/handlers
// at the other.
package transport

import (
	"slices"
	"time"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Handler is the server's end.
type Handler interface {
	// Handle answers a request with Call.Reply, once. p is a process of the server's component.
	Handle(p *sim.Proc, c *Call)
}

// Network carries requests and events between clients and the server at one address. It implements client.Transport.
type Network struct {
	kernel  *sim.Kernel
	name    string // the server's
	handler Handler
	latency func() time.Duration // one way between a client and the server

	// Username, if not nil, says for the trace by what name the server knows a component.
	Username func(component string) string

	server  *sim.Component // the program that serves, or served last; nil before the first
	calls   []*Call        // requests that are not answered, in the order in which they were sent
	landing []*Call        // requests whose answer, or the end of whose connection, is on its way to the client
	streams []*Stream      // open watches, in the order in which they were opened
	outputs []*Output      // of containers, that go on, in the same order
	clients map[*sim.Component]bool
	cuts    map[string]*cut // by component: see Cut
	told    told            // of the event that was sent last
	spare   []*arrival      // that can be used again
}

// New makes the network in front of a handler, which runs in a component of that name. latency draws how long a message
// takes one way.
func New(k *sim.Kernel, name string, h Handler, latency func() time.Duration) *Network {
	return &Network{kernel: k, name: name, handler: h, latency: latency, clients: map[*sim.Component]bool{}, cuts: map[string]*cut{}}
}

// Listen has a component serve at the address from now on. The one before has stopped.
func (n *Network) Listen(c *sim.Component) { n.server = c }

// Disconnect is for a server that has stopped: every connection to it breaks.
func (n *Network) Disconnect() {
	for _, w := range slices.Clone(n.streams) {
		w.broken()
	}
	n.streams = nil
	for _, o := range slices.Clone(n.outputs) {
		o.broken(client.ErrConnectionLost)
	}
	for _, call := range slices.Clone(n.calls) {
		call.lost()
	}
	n.calls = nil
}

// CloseWatches breaks the connections on which a client watches a resource, or all of them if resource is "", and returns
// how many there were. Events on their way are lost.
func (n *Network) CloseWatches(client, resource string) int {
	broken := 0
	for _, w := range slices.Clone(n.streams) {
		if w.client.Name() == client && (resource == "" || w.ref.Resource == resource) {
			w.broken()
			broken++
		}
	}
	return broken
}

// knows registers a client's end, so that the server hears when the client dies: the machine's kernel closes the dead
// program's connections.
func (n *Network) knows(c *sim.Component) {
	if n.clients[c] {
		return
	}
	n.clients[c] = true
	c.OnStop(func() {
		delete(n.clients, c)
		for _, w := range slices.Clone(n.streams) {
			if w.client == c {
				n.run(c, func() { w.Close("client is gone") })
			}
		}
		for _, o := range slices.Clone(n.outputs) {
			if o.client == c {
				o.shut()
			}
		}
	})
}

// run executes do as code of the end of a connection that is still alive: the server's, or else the client's. When both
// are gone it is nobody's: the wire is cleared all the same.
func (n *Network) run(c *sim.Component, do func()) {
	switch {
	case n.serving():
		n.server.Run(do)
	case c.Running():
		c.Run(do)
	default:
		do()
	}
}

// serving tells whether somebody answers at the address.
func (n *Network) serving() bool { return n.server != nil && n.server.Running() }

// traced tells whether requests and watches are recorded: when they are not, nothing is made ready for it.
func (n *Network) traced() bool { return n.kernel.Trace().Keeps(trace.RequestSend) }

package csi

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Address is where a socket lies: the volume that has the file, and the file's path in it.
type Address struct {
	Volume any
	Path   string
}

// End is where a program runs, for who draws its calls: its machine, and its address there.
type End struct{ Node, IP string }

// Handler answers a call.
type Handler func(p *sim.Proc, method string, in *Request) (*Response, error)

// Sockets are those of all machines.
type Sockets struct {
	kernel  *sim.Kernel
	rand    *sim.Rand
	servers map[Address]*server
	order   []Address
	calls   int
	made    int
}

// server listens at a socket. It dies with its component, and the file stays, unless it is removed.
type server struct {
	component *sim.Component
	end       End
	serve     Handler
	underWay  []*call
	made      int // which socket of all it is
}

// call is one that a server has not answered.
type call struct {
	number   string
	done     bool
	response *Response
	err      error
	cause    trace.ID
	caller   *sim.Proc
	waiting  bool
	gone     bool // its caller does not wait any longer
}

// A packet takes this long within a machine.
const minHop, maxHop = 200 * time.Microsecond, 600 * time.Microsecond

// NewSockets returns machines without any.
func NewSockets(k *sim.Kernel) *Sockets {
	return &Sockets{kernel: k, rand: k.Rand("csi/sockets"), servers: map[Address]*server{}}
}

// Listen has a program answer at a socket, in the place of who did before.
func (s *Sockets) Listen(a Address, c *sim.Component, end End, serve Handler) {
	if s.servers[a] == nil {
		s.order = append(s.order, a)
	}
	s.made++
	sv := &server{component: c, end: end, serve: serve, made: s.made}
	s.servers[a] = sv
	k := s.kernel
	c.OnStop(func() {
		for _, one := range sv.underWay {
			one.finish(k, nil, &Error{Unavailable, "error reading from server: EOF"})
		}
		sv.underWay = nil
	})
}

// Remove deletes a socket's file.
func (s *Sockets) Remove(a Address) {
	delete(s.servers, a)
	s.order = slices.DeleteFunc(s.order, func(b Address) bool { return a == b })
}

// In are the sockets of a volume, the oldest first.
func (s *Sockets) In(volume any) (paths []string) {
	for _, a := range s.order {
		if a.Volume == volume {
			paths = append(paths, a.Path)
		}
	}
	return paths
}

// Made tells one socket at an address from those before it, as its file's time does; 0 is none.
func (s *Sockets) Made(a Address) int {
	if sv := s.servers[a]; sv != nil {
		return sv.made
	}
	return 0
}

// Answers tells whether a connection can be made.
func (s *Sockets) Answers(a Address) bool {
	sv := s.servers[a]
	return sv != nil && sv.component.Running()
}

// Conn is a program's connection to a socket.
type Conn struct {
	Sockets *Sockets
	At      Address
	Path    string // as the caller knows it
	From    End
	// Hidden leaves the calls out of pictures: those that come again and again and say nothing new.
	Hidden bool
}

// Alive tells whether there is somebody at the other end.
func (c *Conn) Alive() bool { return c.Sockets.Answers(c.At) }

// OnLoss calls do when the other end has died, as long as the caller's program runs; there must be one.
func (c *Conn) OnLoss(caller *sim.Component, do func()) {
	c.Sockets.servers[c.At].component.OnStop(func() { caller.After(c.Sockets.rand.Between(minHop, maxHop), do) })
}

// Call asks, and waits for the answer, as long as timeout says.
func (c *Conn) Call(p *sim.Proc, method string, in *Request, timeout time.Duration) (*Response, error) {
	s := c.Sockets
	sv := s.servers[c.At]
	if !c.Alive() {
		reason := "connect: connection refused"
		if sv == nil {
			reason = "connect: no such file or directory"
		}
		err := &Error{Unavailable, `connection error: desc = "transport: Error while dialing: dial unix ` + c.Path + ": " + reason + `"`}
		p.Logger().V(2).Info("GRPC response", "method", method, "err", err)
		return nil, err
	}
	s.calls++
	one := &call{number: strconv.Itoa(s.calls), caller: p}
	sv.underWay = append(sv.underWay, one)
	label := method[strings.LastIndexByte(method, '/')+1:]
	hop := s.rand.Between(minHop, maxHop)
	asked := append([]any{"method", method}, in.log()...)
	p.Due(p.Emit(trace.Log, trace.Ref{}, trace.Attrs(append([]any{"message", "GRPC call", "v", int64(2)}, asked...)...),
		c.drawn(trace.Set(cell(one.number), packet(c.From, sv.end, label, true, true, p.Now(), hop)))...))
	p.Say(sim.LogLine{V: 2, Message: "GRPC call", KV: asked})
	sv.component.Go(label, func(q *sim.Proc) { s.answer(q, c, sv, one, method, in, hop) })
	deadline := p.Now() + timeout
	for !one.done && p.Now() < deadline {
		one.waiting = true
		p.ParkFor(deadline - p.Now())
		one.waiting = false
	}
	if one.done {
		p.Due(one.cause)
	} else {
		one.gone, one.err = true, &Error{DeadlineExceeded, "context deadline exceeded"}
	}
	kv := []any{"method", method}
	if one.err != nil {
		kv = append(kv, "err", one.err.Error())
	} else {
		kv = append(kv, one.response.log()...)
	}
	p.Due(p.Emit(trace.Log, trace.Ref{}, trace.Attrs(append([]any{"message", "GRPC response", "v", int64(2)}, kv...)...),
		c.drawn(trace.Unset(cell(one.number)))...))
	p.Say(sim.LogLine{V: 2, Message: "GRPC response", KV: kv})
	return one.response, one.err
}

// drawn is what a picture is told of a call.
func (c *Conn) drawn(delta trace.Delta) []trace.Delta {
	if c.Hidden {
		return nil
	}
	return []trace.Delta{delta}
}

// answer is the server's side.
func (s *Sockets) answer(q *sim.Proc, c *Conn, sv *server, one *call, method string, in *Request, hop time.Duration) {
	q.Sleep(hop)
	line := func(message string, delta trace.Delta, kv ...any) {
		q.Due(q.Emit(trace.Log, trace.Ref{}, trace.Attrs(append([]any{"message", message, "v", int64(4), "method", method}, kv...)...), c.drawn(delta)...))
		q.Say(sim.LogLine{V: 4, Message: message, KV: append([]any{"method", method}, kv...)})
	}
	line("Handling GRPC call", trace.Unset(cell(one.number)))
	out, err := sv.serve(q, method, in)
	hop = s.rand.Between(minHop, maxHop)
	label := "OK"
	if err != nil {
		label = string(CodeOf(err))
	}
	if one.isGone() {
		sv.underWay = slices.DeleteFunc(sv.underWay, func(o *call) bool { return o == one })
		return
	}
	line("Answering GRPC call", trace.Set(cell(one.number), packet(sv.end, c.From, label, false, err == nil, q.Now(), hop)))
	q.Sleep(hop)
	sv.underWay = slices.DeleteFunc(sv.underWay, func(o *call) bool { return o == one })
	if one.isGone() {
		line("The caller is gone", trace.Unset(cell(one.number)))
		return
	}
	one.finish(s.kernel, out, err)
}

// isGone tells whether nobody waits for the answer.
func (one *call) isGone() bool { return one.gone || !one.caller.Component().Running() }

func (one *call) finish(k *sim.Kernel, out *Response, err error) {
	one.done, one.response, one.err, one.cause = true, out, err, k.Cause()
	if one.waiting && !one.isGone() {
		one.caller.Wake()
	}
}

func cell(number string) trace.Cell {
	return trace.Cell{Kind: trace.CellPacket, Owner: "network", Key: "grpc/" + number}
}

func packet(from, to End, label string, question, good bool, now, hop time.Duration) trace.Packet {
	destination := to.IP
	if question {
		destination += ":" // as one to a port; see the picture's packets
	}
	return trace.Packet{From: from.Node, To: to.Node, Source: from.IP, Destination: destination,
		Protocol: "unix", Label: label, Good: good, Sent: now, Arrives: now + hop}
}

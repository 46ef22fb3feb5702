package cluster

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// faulty is the way to the API server where a switch is about one component's:
// late or broken watches, and a death in the middle of a batch. For everybody
// else it is the API server.
type faulty struct {
	Switch
	cluster *Cluster
	created int // requests since From
}

func (f *faulty) concerns(p *sim.Proc, r *client.Request) bool {
	return p.Component().Name() == f.Component && (f.Resource == "" || r.Resource.Resource == f.Resource)
}

// Kinds implements client.Transport.
func (f *faulty) Kinds() api.KindSet { return f.cluster.server.Kinds() }

// Do implements client.Transport.
func (f *faulty) Do(p *sim.Proc, r *client.Request) (client.Result, error) {
	if f.Kind == KilledMidBatch && r.Verb == client.Create && p.Now() >= f.From && f.concerns(p, r) {
		if f.created++; f.created == f.Nth {
			f.kill()
		}
	}
	return f.cluster.server.Do(p, r)
}

// kill has the component die as soon as the request has left.
func (f *faulty) kill() {
	c := f.cluster
	c.kernel.At(c.Elapsed(), func() { c.mishap(Input{Kind: Stop, Component: f.Component}) })
	if f.For > 0 {
		c.kernel.At(c.Elapsed()+f.For, func() { c.mishap(Input{Kind: Start, Component: f.Component}) })
	}
}

// mishap is a fault of a switch: the trace shows it as an input. That it cannot
// happen, because something else has happened, is nobody's mistake.
func (c *Cluster) mishap(in Input) {
	id := c.kernel.Emit(trace.Input, trace.Ref{Resource: in.Resource}, trace.Attrs("kind", string(in.Kind), "component", in.Component))
	c.kernel.Because(id, func() { _ = c.fault(in) })
}

// Watch implements client.Transport.
func (f *faulty) Watch(p *sim.Proc, r *client.Request) (client.Stream, error) {
	s, err := f.cluster.server.Watch(p, r)
	if err != nil || !f.concerns(p, r) {
		return s, err
	}
	switch f.Kind {
	case StaleCache, WithoutExpectations:
		return newLateStream(p, s, f.due), nil
	case BrokenWatch:
		return deafStream{s, f.From}, nil
	}
	return s, nil
}

// due is when the cache has what arrives now.
func (f *faulty) due(now time.Duration) time.Duration {
	switch {
	case f.Late > 0 && now >= f.From:
		return now + f.Late
	case now >= f.From && now < f.From+f.For:
		return f.From + f.For
	}
	return now
}

// lateStream is a watch whose events are received on time and lie there.
type lateStream struct {
	client.Stream
	due    func(now time.Duration) time.Duration
	queue  []lateEvent
	ended  bool
	reader *sim.Proc // waits in Next
}

type lateEvent struct {
	client.Event
	due   time.Duration
	cause trace.ID
}

func newLateStream(p *sim.Proc, inner client.Stream, due func(time.Duration) time.Duration) *lateStream {
	s := &lateStream{Stream: inner, due: due}
	p.Component().Go(p.Name(), s.receive)
	return s
}

func (s *lateStream) receive(p *sim.Proc) {
	var last time.Duration
	for !s.ended {
		event, ok := s.Stream.Next(p)
		if s.ended = !ok; ok {
			last = max(last, s.due(p.Now())) // in order
			s.queue = append(s.queue, lateEvent{event, last, p.Kernel().Cause()})
		}
		if s.reader != nil {
			s.reader.Wake()
		}
	}
}

// Next implements client.Stream.
func (s *lateStream) Next(p *sim.Proc) (client.Event, bool) {
	s.reader = p
	for len(s.queue) == 0 {
		if s.ended {
			return client.Event{}, false
		}
		p.Park()
	}
	e := s.queue[0]
	s.queue = s.queue[1:]
	if wait := e.due - p.Now(); wait > 0 {
		p.Sleep(wait)
	}
	p.Due(e.cause)
	return e.Event, true
}

// deafStream is a watch whose end is not noticed, if it is after a time.
type deafStream struct {
	client.Stream
	from time.Duration
}

// Next implements client.Stream.
func (s deafStream) Next(p *sim.Proc) (client.Event, bool) {
	event, ok := s.Stream.Next(p)
	for !ok && p.Now() >= s.from {
		p.Park()
	}
	return event, ok
}

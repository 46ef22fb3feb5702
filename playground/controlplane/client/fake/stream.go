package fake

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// stream is one watch.
type stream struct {
	server   *Server
	resource string
	kind     *api.Kind
	match    func(api.Object) bool
	lag      time.Duration // of this stream's messages, on top of the latency
	pending  []message
	ended    bool
	reader   *sim.Proc // waits in Next
}

type message struct {
	event   client.Event
	arrives time.Duration
	cause   trace.ID
}

// Watch implements client.Transport. Each stream has a lag of its own, up to ten
// times the latency, so what two watches tell may come in another order.
func (s *Server) Watch(p *sim.Proc, r *client.Request) (client.Stream, error) {
	s.travel(p)
	if s.Down {
		return nil, s.refused()
	}
	s.Requests = append(s.Requests, line(r)+"from "+r.List.ResourceVersion)
	if s.React != nil {
		if _, handled, err := s.React(r); handled {
			return nil, err
		}
	}
	match, err := matcher(r)
	if err != nil {
		return nil, err
	}
	from, err := strconv.ParseInt(r.List.ResourceVersion, 10, 64)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	w := &stream{server: s, resource: r.Resource.Resource, kind: api.KindForResource(r.Resource), match: match,
		lag: s.chance.Between(0, 10*s.MaxLatency)}
	if from < s.compacted {
		expired := apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", from, s.compacted))
		if s.chance.IntN(2) == 0 {
			return nil, expired
		}
		status := expired.Status()
		w.push(client.Event{Type: client.Error, Status: &status}, 0)
	} else {
		for _, c := range s.history {
			if c.revision > from {
				w.offer(c)
			}
		}
		s.streams = append(s.streams, w)
	}
	s.travel(p)
	return w, nil
}

// offer sends a change, if it is one to who watches.
func (w *stream) offer(c change) {
	if c.resource != w.resource {
		return
	}
	before, after := w.match(c.before), w.match(c.after)
	switch {
	case before && after:
		w.push(client.Event{Type: client.Modified, Object: c.after}, c.cause)
	case after:
		w.push(client.Event{Type: client.Added, Object: c.after}, c.cause)
	case before:
		gone := c.before
		if c.after != nil { // it is still there, and matches no more
			gone = gone.DeepCopyObject()
			gone.SetResourceVersion(strconv.FormatInt(c.revision, 10))
		}
		w.push(client.Event{Type: client.Deleted, Object: gone}, c.cause)
	}
}

func (w *stream) push(e client.Event, cause trace.ID) {
	s := w.server
	arrives := s.kernel.Elapsed() + w.lag + s.chance.Between(s.MinLatency, s.MaxLatency)
	if n := len(w.pending); n > 0 {
		arrives = max(arrives, w.pending[n-1].arrives)
	}
	w.pending = append(w.pending, message{e, arrives, cause})
	w.wake()
}

func (w *stream) wake() {
	if w.reader != nil {
		w.reader.Wake()
		w.reader = nil
	}
}

// Next implements client.Stream.
func (w *stream) Next(p *sim.Proc) (client.Event, bool) {
	for {
		if len(w.pending) == 0 {
			if w.ended {
				return client.Event{}, false
			}
			w.reader = p
			p.Park()
			continue
		}
		m := w.pending[0]
		if m.arrives > p.Now() {
			w.reader = p
			p.ParkFor(m.arrives - p.Now())
			w.reader = nil
			continue
		}
		w.pending = w.pending[1:]
		if len(w.pending) == 0 && m.event.Type == client.Error {
			w.ended = true
		}
		p.Due(m.cause)
		p.Due(p.Emit(trace.WatchReceive, trace.Ref{Resource: w.resource}, trace.Attrs("type", string(m.event.Type))))
		return m.event, true
	}
}

// Stop implements client.Stream.
func (w *stream) Stop() { w.end() }

func (w *stream) end() {
	w.ended = true
	if i := slices.Index(w.server.streams, w); i >= 0 {
		w.server.streams = slices.Delete(w.server.streams, i, i+1)
	}
	w.wake()
}

// DropWatches breaks every watch. What was on its way to keep messages is
// delivered, the rest is lost.
func (s *Server) DropWatches(keep int) {
	for _, w := range slices.Clone(s.streams) {
		w.pending = w.pending[:min(keep, len(w.pending))]
		w.end()
	}
}

// SendBookmarks tells every watch how far it has come.
func (s *Server) SendBookmarks() {
	for _, w := range s.streams {
		obj := w.kind.New()
		obj.SetResourceVersion(strconv.FormatInt(s.revision, 10))
		w.push(client.Event{Type: client.Bookmark, Object: obj}, 0)
	}
}

// Watches is how many watches of a resource are open.
func (s *Server) Watches(resource string) int {
	n := 0
	for _, w := range s.streams {
		if w.resource == resource {
			n++
		}
	}
	return n
}

var _ client.Transport = (*Server)(nil)

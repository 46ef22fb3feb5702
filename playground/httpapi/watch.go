package httpapi

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/endpoints"
)

// What waits for slow clients is bounded in bytes, by watch and for all of them: the first events of a watch are as many as there are
// objects. A watch that has more ends, and its client starts anew. Upstream: storage/cacher/cache_watcher.go, forget.
const (
	maxHeld      = 64 << 20
	maxHeldByAll = 256 << 20
	// maxStall is how long a client may take no event of those that wait.
	maxStall = 30 * time.Second
)

// backlog is what a client has not taken yet. The loop fills it, and never waits for the client.
type backlog struct {
	all  *atomic.Int64 // bytes in all of them
	cut  func()        // ends the watch from the server's side
	more chan struct{} // there is more, or it is over

	mu    sync.Mutex
	lines [][]byte
	held  int // bytes of lines, and of the one that is being written
	over  bool
	abort func() // ends a write that is under way; nil after the last
}

// add takes a line, and tells whether there was room.
func (b *backlog) add(line []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return true
	}
	if b.held > 0 && b.held+len(line) > maxHeld {
		return false
	}
	b.lines = append(b.lines, line)
	b.count(len(line))
	b.tell()
	return true
}

// next is the line to write after one of n bytes.
func (b *backlog) next(n int) (line []byte, last bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count(-min(n, b.held))
	if len(b.lines) > 0 {
		line, b.lines = b.lines[0], b.lines[1:]
	}
	return line, line == nil && b.over
}

// end is after the last line. One that waits is still written if the watch ended by itself.
func (b *backlog) end(dropped bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over = true; dropped {
		b.lines = nil
		if b.count(-b.held); b.abort != nil {
			b.abort()
		}
	}
	b.tell()
}

// left is called when nothing will be written any more.
func (b *backlog) left() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.abort, b.over, b.lines = nil, true, nil
	b.count(-b.held)
}

func (b *backlog) count(n int) {
	b.held += n
	b.all.Add(int64(n))
}

func (b *backlog) tell() {
	select {
	case b.more <- struct{}{}:
	default:
	}
}

// backlogs are those of all watches. The loop alone adds and looks.
type backlogs struct {
	open map[*backlog]bool
	held atomic.Int64
}

// add gives a watch a line. If that is too much, the watches that have most waiting end.
func (all *backlogs) add(b *backlog, line []byte) {
	if !b.add(line) {
		b.cut()
	}
	for all.held.Load() > maxHeldByAll {
		most, size := b, 0
		for other := range all.open { // order: any of those that have as much
			other.mu.Lock()
			if other.held > size {
				most, size = other, other.held
			}
			other.mu.Unlock()
		}
		if most.cut(); size == 0 {
			return
		}
	}
}

// watch answers with events, a line each, until one side ends it.
// Upstream: endpoints/handlers/watch.go, ServeHTTP.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, asked *endpoints.Request, request *client.Request) {
	if s.watches.Add(1) > maxWatches {
		s.watches.Add(-1)
		writeError(w, apierrors.NewTooManyRequests("too many watches are open", 1))
		return
	}
	defer s.watches.Add(-1)
	flush := http.NewResponseController(w)
	b := &backlog{all: &s.backlogs.held, more: make(chan struct{}, 1), abort: func() { flush.SetWriteDeadline(time.Now()) }}
	defer b.left()
	opened := make(chan endpoints.Response, 1)
	var stop func()
	err := s.loop.do(func(*cluster.Cluster) {
		s.backlogs.open[b] = true
		over := func(dropped bool) {
			delete(s.backlogs.open, b)
			b.end(dropped)
		}
		b.cut = func() {
			stop()
			over(true)
		}
		stop = s.endpoints.Watch(asked, request, func(response endpoints.Response) { opened <- response },
			func(line []byte) { s.backlogs.add(b, line) }, func() { over(false) })
	})
	var response endpoints.Response
	if err == nil {
		defer s.loop.do(func(*cluster.Cluster) {
			delete(s.backlogs.open, b)
			stop()
		})
		select {
		case response = <-opened:
		case <-s.loop.stopped:
			err = errStopped
		}
	}
	if err != nil {
		writeError(w, err)
		return
	}
	if response.Code != http.StatusOK {
		write(w, response)
		return
	}
	s.metrics.answered(request, http.StatusOK)
	write(w, response)
	flush.Flush()
	for {
		select {
		case <-b.more:
			if !s.send(w, flush, b) {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.closing.Done():
			return
		}
	}
}

// send writes what waits, and tells whether there can be more.
func (s *Server) send(w http.ResponseWriter, flush *http.ResponseController, b *backlog) bool {
	var until time.Time
	for n := 0; ; {
		line, last := b.next(n)
		if line == nil {
			flush.Flush()
			flush.SetWriteDeadline(time.Time{})
			return !last
		}
		if now := time.Now(); until.Sub(now) < maxStall/2 {
			until = now.Add(maxStall)
			flush.SetWriteDeadline(until)
		}
		if _, err := w.Write(line); err != nil || s.closing.Err() != nil {
			return false
		}
		n = len(line)
	}
}

package httpapi

import "sync"

const (
	// mostWaiting is how many bytes of events may wait for one client, and mostWaitingOfAll for all of them. Twenty thousand Pods that a watch
	// begins with are in the first.
	mostWaiting      = 64 << 20
	mostWaitingOfAll = 256 << 20
	// eventCost is what an event takes besides its text, in bytes.
	eventCost = 64
)

// backlogs are the events that wait for the clients of watches. Nobody waits for those that read slowly: when too much waits for one, its watch
// ends, and what waits is dropped; when too much waits for all of them, it is the one that has taken nothing for longest. Such a client starts anew.
// Upstream: apiserver/pkg/storage/cacher/cache_watcher.go, forget, which counts events and time.
type backlogs struct {
	each, all int // how much may wait, bytes

	mu    sync.Mutex
	open  map[*backlog]struct{}
	bytes int
	clock int // counts what moves
}

// backlog is what waits for one client, the oldest event first.
type backlog struct {
	of    *backlogs
	lines [][]byte
	bytes int
	moved int  // when its oldest event became the oldest
	ended bool // no more events come
	// interrupt ends the writing of an event to the client.
	interrupt func()
	changed   chan struct{} // has an element when there may be something to take
}

func newBacklogs() *backlogs {
	return &backlogs{each: mostWaiting, all: mostWaitingOfAll, open: map[*backlog]struct{}{}}
}

func (s *backlogs) add(interrupt func()) *backlog {
	b := &backlog{of: s, interrupt: interrupt, changed: make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[b] = struct{}{}
	return b
}

// put adds an event.
func (b *backlog) put(line []byte) {
	s := b.of
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.ended {
		return
	}
	if len(b.lines) == 0 {
		b.move()
	}
	b.lines = append(b.lines, line)
	b.bytes += len(line) + eventCost
	s.bytes += len(line) + eventCost
	b.tell()
	if b.bytes > s.each {
		b.drop()
	}
	for s.bytes > s.all {
		longest := b
		for other := range s.open { // order: no two moved at the same time
			if other.bytes > 0 && other.moved < longest.moved {
				longest = other
			}
		}
		longest.drop()
	}
}

func (b *backlog) move() {
	b.of.clock++
	b.moved = b.of.clock
}

// end says that no more events come.
func (b *backlog) end() {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.ended = true
	b.tell()
}

// close drops what waits: nobody takes it any more.
func (b *backlog) close() {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.interrupt = func() {}
	b.drop()
	delete(b.of.open, b)
}

func (b *backlog) drop() {
	b.of.bytes -= b.bytes
	b.lines, b.bytes, b.ended = nil, 0, true
	b.interrupt()
	b.tell()
}

func (b *backlog) tell() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// first is the oldest event that waits, nil for none, and whether more may come. It waits until it is taken away: a client that does not read
// holds it.
func (b *backlog) first() (line []byte, goesOn bool) {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	if len(b.lines) > 0 {
		return b.lines[0], true
	}
	return nil, !b.ended
}

// shift takes the oldest event away, and tells whether it was the only one.
func (b *backlog) shift() (isLast bool) {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	if len(b.lines) == 0 {
		return true // dropped meanwhile
	}
	n := len(b.lines[0]) + eventCost
	b.lines[0] = nil
	b.lines = b.lines[1:]
	b.move()
	b.bytes -= n
	b.of.bytes -= n
	return len(b.lines) == 0
}

package nodelifecycle

import (
	"slices"
	"time"
)

// RateLimitedTimedQueue holds the nodes of a zone that wait to be tainted. A
// node that was handled stays known until Remove, so that Add can tell that
// there is nothing to do.
//
// Upstream: pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go.
type RateLimitedTimedQueue struct {
	queue   []timedValue // by time
	known   map[string]bool
	limiter tokenBucket
}

type timedValue struct {
	name      string
	processAt time.Duration
}

// NewRateLimitedTimedQueue returns an empty queue from which one value comes
// every interval; none when interval is 0.
func NewRateLimitedTimedQueue(interval time.Duration) *RateLimitedTimedQueue {
	return &RateLimitedTimedQueue{known: map[string]bool{}, limiter: tokenBucket{interval: interval, free: evictionRateLimiterBurst}}
}

// Len is how many values wait.
func (q *RateLimitedTimedQueue) Len() int { return len(q.queue) }

// Add adds a value unless it is known.
func (q *RateLimitedTimedQueue) Add(name string, now time.Duration) bool {
	if q.known[name] {
		return false
	}
	q.known[name] = true
	q.insert(timedValue{name, now})
	return true
}

func (q *RateLimitedTimedQueue) insert(v timedValue) {
	at, _ := slices.BinarySearchFunc(q.queue, v, func(a, b timedValue) int {
		if a.processAt <= b.processAt {
			return -1
		}
		return 1
	})
	q.queue = slices.Insert(q.queue, at, v)
}

// Remove forgets a value and tells whether it was known.
func (q *RateLimitedTimedQueue) Remove(name string) bool {
	if !q.known[name] {
		return false
	}
	delete(q.known, name)
	q.queue = slices.DeleteFunc(q.queue, func(v timedValue) bool { return v.name == name })
	return true
}

// Try hands out the values whose time has come, as long as the rate allows.
// When do returns false the value is tried again after the duration it returns.
func (q *RateLimitedTimedQueue) Try(now func() time.Duration, do func(name string) (bool, time.Duration)) {
	for len(q.queue) > 0 {
		v := q.queue[0]
		if v.processAt > now() || !q.limiter.tryAccept(now()) {
			return
		}
		ok, wait := do(v.name)
		i := slices.IndexFunc(q.queue, func(o timedValue) bool { return o.name == v.name })
		if i < 0 {
			continue // removed meanwhile
		}
		q.queue = slices.Delete(q.queue, i, i+1)
		if !ok {
			q.insert(timedValue{v.name, now() + wait + time.Millisecond})
		}
	}
}

// SwapLimiter changes the rate. Whoever had to wait for the old one also has to
// for the new.
func (q *RateLimitedTimedQueue) SwapLimiter(interval, now time.Duration) {
	if q.limiter.interval == interval {
		return
	}
	next := tokenBucket{interval: interval, free: evictionRateLimiterBurst, last: now}
	if !q.limiter.tryAccept(now) {
		next.tryAccept(now)
	}
	q.limiter = next
}

// tokenBucket lets one through each interval, and up to a burst at once after a
// pause. Upstream: client-go/util/flowcontrol, whose rates are floats.
type tokenBucket struct {
	interval time.Duration // 0: none
	free     int
	last     time.Duration // when free was right
}

func (b *tokenBucket) tryAccept(now time.Duration) bool {
	if b.interval == 0 {
		return false
	}
	if b.free >= evictionRateLimiterBurst {
		b.last = now
	} else if n := int((now - b.last) / b.interval); n > 0 {
		b.free = min(b.free+n, evictionRateLimiterBurst)
		b.last += time.Duration(n) * b.interval
	}
	if b.free == 0 {
		return false
	}
	b.free--
	return true
}

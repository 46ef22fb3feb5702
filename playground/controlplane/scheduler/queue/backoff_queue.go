package queue

import (
	"time"

	"kubewalk/playground/controlplane/scheduler/framework"
)

// The defaults. Upstream: backend/queue/scheduling_queue.go and backoff_queue.go.
const (
	DefaultPodInitialBackoffDuration         = 1 * time.Second
	DefaultPodMaxBackoffDuration             = 10 * time.Second
	DefaultPodMaxInUnschedulablePodsDuration = 5 * time.Minute
	// backoffQOrderingWindow is the grain of backoff times. Pods whose backoff
	// ends in the same window are ordered as in activeQ.
	backoffQOrderingWindow = time.Second
	// unschedulableFlushInterval is how often the leftovers are looked for.
	unschedulableFlushInterval = 30 * time.Second
)

// backoffQueue holds Pods that wait for their backoff. Those that failed by an
// error have a heap of their own: they are never popped early.
// Upstream: backend/queue/backoff_queue.go, backoffQueue.
type backoffQueue struct {
	now           func() time.Duration
	pods, errored *podHeap
	initial, max  time.Duration
}

func newBackoffQueue(now func() time.Duration, activeQLess framework.LessFunc, initial, max time.Duration) *backoffQueue {
	bq := &backoffQueue{now: now, initial: initial, max: max}
	byTime := func(a, b *framework.QueuedPodInfo) bool {
		if x, y := bq.getBackoffTime(a), bq.getBackoffTime(b); x != y {
			return x < y
		}
		return activeQLess(a, b)
	}
	bq.pods, bq.errored = newPodHeap(byTime), newPodHeap(byTime)
	return bq
}

// alignToWindow is the start of the window that t is in.
func (bq *backoffQueue) alignToWindow(t time.Duration) time.Duration {
	return t.Truncate(backoffQOrderingWindow)
}

// isPodBackingoff: in the window in which its backoff ends, it still is.
func (bq *backoffQueue) isPodBackingoff(q *framework.QueuedPodInfo) bool {
	t := bq.getBackoffTime(q)
	return t != 0 && t >= bq.alignToWindow(bq.now())
}

// getBackoffTime is when the backoff ends; 0 for a Pod that was not tried yet.
func (bq *backoffQueue) getBackoffTime(q *framework.QueuedPodInfo) time.Duration {
	d := bq.calculateBackoffDuration(q)
	if d == 0 {
		return 0
	}
	if q.BackoffExpiration == 0 {
		q.BackoffExpiration = bq.alignToWindow(q.Timestamp + d)
	}
	return q.BackoffExpiration
}

// calculateBackoffDuration doubles with each failure; errors in a row count apart.
func (bq *backoffQueue) calculateBackoffDuration(q *framework.QueuedPodInfo) time.Duration {
	count := q.UnschedulableCount
	if q.ConsecutiveErrorsCount > 0 {
		count = q.ConsecutiveErrorsCount
	}
	if count == 0 {
		return 0
	}
	shift := count - 1
	if shift > 62 || bq.initial > bq.max>>shift {
		return bq.max
	}
	return bq.initial << shift
}

func (bq *backoffQueue) add(q *framework.QueuedPodInfo) {
	if len(q.UnschedulablePlugins) == 0 && len(q.PendingPlugins) == 0 {
		bq.errored.add(q)
	} else {
		bq.pods.add(q)
	}
}

func (bq *backoffQueue) get(key string) *framework.QueuedPodInfo {
	if q := bq.pods.get(key); q != nil {
		return q
	}
	return bq.errored.get(key)
}

func (bq *backoffQueue) delete(key string) *framework.QueuedPodInfo {
	if q := bq.pods.delete(key); q != nil {
		return q
	}
	return bq.errored.delete(key)
}

func (bq *backoffQueue) len() int { return bq.pods.len() + bq.errored.len() }

// popAllBackoffCompleted takes out who has waited long enough.
func (bq *backoffQueue) popAllBackoffCompleted() []*framework.QueuedPodInfo {
	var out []*framework.QueuedPodInfo
	for _, h := range []*podHeap{bq.pods, bq.errored} {
		for q := h.peek(); q != nil && !bq.isPodBackingoff(q); q = h.peek() {
			out = append(out, h.pop())
		}
	}
	return out
}

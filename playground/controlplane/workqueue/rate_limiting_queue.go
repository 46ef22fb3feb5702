package workqueue

import (
	"time"

	"kubewalk/playground/sim"
)

// TypedRateLimitingInterface is a queue that knows how long to put off an item.
// Upstream: client-go/util/workqueue/rate_limiting_queue.go TypedRateLimitingInterface.
type TypedRateLimitingInterface[T comparable] interface {
	TypedDelayingInterface[T]
	// AddRateLimited adds an item when the rate limiter says it may.
	AddRateLimited(item T)
	// Forget says that the item did well: the next failure counts as the first.
	// It does not take the item out of the queue, and Done is still due.
	Forget(item T)
	// NumRequeues is how often the item was rate-limited since it was last forgotten.
	NumRequeues(item T) int
}

// TypedRateLimitingQueueConfig says how a queue is called.
type TypedRateLimitingQueueConfig[T comparable] struct {
	// Name is the queue's name in the trace, "replicaset". It has to be the
	// only queue of that name in the world.
	Name string
}

// NewTypedRateLimitingQueueWithConfig returns an empty queue of a component.
func NewTypedRateLimitingQueueWithConfig[T comparable](c *sim.Component, rateLimiter TypedRateLimiter[T],
	config TypedRateLimitingQueueConfig[T]) TypedRateLimitingInterface[T] {
	return newRateLimiting(c, rateLimiter, config.Name)
}

func rateLimiting[T comparable](c *sim.Component, limiter TypedRateLimiter[T], name string) *rateLimitingType[T] {
	q := &rateLimitingType[T]{delayingType: newDelaying[T](c, name), rateLimiter: limiter}
	if limiter != nil {
		if c.Is(sim.Hasty) {
			q.rateLimiter = hastyRateLimiter[T]{limiter}
		}
		q.failures = limiter.NumRequeues
	}
	return q
}

type rateLimitingType[T comparable] struct {
	*delayingType[T]
	rateLimiter TypedRateLimiter[T]
}

func (q *rateLimitingType[T]) AddRateLimited(item T) {
	var after time.Duration = q.rateLimiter.When(item)
	q.addAfter(item, after, "failures", q.rateLimiter.NumRequeues(item))
}

func (q *rateLimitingType[T]) Forget(item T) { q.rateLimiter.Forget(item) }

func (q *rateLimitingType[T]) NumRequeues(item T) int { return q.rateLimiter.NumRequeues(item) }

// hastyRateLimiter counts failures and waits no longer for them. A moment it
// does wait: a retry takes time, and in a world in which it did not, one that
// fails without asking anybody would be the last thing that happens.
type hastyRateLimiter[T comparable] struct{ TypedRateLimiter[T] }

const moment = time.Millisecond

func (r hastyRateLimiter[T]) When(item T) time.Duration {
	r.TypedRateLimiter.When(item)
	return moment
}

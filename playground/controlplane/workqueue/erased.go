package workqueue

import (
	"time"

	"kubewalk/playground/sim"
)

// The compiler makes all of a queue's code again for each type of its items. So there are two queues: one of strings, which are most
// items, and one of any, in which items of all other types are.

// erased is a queue of items that are kept as any.
type erased[T comparable] struct{ core *rateLimitingType[any] }

// newRateLimiting makes one of the two queues. limiter is nil for one that limits nothing.
func newRateLimiting[T comparable](c *sim.Component, limiter TypedRateLimiter[T], name string) TypedRateLimitingInterface[T] {
	checkItems[T]()
	if isString[T]() {
		ofStrings, _ := any(limiter).(TypedRateLimiter[string])
		return any(rateLimiting(c, ofStrings, name)).(TypedRateLimitingInterface[T])
	}
	switch l := limiter.(type) {
	case nil:
		return erased[T]{rateLimiting[any](c, nil, name)}
	case limiterOf[T]:
		return erased[T]{rateLimiting(c, l.core, name)}
	}
	return erased[T]{rateLimiting[any](c, erasedLimiter[T]{limiter}, name)}
}

func isString[T any]() bool {
	var none T
	_, is := any(none).(string)
	return is
}

func (q erased[T]) Add(item T) { q.core.Add(item) }
func (q erased[T]) Len() int   { return q.core.Len() }

func (q erased[T]) Get(p *sim.Proc) (item T, shutdown bool) {
	got, shutdown := q.core.Get(p)
	if !shutdown {
		item = got.(T)
	}
	return item, shutdown
}

func (q erased[T]) Done(item T)                             { q.core.Done(item) }
func (q erased[T]) ShutDown()                               { q.core.ShutDown() }
func (q erased[T]) ShutDownWithDrain(p *sim.Proc)           { q.core.ShutDownWithDrain(p) }
func (q erased[T]) ShuttingDown() bool                      { return q.core.ShuttingDown() }
func (q erased[T]) AddAfter(item T, duration time.Duration) { q.core.AddAfter(item, duration) }
func (q erased[T]) AddRateLimited(item T)                   { q.core.AddRateLimited(item) }
func (q erased[T]) Forget(item T)                           { q.core.Forget(item) }
func (q erased[T]) NumRequeues(item T) int                  { return q.core.NumRequeues(item) }

// limiterOf is a rate limiter of any, for items of one type.
type limiterOf[T comparable] struct{ core TypedRateLimiter[any] }

func (r limiterOf[T]) When(item T) time.Duration { return r.core.When(item) }
func (r limiterOf[T]) Forget(item T)             { r.core.Forget(item) }
func (r limiterOf[T]) NumRequeues(item T) int    { return r.core.NumRequeues(item) }

// erasedLimiter is a rate limiter for a queue of any.
type erasedLimiter[T comparable] struct{ TypedRateLimiter[T] }

func (r erasedLimiter[T]) When(item any) time.Duration { return r.TypedRateLimiter.When(item.(T)) }
func (r erasedLimiter[T]) Forget(item any)             { r.TypedRateLimiter.Forget(item.(T)) }
func (r erasedLimiter[T]) NumRequeues(item any) int    { return r.TypedRateLimiter.NumRequeues(item.(T)) }

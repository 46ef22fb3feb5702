package workqueue

import (
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// TypedDelayingInterface is a queue that can also add an item later, so that a
// worker that failed need not add it at once and fail again.
// Upstream: client-go/util/workqueue/delaying_queue.go TypedDelayingInterface.
type TypedDelayingInterface[T comparable] interface {
	TypedInterface[T]
	// AddAfter adds an item when the time has passed, or at once if there is none to pass.
	AddAfter(item T, duration time.Duration)
}

// TypedDelayingQueueConfig says how a queue is called.
type TypedDelayingQueueConfig struct{ Name string }

// NewTypedDelayingQueueWithConfig returns an empty queue of a component.
func NewTypedDelayingQueueWithConfig[T comparable](c *sim.Component, config TypedDelayingQueueConfig) TypedDelayingInterface[T] {
	return newRateLimiting[T](c, nil, config.Name)
}

// delayingType keeps the items that are put off. Upstream has a heap and a
// process that waits for its head; here the kernel's agenda is the heap.
type delayingType[T comparable] struct {
	*Typed[T]
	waiting map[T]*waitFor
}

// waitFor is one item that is put off.
type waitFor struct {
	readyAt time.Duration
	timer   *sim.Timer
}

func newDelaying[T comparable](c *sim.Component, name string) *delayingType[T] {
	q := &delayingType[T]{
		Typed:   newTyped[T](c, name),
		waiting: map[T]*waitFor{},
	}
	q.delayed = func(item T) (*waitFor, bool) {
		w, ok := q.waiting[item]
		return w, ok
	}
	return q
}

// AddAfter adds an item when the time has passed. An item that is put off twice
// is added once, at the earlier time. An Add meanwhile does not call it off.
func (q *delayingType[T]) AddAfter(item T, duration time.Duration) { q.addAfter(item, duration) }

func (q *delayingType[T]) addAfter(item T, duration time.Duration, kv ...any) {
	if q.shuttingDown || !q.component.Running() {
		return
	}
	if duration <= 0 {
		q.Add(item)
		return
	}
	k := q.component.Kernel()
	readyAt := k.Elapsed() + duration
	kv = append([]any{"after", duration}, kv...)
	if w, ok := q.waiting[item]; ok {
		if w.readyAt <= readyAt {
			q.emit(trace.QueueDelay, item, append(kv, "outcome", "merged")...)
			return
		}
		w.timer.Stop()
	}
	w := &waitFor{readyAt: readyAt}
	q.waiting[item] = w
	k.Because(q.emit(trace.QueueDelay, item, kv...), func() {
		w.timer = q.component.After(duration, func() {
			delete(q.waiting, item)
			q.Add(item)
		})
	})
}

// ShutDown also forgets what is put off.
func (q *delayingType[T]) ShutDown() {
	q.forgetWaiting()
	q.Typed.ShutDown()
}

// ShutDownWithDrain also forgets what is put off.
func (q *delayingType[T]) ShutDownWithDrain(p *sim.Proc) {
	q.forgetWaiting()
	q.Typed.ShutDownWithDrain(p)
}

func (q *delayingType[T]) forgetWaiting() {
	if !q.component.Running() { // its timers are gone with it
		return
	}
	for _, w := range q.waiting { // order: to stop a timer leaves no trace
		w.timer.Stop()
	}
}

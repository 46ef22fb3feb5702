package tainteviction

import (
	"time"

	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// TimedWorker is an eviction that is to happen.
type TimedWorker struct {
	CreatedAt, FireAt time.Time
	timer             *sim.Timer
}

// TimedWorkerQueue runs work when its time comes, once to each key.
// Upstream: timed_workers.go, TimedWorkerQueue.
type TimedWorkerQueue struct {
	component *sim.Component
	// workers holds what is pending; nil stands for what was done, so that it
	// is not done again before it is cancelled.
	workers  map[types.NamespacedName]*TimedWorker
	workFunc func(p *sim.Proc, key types.NamespacedName) error
}

// CreateWorkerQueue makes a queue of a component.
func CreateWorkerQueue(c *sim.Component, workFunc func(p *sim.Proc, key types.NamespacedName) error) *TimedWorkerQueue {
	return &TimedWorkerQueue{component: c, workers: map[types.NamespacedName]*TimedWorker{}, workFunc: workFunc}
}

// AddWork schedules work, unless there is some for that key already.
func (q *TimedWorkerQueue) AddWork(log sim.Logger, key types.NamespacedName, createdAt, fireAt time.Time) {
	log.V(4).Info("Adding TimedWorkerQueue item and to be fired at firedTime", "item", key, "createTime", createdAt.Format(time.RFC3339), "firedTime",
		fireAt.Format(time.RFC3339))
	if _, exists := q.workers[key]; exists {
		log.Info("Trying to add already existing work, skipping", "item", key)
		return
	}
	w := &TimedWorker{CreatedAt: createdAt, FireAt: fireAt}
	q.workers[key] = w
	w.timer = q.component.After(fireAt.Sub(q.component.Kernel().Time()), func() {
		q.component.Go("evict "+key.String(), func(p *sim.Proc) {
			err := q.workFunc(p, key)
			if q.workers[key] != w {
				return // cancelled, or replaced, while it ran
			}
			if err == nil {
				q.workers[key] = nil
			} else {
				p.Logger().Error(err, "TimedWorkerQueue item failed", "item", key)
				delete(q.workers, key)
			}
		})
	})
}

// CancelWork drops the work of a key and tells whether some was pending.
func (q *TimedWorkerQueue) CancelWork(log sim.Logger, key types.NamespacedName) bool {
	w, found := q.workers[key]
	if !found {
		return false
	}
	log.V(4).Info("Cancelling TimedWorkerQueue item", "item", key)
	delete(q.workers, key)
	if w == nil {
		return false
	}
	w.timer.Stop()
	return true
}

// GetWorkerUnsafe returns pending work; nil when there is none. The name is upstream's.
func (q *TimedWorkerQueue) GetWorkerUnsafe(key types.NamespacedName) *TimedWorker {
	return q.workers[key]
}

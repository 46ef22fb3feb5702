package kubelet

import (
	"sort"
	"time"

	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// workQueue says when a Pod has to be synced again, whatever else happens.
// Upstream: pkg/kubelet/util/queue/work_queue.go.
type workQueue struct {
	kernel *sim.Kernel
	queue  map[types.UID]work
}

type work struct {
	uid   types.UID
	at    time.Duration
	cause trace.ID // of the sync after which it was enqueued
}

func newWorkQueue(k *sim.Kernel) *workQueue {
	return &workQueue{k, map[types.UID]work{}}
}

// Enqueue replaces the time at which a Pod is due.
func (q *workQueue) Enqueue(uid types.UID, delay time.Duration) {
	q.queue[uid] = work{uid, q.kernel.Elapsed() + delay, q.kernel.Cause()}
}

// getWork takes what is due, the earliest first.
func (q *workQueue) getWork(now time.Duration) []work {
	var due []work
	for uid, w := range q.queue {
		if w.at <= now {
			due = append(due, w)
			delete(q.queue, uid)
		}
	}
	sort.Slice(due, func(i, j int) bool {
		if due[i].at != due[j].at {
			return due[i].at < due[j].at
		}
		return due[i].uid < due[j].uid
	})
	return due
}

package queue

import (
	"time"

	"kubewalk/playground/controlplane/scheduler/framework"
)

// Two clocks move Pods on that nothing else moves. Upstream runs them always;
// here they stand still while there is nobody to move, at the same phase.
// Upstream: backend/queue/scheduling_queue.go, PriorityQueue.Run.

// armBackoff looks at backoffQ at the next full second, and on while it holds anybody.
func (q *PriorityQueue) armBackoff() {
	if q.backoffTimer == nil && q.backoffQ.len() > 0 {
		now := q.kernel.Elapsed()
		q.backoffTimer = q.component.After(q.backoffQ.alignToWindow(now+backoffQOrderingWindow)-now, func() {
			q.backoffTimer = nil
			q.flushBackoffQCompleted()
			q.armBackoff()
		})
	}
}

// armLeftovers looks at unschedulablePods every 30 seconds since the start.
func (q *PriorityQueue) armLeftovers() {
	if q.leftoversTimer == nil && len(q.unschedulable) > 0 {
		since := q.kernel.Elapsed() - q.started
		next := since.Truncate(unschedulableFlushInterval) + unschedulableFlushInterval
		q.leftoversTimer = q.component.After(time.Duration(next-since), func() {
			q.leftoversTimer = nil
			q.flushUnschedulablePodsLeftover()
			q.armLeftovers()
		})
	}
}

// flushBackoffQCompleted moves who has waited long enough to activeQ.
func (q *PriorityQueue) flushBackoffQCompleted() {
	for _, pInfo := range q.backoffQ.popAllBackoffCompleted() {
		q.kernel.Because(pInfo.Due, func() {
			q.moveToActiveQ(pInfo, backoffQ, reason{event: framework.BackoffComplete}, true)
		})
	}
}

// flushUnschedulablePodsLeftover gives Pods another try that nothing has helped for 5 minutes.
func (q *PriorityQueue) flushUnschedulablePodsLeftover() {
	now := q.kernel.Elapsed()
	for _, pInfo := range q.unschedulableInOrder() {
		if now-pInfo.Timestamp <= q.options.PodMaxInUnschedulablePodsDuration {
			continue
		}
		q.kernel.Because(pInfo.Due, func() {
			q.movePods([]*framework.QueuedPodInfo{pInfo}, framework.EventUnschedulableTimeout, nil, nil)
		})
	}
}

package queue

import (
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/framework"
)

// strategy is what to do with a Pod after an event, from nothing to most urgent.
type strategy int

const (
	queueSkip strategy = iota
	queueAfterBackoff
	queueImmediately
)

func (s strategy) String() string {
	return [...]string{"Skip", "QueueAfterBackoff", "QueueImmediately"}[s]
}

// verdict is a strategy and the plugin whose hint led to it, if it was one.
type verdict struct {
	strategy
	plugin string
}

// reason is why a Pod moves: what happened, and who took it for worth a try.
type reason struct {
	event   string
	verdict verdict
}

// MoveAllToActiveOrBackoffQueue tells the queue that something happened. Every
// Pod in unschedulablePods whose rejectors think that it may help is moved; for
// those in flight the event is kept. preCheck, if any, leaves Pods out.
func (q *PriorityQueue) MoveAllToActiveOrBackoffQueue(event framework.ClusterEvent, oldObj, newObj api.Object, preCheck func(*corev1.Pod) bool) {
	if len(q.unschedulable) == 0 && len(q.inFlight.pods) == 0 || !q.isEventOfInterest(event) {
		return
	}
	pods := q.unschedulableInOrder()
	if preCheck != nil {
		pods = slices.DeleteFunc(pods, func(pInfo *framework.QueuedPodInfo) bool { return !preCheck(pInfo.Pod) })
	}
	q.movePods(pods, event, oldObj, newObj)
	q.inFlight.addEvent(event, oldObj, newObj)
}

func (q *PriorityQueue) isEventOfInterest(event framework.ClusterEvent) bool {
	if event.IsWildCard() {
		return true
	}
	for _, profile := range q.options.Profiles { // order: one is enough
		for i := range profile.Hints {
			if profile.Hints[i].Event.Matches(event) {
				return true
			}
		}
	}
	return false
}

func (q *PriorityQueue) movePods(pods []*framework.QueuedPodInfo, event framework.ClusterEvent, oldObj, newObj api.Object) {
	cause := q.kernel.Cause()
	for _, pInfo := range pods {
		if pInfo.Gated() && !event.IsWildCard() && !q.ungates(pInfo, event) {
			continue
		}
		// Each Pod's move has the event as its cause, not the move before it.
		q.kernel.Because(cause, func() {
			v, asked := q.isPodWorthRequeuing(pInfo, event, oldObj, newObj)
			if v.strategy == queueSkip {
				if !asked {
					return // no news; upstream logs this too, for every Pod and event
				}
				q.kernel.Logger().V(5).Info("Event is not making pod schedulable", "pod", framework.Key(pInfo.Pod), "event", event.Label())
				return
			}
			q.requeue(pInfo, unschedulablePods, reason{event.Label(), v})
		})
	}
}

func (q *PriorityQueue) ungates(pInfo *framework.QueuedPodInfo, event framework.ClusterEvent) bool {
	hints := q.profile(pInfo.Pod).Hints
	for i := range hints {
		if h := &hints[i]; h.PluginName == pInfo.GatingPlugin && h.Event.Matches(event) {
			return true
		}
	}
	return false
}

// isPodWorthRequeuing asks the plugins that turned the Pod down; asked is false
// when none of them waits for such events.
// Upstream: backend/queue/scheduling_queue.go, PriorityQueue.isPodWorthRequeuing.
func (q *PriorityQueue) isPodWorthRequeuing(pInfo *framework.QueuedPodInfo, event framework.ClusterEvent, oldObj, newObj api.Object) (best verdict,
	asked bool) {
	rejectors := pInfo.UnschedulablePlugins.Union(pInfo.PendingPlugins)
	if len(rejectors) == 0 || event.IsWildCard() {
		return verdict{strategy: queueAfterBackoff}, true
	}
	hints := q.profile(pInfo.Pod).Hints
	for i := range hints {
		h := &hints[i]
		if !h.Event.Matches(event) || !rejectors.Has(h.PluginName) {
			continue
		}
		asked = true
		if h.QueueingHintFn != nil && h.QueueingHintFn(pInfo.Pod, oldObj, newObj) == framework.QueueSkip {
			continue
		}
		if pInfo.PendingPlugins.Has(h.PluginName) {
			return verdict{queueImmediately, h.PluginName}, true
		}
		if best = (verdict{queueAfterBackoff, h.PluginName}); len(pInfo.PendingPlugins) == 0 {
			return best, true
		}
	}
	return best, asked
}

// requeue moves a Pod to where the strategy wants it, and returns where it is then.
func (q *PriorityQueue) requeue(pInfo *framework.QueuedPodInfo, from string, why reason) string {
	switch {
	case why.verdict.strategy == queueSkip:
		q.putUnschedulable(pInfo, from, why)
		return unschedulablePods
	case why.verdict.strategy == queueAfterBackoff && q.backoffQ.isPodBackingoff(pInfo):
		return q.moveToBackoffQ(pInfo, from, why)
	}
	return q.moveToActiveQ(pInfo, from, why, false)
}

// moveToActiveQ, unless a PreEnqueue plugin gates the Pod.
func (q *PriorityQueue) moveToActiveQ(pInfo *framework.QueuedPodInfo, from string, why reason, fromBackoffQ bool) string {
	if !fromBackoffQ && !q.runPreEnqueuePlugins(pInfo) {
		q.putUnschedulable(pInfo, from, why)
		return unschedulablePods
	}
	delete(q.unschedulable, framework.Key(pInfo.Pod))
	q.activeQ.add(pInfo)
	q.moved(pInfo, from, activeQ, why)
	if why.event == framework.EventUnscheduledPodAdd.Label() || why.event == framework.EventUnscheduledPodUpdate.Label() {
		q.AddNominatedPod(pInfo.PodInfo, nil)
	}
	q.wake()
	return activeQ
}

func (q *PriorityQueue) moveToBackoffQ(pInfo *framework.QueuedPodInfo, from string, why reason) string {
	if !q.runPreEnqueuePlugins(pInfo) {
		q.putUnschedulable(pInfo, from, why)
		return unschedulablePods
	}
	delete(q.unschedulable, framework.Key(pInfo.Pod))
	q.backoffQ.add(pInfo)
	q.armBackoff()
	q.moved(pInfo, from, backoffQ, why)
	q.wake() // it may be popped right away
	return backoffQ
}

func (q *PriorityQueue) putUnschedulable(pInfo *framework.QueuedPodInfo, from string, why reason) {
	q.unschedulable[framework.Key(pInfo.Pod)] = pInfo
	q.armLeftovers()
	q.moved(pInfo, from, unschedulablePods, why)
}

// runPreEnqueuePlugins tells whether nobody gates the Pod.
func (q *PriorityQueue) runPreEnqueuePlugins(pInfo *framework.QueuedPodInfo) bool {
	for _, pl := range q.profile(pInfo.Pod).PreEnqueue {
		s := pl.PreEnqueue(pInfo.Pod)
		if s.IsSuccess() {
			continue
		}
		pInfo.UnschedulablePlugins = pInfo.UnschedulablePlugins.Insert(pl.Name())
		pInfo.GatingPlugin = pl.Name()
		q.kernel.Logger().V(4).Info("Status after running PreEnqueue plugin", "pod", framework.Key(pInfo.Pod), "plugin", pl.Name(), "status", s)
		return false
	}
	pInfo.GatingPlugin = ""
	return true
}

// Activate has Pods tried again at once, whatever they wait for, except for a
// gate. One in flight is tried again after its cycle.
func (q *PriorityQueue) Activate(pods ...*corev1.Pod) {
	for _, pod := range pods {
		key := framework.Key(pod)
		switch from := q.where(key); from {
		case activeQ:
		case backoffQ:
			q.moveToActiveQ(q.backoffQ.delete(key), from, reason{event: framework.ForceActivate}, false)
		case unschedulablePods:
			q.moveToActiveQ(q.unschedulable[key], from, reason{event: framework.ForceActivate}, false)
		default:
			q.inFlight.addPodEvents(pod, pod, []framework.ClusterEvent{framework.EventForceActivate})
		}
	}
}

// AddUnschedulableIfNotPresent takes a Pod back whose cycle failed. pInfo says
// who turned it down, and its Pod is the newest version. It ends the Pod's
// flight, except on error: then it is in a queue already, and Done is due.
func (q *PriorityQueue) AddUnschedulableIfNotPresent(pInfo *framework.QueuedPodInfo) error {
	key := framework.Key(pInfo.Pod)
	if place := q.where(key); place != "" {
		return fmt.Errorf("Pod %v is already present in %s", key, place)
	}
	if len(pInfo.UnschedulablePlugins) == 0 && len(pInfo.PendingPlugins) == 0 {
		pInfo.ConsecutiveErrorsCount++
	} else {
		pInfo.UnschedulableCount++
		pInfo.ConsecutiveErrorsCount = 0
	}
	pInfo.Timestamp = q.kernel.Elapsed()
	pInfo.BackoffExpiration = 0

	v := q.determineSchedulingHintForInFlightPod(pInfo)
	rejectors := pInfo.UnschedulablePlugins.Union(pInfo.PendingPlugins)
	q.kernel.Logger().V(3).Info("Pod moved to an internal scheduling queue", "pod", key, "event", framework.ScheduleAttemptFailure,
		"hint", v.strategy, "unschedulable plugins", rejectors)
	q.inFlight.done(pInfo.Pod.UID)
	q.requeue(pInfo, inFlightPods, reason{framework.ScheduleAttemptFailure, v})
	return nil
}

// determineSchedulingHintForInFlightPod looks at what happened meanwhile.
func (q *PriorityQueue) determineSchedulingHintForInFlightPod(pInfo *framework.QueuedPodInfo) (best verdict) {
	if len(pInfo.UnschedulablePlugins) == 0 && len(pInfo.PendingPlugins) == 0 {
		return verdict{strategy: queueAfterBackoff} // an error: nothing has to happen first
	}
	for _, e := range q.inFlight.since(pInfo.Pod.UID) {
		if v, _ := q.isPodWorthRequeuing(pInfo, e.event, e.oldObj, e.newObj); v.strategy > best.strategy {
			best = v
		}
	}
	return best
}

package queue

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Where a Pod can be: the owners of CellScheduling.
const (
	activeQ           = "activeQ"
	backoffQ          = "backoffQ"
	unschedulablePods = "unschedulablePods"
	inFlightPods      = "inFlight"
)

// QueueingHintFunction is one plugin's interest in an event.
type QueueingHintFunction struct {
	PluginName     string
	Event          framework.ClusterEvent
	QueueingHintFn framework.QueueingHintFn
}

// QueueingHintMap is all plugins' interests of a profile, in the order of the plugins.
type QueueingHintMap []QueueingHintFunction

// Options is what a PriorityQueue needs to know. Zero durations are the defaults.
type Options struct {
	Less framework.LessFunc
	// Profiles are by scheduler name.
	Profiles                          map[string]Profile
	PodInitialBackoffDuration         time.Duration
	PodMaxBackoffDuration             time.Duration
	PodMaxInUnschedulablePodsDuration time.Duration
	// OnPop adds to what SchedulingPop changes.
	OnPop func() []trace.Delta
	// LivePod is a Pod as the watch knows it, nil when it is gone. It may be nil.
	LivePod func(namespace, name string) *corev1.Pod
}

// Profile is what the plugins of one profile say about queueing.
type Profile struct {
	PreEnqueue []framework.PreEnqueuePlugin
	Hints      QueueingHintMap
}

func (q *PriorityQueue) profile(pod *corev1.Pod) Profile {
	return q.options.Profiles[pod.Spec.SchedulerName]
}

// PriorityQueue is the scheduling queue.
// Upstream: backend/queue/scheduling_queue.go, PriorityQueue.
type PriorityQueue struct {
	*nominator
	component *sim.Component
	kernel    *sim.Kernel
	options   Options

	activeQ       *podHeap
	backoffQ      *backoffQueue
	unschedulable map[string]*framework.QueuedPodInfo
	inFlight      *inFlight

	waiter   *sim.Proc // blocks in Pop
	sequence uint64

	// The clocks run only while there is something to wait for.
	started        time.Duration
	backoffTimer   *sim.Timer
	leftoversTimer *sim.Timer
}

// NewPriorityQueue returns an empty queue of a component.
func NewPriorityQueue(c *sim.Component, o Options) *PriorityQueue {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.PodInitialBackoffDuration, DefaultPodInitialBackoffDuration)
	def(&o.PodMaxBackoffDuration, DefaultPodMaxBackoffDuration)
	def(&o.PodMaxInUnschedulablePodsDuration, DefaultPodMaxInUnschedulablePodsDuration)
	if c.Is(sim.Hasty) {
		o.PodInitialBackoffDuration, o.PodMaxBackoffDuration = 0, 0
	}
	k := c.Kernel()
	return &PriorityQueue{
		nominator:     newNominator(k, o.LivePod),
		component:     c,
		kernel:        k,
		started:       k.Elapsed(),
		options:       o,
		activeQ:       newPodHeap(o.Less),
		backoffQ:      newBackoffQueue(k.Elapsed, o.Less, o.PodInitialBackoffDuration, o.PodMaxBackoffDuration),
		unschedulable: map[string]*framework.QueuedPodInfo{},
		inFlight:      newInFlight(),
	}
}

// Add takes a new Pod.
func (q *PriorityQueue) Add(pod *corev1.Pod) {
	q.sequence++
	pInfo := &framework.QueuedPodInfo{
		PodInfo:   framework.NewPodInfo(pod),
		Timestamp: q.kernel.Elapsed(),
		Sequence:  q.sequence,
	}
	q.moveToActiveQ(pInfo, "", reason{event: framework.EventUnscheduledPodAdd.Label()}, false)
}

// Pop waits for a Pod and takes it: the first of activeQ or, when that is empty,
// of backoffQ. The process becomes due to it. Done has to follow.
func (q *PriorityQueue) Pop(p *sim.Proc) *framework.QueuedPodInfo {
	for q.activeQ.len() == 0 && q.backoffQ.pods.len() == 0 {
		q.waiter = p
		p.Park()
	}
	from := activeQ
	pInfo := q.activeQ.pop()
	if pInfo == nil {
		from = backoffQ
		pInfo = q.backoffQ.pods.pop()
	}
	pInfo.Attempts++
	pInfo.BackoffExpiration = 0
	pInfo.UnschedulablePlugins, pInfo.PendingPlugins = nil, nil
	if pInfo.InitialAttemptTimestamp == nil {
		now := p.Now()
		pInfo.InitialAttemptTimestamp = &now
	}
	q.inFlight.add(pInfo.Pod)
	p.Due(pInfo.Due)
	if p.Kernel().Trace().Keeps(trace.SchedulingPop) {
		key := framework.Key(pInfo.Pod)
		deltas := []trace.Delta{
			trace.Unset(cell(from, key)),
			trace.Set(cell(inFlightPods, key), fmt.Sprintf("attempt %d", pInfo.Attempts)),
		}
		if q.options.OnPop != nil {
			deltas = append(deltas, q.options.OnPop()...)
		}
		p.Due(p.Emit(trace.SchedulingPop, framework.Ref(pInfo.Pod), trace.Attrs("attempts", pInfo.Attempts, "from", from), deltas...))
	}
	p.Work()
	return pInfo
}

// Done ends a Pod's flight: it is about to be bound, or gone. After that, what
// happens in the cluster does not concern it any more. Doing it twice does nothing.
func (q *PriorityQueue) Done(pod *corev1.Pod) {
	if !q.inFlight.has(pod.UID) {
		return
	}
	q.inFlight.done(pod.UID)
	q.kernel.Emit(trace.SchedulingQueue, framework.Ref(pod), trace.Attrs("from", inFlightPods, "to", "", "event", "Done"),
		trace.Unset(cell(inFlightPods, framework.Key(pod))))
}

// InFlight tells whether a cycle has the Pod.
func (q *PriorityQueue) InFlight(uid types.UID) bool { return q.inFlight.has(uid) }

// Update takes a new version of a Pod without node.
func (q *PriorityQueue) Update(oldPod, newPod *corev1.Pod) {
	events := framework.PodSchedulingPropertiesChange(newPod, oldPod)
	if q.inFlight.addPodEvents(oldPod, newPod, events) {
		// It will come back with the newest version, if it comes back.
		return
	}
	key := framework.Key(newPod)
	if pInfo := q.activeQ.get(key); pInfo != nil {
		pInfo.Update(newPod)
		q.UpdateNominatedPod(oldPod, pInfo.PodInfo)
		q.activeQ.fix(key)
		return
	}
	if pInfo := q.backoffQ.pods.get(key); pInfo != nil {
		pInfo.Update(newPod)
		q.UpdateNominatedPod(oldPod, pInfo.PodInfo)
		q.backoffQ.pods.fix(key)
		return
	}
	if pInfo := q.backoffQ.errored.get(key); pInfo != nil {
		pInfo.Update(newPod)
		q.UpdateNominatedPod(oldPod, pInfo.PodInfo)
		q.backoffQ.errored.fix(key)
		return
	}
	if pInfo := q.unschedulable[key]; pInfo != nil {
		pInfo.Update(newPod)
		q.UpdateNominatedPod(oldPod, pInfo.PodInfo)
		for _, event := range events {
			v, _ := q.isPodWorthRequeuing(pInfo, event, oldPod, newPod)
			if v.strategy == queueSkip {
				continue
			}
			if to := q.requeue(pInfo, unschedulablePods, reason{event.Label(), v}); to != unschedulablePods {
				return
			}
		}
		return
	}
	q.Add(newPod)
}

// Delete forgets a Pod that waits. One in flight stays so until its cycle is over.
func (q *PriorityQueue) Delete(pod *corev1.Pod) {
	q.DeleteNominatedPodIfExists(pod)
	key := framework.Key(pod)
	from := q.where(key)
	if from == "" {
		return
	}
	q.take(from, key)
	q.kernel.Emit(trace.SchedulingQueue, framework.Ref(pod), trace.Attrs("from", from, "to", "", "event", framework.EventUnscheduledPodDelete.Label()),
		trace.Unset(cell(from, key)))
}

// Pending tells where a Pod waits: activeQ, backoffQ, unschedulablePods or "".
func (q *PriorityQueue) Pending(key string) string { return q.where(key) }

func (q *PriorityQueue) where(key string) string {
	switch {
	case q.activeQ.get(key) != nil:
		return activeQ
	case q.backoffQ.get(key) != nil:
		return backoffQ
	case q.unschedulable[key] != nil:
		return unschedulablePods
	}
	return ""
}

func (q *PriorityQueue) take(from, key string) {
	switch from {
	case activeQ:
		q.activeQ.delete(key)
	case backoffQ:
		q.backoffQ.delete(key)
	case unschedulablePods:
		delete(q.unschedulable, key)
	}
}

// moved puts the move into the trace; the Pod is due to it from now on.
func (q *PriorityQueue) moved(pInfo *framework.QueuedPodInfo, from, to string, why reason) {
	if !q.kernel.Trace().Keeps(trace.SchedulingQueue) {
		pInfo.Due = q.kernel.Cause()
		return
	}
	key := framework.Key(pInfo.Pod)
	shown := why.event
	if pInfo.Gated() {
		shown = pInfo.GatingPlugin
	}
	var deltas []trace.Delta
	if from != "" && from != to {
		deltas = append(deltas, trace.Unset(cell(from, key)))
	}
	deltas = append(deltas, trace.Set(cell(to, key), shown))
	pInfo.Due = q.kernel.Emit(trace.SchedulingQueue, framework.Ref(pInfo.Pod), q.attrs(pInfo, from, to, why), deltas...)
}

// attrs are a move's, with what is known of the place that it leads to.
func (q *PriorityQueue) attrs(pInfo *framework.QueuedPodInfo, from, to string, why reason) []trace.Attr {
	out := trace.Attrs("from", from, "to", to, "event", why.event)
	if why.verdict.plugin != "" {
		out = append(out, trace.Attrs("hint", why.verdict.strategy, "plugin", why.verdict.plugin)...)
	}
	switch {
	case to == unschedulablePods && pInfo.Gated():
		out = append(out, trace.Attrs("rejectors", pInfo.GatingPlugin)...)
	case to == unschedulablePods:
		out = append(out, trace.Attrs("rejectors", pInfo.UnschedulablePlugins.Union(pInfo.PendingPlugins))...)
	case to == backoffQ:
		until := q.backoffQ.getBackoffTime(pInfo)
		out = append(out, trace.Attrs("until", until, "failures", max(pInfo.UnschedulableCount, pInfo.ConsecutiveErrorsCount))...)
	}
	return out
}

func cell(place, key string) trace.Cell {
	return trace.Cell{Kind: trace.CellScheduling, Owner: place, Key: key}
}

func (q *PriorityQueue) wake() {
	if q.waiter != nil {
		q.waiter.Wake()
		q.waiter = nil
	}
}

// unschedulableInOrder lists who is in unschedulablePods, by who was queued first.
func (q *PriorityQueue) unschedulableInOrder() []*framework.QueuedPodInfo {
	out := make([]*framework.QueuedPodInfo, 0, len(q.unschedulable))
	for _, pInfo := range q.unschedulable { // sorted below
		out = append(out, pInfo)
	}
	slices.SortFunc(out, func(a, b *framework.QueuedPodInfo) int { return int(a.Sequence) - int(b.Sequence) })
	return out
}

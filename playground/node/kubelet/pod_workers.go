package kubelet

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/mailbox"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// syncPodType says why a Pod is synced. Upstream: pkg/kubelet/types/pod_update.go.
type syncPodType string

const (
	syncPodSync   syncPodType = "sync"
	syncPodUpdate syncPodType = "update"
	syncPodCreate syncPodType = "create"
	syncPodKill   syncPodType = "kill"
)

// UpdatePodOptions is one change that a pod worker is told of.
type UpdatePodOptions struct {
	UpdateType syncPodType
	Pod        *corev1.Pod
	// RunningPod, when Pod is nil, is what the runtime has of a Pod that the API
	// doesn't know any more. It can only be killed.
	RunningPod *container.Pod
	// KillPodOptions, with syncPodKill, says how the Pod ends. May be nil.
	KillPodOptions *KillPodOptions
	// gracePeriod is set by UpdatePod for a Pod that is terminating.
	gracePeriod *int64
	cause       trace.ID
}

// KillPodOptions says how a Pod that the kubelet ends by itself is to end.
// Upstream: pod_workers.go KillPodOptions.
type KillPodOptions struct {
	Evict bool // it ends by failing
	// PodStatusFunc changes the status that is reported of it.
	PodStatusFunc                            func(*corev1.PodStatus)
	PodTerminationGracePeriodSecondsOverride *int64
}

// WorkType is which part of its life a Pod is in. Upstream: PodWorkerState.
type WorkType string

// A Pod goes through these in order and never back.
const (
	SyncPodWork    WorkType = "sync"
	TerminatingPod WorkType = "terminating" // containers are being stopped
	TerminatedPod  WorkType = "terminated"  // nothing runs; it is cleaned up
)

// podSyncer is what the workers call. Upstream: podSyncer.
type podSyncer interface {
	SyncPod(p *sim.Proc, updateType syncPodType, pod *corev1.Pod, status *container.PodStatus) (isTerminal bool, postSync func(), err error)
	SyncTerminatingPod(p *sim.Proc, pod *corev1.Pod, status *container.PodStatus, grace *int64, statusFuncs []func(*corev1.PodStatus)) error
	SyncTerminatingRuntimePod(p *sim.Proc, pod *container.Pod) error
	SyncTerminatedPod(p *sim.Proc, pod *corev1.Pod, status *container.PodStatus) error
}

// podWorkers gives each Pod a process of its own, which handles one change at a
// time: while it is busy, changes are merged into the pending one.
// Upstream: pod_workers.go podWorkers.
type podWorkers struct {
	component *sim.Component
	syncer    podSyncer
	podCache  *container.Cache
	workQueue *workQueue
	recorder  container.EventRecorder
	rand      *sim.Rand
	statuses  map[types.UID]*podSyncStatus
	updates   map[types.UID]*mailbox.Box[struct{}] // by Pod with a process
	// podsSynced is true once the first list of Pods was seen.
	podsSynced bool
}

// podSyncStatus is a Pod's state in its worker. Upstream: podSyncStatus.
type podSyncStatus struct {
	name string // namespace/name
	// working is true while an update is pending or being handled.
	working       bool
	pendingUpdate *UpdatePodOptions
	activeUpdate  *UpdatePodOptions // the newest that was begun
	// started, terminating and terminated are each set once, in this order.
	started            bool
	terminating        bool // termination was requested
	startedTerminating bool // the worker knows
	terminated         bool // no container runs, and none will be started
	finished           bool // the worker's process has ended
	gracePeriod        int64
	deleted            bool // the API wants it deleted, or doesn't know it
	observedRuntime    bool // the runtime has it
	evicted            bool
	statusFuncs        []func(*corev1.PodStatus) // of those who ended it
	restartRequested   bool                      // a Pod of the same UID was created while it was terminating
}

func (s *podSyncStatus) workType() WorkType {
	switch {
	case s.terminated:
		return TerminatedPod
	case s.terminating:
		return TerminatingPod
	}
	return SyncPodWork
}

func newPodWorkers(c *sim.Component, syncer podSyncer, cache *container.Cache, queue *workQueue, recorder container.EventRecorder, rand *sim.Rand) *podWorkers {
	return &podWorkers{component: c, syncer: syncer, podCache: cache, workQueue: queue, recorder: recorder, rand: rand,
		statuses: map[types.UID]*podSyncStatus{}, updates: map[types.UID]*mailbox.Box[struct{}]{}}
}

// IsPodTerminationRequested tells whether a Pod is to end, or has.
func (w *podWorkers) IsPodTerminationRequested(uid types.UID) bool {
	s := w.statuses[uid]
	return s != nil && s.terminating
}

// IsPodKnownTerminated tells whether a Pod's containers have all ended.
func (w *podWorkers) IsPodKnownTerminated(uid types.UID) bool {
	s := w.statuses[uid]
	return s != nil && s.terminated
}

// CouldHaveRunningContainers is true until the worker has seen them end.
func (w *podWorkers) CouldHaveRunningContainers(uid types.UID) bool {
	if s := w.statuses[uid]; s != nil {
		return !s.terminated
	}
	return !w.podsSynced // before the first list it can't be known
}

// ShouldPodContentBeRemoved tells whether nobody needs a Pod's dead containers any more.
func (w *podWorkers) ShouldPodContentBeRemoved(uid types.UID) bool {
	if s := w.statuses[uid]; s != nil {
		return s.deleted && s.terminated
	}
	return w.podsSynced
}

// UpdatePod tells a Pod's worker of a change, and starts the worker if there is
// none. A Pod becomes terminating here: when it is deleted, when its phase is
// terminal, or when it is killed.
func (w *podWorkers) UpdatePod(p *sim.Proc, o UpdatePodOptions) {
	log := p.Logger()
	o.cause = p.Kernel().Cause()
	runtimePod := o.Pod == nil
	var uid types.UID
	var name string
	if runtimePod {
		if o.UpdateType != syncPodKill {
			log.V(0).Info("Pod update is ignored, runtime pods can only be killed", "podUID", o.RunningPod.ID)
			return
		}
		uid, name = o.RunningPod.ID, o.RunningPod.Namespace+"/"+o.RunningPod.Name
	} else {
		o.RunningPod = nil
		uid, name = o.Pod.UID, container.PodKey(o.Pod)
	}
	log = log.WithValues("pod", name, "updateType", string(o.UpdateType))

	first := false
	s := w.statuses[uid]
	if s == nil {
		log.V(4).Info("Pod is being synced for the first time")
		first = true
		s = &podSyncStatus{name: name}
		if o.Pod != nil && isPodPhaseTerminal(o.Pod.Status.Phase) {
			if cached, err := w.podCache.Get(uid); err == nil && isPodStatusCacheTerminal(cached) {
				// It ended before this kubelet was started; only the cleaning up remains.
				s.terminating, s.startedTerminating, s.terminated = true, true, true
			}
		}
		w.statuses[uid] = s
	}
	pod := o.Pod
	if runtimePod {
		s.observedRuntime = true
		// A spec that is known is better than what the runtime has.
		switch {
		case s.pendingUpdate != nil && s.pendingUpdate.Pod != nil:
			pod, o.Pod, o.RunningPod = s.pendingUpdate.Pod, s.pendingUpdate.Pod, nil
		case s.activeUpdate != nil && s.activeUpdate.Pod != nil:
			pod, o.Pod, o.RunningPod = s.activeUpdate.Pod, s.activeUpdate.Pod, nil
		}
	}
	if !first && s.terminating && o.UpdateType == syncPodCreate {
		s.restartRequested = true
		log.V(4).Info("Pod is terminating but has been requested to restart with same UID, will be reconciled later")
		return
	}
	if s.finished {
		log.V(4).Info("Pod is finished processing, no further updates")
		return
	}
	if !s.terminating {
		switch {
		case runtimePod:
			log.V(4).Info("Pod is orphaned and must be torn down")
			s.deleted, s.terminating = true, true
		case pod.DeletionTimestamp != nil:
			log.V(4).Info("Pod is marked for graceful deletion, begin teardown")
			s.deleted, s.terminating = true, true
		case isPodPhaseTerminal(pod.Status.Phase):
			log.V(4).Info("Pod is in a terminal phase (success/failed), begin teardown")
			s.terminating = true
		case o.UpdateType == syncPodKill:
			if o.KillPodOptions != nil && o.KillPodOptions.Evict {
				log.V(4).Info("Pod is being evicted by the kubelet, begin teardown")
				s.evicted = true
			} else {
				log.V(4).Info("Pod is being removed by the kubelet, begin teardown")
			}
			s.terminating = true
		}
	} else if pod != nil && pod.DeletionTimestamp != nil {
		s.deleted = true
	}
	switch {
	case s.terminated:
		if runtimePod {
			log.V(3).Info("Pod is waiting for termination, ignoring runtime-only kill until after pod worker is fully terminated")
			return
		}
	case s.terminating:
		var override *int64
		if kill := o.KillPodOptions; kill != nil {
			if override = kill.PodTerminationGracePeriodSecondsOverride; kill.PodStatusFunc != nil {
				s.statusFuncs = append(s.statusFuncs, kill.PodStatusFunc)
			}
		}
		s.gracePeriod = effectiveGracePeriod(s.gracePeriod, pod, override)
		grace := s.gracePeriod
		o.gracePeriod = &grace
	}
	box := w.updates[uid]
	if box == nil {
		box = mailbox.New[struct{}](p.Kernel())
		w.updates[uid] = box
		w.component.Go("pod-worker/"+name, func(p *sim.Proc) { w.podWorkerLoop(p, uid, box) })
	}
	if s.pendingUpdate != nil {
		// Updates that merge are due to the newest of what led to them.
		o.cause = max(o.cause, s.pendingUpdate.cause)
	}
	s.pendingUpdate, s.working = &o, true
	w.notify(box)
}

func (w *podWorkers) notify(box *mailbox.Box[struct{}]) {
	if box.Len() == 0 {
		box.Put(struct{}{})
	}
}

func isPodPhaseTerminal(phase corev1.PodPhase) bool {
	return phase == corev1.PodFailed || phase == corev1.PodSucceeded
}

func isPodStatusCacheTerminal(status *container.PodStatus) bool {
	for _, s := range status.SandboxStatuses {
		if s.State == cri.SandboxReady {
			return false
		}
	}
	return len(status.Running()) == 0
}

// effectiveGracePeriod: the API server says how long a Pod has, it may only
// get shorter, and it is never less than a second.
// Upstream: calculateEffectiveGracePeriod.
func effectiveGracePeriod(grace int64, pod *corev1.Pod, override *int64) int64 {
	if override != nil && (grace == 0 || *override < grace) {
		grace = *override
	}
	if pod != nil {
		if g := pod.DeletionGracePeriodSeconds; g != nil {
			if grace == 0 || *g < grace {
				grace = *g
			}
		} else if grace == 0 && pod.Spec.TerminationGracePeriodSeconds != nil {
			grace = *pod.Spec.TerminationGracePeriodSeconds
		}
	}
	return max(grace, 1)
}

// runsUnderName tells whether another Pod of a name has been started and not ended.
func (w *podWorkers) runsUnderName(uid types.UID, name string) bool {
	for other, s := range w.statuses { // order: any of them
		if other != uid && s.name == name && s.started && !s.finished {
			return true
		}
	}
	return false
}

// startPodSync takes the pending update.
func (w *podWorkers) startPodSync(p *sim.Proc, uid types.UID) (update UpdatePodOptions, work WorkType, ok bool) {
	s := w.statuses[uid]
	if s == nil {
		p.Logger().V(4).Info("Pod worker no longer has status, worker should exit", "podUID", uid)
		return update, "", false
	}
	if s.pendingUpdate == nil {
		s.working = false
		return update, "", false
	}
	if !s.started && s.pendingUpdate.Pod != nil && !s.terminating && isStaticPod(s.pendingUpdate.Pod) && w.runsUnderName(uid, s.name) {
		// Another static Pod of that name has to end first. Upstream: allowStaticPodStart.
		w.workQueue.Enqueue(uid, wait.Jitter(w.rand, backOffPeriod, 50))
		s.working = false
		return update, "", false
	}
	update, work = *s.pendingUpdate, s.workType()
	s.pendingUpdate = nil
	if update.Pod != nil {
		s.started = true
	}
	merged := update
	if merged.Pod == nil && s.activeUpdate != nil {
		merged.Pod = s.activeUpdate.Pod
	}
	s.activeUpdate = &merged
	p.Due(update.cause)
	return update, work, true
}

// podWorkerLoop is a Pod's process. It drives the Pod through sync, terminating
// and terminated, and ends with the Pod.
func (w *podWorkers) podWorkerLoop(p *sim.Proc, uid types.UID, box *mailbox.Box[struct{}]) {
	var lastSync container.Stamp
	for {
		box.Get(p)
		update, work, ok := w.startPodSync(p, uid)
		if !ok {
			if w.statuses[uid] == nil {
				return
			}
			continue
		}
		name := w.statuses[uid].name
		isTerminal, err := w.work(p, uid, update, work, lastSync)
		lastSync = w.podCache.Stamp()
		transition := false
		switch {
		case err != nil:
			p.Logger().Error(err, "Error syncing pod, skipping", "pod", name)
		case work == TerminatedPod:
			w.completeTerminated(p, uid)
			return
		case work == TerminatingPod:
			if update.RunningPod != nil {
				w.completeTerminatingRuntimePod(p, uid)
				return
			}
			w.completeTerminating(p, uid)
			transition = true
		case isTerminal:
			p.Logger().V(4).Info("Pod is terminal", "pod", name)
			w.completeSync(p, uid)
			transition = true
		}
		w.completeWork(uid, transition, err)
	}
}

func (w *podWorkers) work(p *sim.Proc, uid types.UID, update UpdatePodOptions, work WorkType, lastSync container.Stamp) (isTerminal bool, err error) {
	if update.RunningPod != nil {
		w.acknowledgeTerminating(uid)
		return false, w.syncer.SyncTerminatingRuntimePod(p, update.RunningPod)
	}
	// See what the last sync has done before doing more. What it is to act on is
	// the update, or what has been seen of the Pod since that was sent.
	p.Due(update.cause)
	status, err := w.podCache.GetNewerThan(p, uid, lastSync)
	p.Due(max(update.cause, p.Kernel().Cause()))
	if err != nil {
		w.recorder.Eventf(container.PodReference(update.Pod), corev1.EventTypeWarning, "FailedSync", "error determining status: %v", err)
		return false, err
	}
	switch work {
	case TerminatedPod:
		return false, w.syncer.SyncTerminatedPod(p, update.Pod, status)
	case TerminatingPod:
		w.acknowledgeTerminating(uid)
		return false, w.syncer.SyncTerminatingPod(p, update.Pod, status, update.gracePeriod, w.statusFuncs(uid))
	}
	isTerminal, postSync, err := w.syncer.SyncPod(p, update.UpdateType, update.Pod, status)
	if err == nil && postSync != nil {
		// What is seen from here on is newer than this sync.
		postSync()
	}
	return isTerminal, err
}

func (w *podWorkers) acknowledgeTerminating(uid types.UID) {
	if s := w.statuses[uid]; s != nil {
		s.startedTerminating = true
	}
}

func (w *podWorkers) statusFuncs(uid types.UID) []func(*corev1.PodStatus) {
	if s := w.statuses[uid]; s != nil {
		return s.statusFuncs
	}
	return nil
}

// completeSync: the Pod has ended by itself.
func (w *podWorkers) completeSync(p *sim.Proc, uid types.UID) {
	p.Logger().V(4).Info("Pod indicated lifecycle completed naturally and should now terminate", "podUID", uid)
	if s := w.statuses[uid]; s != nil {
		s.terminating, s.startedTerminating = true, true
		w.requeueLastPodUpdate(p, uid, s)
	}
}

// completeTerminating: no container runs, and none will.
func (w *podWorkers) completeTerminating(p *sim.Proc, uid types.UID) {
	p.Logger().V(4).Info("Pod terminated all containers successfully", "podUID", uid)
	if s := w.statuses[uid]; s != nil {
		s.terminated = true
		w.requeueLastPodUpdate(p, uid, s)
	}
}

func (w *podWorkers) completeTerminatingRuntimePod(p *sim.Proc, uid types.UID) {
	p.Logger().V(4).Info("Pod terminated all orphaned containers successfully and worker can now stop", "podUID", uid)
	if s := w.statuses[uid]; s != nil {
		s.terminated, s.finished, s.working = true, true, false
	}
	delete(w.updates, uid)
}

func (w *podWorkers) completeTerminated(p *sim.Proc, uid types.UID) {
	p.Logger().V(4).Info("Pod is complete and the worker can now stop", "podUID", uid)
	if s := w.statuses[uid]; s != nil {
		s.finished, s.working = true, false
	}
	delete(w.updates, uid)
}

// completeWork says when the Pod is looked at next, and goes on at once if an
// update came meanwhile.
func (w *podWorkers) completeWork(uid types.UID, transition bool, err error) {
	switch {
	case transition:
		w.workQueue.Enqueue(uid, 0)
	case err == nil:
		w.workQueue.Enqueue(uid, wait.Jitter(w.rand, syncFrequency, 50))
	default:
		delay := backOffPeriod
		if at, ok := container.MinBackoffExpiration(err); ok {
			delay = min(max(at-w.component.Kernel().Elapsed(), 0), syncFrequency)
		}
		w.workQueue.Enqueue(uid, wait.Jitter(w.rand, delay, 50))
	}
	if s := w.statuses[uid]; s != nil {
		if s.pendingUpdate != nil {
			w.notify(w.updates[uid])
		} else {
			s.working = false
		}
	}
}

// requeueLastPodUpdate makes the worker go on with the update that it had, if
// no newer one came.
func (w *podWorkers) requeueLastPodUpdate(p *sim.Proc, uid types.UID, s *podSyncStatus) {
	if s.pendingUpdate == nil {
		if s.activeUpdate == nil {
			return
		}
		again := *s.activeUpdate
		again.cause = p.Kernel().Cause()
		s.pendingUpdate = &again
	}
	if s.terminating && !s.terminated && s.pendingUpdate.gracePeriod == nil {
		s.gracePeriod = effectiveGracePeriod(s.gracePeriod, s.pendingUpdate.Pod, nil)
		grace := s.gracePeriod
		s.pendingUpdate.gracePeriod = &grace
	}
	s.working = true
	if box := w.updates[uid]; box != nil {
		w.notify(box)
	}
}

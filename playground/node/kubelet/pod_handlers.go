package kubelet

import (
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/status"
	"kubewalk/playground/sim"
)

// HandlePodAdditions takes in a Pod that is new to this kubelet: one that was
// bound, or one that was here before the kubelet was restarted.
// Upstream: Kubelet.HandlePodAdditions.
func (kl *Kubelet) HandlePodAdditions(p *sim.Proc, pod *corev1.Pod) {
	// Known before it is admitted: what asks the pod manager relies on it.
	kl.podManager.UpdatePod(pod)
	kl.allocations.restore(pod)
	// A Pod that is terminating was admitted once, and needs nothing more.
	if !kl.podWorkers.IsPodTerminationRequested(pod.UID) && pod.DeletionTimestamp == nil && !isPodPhaseTerminal(pod.Status.Phase) {
		allocated, _ := kl.allocations.UpdatePodFromAllocation(pod)
		if ok, reason, message := kl.canAdmitPod(allocated); !ok {
			kl.rejectPod(p, pod, reason, message)
			return
		}
	}
	kl.podWorkers.UpdatePod(p, UpdatePodOptions{Pod: pod, UpdateType: syncPodCreate})
}

// HandlePodUpdates takes in a Pod whose spec or metadata changed, its deletion among them.
func (kl *Kubelet) HandlePodUpdates(p *sim.Proc, pod *corev1.Pod) {
	kl.podManager.UpdatePod(pod)
	kl.podWorkers.UpdatePod(p, UpdatePodOptions{Pod: pod, UpdateType: syncPodUpdate})
}

// HandlePodRemoves ends a Pod that is gone from the API. That is the usual end
// of a Pod that this kubelet has removed itself; but it may have been deleted by
// force while it ran.
func (kl *Kubelet) HandlePodRemoves(p *sim.Proc, pod *corev1.Pod) {
	kl.podManager.RemovePod(pod)
	if !kl.podInformer.HasSynced() {
		return
	}
	kl.podWorkers.UpdatePod(p, UpdatePodOptions{Pod: pod, UpdateType: syncPodKill})
	kl.retryPendingResizes(p)
}

// retryPendingResizes has Pods looked at again that wait for room, as some has
// become free. Upstream: allocation_manager.go RetryPendingResizes.
func (kl *Kubelet) retryPendingResizes(p *sim.Proc) {
	if len(kl.allocations.pending) == 0 {
		return
	}
	for _, pod := range kl.podManager.GetPods() {
		if c, ok := kl.allocations.pending[pod.UID]; ok && c.Reason == corev1.PodReasonDeferred {
			kl.HandlePodSyncs(p, pod)
		}
	}
}

// HandlePodReconcile takes in a Pod of which only the status changed. Mostly
// that is this kubelet's own doing. A condition that a readiness gate waits for
// makes it work.
func (kl *Kubelet) HandlePodReconcile(p *sim.Proc, pod *corev1.Pod) {
	kl.podManager.UpdatePod(pod)
	if needToReconcilePodReadiness(pod) {
		kl.podWorkers.UpdatePod(p, UpdatePodOptions{Pod: pod, UpdateType: syncPodSync})
	}
}

// needToReconcilePodReadiness tells whether a readiness gate has changed.
// Upstream: status_manager.go NeedToReconcilePodReadiness.
func needToReconcilePodReadiness(pod *corev1.Pod) bool {
	if len(pod.Spec.ReadinessGates) == 0 {
		return false
	}
	now := status.GeneratePodReadyCondition(pod, pod.Status.Conditions, pod.Status.ContainerStatuses, pod.Status.Phase)
	old := status.FindCondition(pod.Status.Conditions, corev1.PodReady)
	return old == nil || old.Status != now.Status || old.Message != now.Message
}

// HandlePodSyncs has a Pod looked at again.
func (kl *Kubelet) HandlePodSyncs(p *sim.Proc, pod *corev1.Pod) {
	kl.podWorkers.UpdatePod(p, UpdatePodOptions{Pod: pod, UpdateType: syncPodSync})
}

// rejectPod makes a Pod fail that this node can't run. Upstream: Kubelet.rejectPod.
func (kl *Kubelet) rejectPod(p *sim.Proc, pod *corev1.Pod, reason, message string) {
	p.Logger().V(2).Info("Pod admission denied", "pod", container.PodKey(pod), "reason", reason, "message", message)
	kl.recorder.Eventf(container.PodReference(pod), corev1.EventTypeWarning, reason, "%s", message)
	kl.statusManager.SetPodStatus(pod, corev1.PodStatus{
		QOSClass: qosClass(pod), Phase: corev1.PodFailed, Reason: reason, Message: "Pod was rejected: " + message,
		Conditions: otherConditions(pod, nil),
	})
}

// possibleOrphans lists the Pods in the runtime, if there can be one more that
// the API doesn't know than when it was asked last.
func (kl *Kubelet) possibleOrphans(known func(types.UID) bool) ([]*container.Pod, error) {
	now := [2]int64{kl.cri.Changes(), kl.podManager.removed + 1}
	if now == kl.orphansAt && now[0] >= 0 {
		return nil, nil
	}
	kl.orphansAt = now
	uids, err := kl.containerRuntime.PodsChangedSince(0)
	if err != nil || !slices.ContainsFunc(uids, func(uid types.UID) bool { return !known(uid) }) {
		return nil, err
	}
	return kl.containerRuntime.GetPods(false)
}

// HandlePodCleanups compares, every two seconds, what the workers, the API and
// the runtime know, and ends what nobody should know any more.
// Upstream: Kubelet.HandlePodCleanups.
func (kl *Kubelet) HandlePodCleanups(p *sim.Proc) {
	all := kl.podManager.GetPods()
	working := kl.podWorkers.SyncKnownPods(p, all)
	inAPI := map[types.UID]bool{}
	for _, pod := range all {
		inAPI[pod.UID] = true
	}
	known := func(uid types.UID) bool {
		_, ok := working[uid]
		return ok || inAPI[uid]
	}
	if kl.statics != nil {
		kl.statics.cleanUp(p)
	}
	kl.statusManager.RemoveOrphanedStatuses(known)
	kl.reasonCache.Forget(known)
	kl.allocations.forget(known)

	// What runs though the API doesn't know it: it was deleted by force while no
	// kubelet ran.
	running, err := kl.possibleOrphans(known)
	if err != nil {
		p.Logger().Error(err, "Error listing containers")
		return
	}
	for _, pod := range running {
		if !known(pod.ID) {
			kl.orphansAt = [2]int64{} // look again, until it is gone
			p.Logger().V(3).Info("Clean up containers for orphaned pod we had not seen before", "podUID", pod.ID)
			kl.podWorkers.UpdatePod(p, UpdatePodOptions{UpdateType: syncPodKill, RunningPod: pod})
		}
	}
	kl.volumeManager.UnmountOrphans(func(uid types.UID) bool {
		return known(uid) || slices.ContainsFunc(running, func(pod *container.Pod) bool { return pod.ID == uid })
	})
	// A Pod that the API has and no worker: its UID was used again.
	for _, pod := range all {
		if _, ok := working[pod.UID]; !ok && !isPodPhaseTerminal(pod.Status.Phase) {
			if s, has := kl.statusManager.GetPodStatus(pod.UID); has && isPodPhaseTerminal(s.Phase) {
				continue // rejected
			}
			p.Logger().V(3).Info("Pod will be restarted because it is in the desired set and not known to the pod workers", "pod", container.PodKey(pod))
			kl.podWorkers.UpdatePod(p, UpdatePodOptions{Pod: pod, UpdateType: syncPodCreate})
		}
	}
}

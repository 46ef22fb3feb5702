package scheduler

import (
	"errors"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/runtime"
	"kubewalk/playground/controlplane/scheduler/podstatus"
	"kubewalk/playground/sim"
)

// noteLengthLimit is the most that an Event's note may hold.
const noteLengthLimit = 1024

// handleSchedulingFailure puts the Pod back into the queue, and says on the Pod
// and in an Event why it has no node.
// Upstream: pkg/scheduler/schedule_one.go, handleSchedulingFailure.
func (s *Scheduler) handleSchedulingFailure(p *sim.Proc, f *runtime.Framework, podInfo *framework.QueuedPodInfo, status *framework.Status,
	info *framework.NominatingInfo) {
	pod := podInfo.Pod
	inFlight := true
	defer func() {
		if inFlight {
			s.SchedulingQueue.Done(pod)
		}
	}()

	reason := corev1.PodReasonSchedulerError
	if status.IsRejected() {
		reason = corev1.PodReasonUnschedulable
	}
	err := status.AsError()
	message := status.Message()
	var fit *framework.FitError
	switch {
	case errors.Is(err, ErrNoNodesAvailable):
		p.Logger().V(2).Info("Unable to schedule pod; no nodes are registered to the cluster; waiting", "pod", framework.Key(pod))
	case errors.As(err, &fit):
		podInfo.UnschedulablePlugins = fit.Diagnosis.UnschedulablePlugins
		podInfo.PendingPlugins = fit.Diagnosis.PendingPlugins
		p.Logger().V(2).Info("Unable to schedule pod; no fit; waiting", "pod", framework.Key(pod), "err", message)
	default:
		p.Logger().Error(err, "Error scheduling pod; retrying", "pod", framework.Key(pod))
	}

	cached, e := s.podLister.Pods(pod.Namespace).Get(pod.Name)
	switch {
	case e != nil:
		p.Logger().Info("Pod doesn't exist in informer cache", "pod", framework.Key(pod), "err", e)
	case cached.Spec.NodeName != "":
		p.Logger().Info("Pod has been assigned to node. Abort adding it back to queue.", "pod", framework.Key(pod), "node", cached.Spec.NodeName)
	case cached.UID != pod.UID:
		// That one is in the queue on its own, and must not be told what is wrong with this one.
		p.Logger().V(2).Info("Pod was recreated while handling scheduling failure. Skip requeueing and status updates.", "pod", framework.Key(pod),
			"oldUID", string(pod.UID), "newUID", string(cached.UID))
		return
	default:
		podInfo.Update(cached)
		pod = cached // the newest version is what the status is compared with
		if err := s.SchedulingQueue.AddUnschedulableIfNotPresent(podInfo); err != nil {
			p.Logger().Error(err, "Error occurred")
		} else {
			// From here on another cycle may have it: its Done is not ours.
			inFlight = false
		}
	}

	// The watch will say so, too, but the next cycle may come first.
	s.SchedulingQueue.AddNominatedPod(podInfo.PodInfo, info)

	f.EventRecorder().Eventf(pod, nil, corev1.EventTypeWarning, "FailedScheduling", "Scheduling", "%s", truncateMessage(message))
	if err := s.patchPodStatus(p, pod, &corev1.PodCondition{
		Type:               corev1.PodScheduled,
		ObservedGeneration: pod.Generation,
		Status:             corev1.ConditionFalse,
		Reason:             reason,
		Message:            message,
	}, info); err != nil {
		p.Logger().Error(err, "Error updating pod", "pod", framework.Key(pod))
	}
}

// clearNominatedNode takes a Pod's nomination back.
var clearNominatedNode = &framework.NominatingInfo{NominatingMode: framework.ModeOverride}

// patchPodStatus writes a condition and a nomination, either of which may be nil.
// Upstream: schedule_one.go, updatePod.
func (s *Scheduler) patchPodStatus(p *sim.Proc, pod *corev1.Pod, c *corev1.PodCondition, info *framework.NominatingInfo) error {
	log := p.Logger().V(3).WithValues("pod", framework.Key(pod))
	if c != nil {
		log = log.WithValues("conditionType", string(c.Type), "conditionStatus", string(c.Status), "conditionReason", c.Reason)
	}
	if info.Mode() == framework.ModeOverride && info.NominatedNodeName != pod.Status.NominatedNodeName {
		log = log.WithValues("nominatedNodeName", info.NominatedNodeName)
	}
	return podstatus.Patch(p, s.client, pod, c, info, func() { log.Info("Updating pod condition and nominated node name") })
}

func truncateMessage(message string) string {
	if len(message) <= noteLengthLimit {
		return message
	}
	const suffix = " ..."
	return message[:noteLengthLimit-len(suffix)] + suffix
}

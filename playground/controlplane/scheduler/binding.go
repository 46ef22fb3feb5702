package scheduler

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/runtime"
	"kubewalk/playground/sim"
)

// bindingCycle makes the assumption true. It runs beside the next Pods' cycles.
// Upstream: pkg/scheduler/schedule_one.go, bindingCycle.
func (s *Scheduler) bindingCycle(p *sim.Proc, f *runtime.Framework, state *framework.CycleState, result ScheduleResult, assumed *corev1.Pod) *framework.Status {
	preFlight := f.RunPreBindPreFlights(p, state, assumed, result.SuggestedHost)
	if preFlight.Code() == framework.Error {
		return preFlight
	}
	if preFlight.IsSuccess() || f.WillWaitOnPermit(assumed) {
		// The binding will take a while, so others are told where the Pod is going.
		info := &framework.NominatingInfo{NominatedNodeName: result.SuggestedHost, NominatingMode: framework.ModeOverride}
		if err := s.patchPodStatus(p, assumed, nil, info); err != nil {
			p.Logger().Error(err, "Failed to update the nominated node name in the binding cycle", "pod", framework.Key(assumed), "nominatedNodeName",
				result.SuggestedHost)
		}
	}
	if status := f.WaitOnPermit(p, assumed); !status.IsSuccess() {
		return rejectedOn(assumed, result.SuggestedHost, status)
	}
	// From here on no plugin can find that the Pod does not fit, so what happens
	// in the cluster need not be remembered for it any longer.
	s.SchedulingQueue.Done(assumed)
	if preFlight.IsSuccess() {
		f.AddPodInPreBind(assumed.UID)
		defer f.RemovePodInPreBind(assumed.UID)
	}
	if status := f.RunPreBindPlugins(p, state, assumed, result.SuggestedHost); !status.IsSuccess() {
		return status
	}
	if err := f.MarkPrebound(assumed.UID); err != nil {
		return framework.AsStatus(err) // somebody more important took its place
	}
	if status := s.bind(p, f, state, assumed, result.SuggestedHost); !status.IsSuccess() {
		return status
	}
	p.Logger().V(2).Info("Successfully bound pod to node", "pod", framework.Key(assumed), "node", result.SuggestedHost,
		"evaluatedNodes", result.EvaluatedNodes, "feasibleNodes", result.FeasibleNodes)
	f.RunPostBindPlugins(p, state, assumed, result.SuggestedHost)
	return nil
}

func (s *Scheduler) bind(p *sim.Proc, f *runtime.Framework, state *framework.CycleState, assumed *corev1.Pod, node string) *framework.Status {
	done, err := s.extendersBinding(p, assumed, node)
	status := framework.AsStatus(err)
	if !done {
		status = f.RunBindPlugins(p, state, assumed, node)
	}
	s.Cache.FinishBinding(assumed)
	if !status.IsSuccess() {
		p.Logger().V(1).Info("Failed to bind pod", "pod", framework.Key(assumed))
		return status
	}
	f.EventRecorder().Eventf(assumed, nil, corev1.EventTypeNormal, "Scheduled", "Binding",
		"Successfully assigned %v/%v to %v", assumed.Namespace, assumed.Name, node)
	return nil
}

// handleBindingCycleError takes the assumption back and the Pod with it.
func (s *Scheduler) handleBindingCycleError(p *sim.Proc, f *runtime.Framework, state *framework.CycleState, podInfo *framework.QueuedPodInfo,
	assumed *corev1.Pod, status *framework.Status) {
	s.unreserveAndForget(p, f, state, assumed, status)
	// What it took up is free for others, as if it had been deleted. A Pod that
	// was turned down must not be moved by its own removal, so that comes last.
	free := func() {
		s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(framework.EventAssignedPodDelete, assumed, nil, func(pod *corev1.Pod) bool {
			return pod.UID != assumed.UID
		})
	}
	if status.IsRejected() {
		defer free()
	} else {
		free()
	}
	s.handleSchedulingFailure(p, f, podInfo, status, clearNominatedNode)
}

func (s *Scheduler) unreserveAndForget(p *sim.Proc, f *runtime.Framework, state *framework.CycleState, assumed *corev1.Pod, status *framework.Status) {
	f.RunReservePluginsUnreserve(p, state, assumed, assumed.Spec.NodeName)
	if !s.Cache.IsAssumedPod(assumed) {
		return // the watch knew better: it was bound after all, or it is gone
	}
	if err := s.Cache.ForgetPod(assumed, status.Message()); err != nil {
		p.Logger().Error(err, "ForgetPod failed", "pod", framework.Key(assumed))
	}
}

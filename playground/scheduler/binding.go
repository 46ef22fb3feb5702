package scheduler

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/scheduler/framework"
	"kubewalk/playground/sim"
)

// bindingCycle makes the assumption true. It runs beside the next Pods' cycles.
// Upstream: pkg/scheduler/schedule_one.go, bindingCycle.
func (s *Scheduler) bindingCycle(p *sim.Proc, state *framework.CycleState, result ScheduleResult, assumed *corev1.Pod) *framework.Status {
	if status := s.framework.WaitOnPermit(p, assumed); !status.IsSuccess() {
		return rejectedOn(assumed, result.SuggestedHost, status)
	}
	// From here on no plugin can find that the Pod does not fit, so what happens
	// in the cluster need not be remembered for it any longer.
	s.SchedulingQueue.Done(assumed)
	if status := s.framework.RunPreBindPlugins(p, state, assumed, result.SuggestedHost); !status.IsSuccess() {
		return status
	}
	if status := s.bind(p, state, assumed, result.SuggestedHost); !status.IsSuccess() {
		return status
	}
	p.Logger().V(2).Info("Successfully bound pod to node", "pod", framework.Key(assumed), "node", result.SuggestedHost,
		"evaluatedNodes", result.EvaluatedNodes, "feasibleNodes", result.FeasibleNodes)
	s.framework.RunPostBindPlugins(p, state, assumed, result.SuggestedHost)
	return nil
}

func (s *Scheduler) bind(p *sim.Proc, state *framework.CycleState, assumed *corev1.Pod, node string) *framework.Status {
	status := s.framework.RunBindPlugins(p, state, assumed, node)
	s.Cache.FinishBinding(assumed)
	if !status.IsSuccess() {
		p.Logger().V(1).Info("Failed to bind pod", "pod", framework.Key(assumed))
		return status
	}
	s.recorder.Eventf(assumed, nil, corev1.EventTypeNormal, "Scheduled", "Binding",
		"Successfully assigned %v/%v to %v", assumed.Namespace, assumed.Name, node)
	return nil
}

// handleBindingCycleError takes the assumption back and the Pod with it.
func (s *Scheduler) handleBindingCycleError(p *sim.Proc, state *framework.CycleState, podInfo *framework.QueuedPodInfo, assumed *corev1.Pod, status *framework.Status) {
	s.unreserveAndForget(p, state, assumed, status)
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
	s.handleSchedulingFailure(p, podInfo, status)
}

func (s *Scheduler) unreserveAndForget(p *sim.Proc, state *framework.CycleState, assumed *corev1.Pod, status *framework.Status) {
	s.framework.RunReservePluginsUnreserve(p, state, assumed, assumed.Spec.NodeName)
	if !s.Cache.IsAssumedPod(assumed) {
		return // the watch knew better: it was bound after all, or it is gone
	}
	if err := s.Cache.ForgetPod(assumed, status.Message()); err != nil {
		p.Logger().Error(err, "ForgetPod failed", "pod", framework.Key(assumed))
	}
}

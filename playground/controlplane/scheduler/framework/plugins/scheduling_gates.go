package plugins

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
)

// schedulingGates keeps Pods with spec.schedulingGates out of activeQ.
// Upstream: plugins/schedulinggates/scheduling_gates.go.
type schedulingGates struct{}

func newSchedulingGates(config.Args, framework.Handle) (framework.Plugin, error) {
	return schedulingGates{}, nil
}

func (schedulingGates) Name() string { return SchedulingGates }

func (schedulingGates) PreEnqueue(pod *corev1.Pod) *framework.Status {
	if len(pod.Spec.SchedulingGates) == 0 {
		return nil
	}
	gates := make([]string, 0, len(pod.Spec.SchedulingGates))
	for _, g := range pod.Spec.SchedulingGates {
		gates = append(gates, g.Name)
	}
	return framework.NewStatus(framework.UnschedulableAndUnresolvable, fmt.Sprintf("waiting for scheduling gates: %v", gates))
}

func (schedulingGates) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{{
		Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.UpdatePodSchedulingGatesEliminated},
		QueueingHintFn: func(pod *corev1.Pod, _, newObj api.Object) framework.QueueingHint {
			return queueIf(newObj.GetObjectMeta().UID == pod.UID)
		},
	}}
}

func queueIf(helps bool) framework.QueueingHint {
	if helps {
		return framework.Queue
	}
	return framework.QueueSkip
}

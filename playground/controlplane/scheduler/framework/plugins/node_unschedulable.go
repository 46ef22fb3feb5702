package plugins

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// nodeUnschedulable keeps Pods off cordoned nodes, except those that tolerate
// the taint that goes with it. Upstream: plugins/nodeunschedulable/node_unschedulable.go.
type nodeUnschedulable struct{}

// ErrReasonUnschedulable is the reason of a cordoned node.
const ErrReasonUnschedulable = "node(s) were unschedulable"

func newNodeUnschedulable(config.Args, framework.Handle) (framework.Plugin, error) {
	return nodeUnschedulable{}, nil
}

func (nodeUnschedulable) Name() string { return NodeUnschedulable }

func (nodeUnschedulable) Filter(_ *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	if !node.Node().Spec.Unschedulable || toleratesUnschedulable(pod) {
		return nil
	}
	return framework.NewStatus(framework.UnschedulableAndUnresolvable, ErrReasonUnschedulable)
}

func toleratesUnschedulable(pod *corev1.Pod) bool {
	return tolerates(pod.Spec.Tolerations, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
}

func (nodeUnschedulable) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{
			// spec.unschedulable counts as a taint.
			Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add | framework.UpdateNodeTaint},
			QueueingHintFn: func(_ *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
				node := newObj.(*corev1.Node)
				wasUnschedulable := oldObj == nil || oldObj.(*corev1.Node).Spec.Unschedulable
				return queueIf(wasUnschedulable && !node.Spec.Unschedulable)
			},
		},
		{
			Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.UpdatePodToleration},
			QueueingHintFn: func(pod *corev1.Pod, _, newObj api.Object) framework.QueueingHint {
				updated := newObj.(*corev1.Pod)
				return queueIf(updated.UID == pod.UID && toleratesUnschedulable(updated))
			},
		},
	}
}

package plugins

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// nodeName accepts only the node that spec.nodeName asks for. The scheduler does
// not see such Pods as its own; the plugin is for whoever asks the same question
// elsewhere, as preemption does. Upstream: plugins/nodename/node_name.go.
type nodeName struct{}

// ErrReasonNodeName is the reason of every other node.
const ErrReasonNodeName = "node(s) didn't match the requested node name"

func newNodeName(config.Args, framework.Handle) (framework.Plugin, error) {
	return nodeName{}, nil
}

func (nodeName) Name() string { return NodeName }

func (nodeName) Filter(_ *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	if pod.Spec.NodeName == "" || pod.Spec.NodeName == node.Name() {
		return nil
	}
	return framework.NewStatus(framework.UnschedulableAndUnresolvable, ErrReasonNodeName)
}

func (nodeName) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add}},
	}
}

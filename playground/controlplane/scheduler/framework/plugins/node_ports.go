package plugins

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// nodePorts keeps Pods with a hostPort off nodes where it is taken.
// Upstream: plugins/nodeports/node_ports.go.
type nodePorts struct{}

// ErrReasonPorts is the reason of a node whose port is taken.
const ErrReasonPorts = "node(s) didn't have free ports for the requested pod ports"

const portsStateKey = "PreFilter" + NodePorts

func newNodePorts(config.Args, framework.Handle) (framework.Plugin, error) {
	return nodePorts{}, nil
}

func (nodePorts) Name() string { return NodePorts }

func (nodePorts) PreFilter(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) (*framework.PreFilterResult, *framework.Status) {
	ports := framework.HostPorts(pod)
	if len(ports) == 0 {
		return nil, framework.NewStatus(framework.Skip)
	}
	state.Write(portsStateKey, ports)
	return nil, nil
}

// PreFilterExtensions: what it computed does not depend on other Pods.
func (nodePorts) PreFilterExtensions() framework.PreFilterExtensions { return nil }

func (nodePorts) Filter(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	ports, ok := framework.ReadState[[]framework.HostPort](state, portsStateKey)
	if !ok {
		return framework.NewStatus(framework.Error, `reading "PreFilterNodePorts" from cycleState: not found`)
	}
	for _, port := range ports {
		if node.UsedPorts.Conflicts(port) {
			return framework.NewStatus(framework.Unschedulable, ErrReasonPorts)
		}
	}
	return nil
}

func (nodePorts) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{
			Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Delete},
			QueueingHintFn: func(pod *corev1.Pod, oldObj, _ api.Object) framework.QueueingHint {
				deleted := oldObj.(*corev1.Pod)
				if deleted.Spec.NodeName == "" && deleted.Status.NominatedNodeName == "" {
					return framework.QueueSkip
				}
				var freed framework.HostPortInfo
				for _, port := range framework.HostPorts(deleted) {
					freed.Add(port)
				}
				for _, port := range framework.HostPorts(pod) {
					if freed.Conflicts(port) {
						return framework.Queue
					}
				}
				return framework.QueueSkip
			},
		},
		{Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add}},
	}
}

package plugins

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/scheduler/framework"
	"kubewalk/playground/sim"
)

// nodeResourcesFit keeps Pods off nodes that have too little of something left,
// and prefers nodes with much left (strategy LeastAllocated).
// Upstream: plugins/noderesources/fit.go and least_allocated.go.
type nodeResourcesFit struct{}

const fitStateKey = "PreFilter" + NodeResourcesFit

func newNodeResourcesFit(framework.Handle) framework.Plugin { return nodeResourcesFit{} }

func (nodeResourcesFit) Name() string { return NodeResourcesFit }

func (nodeResourcesFit) PreFilter(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) (*framework.PreFilterResult, *framework.Status) {
	requests := framework.NewResource(framework.PodRequests(pod, false))
	state.Write(fitStateKey, &requests)
	return nil, nil
}

func (nodeResourcesFit) Filter(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	requests, ok := framework.ReadState[*framework.Resource](state, fitStateKey)
	if !ok {
		return framework.NewStatus(framework.Error, `error reading "PreFilterNodeResourcesFit" from cycleState: not found`)
	}
	insufficient := fitsRequest(requests, node)
	if len(insufficient) == 0 {
		return nil
	}
	code := framework.Unschedulable
	reasons := make([]string, 0, len(insufficient))
	for _, r := range insufficient {
		reasons = append(reasons, r.reason)
		if r.unresolvable {
			code = framework.UnschedulableAndUnresolvable
		}
	}
	return framework.NewStatus(code, reasons...)
}

// insufficientResource is something of which there is too little.
// unresolvable: even the empty node would not have enough.
type insufficientResource struct {
	reason       string
	unresolvable bool
}

func fitsRequest(r *framework.Resource, node *framework.NodeInfo) []insufficientResource {
	var out []insufficientResource
	if len(node.Pods)+1 > node.Allocatable.AllowedPodNumber {
		out = append(out, insufficientResource{reason: "Too many pods"})
	}
	check := func(name corev1.ResourceName, want, capacity, used int64) {
		if want > 0 && want > capacity-used {
			out = append(out, insufficientResource{"Insufficient " + string(name), want > capacity})
		}
	}
	check(corev1.ResourceCPU, r.MilliCPU, node.Allocatable.MilliCPU, node.Requested.MilliCPU)
	check(corev1.ResourceMemory, r.Memory, node.Allocatable.Memory, node.Requested.Memory)
	check(corev1.ResourceEphemeralStorage, r.EphemeralStorage, node.Allocatable.EphemeralStorage, node.Requested.EphemeralStorage)
	for _, s := range r.Scalar {
		check(s.Name, s.Value, node.Allocatable.ScalarValue(s.Name), node.Requested.ScalarValue(s.Name))
	}
	return out
}

// Score is how much of CPU and memory would be left, as a percentage, each
// counting half. Containers without requests count with defaults.
func (nodeResourcesFit) Score(_ *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) (int64, *framework.Status) {
	r := framework.NewResource(framework.PodRequests(pod, true))
	var sum, n int64
	for _, x := range [...]struct{ want, used, capacity int64 }{
		{r.MilliCPU, node.NonZeroRequested.MilliCPU, node.Allocatable.MilliCPU},
		{r.Memory, node.NonZeroRequested.Memory, node.Allocatable.Memory},
	} {
		if x.capacity == 0 {
			continue
		}
		n++
		if left := x.capacity - x.used - x.want; left > 0 {
			sum += left * framework.MaxNodeScore / x.capacity
		}
	}
	if n == 0 {
		return 0, nil
	}
	return sum / n, nil
}

func (nodeResourcesFit) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{
			Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Delete | framework.UpdatePodScaleDown},
			QueueingHintFn: func(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
				if newObj == nil {
					return queueIf(oldObj.(*corev1.Pod).Spec.NodeName != "")
				}
				updated := newObj.(*corev1.Pod)
				return queueIf(updated.UID == pod.UID || updated.Spec.NodeName != "" && freesSomethingFor(pod, oldObj.(*corev1.Pod), updated))
			},
		},
		{
			Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add | framework.UpdateNodeAllocatable},
			QueueingHintFn: func(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
				r := framework.NewResource(framework.PodRequests(pod, false))
				node := framework.NewNodeInfo(newObj.(*corev1.Node))
				if len(fitsRequest(&r, node)) > 0 {
					return framework.QueueSkip // not even if it were empty
				}
				return queueIf(oldObj == nil || moreOfWhatIsRequested(&r, oldObj.(*corev1.Node), newObj.(*corev1.Node)))
			},
		},
	}
}

func freesSomethingFor(pod, before, after *corev1.Pod) bool {
	want := framework.NewResource(framework.PodRequests(pod, false))
	a, b := framework.NewResource(framework.PodRequests(before, false)), framework.NewResource(framework.PodRequests(after, false))
	return less(&want, &b, &a)
}

func moreOfWhatIsRequested(want *framework.Resource, before, after *corev1.Node) bool {
	a, b := framework.NewResource(before.Status.Allocatable), framework.NewResource(after.Status.Allocatable)
	return a.AllowedPodNumber < b.AllowedPodNumber || less(want, &a, &b)
}

// less tells whether a has less than b of something that is wanted.
func less(want, a, b *framework.Resource) bool {
	if want.MilliCPU > 0 && a.MilliCPU < b.MilliCPU ||
		want.Memory > 0 && a.Memory < b.Memory ||
		want.EphemeralStorage > 0 && a.EphemeralStorage < b.EphemeralStorage {
		return true
	}
	for _, s := range want.Scalar {
		if s.Value > 0 && a.ScalarValue(s.Name) < b.ScalarValue(s.Name) {
			return true
		}
	}
	return false
}

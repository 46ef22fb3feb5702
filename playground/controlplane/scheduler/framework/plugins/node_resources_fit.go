package plugins

import (
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// nodeResourcesFit keeps Pods off nodes that have too little of something left,
// and prefers nodes with much left, or with little, as the profile's strategy says.
// What a DeviceClass stands for it leaves to DynamicResources, on nodes that have none of it.
// Absent: scores for such a resource.
// Upstream: plugins/noderesources/fit.go and resource_allocation.go.
type nodeResourcesFit struct {
	strategy              *config.ScoringStrategy
	ignoredResources      []string
	ignoredResourceGroups []string
	handle                framework.Handle
}

const (
	fitStateKey = "PreFilter" + NodeResourcesFit
	fitScoreKey = "Score" + NodeResourcesFit
)

func newNodeResourcesFit(args config.Args, h framework.Handle) (framework.Plugin, error) {
	a := args.(*config.NodeResourcesFitArgs)
	return &nodeResourcesFit{a.ScoringStrategy, a.IgnoredResources, a.IgnoredResourceGroups, h}, nil
}

func (*nodeResourcesFit) Name() string { return NodeResourcesFit }

func (*nodeResourcesFit) PreFilter(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) (*framework.PreFilterResult,
	*framework.Status) {
	requests := framework.NewResource(framework.PodRequests(pod, false))
	state.Write(fitStateKey, &requests)
	return nil, nil
}

func (pl *nodeResourcesFit) Filter(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	requests, ok := framework.ReadState[*framework.Resource](state, fitStateKey)
	if !ok {
		return framework.NewStatus(framework.Error, `error reading "PreFilterNodeResourcesFit" from cycleState: not found`)
	}
	insufficient := pl.fitsRequest(requests, node)
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

func (pl *nodeResourcesFit) fitsRequest(r *framework.Resource, node *framework.NodeInfo) []insufficientResource {
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
		if slices.Contains(pl.ignoredResources, string(s.Name)) {
			continue
		}
		if group, _, _ := strings.Cut(string(s.Name), "/"); slices.Contains(pl.ignoredResourceGroups, group) {
			continue
		}
		if pl.delegated(s.Name, node.Allocatable.ScalarValue(s.Name)) {
			continue
		}
		check(s.Name, s.Value, node.Allocatable.ScalarValue(s.Name), node.Requested.ScalarValue(s.Name))
	}
	return out
}

// delegated says that devices are what provides a resource. Upstream: shouldDelegateResourceToDRA.
func (pl *nodeResourcesFit) delegated(name corev1.ResourceName, allocatable int64) bool {
	if allocatable > 0 || pl.handle.DeviceClassResolver() == nil {
		return false
	}
	_, found := pl.handle.DeviceClassResolver().GetDeviceClass(name)
	return found
}

// PreFilterExtensions: what it computed does not depend on other Pods.
func (*nodeResourcesFit) PreFilterExtensions() framework.PreFilterExtensions { return nil }

// Score ranks by what the node would have requested with the Pod on it.
// Containers without requests count with defaults.
func (pl *nodeResourcesFit) Score(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) (int64, *framework.Status) {
	r, ok := framework.ReadState[*framework.Resource](state, fitScoreKey)
	if !ok { // the first node
		requests := framework.NewResource(framework.PodRequests(pod, true))
		r = &requests
		state.Write(fitScoreKey, r)
	}
	var sum, weights int64
	for _, spec := range pl.strategy.Resources {
		name := corev1.ResourceName(spec.Name)
		want, capacity := r.Value(name), node.Allocatable.Value(name)
		if capacity == 0 || want == 0 && framework.IsScalarResourceName(name) {
			continue
		}
		score := pl.scoreOf(node.NonZeroRequested.Value(name)+want, capacity)
		if pl.strategy.Type == config.RequestedToCapacityRatio && score <= 0 {
			continue // a resource that scores nothing does not count
		}
		sum += score * spec.Weight
		weights += spec.Weight
	}
	switch {
	case weights == 0:
		return 0, nil
	case pl.strategy.Type == config.RequestedToCapacityRatio:
		return (2*sum + weights) / (2 * weights), nil // rounded
	}
	return sum / weights, nil
}

// scoreOf is one resource's score. Upstream: least_allocated.go, most_allocated.go,
// requested_to_capacity_ratio.go.
func (pl *nodeResourcesFit) scoreOf(requested, capacity int64) int64 {
	switch pl.strategy.Type {
	case config.MostAllocated:
		return min(requested, capacity) * framework.MaxNodeScore / capacity
	case config.RequestedToCapacityRatio:
		return brokenLinear(pl.strategy.RequestedToCapacityRatio.Shape, min(requested, capacity)*100/capacity)
	}
	if requested > capacity {
		return 0
	}
	return (capacity - requested) * framework.MaxNodeScore / capacity
}

// brokenLinear is the function that a shape describes: level before its first
// point and after its last, straight between two. Upstream: plugins/helper/shape_score.go.
func brokenLinear(shape []config.UtilizationShapePoint, utilization int64) int64 {
	const scale = framework.MaxNodeScore / config.MaxCustomPriorityScore
	for i, point := range shape {
		if utilization > int64(point.Utilization) {
			continue
		}
		if i == 0 {
			return int64(point.Score) * scale
		}
		before := shape[i-1]
		return int64(before.Score)*scale + int64(point.Score-before.Score)*scale*(utilization-int64(before.Utilization))/int64(point.Utilization-before.Utilization)
	}
	return int64(shape[len(shape)-1].Score) * scale
}

// ScoreExtensions: scores are between 0 and 100 already.
func (*nodeResourcesFit) ScoreExtensions() framework.ScoreExtensions { return nil }

func (pl *nodeResourcesFit) EventsToRegister() []framework.ClusterEventWithHint {
	events := []framework.ClusterEventWithHint{
		{
			Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Delete | framework.UpdatePodScaleDown},
			QueueingHintFn: func(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
				if newObj == nil {
					deleted := oldObj.(*corev1.Pod)
					return queueIf(deleted.Spec.NodeName != "" || deleted.Status.NominatedNodeName != "")
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
				if len(pl.fitsRequest(&r, node)) > 0 {
					return framework.QueueSkip // not even if it were empty
				}
				return queueIf(oldObj == nil || moreOfWhatIsRequested(&r, oldObj.(*corev1.Node), newObj.(*corev1.Node)) ||
					slices.ContainsFunc(r.Scalar, func(s framework.ScalarResource) bool {
						return s.Value > 0 && pl.delegated(s.Name, node.Allocatable.ScalarValue(s.Name))
					}))
			},
		},
	}
	if classes := pl.handle.DeviceClassResolver(); classes != nil {
		events = append(events, framework.ClusterEventWithHint{
			Event:          framework.ClusterEvent{Resource: framework.DeviceClass, ActionType: framework.Add | framework.Update},
			QueueingHintFn: classes.DeviceClassMayHelp})
	}
	return events
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

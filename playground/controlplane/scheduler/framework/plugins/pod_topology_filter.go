package plugins

import (
	"maps"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

const spreadFilterKey = "PreFilter" + PodTopologySpread

type spreadFilterState struct {
	constraints []spreadConstraint
	// matches counts, for each constraint, the matching Pods of each domain.
	matches []map[string]int64
}

// Clone implements framework.StateData: the counts change with Pods that are
// thought away or added.
func (s *spreadFilterState) Clone() framework.StateData {
	out := &spreadFilterState{constraints: s.constraints, matches: make([]map[string]int64, len(s.matches))}
	for i, m := range s.matches {
		out.matches[i] = maps.Clone(m)
	}
	return out
}

// PreFilter counts. Upstream: plugins/podtopologyspread/filtering.go, calPreFilterState.
func (pl *podTopologySpread) PreFilter(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodes []*framework.NodeInfo) (*framework.PreFilterResult,
	*framework.Status) {
	cs, err := pl.constraints(pod, corev1.DoNotSchedule)
	if err != nil {
		return nil, framework.AsStatus(err)
	}
	if len(cs) == 0 {
		return nil, framework.NewStatus(framework.Skip)
	}
	s := &spreadFilterState{constraints: cs, matches: make([]map[string]int64, len(cs))}
	for i := range cs {
		s.matches[i] = map[string]int64{}
	}
	for _, n := range nodes {
		if !hasAllTopologyKeys(n.Node(), cs) {
			continue
		}
		for i := range cs {
			if cs[i].includes(pod, n.Node()) {
				domain, _ := n.Label(cs[i].topologyKey)
				s.matches[i][domain] += cs[i].count(n, pod.Namespace)
			}
		}
	}
	state.Write(spreadFilterKey, s)
	return nil, nil
}

// Filter: skew = Pods in this domain, this one included, minus Pods in the emptiest domain.
func (pl *podTopologySpread) Filter(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	s, ok := framework.ReadState[*spreadFilterState](state, spreadFilterKey)
	if !ok {
		return framework.NewStatus(framework.Error, `reading "PreFilterPodTopologySpread" from cycleState: not found`)
	}
	for i := range s.constraints {
		c := &s.constraints[i]
		domain, ok := node.Label(c.topologyKey)
		if !ok {
			return framework.NewStatus(framework.UnschedulableAndUnresolvable, ErrReasonNodeLabelNotMatch)
		}
		var self int64
		if c.selector.Matches(labels.Set(pod.Labels)) {
			self = 1
		}
		if s.matches[i][domain]+self-c.globalMinimum(s.matches[i]) > int64(c.maxSkew) {
			return framework.NewStatus(framework.Unschedulable, ErrReasonConstraintsNotMatch)
		}
	}
	return nil
}

// globalMinimum is 0 while there are fewer domains than minDomains asks for.
func (c *spreadConstraint) globalMinimum(matches map[string]int64) int64 {
	if len(matches) < c.minDomains {
		return 0
	}
	least := int64(-1)
	// order: the least, whichever comes first.
	for _, n := range matches {
		if least < 0 || n < least {
			least = n
		}
	}
	return max(least, 0)
}

// PreFilterExtensions keeps the counts right.
func (pl *podTopologySpread) PreFilterExtensions() framework.PreFilterExtensions { return pl }

// AddPod counts a Pod in.
func (pl *podTopologySpread) AddPod(_ *sim.Proc, state *framework.CycleState, podToSchedule *corev1.Pod, podInfoToAdd *framework.PodInfo,
	node *framework.NodeInfo) *framework.Status {
	return pl.updateWithPod(state, podInfoToAdd.Pod, podToSchedule, node.Node(), 1)
}

// RemovePod counts a Pod out.
func (pl *podTopologySpread) RemovePod(_ *sim.Proc, state *framework.CycleState, podToSchedule *corev1.Pod, podInfoToRemove *framework.PodInfo,
	node *framework.NodeInfo) *framework.Status {
	return pl.updateWithPod(state, podInfoToRemove.Pod, podToSchedule, node.Node(), -1)
}

func (pl *podTopologySpread) updateWithPod(state *framework.CycleState, updated, podToSchedule *corev1.Pod, node *corev1.Node, delta int64) *framework.Status {
	s, ok := framework.ReadState[*spreadFilterState](state, spreadFilterKey)
	if !ok {
		return framework.NewStatus(framework.Error, `reading "PreFilterPodTopologySpread" from cycleState: not found`)
	}
	if updated.Namespace != podToSchedule.Namespace || !hasAllTopologyKeys(node, s.constraints) {
		return nil
	}
	for i := range s.constraints {
		if c := &s.constraints[i]; c.selector.Matches(labels.Set(updated.Labels)) && c.includes(podToSchedule, node) {
			s.matches[i][node.Labels[c.topologyKey]] += delta
		}
	}
	return nil
}

func (pl *podTopologySpread) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{
			Event: framework.ClusterEvent{Resource: framework.Pod,
				ActionType: framework.Add | framework.UpdatePodLabel | framework.UpdatePodToleration | framework.Delete},
			QueueingHintFn: pl.isSchedulableAfterPodChange,
		},
		{
			Event: framework.ClusterEvent{Resource: framework.Node,
				ActionType: framework.Add | framework.Delete | framework.UpdateNodeLabel | framework.UpdateNodeTaint},
			QueueingHintFn: pl.isSchedulableAfterNodeChange,
		},
	}
}

// involvedInTopologySpreading tells whether the Pod counts for another's constraints.
func involvedInTopologySpreading(pod, withSpreading *corev1.Pod) bool {
	if pod.UID == withSpreading.UID {
		return true
	}
	return (pod.Spec.NodeName != "" || pod.Status.NominatedNodeName != "") && pod.Namespace == withSpreading.Namespace
}

func (pl *podTopologySpread) isSchedulableAfterPodChange(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
	before, _ := oldObj.(*corev1.Pod)
	after, _ := newObj.(*corev1.Pod)
	if after != nil && !involvedInTopologySpreading(after, pod) || before != nil && !involvedInTopologySpreading(before, pod) {
		return framework.QueueSkip
	}
	cs, err := pl.constraints(pod, corev1.DoNotSchedule)
	if err != nil {
		return framework.Queue
	}
	if before == nil || after == nil {
		one := before
		if one == nil {
			one = after
		}
		for i := range cs {
			if !cs[i].selector.Matches(labels.Set(one.Labels)) {
				return framework.QueueSkip
			}
		}
		return framework.Queue
	}
	for i := range cs {
		if cs[i].honorTaints && pod.UID == after.UID && len(after.Spec.Tolerations) != len(before.Spec.Tolerations) ||
			cs[i].selector.Matches(labels.Set(before.Labels)) != cs[i].selector.Matches(labels.Set(after.Labels)) {
			return framework.Queue
		}
	}
	return framework.QueueSkip
}

func (pl *podTopologySpread) isSchedulableAfterNodeChange(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
	cs, err := pl.constraints(pod, corev1.DoNotSchedule)
	if err != nil {
		return framework.Queue
	}
	before, _ := oldObj.(*corev1.Node)
	after, _ := newObj.(*corev1.Node)
	had := before != nil && hasAllTopologyKeys(before, cs)
	has := after != nil && hasAllTopologyKeys(after, cs)
	if before == nil || after == nil || had != has {
		return queueIf(had || has)
	}
	if !has {
		return framework.QueueSkip
	}
	for i := range cs {
		if before.Labels[cs[i].topologyKey] != after.Labels[cs[i].topologyKey] {
			return framework.Queue
		}
	}
	return queueIf(!api.SemanticDeepEqual(before.Spec.Taints, after.Spec.Taints))
}

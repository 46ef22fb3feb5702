package plugins

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/scheduler/framework"
	"kubewalk/playground/sim"
)

const spreadFilterKey = "PreFilter" + PodTopologySpread

type spreadFilterState struct {
	constraints []spreadConstraint
	// matches counts, for each constraint, the matching Pods of each domain.
	matches []map[string]int64
}

// PreFilter counts. Upstream: plugins/podtopologyspread/filtering.go, calPreFilterState.
func (pl podTopologySpread) PreFilter(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodes []*framework.NodeInfo) (*framework.PreFilterResult, *framework.Status) {
	cs, err := constraints(pod, corev1.DoNotSchedule)
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
				s.matches[i][n.Node().Labels[cs[i].topologyKey]] += cs[i].count(n, pod.Namespace)
			}
		}
	}
	state.Write(spreadFilterKey, s)
	return nil, nil
}

// Filter: skew = Pods in this domain, this one included, minus Pods in the emptiest domain.
func (pl podTopologySpread) Filter(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	s, ok := framework.ReadState[*spreadFilterState](state, spreadFilterKey)
	if !ok {
		return framework.NewStatus(framework.Error, `reading "PreFilterPodTopologySpread" from cycleState: not found`)
	}
	for i := range s.constraints {
		c := &s.constraints[i]
		domain, ok := node.Node().Labels[c.topologyKey]
		if !ok {
			return framework.NewStatus(framework.UnschedulableAndUnresolvable, ErrReasonNodeLabelNotMatch)
		}
		var self int64
		if c.selects(pod.Labels) {
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

func (pl podTopologySpread) EventsToRegister() []framework.ClusterEventWithHint {
	// A closer look than this saves a few retries; the constraint is global, so
	// every Pod of the namespace and every node with the keys may matter.
	return []framework.ClusterEventWithHint{
		{
			Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Add | framework.UpdatePodLabel | framework.Delete},
			QueueingHintFn: func(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
				changed := newObj
				if changed == nil {
					changed = oldObj
				}
				other := changed.(*corev1.Pod)
				if other.Namespace != pod.Namespace || other.Spec.NodeName == "" && other.UID != pod.UID {
					return framework.QueueSkip
				}
				return framework.Queue
			},
		},
		{
			Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add | framework.Delete | framework.UpdateNodeLabel | framework.UpdateNodeTaint},
			QueueingHintFn: func(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
				cs, err := constraints(pod, corev1.DoNotSchedule)
				if err != nil {
					return framework.Queue
				}
				for _, obj := range []api.Object{oldObj, newObj} {
					if node, ok := obj.(*corev1.Node); ok && hasAllTopologyKeys(node, cs) {
						return framework.Queue
					}
				}
				return framework.QueueSkip
			},
		},
	}
}

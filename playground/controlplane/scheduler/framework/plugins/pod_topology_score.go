package plugins

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

const spreadScoreKey = "PreScore" + PodTopologySpread

type spreadScoreState struct {
	constraints []spreadConstraint
	ignored     map[string]bool // nodes without the topology keys
	// domains counts, for each constraint, the matching Pods of each domain.
	// The hostname is counted when the node is scored.
	domains []map[string]int64
	// weights are thousandths: 1000 × ln(number of domains + 2). A constraint over
	// few domains weighs less than one over many.
	weights []int64
}

// PreScore counts and weighs.
// Upstream: plugins/podtopologyspread/scoring.go, initPreScoreState and PreScore.
func (pl *podTopologySpread) PreScore(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, filtered []*framework.NodeInfo) *framework.Status {
	// The system's defaults name zones, which not every cluster has.
	requireAllTopologies := len(pod.Spec.TopologySpreadConstraints) > 0 || !pl.systemDefaulted
	cs, err := pl.constraints(pod, corev1.ScheduleAnyway)
	if err != nil {
		return framework.AsStatus(err)
	}
	all := pl.handle.SnapshotSharedLister().List()
	if len(cs) == 0 || len(filtered) == 0 || len(all) == 0 {
		return framework.NewStatus(framework.Skip)
	}
	s := &spreadScoreState{constraints: cs, ignored: map[string]bool{}, domains: make([]map[string]int64, len(cs)), weights: make([]int64, len(cs))}
	for i := range cs {
		s.domains[i] = map[string]int64{}
	}
	for _, n := range filtered {
		if requireAllTopologies && !hasAllTopologyKeys(n.Node(), cs) {
			s.ignored[n.Name()] = true
			continue
		}
		for i := range cs {
			if cs[i].topologyKey == corev1.LabelHostname {
				continue
			}
			if v, ok := n.Label(cs[i].topologyKey); ok {
				if _, there := s.domains[i][v]; !there {
					s.domains[i][v] = 0
				}
			}
		}
	}
	for i := range cs {
		size := len(s.domains[i])
		if cs[i].topologyKey == corev1.LabelHostname {
			size = len(filtered) - len(s.ignored)
		}
		s.weights[i] = logMilli(int64(size) + 2)
	}
	pl.countDomains(s, pod, all, requireAllTopologies)
	state.Write(spreadScoreKey, s)
	return nil
}

// countDomains counts the matching Pods in the domains of the nodes that passed.
func (pl *podTopologySpread) countDomains(s *spreadScoreState, pod *corev1.Pod, all []*framework.NodeInfo, requireAllTopologies bool) {
	cs := s.constraints
	left := false
	for i := range cs {
		if len(s.domains[i]) == 0 {
			continue // the hostname, or a key that no node has
		}
		if requireAllTopologies || !cs[i].countsEveryNode(pod) {
			left = true
			continue
		}
		counts := pl.domainsOf(&cs[i], pod, pl.handle.SnapshotSharedLister())
		for domain := range s.domains[i] { // order: each has its own count
			s.domains[i][domain] = counts[domain]
		}
	}
	if !left {
		return
	}
	for _, n := range all {
		if requireAllTopologies && !hasAllTopologyKeys(n.Node(), cs) {
			continue
		}
		for i := range cs {
			if len(s.domains[i]) == 0 || !requireAllTopologies && cs[i].countsEveryNode(pod) {
				continue // nothing to count, or counted
			}
			domain, _ := n.Label(cs[i].topologyKey)
			if _, counted := s.domains[i][domain]; counted && cs[i].includes(pod, n.Node()) {
				s.domains[i][domain] += cs[i].count(n, pod.Namespace)
			}
		}
	}
}

// Score adds up, for each constraint, the matching Pods in the node's domain,
// weighted, plus maxSkew-1: fewer is better. Upstream rounds a float64 to the
// nearest whole number; this is the same sum in thousandths.
func (pl *podTopologySpread) Score(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) (int64, *framework.Status) {
	s, ok := framework.ReadState[*spreadScoreState](state, spreadScoreKey)
	if !ok {
		return 0, framework.NewStatus(framework.Error, `reading "PreScorePodTopologySpread" from cycleState: not found`)
	}
	if s.ignored[node.Name()] {
		return 0, nil
	}
	var milli int64
	for i := range s.constraints {
		c := &s.constraints[i]
		domain, ok := node.Label(c.topologyKey)
		if !ok {
			continue
		}
		var n int64
		if c.topologyKey == corev1.LabelHostname {
			n = c.count(node, pod.Namespace)
		} else {
			n = s.domains[i][domain]
		}
		milli += n*s.weights[i] + int64(c.maxSkew-1)*1000
	}
	return (milli + 500) / 1000, nil
}

// ScoreExtensions normalises.
func (pl *podTopologySpread) ScoreExtensions() framework.ScoreExtensions { return pl }

// NormalizeScore turns it round: the node with the fewest gets the most.
func (pl *podTopologySpread) NormalizeScore(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, scores []framework.NodeScore) *framework.Status {
	s, ok := framework.ReadState[*spreadScoreState](state, spreadScoreKey)
	if !ok {
		return framework.NewStatus(framework.Error, `reading "PreScorePodTopologySpread" from cycleState: not found`)
	}
	least, most := int64(-1), int64(0)
	for _, n := range scores {
		if s.ignored[n.Name] {
			continue
		}
		if least < 0 || n.Score < least {
			least = n.Score
		}
		most = max(most, n.Score)
	}
	least = max(least, 0)
	for i := range scores {
		switch {
		case s.ignored[scores[i].Name]:
			scores[i].Score = 0
		case most == 0:
			scores[i].Score = framework.MaxNodeScore
		default:
			scores[i].Score = framework.MaxNodeScore * (most + least - scores[i].Score) / most
		}
	}
	return nil
}

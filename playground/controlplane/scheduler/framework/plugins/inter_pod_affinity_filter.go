package plugins

import (
	"fmt"
	"maps"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// Reasons of nodes that are too far from, or too near to, other Pods.
const (
	ErrReasonExistingAntiAffinityRulesNotMatch = "node(s) didn't satisfy existing pods anti-affinity rules"
	ErrReasonAffinityRulesNotMatch             = "node(s) didn't match pod affinity rules"
	ErrReasonAntiAffinityRulesNotMatch         = "node(s) didn't match pod anti-affinity rules"
)

const affinityFilterKey = "PreFilter" + InterPodAffinity

// topologyPair is a domain: a node label and its value.
type topologyPair struct{ key, value string }

// topologyCounts is how many matches there are in each domain. It has no zeros.
type topologyCounts map[topologyPair]int64

func (m topologyCounts) update(node *corev1.Node, topologyKey string, delta int64) {
	value, ok := node.Labels[topologyKey]
	if !ok {
		return
	}
	pair := topologyPair{topologyKey, value}
	if m[pair] += delta; m[pair] == 0 {
		delete(m, pair)
	}
}

// updateWithAffinityTerms counts a Pod that satisfies all terms.
func (m topologyCounts) updateWithAffinityTerms(terms []framework.AffinityTerm, pod *corev1.Pod, node *corev1.Node, delta int64) {
	if podMatchesAllAffinityTerms(terms, pod) {
		for i := range terms {
			m.update(node, terms[i].TopologyKey, delta)
		}
	}
}

// updateWithAntiAffinityTerms counts each term that the Pod matches.
func (m topologyCounts) updateWithAntiAffinityTerms(terms []framework.AffinityTerm, pod *corev1.Pod, nsLabels labels.Set, node *corev1.Node, delta int64) {
	for i := range terms {
		if terms[i].Matches(pod, nsLabels) {
			m.update(node, terms[i].TopologyKey, delta)
		}
	}
}

type affinityFilterState struct {
	// existingAnti: Pods that are there and are averse to this one.
	existingAnti topologyCounts
	// affinity and anti: Pods that are there and that this one wants near, or not.
	affinity, anti  topologyCounts
	podInfo         *framework.PodInfo
	namespaceLabels labels.Set
}

// Clone implements framework.StateData.
func (s *affinityFilterState) Clone() framework.StateData {
	out := *s
	out.existingAnti, out.affinity, out.anti = maps.Clone(s.existingAnti), maps.Clone(s.affinity), maps.Clone(s.anti)
	return &out
}

func (s *affinityFilterState) updateWithPod(pi *framework.PodInfo, node *corev1.Node, delta int64) {
	s.existingAnti.updateWithAntiAffinityTerms(pi.RequiredAntiAffinityTerms, s.podInfo.Pod, s.namespaceLabels, node, delta)
	s.affinity.updateWithAffinityTerms(s.podInfo.RequiredAffinityTerms, pi.Pod, node, delta)
	s.anti.updateWithAntiAffinityTerms(s.podInfo.RequiredAntiAffinityTerms, pi.Pod, nil, node, delta)
}

// PreFilter counts. Upstream: plugins/interpodaffinity/filtering.go, PreFilter.
func (pl *interPodAffinity) PreFilter(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodes []*framework.NodeInfo) (*framework.PreFilterResult,
	*framework.Status) {
	s := &affinityFilterState{existingAnti: topologyCounts{}, affinity: topologyCounts{}, anti: topologyCounts{}, podInfo: framework.NewPodInfo(pod)}
	if err := s.podInfo.AffinityError; err != nil {
		return nil, framework.NewStatus(framework.UnschedulableAndUnresolvable, fmt.Sprintf("parsing pod: %v", err))
	}
	for _, terms := range [][]framework.AffinityTerm{s.podInfo.RequiredAffinityTerms, s.podInfo.RequiredAntiAffinityTerms} {
		for i := range terms {
			if err := framework.MergeNamespaces(&terms[i], pl.namespacesMatching); err != nil {
				return nil, framework.AsStatus(err)
			}
		}
	}
	averse := pl.handle.SnapshotSharedLister().HavePodsWithRequiredAntiAffinityList()
	if len(averse) > 0 {
		s.namespaceLabels = pl.namespaceLabels(p, pod.Namespace)
	}
	for _, n := range averse {
		for _, pi := range n.PodsWithRequiredAntiAffinity {
			s.existingAnti.updateWithAntiAffinityTerms(pi.RequiredAntiAffinityTerms, pod, s.namespaceLabels, n.Node(), 1)
		}
	}
	if len(s.podInfo.RequiredAffinityTerms)+len(s.podInfo.RequiredAntiAffinityTerms) > 0 {
		for _, n := range nodes {
			for _, pi := range n.Pods {
				s.affinity.updateWithAffinityTerms(s.podInfo.RequiredAffinityTerms, pi.Pod, n.Node(), 1)
				s.anti.updateWithAntiAffinityTerms(s.podInfo.RequiredAntiAffinityTerms, pi.Pod, nil, n.Node(), 1)
			}
		}
	} else if len(s.existingAnti) == 0 {
		return nil, framework.NewStatus(framework.Skip)
	}
	state.Write(affinityFilterKey, s)
	return nil, nil
}

// PreFilterExtensions keeps the counts right.
func (pl *interPodAffinity) PreFilterExtensions() framework.PreFilterExtensions { return pl }

// AddPod counts a Pod in.
func (pl *interPodAffinity) AddPod(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, podInfoToAdd *framework.PodInfo,
	node *framework.NodeInfo) *framework.Status {
	s, status := readAffinityState(state)
	if s != nil {
		s.updateWithPod(podInfoToAdd, node.Node(), 1)
	}
	return status
}

// RemovePod counts a Pod out.
func (pl *interPodAffinity) RemovePod(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, podInfoToRemove *framework.PodInfo,
	node *framework.NodeInfo) *framework.Status {
	s, status := readAffinityState(state)
	if s != nil {
		s.updateWithPod(podInfoToRemove, node.Node(), -1)
	}
	return status
}

func readAffinityState(state *framework.CycleState) (*affinityFilterState, *framework.Status) {
	if s, ok := framework.ReadState[*affinityFilterState](state, affinityFilterKey); ok {
		return s, nil
	}
	return nil, framework.NewStatus(framework.Error, `error reading "PreFilterInterPodAffinity" from cycleState: not found`)
}

// Filter asks first whom the Pod wants near: evicting Pods does not help with that.
func (pl *interPodAffinity) Filter(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	s, status := readAffinityState(state)
	switch {
	case s == nil:
		return status
	case !s.satisfiesPodAffinity(node.Node()):
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, ErrReasonAffinityRulesNotMatch)
	case !s.satisfiesPodAntiAffinity(node.Node()):
		return framework.NewStatus(framework.Unschedulable, ErrReasonAntiAffinityRulesNotMatch)
	case !s.satisfiesExistingPodsAntiAffinity(node.Node()):
		return framework.NewStatus(framework.Unschedulable, ErrReasonExistingAntiAffinityRulesNotMatch)
	}
	return nil
}

func (s *affinityFilterState) satisfiesExistingPodsAntiAffinity(node *corev1.Node) bool {
	if len(s.existingAnti) == 0 {
		return true
	}
	for key, value := range node.Labels { // order: one is enough
		if s.existingAnti[topologyPair{key, value}] > 0 {
			return false
		}
	}
	return true
}

func (s *affinityFilterState) satisfiesPodAntiAffinity(node *corev1.Node) bool {
	for _, t := range s.podInfo.RequiredAntiAffinityTerms {
		if value, ok := node.Labels[t.TopologyKey]; ok && s.anti[topologyPair{t.TopologyKey, value}] > 0 {
			return false
		}
	}
	return true
}

func (s *affinityFilterState) satisfiesPodAffinity(node *corev1.Node) bool {
	all := true
	for _, t := range s.podInfo.RequiredAffinityTerms {
		value, ok := node.Labels[t.TopologyKey]
		if !ok {
			return false
		}
		if s.affinity[topologyPair{t.TopologyKey, value}] <= 0 {
			all = false
		}
	}
	// The first of several Pods that want to be near each other would wait for
	// ever: with nobody to be near, being near itself is enough.
	return all || len(s.affinity) == 0 && podMatchesAllAffinityTerms(s.podInfo.RequiredAffinityTerms, s.podInfo.Pod)
}

package plugins

import (
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

const affinityScoreKey = "PreScore" + InterPodAffinity

// affinityScoreState is the sum of weights in each domain. Aversion counts below zero.
type affinityScoreState struct {
	scores map[topologyPair]int64
	// keys are the node labels in scores, in the order in which they came.
	keys []string
}

func (s *affinityScoreState) processTerm(t *framework.AffinityTerm, weight int64, pod *corev1.Pod, nsLabels labels.Set, node *corev1.Node) {
	if !t.Matches(pod, nsLabels) {
		return
	}
	value, ok := node.Labels[t.TopologyKey]
	if !ok {
		return
	}
	known := false
	for _, key := range s.keys {
		known = known || key == t.TopologyKey
	}
	if !known {
		s.keys = append(s.keys, t.TopologyKey)
	}
	s.scores[topologyPair{t.TopologyKey, value}] += weight
}

func (s *affinityScoreState) processTerms(terms []framework.WeightedAffinityTerm, sign int64, pod *corev1.Pod, nsLabels labels.Set, node *corev1.Node) {
	for i := range terms {
		s.processTerm(&terms[i].AffinityTerm, sign*int64(terms[i].Weight), pod, nsLabels, node)
	}
}

// PreScore adds up, over the Pods that are there: what the new one prefers of
// them, what they prefer of it, and what they require, which makes it welcome.
// Upstream: plugins/interpodaffinity/scoring.go, PreScore and processExistingPod.
func (pl *interPodAffinity) PreScore(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) *framework.Status {
	incoming := framework.NewPodInfo(pod)
	if err := incoming.AffinityError; err != nil {
		return framework.AsStatus(fmt.Errorf("failed to parse pod: %w", err))
	}
	prefers := len(incoming.PreferredAffinityTerms)+len(incoming.PreferredAntiAffinityTerms) > 0
	if pl.ignorePreferred && !prefers {
		return framework.NewStatus(framework.Skip)
	}
	lister := pl.handle.SnapshotSharedLister()
	nodes := lister.HavePodsWithAffinityList()
	if prefers {
		nodes = lister.List()
	}
	if len(nodes) == 0 {
		return framework.NewStatus(framework.Skip)
	}
	for _, terms := range [][]framework.WeightedAffinityTerm{incoming.PreferredAffinityTerms, incoming.PreferredAntiAffinityTerms} {
		for i := range terms {
			if err := framework.MergeNamespaces(&terms[i].AffinityTerm, pl.namespacesMatching); err != nil {
				return framework.AsStatus(fmt.Errorf("updating terms: %w", err))
			}
		}
	}
	s := &affinityScoreState{scores: map[topologyPair]int64{}}
	nsLabels := pl.namespaceLabels(p, pod.Namespace)
	for _, n := range nodes {
		pods := n.PodsWithAffinity
		if prefers {
			pods = n.Pods
		}
		node := n.Node()
		for _, existing := range pods {
			s.processTerms(incoming.PreferredAffinityTerms, 1, existing.Pod, nil, node)
			s.processTerms(incoming.PreferredAntiAffinityTerms, -1, existing.Pod, nil, node)
			if pl.hardPodAffinityWeight > 0 {
				for i := range existing.RequiredAffinityTerms {
					s.processTerm(&existing.RequiredAffinityTerms[i], int64(pl.hardPodAffinityWeight), pod, nsLabels, node)
				}
			}
			s.processTerms(existing.PreferredAffinityTerms, 1, pod, nsLabels, node)
			s.processTerms(existing.PreferredAntiAffinityTerms, -1, pod, nsLabels, node)
		}
	}
	if len(s.keys) == 0 {
		return framework.NewStatus(framework.Skip)
	}
	state.Write(affinityScoreKey, s)
	return nil
}

// Score adds up the domains that the node is in.
func (pl *interPodAffinity) Score(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, node *framework.NodeInfo) (int64, *framework.Status) {
	s, ok := framework.ReadState[*affinityScoreState](state, affinityScoreKey)
	if !ok {
		return 0, framework.NewStatus(framework.Error, `failed to read "PreScoreInterPodAffinity" from cycleState: not found`)
	}
	var sum int64
	for _, key := range s.keys {
		if value, has := node.Node().Labels[key]; has {
			sum += s.scores[topologyPair{key, value}]
		}
	}
	return sum, nil
}

// ScoreExtensions normalises.
func (pl *interPodAffinity) ScoreExtensions() framework.ScoreExtensions { return pl }

// NormalizeScore puts the lowest at 0 and the highest at 100. It divides before
// it multiplies, in float64, as upstream does: 29 of 50 become 57, not 58.
func (pl *interPodAffinity) NormalizeScore(_ *sim.Proc, _ *framework.CycleState, _ *corev1.Pod, scores []framework.NodeScore) *framework.Status {
	least, most := scores[0].Score, scores[0].Score
	for _, n := range scores {
		least, most = min(least, n.Score), max(most, n.Score)
	}
	for i := range scores {
		if most == least {
			scores[i].Score = 0
		} else {
			part := float64(scores[i].Score-least) / float64(most-least)
			scores[i].Score = int64(float64(float64(framework.MaxNodeScore) * part))
		}
	}
	return nil
}

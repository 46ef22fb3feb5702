package plugins

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/nodeaffinity"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// nodeAffinity accepts the nodes that spec.nodeSelector and the required node
// affinity match, and ranks nodes by the preferred terms.
// Upstream: plugins/nodeaffinity/node_affinity.go.
type nodeAffinity struct {
	// What the profile adds to every Pod's own.
	addedSelector *corev1.NodeSelector
	addedTerms    []corev1.PreferredSchedulingTerm
}

// ErrReasonPod is the reason of a node that does not match.
const ErrReasonPod = "node(s) didn't match Pod's node affinity/selector"

// errReasonEnforced is the reason of a node that the profile's own affinity excludes.
const errReasonEnforced = "node(s) didn't match scheduler-enforced node affinity"

// errReasonConflict is the reason when the terms name nodes that exclude each other.
const errReasonConflict = "pod affinity terms conflict"

func newNodeAffinity(args config.Args, _ framework.Handle) (framework.Plugin, error) {
	pl := nodeAffinity{}
	if added := args.(*config.NodeAffinityArgs).AddedAffinity; added != nil {
		pl.addedSelector = added.RequiredDuringSchedulingIgnoredDuringExecution
		pl.addedTerms = added.PreferredDuringSchedulingIgnoredDuringExecution
	}
	return pl, nil
}

func (nodeAffinity) Name() string { return NodeAffinity }

// PreFilter narrows the nodes down when every required term names its nodes by
// metadata.name, as a DaemonSet's Pods do.
func (pl nodeAffinity) PreFilter(_ *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) (*framework.PreFilterResult,
	*framework.Status) {
	required := requiredNodeSelector(pod)
	if required == nil && pl.addedSelector == nil && len(pod.Spec.NodeSelector) == 0 {
		return nil, framework.NewStatus(framework.Skip)
	}
	if required == nil || len(required.NodeSelectorTerms) == 0 {
		return nil, nil
	}
	var names framework.PluginSet // a sorted set of strings
	for _, term := range required.NodeSelectorTerms {
		var termNames framework.PluginSet
		named := false
		for _, r := range term.MatchFields {
			if r.Key != "metadata.name" || r.Operator != corev1.NodeSelectorOpIn {
				continue
			}
			var these framework.PluginSet
			for _, v := range r.Values {
				if !named || termNames.Has(v) {
					these = these.Insert(v)
				}
			}
			named, termNames = true, these
		}
		if !named {
			return nil, nil // this term may match any node
		}
		names = names.Union(termNames)
	}
	if len(names) == 0 {
		return nil, framework.NewStatus(framework.UnschedulableAndUnresolvable, errReasonConflict)
	}
	return &framework.PreFilterResult{NodeNames: names}, nil
}

// PreFilterExtensions: what it computed does not depend on other Pods.
func (nodeAffinity) PreFilterExtensions() framework.PreFilterExtensions { return nil }

func (pl nodeAffinity) Filter(_ *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	if pl.addedSelector != nil && !nodeaffinity.Match(pl.addedSelector, node.Node()) {
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, errReasonEnforced)
	}
	if matchesNode(pod, node.Node()) {
		return nil
	}
	return framework.NewStatus(framework.UnschedulableAndUnresolvable, ErrReasonPod)
}

func (pl nodeAffinity) PreScore(_ *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) *framework.Status {
	if len(preferredTerms(pod)) == 0 && len(pl.addedTerms) == 0 {
		return framework.NewStatus(framework.Skip)
	}
	return nil
}

// Score is the sum of the weights of the preferred terms that match.
func (pl nodeAffinity) Score(_ *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) (int64, *framework.Status) {
	return sumOfTerms(preferredTerms(pod), node.Node()) + sumOfTerms(pl.addedTerms, node.Node()), nil
}

func sumOfTerms(terms []corev1.PreferredSchedulingTerm, node *corev1.Node) (sum int64) {
	for i := range terms {
		t := &terms[i]
		// A preferred term without requirements matches every node; a required one none.
		empty := len(t.Preference.MatchExpressions) == 0 && len(t.Preference.MatchFields) == 0
		if empty || nodeaffinity.MatchTerm(&t.Preference, node) {
			sum += int64(t.Weight)
		}
	}
	return sum
}

// ScoreExtensions normalises.
func (pl nodeAffinity) ScoreExtensions() framework.ScoreExtensions { return pl }

// NormalizeScore stretches the sums.
func (nodeAffinity) NormalizeScore(_ *sim.Proc, _ *framework.CycleState, _ *corev1.Pod, scores []framework.NodeScore) *framework.Status {
	defaultNormalizeScore(false, scores)
	return nil
}

func (pl nodeAffinity) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{{
		Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add | framework.UpdateNodeLabel},
		QueueingHintFn: func(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
			if pl.addedSelector != nil && !nodeaffinity.Match(pl.addedSelector, newObj.(*corev1.Node)) {
				return framework.QueueSkip
			}
			matchedBefore := oldObj != nil && matchesNode(pod, oldObj.(*corev1.Node))
			return queueIf(!matchedBefore && matchesNode(pod, newObj.(*corev1.Node)))
		},
	}}
}

func requiredNodeSelector(pod *corev1.Pod) *corev1.NodeSelector {
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func preferredTerms(pod *corev1.Pod) []corev1.PreferredSchedulingTerm {
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		return a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

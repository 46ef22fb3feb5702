package plugins

import (
	"slices"
	"strconv"

	"kubewalk/playground/api/corev1"
)

// matchesNode tells whether a node has what spec.nodeSelector and the required
// node affinity ask for.
// Upstream: component-helpers/scheduling/corev1/nodeaffinity, RequiredNodeAffinity.Match.
func matchesNode(pod *corev1.Pod, node *corev1.Node) bool {
	for k, v := range pod.Spec.NodeSelector { // all: the order does not matter
		if have, ok := node.Labels[k]; !ok || have != v {
			return false
		}
	}
	required := requiredNodeSelector(pod)
	if required == nil {
		return true
	}
	for i := range required.NodeSelectorTerms { // one is enough
		if matchesTerm(&required.NodeSelectorTerms[i], node) {
			return true
		}
	}
	return false
}

// matchesTerm: all requirements of a term must hold; a term without any matches nothing.
func matchesTerm(term *corev1.NodeSelectorTerm, node *corev1.Node) bool {
	if len(term.MatchExpressions) == 0 && len(term.MatchFields) == 0 {
		return false
	}
	for i := range term.MatchExpressions {
		value, has := node.Labels[term.MatchExpressions[i].Key]
		if !matchesRequirement(&term.MatchExpressions[i], value, has) {
			return false
		}
	}
	for i := range term.MatchFields {
		if r := &term.MatchFields[i]; r.Key != "metadata.name" || !matchesRequirement(r, node.Name, true) {
			return false
		}
	}
	return true
}

func matchesRequirement(r *corev1.NodeSelectorRequirement, value string, has bool) bool {
	switch r.Operator {
	case corev1.NodeSelectorOpIn:
		return has && slices.Contains(r.Values, value)
	case corev1.NodeSelectorOpNotIn:
		return !has || !slices.Contains(r.Values, value)
	case corev1.NodeSelectorOpExists:
		return has
	case corev1.NodeSelectorOpDoesNotExist:
		return !has
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if !has || len(r.Values) != 1 {
			return false
		}
		have, err1 := strconv.ParseInt(value, 10, 64)
		limit, err2 := strconv.ParseInt(r.Values[0], 10, 64)
		if err1 != nil || err2 != nil {
			return false
		}
		if r.Operator == corev1.NodeSelectorOpGt {
			return have > limit
		}
		return have < limit
	}
	return false
}

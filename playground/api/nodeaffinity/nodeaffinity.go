// Package nodeaffinity tells whether a node is one of those that a node selector
// means: a Pod's, a volume's, or one that a program is configured with.
//
// Upstream: k8s.io/component-helpers/scheduling/corev1/nodeaffinity. A
// requirement that cannot be read matches nothing.
package nodeaffinity

import (
	"slices"
	"strconv"

	"kubewalk/playground/api/corev1"
)

// Match tells whether one of the selector's terms matches; that is enough. A
// selector without terms matches nothing.
func Match(selector *corev1.NodeSelector, node *corev1.Node) bool {
	for i := range selector.NodeSelectorTerms {
		if MatchTerm(&selector.NodeSelectorTerms[i], node) {
			return true
		}
	}
	return false
}

// MatchTerm: all requirements of a term must hold; a term without any matches nothing.
func MatchTerm(term *corev1.NodeSelectorTerm, node *corev1.Node) bool {
	if len(term.MatchExpressions) == 0 && len(term.MatchFields) == 0 {
		return false
	}
	for i := range term.MatchExpressions {
		value, has := node.Labels[term.MatchExpressions[i].Key]
		if !matchRequirement(&term.MatchExpressions[i], value, has) {
			return false
		}
	}
	for i := range term.MatchFields {
		if r := &term.MatchFields[i]; r.Key != "metadata.name" || !matchRequirement(r, node.Name, true) {
			return false
		}
	}
	return true
}

// MatchTopologyTerms: one of the terms is enough, and no term at all, too. Each
// expression has to list the node's value.
// Upstream: component-helpers/scheduling/corev1/helpers.go, MatchTopologySelectorTerms.
func MatchTopologyTerms(terms []corev1.TopologySelectorTerm, node *corev1.Node) bool {
	for _, term := range terms {
		all := len(term.MatchLabelExpressions) > 0
		for _, r := range term.MatchLabelExpressions {
			value, has := node.Labels[r.Key]
			all = all && has && slices.Contains(r.Values, value)
		}
		if all {
			return true
		}
	}
	return len(terms) == 0
}

func matchRequirement(r *corev1.NodeSelectorRequirement, value string, has bool) bool {
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

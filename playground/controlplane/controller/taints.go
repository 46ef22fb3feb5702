package controller

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/retry"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/sim"
)

// UpdateTaintBackoff is how often, and after how long, a change of taints is
// tried again that met another one. Upstream: pkg/controller/controller_utils.go.
var UpdateTaintBackoff = wait.Backoff{Steps: 5, Duration: 100 * time.Millisecond, Jitter: 100}

// MatchTaint compares taints by what identifies them: key and effect.
func MatchTaint(a, b *corev1.Taint) bool { return a.Key == b.Key && a.Effect == b.Effect }

// TaintExists tells whether such a taint is among those.
func TaintExists(taints []corev1.Taint, t *corev1.Taint) bool {
	return slices.ContainsFunc(taints, func(other corev1.Taint) bool { return MatchTaint(&other, t) })
}

// TaintSetDiff returns what has to be added to, and taken from, the second list
// to make it the first. Upstream: pkg/util/taints TaintSetDiff.
func TaintSetDiff(want, have []corev1.Taint) (add, remove []*corev1.Taint) {
	for i := range want {
		if !TaintExists(have, &want[i]) {
			add = append(add, &want[i])
		}
	}
	for i := range have {
		if !TaintExists(want, &have[i]) {
			remove = append(remove, &have[i])
		}
	}
	return add, remove
}

// AddOrUpdateTaintOnNode gives a Node taints, those it has of the same key and
// effect being replaced.
func AddOrUpdateTaintOnNode(p *sim.Proc, c *client.Clientset, nodeName string, taints ...*corev1.Taint) error {
	return changeTaints(p, c, nodeName, taints, func(have []corev1.Taint) []corev1.Taint {
		out := slices.Clone(have)
		for _, t := range taints {
			i := slices.IndexFunc(out, func(other corev1.Taint) bool { return MatchTaint(&other, t) })
			switch {
			case i < 0:
				out = append(out, *t)
			case !sameTaint(&out[i], t):
				out[i] = *t
			}
		}
		return out
	})
}

// RemoveTaintOffNode takes taints from a Node. When node, as last seen, has none
// of them it asks nobody.
func RemoveTaintOffNode(p *sim.Proc, c *client.Clientset, nodeName string, node *corev1.Node, taints ...*corev1.Taint) error {
	if node != nil && !slices.ContainsFunc(taints, func(t *corev1.Taint) bool { return TaintExists(node.Spec.Taints, t) }) {
		return nil
	}
	return changeTaints(p, c, nodeName, taints, func(have []corev1.Taint) []corev1.Taint {
		return slices.DeleteFunc(slices.Clone(have), func(other corev1.Taint) bool {
			return slices.ContainsFunc(taints, func(t *corev1.Taint) bool { return MatchTaint(&other, t) })
		})
	})
}

func changeTaints(p *sim.Proc, c *client.Clientset, nodeName string, taints []*corev1.Taint, change func([]corev1.Taint) []corev1.Taint) error {
	if len(taints) == 0 {
		return nil
	}
	fromCache := true
	return retry.RetryOnConflict(p, UpdateTaintBackoff, func() error {
		// First from the API server's cache; after a conflict, the newest.
		opts := metav1.GetOptions{}
		if fromCache {
			opts.ResourceVersion = "0"
			fromCache = false
		}
		node, err := c.CoreV1().Nodes().Get(p, nodeName, opts)
		if err != nil {
			return err
		}
		after := change(node.Spec.Taints)
		if slices.EqualFunc(node.Spec.Taints, after, func(a, b corev1.Taint) bool { return sameTaint(&a, &b) }) {
			return nil
		}
		return PatchNodeTaints(p, c, node, after)
	})
}

// PatchNodeTaints writes a Node's taints. The list is written whole, so the
// patch holds the version that it was made from, and fails when there is a newer one.
func PatchNodeTaints(p *sim.Proc, c *client.Clientset, node *corev1.Node, taints []corev1.Taint) error {
	type meta struct {
		ResourceVersion string `json:"resourceVersion"`
	}
	type spec struct {
		Taints []corev1.Taint `json:"taints"` // null takes the field away
	}
	if len(taints) == 0 {
		taints = nil
	}
	patch, err := json.Marshal(struct {
		Metadata meta `json:"metadata"`
		Spec     spec `json:"spec"`
	}{meta{node.ResourceVersion}, spec{taints}})
	if err != nil {
		return fmt.Errorf("failed to create patch for node %q: %v", node.Name, err)
	}
	_, err = c.CoreV1().Nodes().Patch(p, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

func sameTaint(a, b *corev1.Taint) bool {
	return MatchTaint(a, b) && a.Value == b.Value && a.TimeAdded.Equal(b.TimeAdded)
}

// ToleratesTaint tells whether a toleration lets a Pod stand a taint.
// Upstream: k8s.io/component-helpers/scheduling/corev1 Toleration.ToleratesTaint,
// without the operators Lt and Gt, which are alpha.
func ToleratesTaint(t *corev1.Toleration, taint *corev1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case "", corev1.TolerationOpEqual:
		return t.Value == taint.Value
	case corev1.TolerationOpExists:
		return true
	}
	return false
}

// GetMatchingTolerations returns the tolerations that let a Pod stand the
// taints; ok is false when there is a taint that none of them does.
// Upstream: pkg/apis/core/v1/helper GetMatchingTolerations.
func GetMatchingTolerations(taints []corev1.Taint, tolerations []corev1.Toleration) (used []corev1.Toleration, ok bool) {
	for i := range taints {
		j := slices.IndexFunc(tolerations, func(t corev1.Toleration) bool { return ToleratesTaint(&t, &taints[i]) })
		if j < 0 {
			return nil, false
		}
		used = append(used, tolerations[j])
	}
	return used, true
}

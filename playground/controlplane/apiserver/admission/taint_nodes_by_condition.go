package admission

import (
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/sim"
)

// taintNodesByCondition keeps Pods away from a node that has just come, until the node lifecycle controller has seen it
// ready. Upstream: plugin/pkg/admission/nodetaint/admission.go, Plugin.Admit.
type taintNodesByCondition struct{}

func (taintNodesByCondition) Name() string { return "TaintNodesByCondition" }

func (t taintNodesByCondition) Admit(_ *sim.Proc, a *Attributes) error {
	node, ok := a.Object.(*corev1.Node)
	if !ok || a.Operation != Create || a.Subresource != "" {
		return nil
	}
	taint := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
	if !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&taint) }) {
		node.Spec.Taints = append(node.Spec.Taints, taint)
		a.changed(t)
	}
	return nil
}

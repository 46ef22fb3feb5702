package daemonset

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/selection"
	"kubewalk/playground/controlplane/controller"
)

// nodeNameField is the field by which a Pod's affinity names its node.
const nodeNameField = "metadata.name"

// NodeShouldRunDaemonPod tells whether a node gets the DaemonSet's Pod, and
// whether one that is there may stay: a taint NoSchedule keeps new Pods away
// and sends none away. What a node has room for is the scheduler's business.
func NodeShouldRunDaemonPod(node *corev1.Node, ds *appsv1.DaemonSet) (shouldRun, shouldContinueRunning bool) {
	if name := ds.Spec.Template.Spec.NodeName; name != "" && name != node.Name {
		return false, false
	}
	spec := &ds.Spec.Template.Spec
	if !matchesNodeSelector(spec, node) {
		return false, false
	}
	if len(node.Spec.Taints) == 0 {
		return true, true // most nodes, in each sync: nothing is allocated for them
	}
	would := corev1.PodSpec{Tolerations: slices.Clone(spec.Tolerations), HostNetwork: spec.HostNetwork}
	AddOrUpdateDaemonPodTolerations(&would)
	if hasUntoleratedTaint(node.Spec.Taints, would.Tolerations, corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule) {
		return false, !hasUntoleratedTaint(node.Spec.Taints, would.Tolerations, corev1.TaintEffectNoExecute)
	}
	return true, true
}

func hasUntoleratedTaint(taints []corev1.Taint, tolerations []corev1.Toleration, effects ...corev1.TaintEffect) bool {
	for i := range taints {
		taint := &taints[i]
		counts := false
		for _, e := range effects {
			counts = counts || taint.Effect == e
		}
		if !counts {
			continue
		}
		tolerated := false
		for j := range tolerations {
			tolerated = tolerated || controller.ToleratesTaint(&tolerations[j], taint)
		}
		if !tolerated {
			return true
		}
	}
	return false
}

// daemonTolerations are what every Pod of a DaemonSet stands: it belongs to its
// node, whatever state that is in. Upstream: util/daemonset_util.go.
var daemonTolerations = []struct {
	key    string
	effect corev1.TaintEffect
}{
	{corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute},
	{corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute},
	{corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule},
	{corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule},
	{corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule},
	{corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule},
}

// AddOrUpdateDaemonPodTolerations adds them, and for Pods on the host's network
// that its network is not up yet: they may be what brings it up. The slice of
// tolerations must not be shared.
func AddOrUpdateDaemonPodTolerations(spec *corev1.PodSpec) {
	for _, t := range daemonTolerations {
		addOrUpdateToleration(spec, t.key, t.effect)
	}
	if spec.HostNetwork {
		addOrUpdateToleration(spec, corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule)
	}
}

func addOrUpdateToleration(spec *corev1.PodSpec, key string, effect corev1.TaintEffect) {
	for i := range spec.Tolerations {
		t := &spec.Tolerations[i]
		if t.Key == key && t.Effect == effect && t.Operator == corev1.TolerationOpExists && t.Value == "" {
			t.TolerationSeconds = nil
			return
		}
	}
	spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect})
}

// templateGenerationKey labels Pods with the number of their template.
// Upstream: k8s.io/api/extensions/v1beta1, DaemonSetTemplateGenerationKey.
const templateGenerationKey = "pod-template-generation"

// GetTemplateGeneration is the number of the template; "" when there is none.
func GetTemplateGeneration(ds *appsv1.DaemonSet) string {
	return ds.Annotations[appsv1.DeprecatedTemplateGeneration]
}

// CreatePodTemplate is the template of new Pods: with the tolerations, the
// number of the template, and the hash of its revision.
func CreatePodTemplate(template *corev1.PodTemplateSpec, generation, hash string) *corev1.PodTemplateSpec {
	out := template.DeepCopy()
	AddOrUpdateDaemonPodTolerations(&out.Spec)
	if out.Labels == nil {
		out.Labels = map[string]string{}
	}
	if generation != "" {
		out.Labels[templateGenerationKey] = generation
	}
	if hash != "" {
		out.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] = hash
	}
	return out
}

// ReplaceDaemonSetPodNodeNameNodeAffinity makes a Pod fit one node only. All its
// required terms give way to that: the node was checked against them.
func ReplaceDaemonSetPodNodeNameNodeAffinity(affinity *corev1.Affinity, nodeName string) *corev1.Affinity {
	required := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: nodeNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{nodeName}}},
	}}}
	out := affinity.DeepCopy()
	if out == nil {
		out = &corev1.Affinity{}
	}
	if out.NodeAffinity == nil {
		out.NodeAffinity = &corev1.NodeAffinity{}
	}
	out.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	return out
}

// GetTargetNodeName is the node that a Pod runs on, or was made for.
func GetTargetNodeName(pod *corev1.Pod) (string, error) {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName, nil
	}
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, exp := range term.MatchFields {
				if exp.Key != nodeNameField || exp.Operator != corev1.NodeSelectorOpIn {
					continue
				}
				if len(exp.Values) != 1 {
					return "", fmt.Errorf("the matchFields value of '%s' is not unique for pod %s/%s", nodeNameField, pod.Namespace, pod.Name)
				}
				return exp.Values[0], nil
			}
		}
	}
	return "", fmt.Errorf("no node name found for pod %s/%s", pod.Namespace, pod.Name)
}

// matchesNodeSelector checks spec.nodeSelector and the required node affinity.
// Upstream: component-helpers/scheduling/corev1/nodeaffinity, RequiredNodeAffinity.Match.
func matchesNodeSelector(spec *corev1.PodSpec, node *corev1.Node) bool {
	for k, v := range spec.NodeSelector { // order: all have to match
		if have, ok := node.Labels[k]; !ok || have != v {
			return false
		}
	}
	a := spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return true
	}
	for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		if len(term.MatchExpressions)+len(term.MatchFields) == 0 {
			continue // an empty term matches nothing
		}
		if matchAll(term.MatchExpressions, node.Labels) && matchAll(term.MatchFields, map[string]string{nodeNameField: node.Name}) {
			return true
		}
	}
	return false
}

func matchAll(requirements []corev1.NodeSelectorRequirement, set map[string]string) bool {
	for i := range requirements {
		r := &requirements[i]
		req, err := labels.NewRequirement(r.Key, nodeSelectorOperators[r.Operator], r.Values)
		if err != nil || !req.Matches(labels.Set(set)) {
			return false
		}
	}
	return true
}

var nodeSelectorOperators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
	corev1.NodeSelectorOpExists: selection.Exists, corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt: selection.GreaterThan, corev1.NodeSelectorOpLt: selection.LessThan,
}

// shouldIgnoreNodeUpdate: only what NodeShouldRunDaemonPod looks at matters.
func shouldIgnoreNodeUpdate(old, cur *corev1.Node) bool {
	return equalMaps(old.Labels, cur.Labels) && equalTaints(old.Spec.Taints, cur.Spec.Taints)
}

func equalMaps(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a { // order: all have to be equal
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

func equalTaints(a, b []corev1.Taint) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Key != b[i].Key || a[i].Effect != b[i].Effect || a[i].Value != b[i].Value {
			return false
		}
	}
	return true
}

// selectorOf is a DaemonSet's selector; nil when it selects nothing.
func selectorOf(s *metav1.LabelSelector) labels.Selector {
	selector, err := labels.LabelSelectorAsSelector(s)
	if err != nil || selector.Empty() {
		return nil
	}
	return selector
}

package registry

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// narrowAffinity has the selectors of a Pod's affinity also ask for the values that the Pod has of the label keys which the terms name.
// Upstream: pkg/registry/core/pod/strategy.go, mutatePodAffinity and applyLabelKeysToLabelSelector.
func narrowAffinity(pod *corev1.Pod) {
	if pod.Spec.Affinity == nil {
		return
	}
	if a := pod.Spec.Affinity.PodAffinity; a != nil {
		narrowTerms(pod, a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := pod.Spec.Affinity.PodAntiAffinity; a != nil {
		narrowTerms(pod, a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

func narrowTerms(pod *corev1.Pod, required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
	narrow := func(term *corev1.PodAffinityTerm) {
		if term.LabelSelector == nil {
			return
		}
		add := func(keys []string, operator metav1.LabelSelectorOperator) {
			for _, key := range keys {
				if value, ok := pod.Labels[key]; ok {
					term.LabelSelector.MatchExpressions = append(term.LabelSelector.MatchExpressions,
						metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: []string{value}})
				}
			}
		}
		add(term.MatchLabelKeys, metav1.LabelSelectorOpIn)
		add(term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn)
	}
	for i := range required {
		narrow(&required[i])
	}
	for i := range preferred {
		narrow(&preferred[i].PodAffinityTerm)
	}
}

package registry

import (
	"slices"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

func TestNarrowAffinity(t *testing.T) {
	term := func() corev1.PodAffinityTerm {
		return corev1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, TopologyKey: "zone",
			MatchLabelKeys: []string{"hash", "absent"}, MismatchLabelKeys: []string{"tenant"}}
	}
	any := term()
	any.LabelSelector = nil
	pod := &corev1.Pod{}
	pod.Labels = map[string]string{"app": "web", "hash": "1", "tenant": "a"}
	pod.Spec.Affinity = &corev1.Affinity{
		PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term(), any}},
		PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: term()}},
		},
	}
	podStrategy{}.PrepareForCreate(pod)
	for name, got := range map[string]corev1.PodAffinityTerm{ // order: each by itself
		"required affinity":       pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0],
		"preferred anti-affinity": pod.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution[0].PodAffinityTerm,
	} {
		var texts []string
		for _, e := range got.LabelSelector.MatchExpressions {
			texts = append(texts, e.Key+" "+string(e.Operator)+" "+e.Values[0])
		}
		if want := []string{"hash In 1", "tenant NotIn a"}; !slices.Equal(texts, want) {
			t.Errorf("%s: %q, want %q", name, texts, want)
		}
	}
	if pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[1].LabelSelector != nil {
		t.Error("a term without a selector has one now")
	}
}

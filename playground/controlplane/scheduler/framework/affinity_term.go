package framework

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
)

// AffinityTerm is a PodAffinityTerm, ready to use: which Pods it means, and
// within what they are to be near or far. Upstream: kube-scheduler/framework/types.go, AffinityTerm.
type AffinityTerm struct {
	Namespaces        PluginSet // a sorted set of names
	Selector          labels.Selector
	TopologyKey       string
	NamespaceSelector labels.Selector
}

// WeightedAffinityTerm is a preferred one.
type WeightedAffinityTerm struct {
	AffinityTerm
	Weight int32
}

// Matches tells whether the term means a Pod whose namespace has those labels.
func (t *AffinityTerm) Matches(pod *corev1.Pod, namespaceLabels labels.Set) bool {
	return (t.Namespaces.Has(pod.Namespace) || t.NamespaceSelector.Matches(namespaceLabels)) &&
		t.Selector.Matches(labels.Set(pod.Labels))
}

func newAffinityTerm(pod *corev1.Pod, term *corev1.PodAffinityTerm) (AffinityTerm, error) {
	selector, err := labels.LabelSelectorAsSelector(term.LabelSelector)
	if err != nil {
		return AffinityTerm{}, err
	}
	namespaces, err := labels.LabelSelectorAsSelector(term.NamespaceSelector)
	if err != nil {
		return AffinityTerm{}, err
	}
	t := AffinityTerm{Selector: selector, TopologyKey: term.TopologyKey, NamespaceSelector: namespaces}
	switch {
	case len(term.Namespaces) > 0:
		for _, ns := range term.Namespaces {
			t.Namespaces = t.Namespaces.Insert(ns)
		}
	case term.NamespaceSelector == nil:
		t.Namespaces = PluginSet{pod.Namespace} // neither is said: the Pod's own
	}
	return t, nil
}

// GetAffinityTerms makes the terms of a Pod ready.
func GetAffinityTerms(pod *corev1.Pod, terms []corev1.PodAffinityTerm) ([]AffinityTerm, error) {
	var out []AffinityTerm
	for i := range terms {
		t, err := newAffinityTerm(pod, &terms[i])
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func weightedTerms(pod *corev1.Pod, terms []corev1.WeightedPodAffinityTerm) ([]WeightedAffinityTerm, error) {
	var out []WeightedAffinityTerm
	for i := range terms {
		t, err := newAffinityTerm(pod, &terms[i].PodAffinityTerm)
		if err != nil {
			return nil, err
		}
		out = append(out, WeightedAffinityTerm{t, terms[i].Weight})
	}
	return out, nil
}

// GetPodAffinityTerms lists the required terms of a Pod's affinity to others.
func GetPodAffinityTerms(a *corev1.Affinity) []corev1.PodAffinityTerm {
	if a == nil || a.PodAffinity == nil {
		return nil
	}
	return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// GetPodAntiAffinityTerms lists the required terms of a Pod's aversion to others.
func GetPodAntiAffinityTerms(a *corev1.Affinity) []corev1.PodAffinityTerm {
	if a == nil || a.PodAntiAffinity == nil {
		return nil
	}
	return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

func (pi *PodInfo) readAffinity() {
	a := pi.Pod.Spec.Affinity
	if a == nil {
		pi.podAffinity = noAffinity
		return
	}
	pi.podAffinity = &podAffinity{}
	note := func(field string, err error) {
		if err != nil && pi.AffinityError == nil {
			pi.AffinityError = fmt.Errorf("%s: %w", field, err)
		}
	}
	var err error
	pi.RequiredAffinityTerms, err = GetAffinityTerms(pi.Pod, GetPodAffinityTerms(a))
	note("requiredAffinityTerms", err)
	pi.RequiredAntiAffinityTerms, err = GetAffinityTerms(pi.Pod, GetPodAntiAffinityTerms(a))
	note("requiredAntiAffinityTerms", err)
	if a.PodAffinity != nil {
		pi.PreferredAffinityTerms, err = weightedTerms(pi.Pod, a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
		note("preferredAffinityTerms", err)
	}
	if a.PodAntiAffinity != nil {
		pi.PreferredAntiAffinityTerms, err = weightedTerms(pi.Pod, a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
		note("preferredAntiAffinityTerms", err)
	}
}

var noAffinity = &podAffinity{} // nobody changes it

func (pi *PodInfo) hasAffinity() bool {
	return len(pi.RequiredAffinityTerms)+len(pi.RequiredAntiAffinityTerms)+len(pi.PreferredAffinityTerms)+len(pi.PreferredAntiAffinityTerms) > 0
}

// MergeNamespaces gives the terms the names of all namespaces that their
// selectors match, so that matching needs the labels of none. list returns those.
func MergeNamespaces(t *AffinityTerm, list func(labels.Selector) ([]string, error)) error {
	if t.NamespaceSelector.Empty() {
		return nil // it matches all
	}
	names, err := list(t.NamespaceSelector)
	if err != nil {
		return err
	}
	t.Namespaces = slices.Clone(t.Namespaces)
	for _, name := range names {
		t.Namespaces = t.Namespaces.Insert(name)
	}
	t.NamespaceSelector = labels.Nothing()
	return nil
}

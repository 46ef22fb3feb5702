package validation

import (
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/validate"
)

const (
	weightRange    = "must be in the range 1-100"
	canNotBeEmpty  = "can not be empty"
	mustBePositive = "must be greater than zero"
)

// validateAffinity is upstream's core/validation/validation.go, validateAffinity.
func validateAffinity(a *corev1.Affinity, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if a == nil {
		return nil
	}
	const required, preferred = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
	if n := a.NodeAffinity; n != nil {
		at := path.Child("nodeAffinity")
		if n.RequiredDuringSchedulingIgnoredDuringExecution != nil {
			errs = append(errs, validateNodeSelector(n.RequiredDuringSchedulingIgnoredDuringExecution, at.Child(required))...)
		}
		for i := range n.PreferredDuringSchedulingIgnoredDuringExecution {
			term, at := &n.PreferredDuringSchedulingIgnoredDuringExecution[i], at.Child(preferred).Index(i)
			if term.Weight <= 0 || term.Weight > 100 {
				errs = append(errs, field.Invalid(at.Child("weight"), term.Weight, weightRange))
			}
			for j := range term.Preference.MatchExpressions {
				errs = append(errs, validateNodeSelectorRequirement(&term.Preference.MatchExpressions[j],
					at.Child("preference", "matchExpressions").Index(j))...)
			}
		}
	}
	terms := func(need []corev1.PodAffinityTerm, want []corev1.WeightedPodAffinityTerm, at *field.Path) {
		for i := range need {
			errs = append(errs, validatePodAffinityTerm(&need[i], at.Child(required).Index(i))...)
		}
		for i := range want {
			at := at.Child(preferred).Index(i)
			if w := want[i].Weight; w <= 0 || w > 100 {
				errs = append(errs, field.Invalid(at.Child("weight"), w, weightRange))
			}
			errs = append(errs, validatePodAffinityTerm(&want[i].PodAffinityTerm, at.Child("podAffinityTerm"))...)
		}
	}
	if p := a.PodAffinity; p != nil {
		terms(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAffinity"))
	}
	if p := a.PodAntiAffinity; p != nil {
		terms(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAntiAffinity"))
	}
	return errs
}

// validatePodAffinityTerm is upstream's function of that name.
func validatePodAffinityTerm(t *corev1.PodAffinityTerm, path *field.Path) field.ErrorList {
	errs := selectorAt(t.LabelSelector, path.Child("labelSelector"))
	errs = append(errs, selectorAt(t.NamespaceSelector, path.Child("namespaceSelector"))...)
	for _, name := range t.Namespaces {
		errs = append(errs, invalidFor(path.Child("namespace"), name, objectmeta.NameIsDNSLabel(name, false))...)
	}
	errs = append(errs, matchLabelKeys(t.MatchLabelKeys, t.LabelSelector, path.Child("matchLabelKeys"))...)
	errs = append(errs, matchLabelKeys(t.MismatchLabelKeys, t.LabelSelector, path.Child("mismatchLabelKeys"))...)
	if t.TopologyKey == "" {
		errs = append(errs, field.Required(path.Child("topologyKey"), canNotBeEmpty))
	}
	return append(errs, invalidFor(path.Child("topologyKey"), t.TopologyKey, validate.IsLabelKey(t.TopologyKey))...)
}

func selectorAt(s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := ValidateLabelSelector(s, path)
	if _, err := labels.LabelSelectorAsSelector(s); err != nil && errs == nil {
		errs = append(errs, field.Invalid(path, *s, err.Error()))
	}
	return errs
}

func matchLabelKeys(keys []string, s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	if len(keys) == 0 {
		return nil
	}
	if s == nil {
		return field.ErrorList{field.Forbidden(path, "must not be specified when labelSelector is not set")}
	}
	var errs field.ErrorList
	for i, key := range keys {
		errs = append(errs, invalidFor(path.Index(i), key, validate.IsLabelKey(key))...)
	}
	return errs
}

// validateTopologySpreadConstraints is upstream's function of that name.
func validateTopologySpreadConstraints(list []corev1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range list {
		c, at := &list[i], path.Index(i)
		if c.MaxSkew <= 0 {
			errs = append(errs, field.Invalid(at.Child("maxSkew"), c.MaxSkew, mustBePositive))
		}
		if c.TopologyKey == "" {
			errs = append(errs, field.Required(at.Child("topologyKey"), canNotBeEmpty))
		} else {
			errs = append(errs, invalidFor(at.Child("topologyKey"), c.TopologyKey, validate.IsLabelKey(c.TopologyKey))...)
		}
		errs = append(errs, optional(&c.WhenUnsatisfiable, at.Child("whenUnsatisfiable"), corev1.DoNotSchedule, corev1.ScheduleAnyway)...)
		for j := i + 1; j < len(list); j++ {
			if o := &list[j]; o.TopologyKey == c.TopologyKey && o.WhenUnsatisfiable == c.WhenUnsatisfiable {
				errs = append(errs, field.Duplicate(at.Child("{topologyKey, whenUnsatisfiable}"), fmt.Sprintf("{%v, %v}", c.TopologyKey, c.WhenUnsatisfiable)))
			}
		}
		if m := c.MinDomains; m != nil {
			if *m <= 0 {
				errs = append(errs, field.Invalid(at.Child("minDomains"), *m, mustBePositive))
			}
			if c.WhenUnsatisfiable != corev1.DoNotSchedule {
				errs = append(errs, field.Invalid(at.Child("minDomains"), *m,
					fmt.Sprintf("can only use minDomains if whenUnsatisfiable=%s, not %s", corev1.DoNotSchedule, c.WhenUnsatisfiable)))
			}
		}
		errs = append(errs, optional(c.NodeAffinityPolicy, at.Child("nodeAffinityPolicy"), corev1.NodeInclusionPolicyHonor,
			corev1.NodeInclusionPolicyIgnore)...)
		errs = append(errs, optional(c.NodeTaintsPolicy, at.Child("nodeTaintsPolicy"), corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)...)
		errs = append(errs, selectorAt(c.LabelSelector, at.Child("labelSelector"))...)
		errs = append(errs, matchLabelKeys(c.MatchLabelKeys, c.LabelSelector, at.Child("matchLabelKeys"))...)
	}
	return errs
}

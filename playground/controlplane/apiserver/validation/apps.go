package validation

import (
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/validate"
)

// ValidateReplicaSet checks a ReplicaSet but for its metadata.
// Upstream: apps/validation/validation.go, ValidateReplicaSetSpec.
func ValidateReplicaSet(rs *appsv1.ReplicaSet) field.ErrorList {
	path := specPath
	var errs field.ErrorList
	if rs.Spec.Replicas != nil {
		errs = append(errs, nonnegative32(*rs.Spec.Replicas, path.Child("replicas"))...)
	}
	errs = append(errs, nonnegative32(rs.Spec.MinReadySeconds, path.Child("minReadySeconds"))...)
	selector, more := validateSelector(rs.Spec.Selector, path.Child("selector"))
	errs = append(errs, more...)
	if selector != nil {
		errs = append(errs, validateTemplate(&rs.Spec.Template, selector, path.Child("template"))...)
	}
	return errs
}

// validateSelector checks the selector of a workload; it returns nil if the selector can't be used.
func validateSelector(s *metav1.LabelSelector, path *field.Path) (labels.Selector, field.ErrorList) {
	var errs field.ErrorList
	if s == nil {
		errs = append(errs, field.Required(path, ""))
	} else {
		errs = ValidateLabelSelector(s, path)
		if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
			errs = append(errs, field.Invalid(path, s, "empty selector is invalid for deployment"))
		}
	}
	selector, err := labels.LabelSelectorAsSelector(s)
	if err != nil {
		return nil, append(errs, field.Invalid(path, s, "invalid label selector"))
	}
	return selector, errs
}

// ValidateLabelSelector is upstream's apis/meta/v1/validation/validation.go, ValidateLabelSelector.
func ValidateLabelSelector(s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	errs := objectmeta.ValidateLabels(s.MatchLabels, path.Child("matchLabels"))
	for i, r := range s.MatchExpressions {
		at := path.Child("matchExpressions").Index(i)
		switch r.Operator {
		case metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn:
			if len(r.Values) == 0 {
				errs = append(errs, field.Required(at.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'"))
			}
		case metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist:
			if len(r.Values) > 0 {
				errs = append(errs, field.Forbidden(at.Child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
			}
		default:
			errs = append(errs, field.Invalid(at.Child("operator"), r.Operator, "not a valid selector operator"))
		}
		errs = append(errs, invalidFor(at.Child("key"), r.Key, validate.IsLabelKey(r.Key))...)
		for j, v := range r.Values {
			errs = append(errs, invalidFor(at.Child("values").Index(j), v, validate.IsLabelValue(v))...)
		}
	}
	return errs
}

// validateTemplate checks the Pods that a workload makes. Upstream: ValidatePodTemplateSpecForReplicaSet.
func validateTemplate(t *corev1.PodTemplateSpec, selector labels.Selector, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !selector.Empty() && !selector.Matches(labels.Set(t.Labels)) {
		errs = append(errs, field.Invalid(path.Child("metadata", "labels"), t.Labels, "`selector` does not match template `labels`"))
	}
	errs = append(errs, objectmeta.ValidateLabels(t.Labels, path.Child("labels"))...)
	errs = append(errs, objectmeta.ValidateAnnotations(t.Annotations, path.Child("annotations"))...)
	spec := path.Child("spec")
	errs = append(errs, ValidatePodSpec(&t.Spec, spec)...)
	if t.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		errs = append(errs, field.NotSupported(spec.Child("restartPolicy"), string(t.Spec.RestartPolicy), []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if t.Spec.ActiveDeadlineSeconds != nil {
		errs = append(errs, field.Forbidden(spec.Child("activeDeadlineSeconds"), "activeDeadlineSeconds in ReplicaSet is not Supported"))
	}
	return errs
}

// ValidateReplicaSetUpdate checks a changed ReplicaSet; the selector can't change.
func ValidateReplicaSetUpdate(rs, old *appsv1.ReplicaSet) field.ErrorList {
	errs := ValidateReplicaSet(rs)
	return append(errs, objectmeta.Immutable(rs.Spec.Selector, old.Spec.Selector, field.NewPath("spec", "selector"))...)
}

// ValidateReplicaSetStatusUpdate checks the numbers. Upstream: ValidateReplicaSetStatus.
func ValidateReplicaSetStatusUpdate(rs, _ *appsv1.ReplicaSet) field.ErrorList {
	path, s := statusPath, &rs.Status
	errs := nonnegative32(s.Replicas, path.Child("replicas"))
	errs = append(errs, nonnegative32(s.FullyLabeledReplicas, path.Child("fullyLabeledReplicas"))...)
	errs = append(errs, nonnegative32(s.ReadyReplicas, path.Child("readyReplicas"))...)
	errs = append(errs, nonnegative32(s.AvailableReplicas, path.Child("availableReplicas"))...)
	errs = append(errs, objectmeta.Nonnegative(s.ObservedGeneration, path.Child("observedGeneration"))...)
	if s.TerminatingReplicas != nil {
		errs = append(errs, nonnegative32(*s.TerminatingReplicas, path.Child("terminatingReplicas"))...)
	}
	atMost := func(name string, value, max int32, detail string) {
		if value > max {
			errs = append(errs, field.Invalid(path.Child(name), value, detail))
		}
	}
	atMost("fullyLabeledReplicas", s.FullyLabeledReplicas, s.Replicas, "cannot be greater than status.replicas")
	atMost("readyReplicas", s.ReadyReplicas, s.Replicas, "cannot be greater than status.replicas")
	atMost("availableReplicas", s.AvailableReplicas, s.Replicas, "cannot be greater than status.replicas")
	atMost("availableReplicas", s.AvailableReplicas, s.ReadyReplicas, "cannot be greater than readyReplicas")
	return errs
}

func nonnegative32(value int32, path *field.Path) field.ErrorList {
	return objectmeta.Nonnegative(int64(value), path)
}

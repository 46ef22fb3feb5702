package validation

import (
	"strconv"
	"strings"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/objectmeta"
)

// ValidateDaemonSet checks a DaemonSet but for its metadata.
// Upstream: apps/validation/validation.go, ValidateDaemonSetSpec.
func ValidateDaemonSet(ds *appsv1.DaemonSet) field.ErrorList {
	path, spec := specPath, &ds.Spec
	var errs field.ErrorList
	if spec.Selector != nil {
		errs = ValidateLabelSelector(spec.Selector, path.Child("selector"))
	}
	template := path.Child("template")
	if selector, err := labels.LabelSelectorAsSelector(spec.Selector); err == nil && !selector.Matches(labels.Set(spec.Template.Labels)) {
		errs = append(errs, field.Invalid(template.Child("metadata", "labels"), spec.Template.Labels, "`selector` does not match template `labels`"))
	}
	if spec.Selector != nil && len(spec.Selector.MatchLabels)+len(spec.Selector.MatchExpressions) == 0 {
		errs = append(errs, field.Invalid(path.Child("selector"), spec.Selector, "empty selector is invalid for daemonset"))
	}
	errs = append(errs, validatePodTemplateSpec(&spec.Template, template)...)
	errs = append(errs, restartAlways(&spec.Template, template)...)
	if s := spec.Template.Spec.ActiveDeadlineSeconds; s != nil {
		errs = append(errs, field.Invalid(template.Child("spec", "activeDeadlineSeconds"), *s, "must not be specified"))
	}
	errs = append(errs, nonnegative32(spec.MinReadySeconds, path.Child("minReadySeconds"))...)
	errs = append(errs, validateDaemonSetUpdateStrategy(&spec.UpdateStrategy, path.Child("updateStrategy"))...)
	if n := spec.RevisionHistoryLimit; n != nil {
		errs = append(errs, nonnegative32(*n, path.Child("revisionHistoryLimit"))...)
	}
	return errs
}

// validatePodTemplateSpec checks a template's labels, annotations and spec. Upstream: ValidatePodTemplateSpec.
func validatePodTemplateSpec(t *corev1.PodTemplateSpec, path *field.Path) field.ErrorList {
	errs := objectmeta.ValidateLabels(t.Labels, path.Child("labels"))
	errs = append(errs, objectmeta.ValidateAnnotations(t.Annotations, path.Child("annotations"))...)
	return append(errs, ValidatePodSpec(&t.Spec, path.Child("spec"))...)
}

func restartAlways(t *corev1.PodTemplateSpec, path *field.Path) field.ErrorList {
	if t.Spec.RestartPolicy == corev1.RestartPolicyAlways {
		return nil
	}
	return field.ErrorList{field.NotSupported(path.Child("spec", "restartPolicy"), string(t.Spec.RestartPolicy),
		[]corev1.RestartPolicy{corev1.RestartPolicyAlways})}
}

// validateDaemonSetUpdateStrategy: Pods are replaced in place or by surge, not both.
func validateDaemonSetUpdateStrategy(s *appsv1.DaemonSetUpdateStrategy, path *field.Path) field.ErrorList {
	switch s.Type {
	case appsv1.OnDeleteDaemonSetStrategyType:
		return nil
	case appsv1.RollingUpdateDaemonSetStrategyType:
	default:
		return field.ErrorList{field.NotSupported(path, *s, []appsv1.DaemonSetUpdateStrategyType{appsv1.RollingUpdateDaemonSetStrategyType,
			appsv1.OnDeleteDaemonSetStrategyType})}
	}
	path = path.Child("rollingUpdate")
	r := s.RollingUpdate
	if r == nil {
		return field.ErrorList{field.Required(path, "")}
	}
	errs := validatePositiveIntOrPercent(r.MaxUnavailable, path.Child("maxUnavailable"))
	errs = append(errs, validatePositiveIntOrPercent(r.MaxSurge, path.Child("maxSurge"))...)
	errs = append(errs, isNotMoreThan100Percent(r.MaxUnavailable, path.Child("maxUnavailable"))...)
	errs = append(errs, isNotMoreThan100Percent(r.MaxSurge, path.Child("maxSurge"))...)
	switch unavailable, surge := getIntOrPercentValue(r.MaxUnavailable) != 0, getIntOrPercentValue(r.MaxSurge) != 0; {
	case unavailable && surge:
		errs = append(errs, field.Invalid(path.Child("maxSurge"), r.MaxSurge, "may not be set when maxUnavailable is non-zero"))
	case !unavailable && !surge:
		errs = append(errs, field.Required(path.Child("maxUnavailable"), "cannot be 0 when maxSurge is 0"))
	}
	return errs
}

// ValidateDaemonSetUpdate checks a changed DaemonSet; the selector can't change.
func ValidateDaemonSetUpdate(ds, old *appsv1.DaemonSet) field.ErrorList {
	errs := ValidateDaemonSet(ds)
	return append(errs, objectmeta.Immutable(ds.Spec.Selector, old.Spec.Selector, field.NewPath("spec", "selector"))...)
}

// ValidateDaemonSetStatusUpdate checks the numbers.
func ValidateDaemonSetStatusUpdate(ds, old *appsv1.DaemonSet) field.ErrorList {
	path, s := statusPath, &ds.Status
	var errs field.ErrorList
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"currentNumberScheduled", int64(s.CurrentNumberScheduled)}, {"numberMisscheduled", int64(s.NumberMisscheduled)},
		{"desiredNumberScheduled", int64(s.DesiredNumberScheduled)}, {"numberReady", int64(s.NumberReady)},
		{"observedGeneration", s.ObservedGeneration}, {"updatedNumberScheduled", int64(s.UpdatedNumberScheduled)},
		{"numberAvailable", int64(s.NumberAvailable)}, {"numberUnavailable", int64(s.NumberUnavailable)},
	} {
		errs = append(errs, objectmeta.Nonnegative(f.value, path.Child(f.name))...)
	}
	return append(errs, notDecremented(s.CollisionCount, old.Status.CollisionCount, path.Child("collisionCount"))...)
}

// notDecremented: collisions are only ever counted up. Upstream: IsDecremented.
func notDecremented(value, old *int32, path *field.Path) field.ErrorList {
	if old == nil || value != nil && *value >= *old {
		return nil
	}
	n := int32(0)
	if value != nil {
		n = *value
	}
	return field.ErrorList{field.Invalid(path, n, "cannot be decremented")}
}

// validatePositiveIntOrPercent checks a number of Pods, or a percentage.
// Upstream: apps/validation/validation.go, ValidatePositiveIntOrPercent.
func validatePositiveIntOrPercent(v *intstr.IntOrString, path *field.Path) field.ErrorList {
	if v == nil {
		return nil
	}
	if v.Type == intstr.Int {
		return objectmeta.Nonnegative(int64(v.IntVal), path)
	}
	if _, ok := percent(v); !ok {
		return field.ErrorList{field.Invalid(path, *v,
			"a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')")}
	}
	return nil
}

func isNotMoreThan100Percent(v *intstr.IntOrString, path *field.Path) field.ErrorList {
	if n, ok := percent(v); ok && n > 100 {
		return field.ErrorList{field.Invalid(path, *v, "must not be greater than 100%")}
	}
	return nil
}

// percent reads a percentage; ok is false of anything else.
func percent(v *intstr.IntOrString) (n int, ok bool) {
	if v == nil || v.Type != intstr.String {
		return 0, false
	}
	digits, ok := strings.CutSuffix(v.StrVal, "%")
	for i := range len(digits) {
		ok = ok && '0' <= digits[i] && digits[i] <= '9'
	}
	if !ok || digits == "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		n = 1 << 30 // too long a number
	}
	return n, true
}

func getIntOrPercentValue(v *intstr.IntOrString) int {
	if n, ok := percent(v); ok {
		return n
	}
	if v == nil || v.Type == intstr.String {
		return 0
	}
	return int(v.IntVal)
}

package validation

import (
	"strconv"
	"strings"

	"kubewalk/playground/api/field"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/policyv1"
)

// ValidatePodDisruptionBudget checks a budget but for its metadata.
// Upstream: pkg/apis/policy/validation/validation.go, ValidatePodDisruptionBudgetSpec.
func ValidatePodDisruptionBudget(pdb *policyv1.PodDisruptionBudget) field.ErrorList {
	path, spec := specPath, &pdb.Spec
	var errs field.ErrorList
	if spec.MinAvailable != nil && spec.MaxUnavailable != nil {
		// As errors show the internal type, whose fields have no names of JSON.
		shown := struct {
			MinAvailable               *intstr.IntOrString
			Selector                   *metav1.LabelSelector
			MaxUnavailable             *intstr.IntOrString
			UnhealthyPodEvictionPolicy *policyv1.UnhealthyPodEvictionPolicyType
		}{spec.MinAvailable, spec.Selector, spec.MaxUnavailable, spec.UnhealthyPodEvictionPolicy}
		errs = append(errs, field.Invalid(path, shown, "minAvailable and maxUnavailable cannot be both set"))
	}
	errs = append(errs, budget(spec.MinAvailable, path.Child("minAvailable"))...)
	errs = append(errs, budget(spec.MaxUnavailable, path.Child("maxUnavailable"))...)
	if spec.Selector != nil {
		errs = append(errs, ValidateLabelSelector(spec.Selector, path.Child("selector"))...)
	}
	if policy := spec.UnhealthyPodEvictionPolicy; policy != nil {
		errs = append(errs, oneOf(*policy, path.Child("unhealthyPodEvictionPolicy"), policyv1.AlwaysAllow, policyv1.IfHealthyBudget)...)
	}
	return errs
}

// budget checks a number of Pods, or a percentage of at most 100.
func budget(v *intstr.IntOrString, path *field.Path) field.ErrorList {
	if v == nil {
		return nil
	}
	if v.Type == intstr.Int {
		return objectmeta.Nonnegative(int64(v.IntVal), path)
	}
	digits, percent := strings.CutSuffix(v.StrVal, "%")
	for i := range len(digits) {
		percent = percent && '0' <= digits[i] && digits[i] <= '9'
	}
	if !percent || digits == "" {
		return field.ErrorList{field.Invalid(path, *v,
			"a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')")}
	}
	if n, err := strconv.Atoi(digits); err != nil || n > 100 {
		return field.ErrorList{field.Invalid(path, *v, "must not be greater than 100%")}
	}
	return nil
}

// ValidatePodDisruptionBudgetStatusUpdate checks the numbers.
func ValidatePodDisruptionBudgetStatusUpdate(pdb *policyv1.PodDisruptionBudget) field.ErrorList {
	path, s := statusPath, &pdb.Status
	errs := nonnegative32(s.DisruptionsAllowed, path.Child("disruptionsAllowed"))
	errs = append(errs, nonnegative32(s.CurrentHealthy, path.Child("currentHealthy"))...)
	errs = append(errs, nonnegative32(s.DesiredHealthy, path.Child("desiredHealthy"))...)
	return append(errs, nonnegative32(s.ExpectedPods, path.Child("expectedPods"))...)
}

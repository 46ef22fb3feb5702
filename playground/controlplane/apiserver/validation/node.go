package validation

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/nodev1"
	"kubewalk/playground/api/objectmeta"
)

// ValidateRuntimeClass is upstream's pkg/apis/node/validation/validation.go.
func ValidateRuntimeClass(c *nodev1.RuntimeClass) field.ErrorList {
	var errs field.ErrorList
	handler := field.NewPath("handler")
	if c.Handler == "" {
		errs = append(errs, field.Required(handler, ""))
	} else {
		errs = append(errs, dnsLabel(c.Handler, handler)...)
	}
	if c.Overhead != nil {
		errs = append(errs, validateResources(&corev1.ResourceRequirements{Limits: c.Overhead.PodFixed}, field.NewPath("overhead"))...)
	}
	if s := c.Scheduling; s != nil {
		path := field.NewPath("scheduling")
		errs = append(errs, objectmeta.ValidateLabels(s.NodeSelector, path.Child("nodeSelector"))...)
		errs = append(errs, validateDistinctTolerations(s.Tolerations, path.Child("tolerations"))...)
	}
	return errs
}

// validateDistinctTolerations is upstream's validateTolerations.
func validateDistinctTolerations(tolerations []corev1.Toleration, path *field.Path) field.ErrorList {
	errs := ValidateTolerations(tolerations, path)
	seen := map[corev1.Toleration]bool{}
	for i, t := range tolerations {
		key := t
		key.TolerationSeconds = nil
		if seen[key] {
			errs = append(errs, field.Duplicate(path.Index(i), t))
		}
		seen[key] = true
	}
	return errs
}

// ValidateRuntimeClassUpdate is upstream's function of that name, after which all else is checked again.
func ValidateRuntimeClassUpdate(c, old *nodev1.RuntimeClass) field.ErrorList {
	return append(ValidateRuntimeClass(c), objectmeta.Immutable(c.Handler, old.Handler, field.NewPath("handler"))...)
}

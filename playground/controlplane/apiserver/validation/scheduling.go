package validation

import (
	"fmt"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/schedulingv1"
)

// systemPriorityClasses are the ones that the server makes. Their priorities lie
// above what anybody else may give. Upstream: pkg/apis/scheduling/v1/helpers.go.
var systemPriorityClasses = map[string]int32{"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}

const (
	highestUserDefinablePriority = 1_000_000_000
	systemPriorityClassPrefix    = "system-"
)

// ValidatePriorityClass is upstream's pkg/apis/scheduling/validation/validation.go.
func ValidatePriorityClass(c *schedulingv1.PriorityClass) field.ErrorList {
	var errs field.ErrorList
	if strings.HasPrefix(c.Name, systemPriorityClassPrefix) {
		if err := knownSystemPriorityClass(c); err != "" {
			errs = append(errs, field.Forbidden(field.NewPath("metadata", "name"),
				"priority class names with 'system-' prefix are reserved for system use only. error: "+err))
		}
	} else if c.Value > highestUserDefinablePriority {
		errs = append(errs, field.Forbidden(field.NewPath("value"),
			fmt.Sprintf("maximum allowed value of a user defined priority is %v", highestUserDefinablePriority)))
	}
	if c.PreemptionPolicy != nil {
		path := field.NewPath("preemptionPolicy")
		switch *c.PreemptionPolicy {
		case corev1.PreemptLowerPriority, corev1.PreemptNever:
		case "":
			errs = append(errs, field.Required(path, ""))
		default:
			errs = append(errs, field.NotSupported(path, *c.PreemptionPolicy, []corev1.PreemptionPolicy{corev1.PreemptLowerPriority, corev1.PreemptNever}))
		}
	}
	return errs
}

func knownSystemPriorityClass(c *schedulingv1.PriorityClass) string {
	value, known := systemPriorityClasses[c.Name]
	switch {
	case !known:
		return fmt.Sprintf("%v is not a known system priority class", c.Name)
	case value != c.Value:
		return fmt.Sprintf("value of %v PriorityClass must be %v", c.Name, value)
	case c.GlobalDefault:
		return fmt.Sprintf("globalDefault of %v PriorityClass must be %v", c.Name, false)
	}
	return ""
}

// ValidatePriorityClassUpdate lets what does not reach Pods be changed.
func ValidatePriorityClassUpdate(c, old *schedulingv1.PriorityClass) field.ErrorList {
	var errs field.ErrorList
	if c.Value != old.Value {
		errs = append(errs, field.Forbidden(field.NewPath("value"), "may not be changed in an update."))
	}
	return append(errs, objectmeta.Immutable(c.PreemptionPolicy, old.PreemptionPolicy, field.NewPath("preemptionPolicy"))...)
}

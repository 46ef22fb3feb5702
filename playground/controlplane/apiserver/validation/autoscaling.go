package validation

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/resource"
)

// Bounds of autoscalers. Upstream: pkg/apis/autoscaling/validation/validation.go.
const (
	maxPeriodSeconds              = 1800
	maxStabilizationWindowSeconds = 3600
	minReplicasLowerBound         = 1 // 0 needs the feature gate HPAScaleToZero, which is alpha
	greaterThanZero               = "must be greater than zero"
	populateSource                = "must populate information for the given metric source"
)

// ValidateHorizontalPodAutoscaler checks an autoscaler but for its metadata.
// Upstream: autoscaling/validation/validation.go, validateHorizontalPodAutoscalerSpec.
func ValidateHorizontalPodAutoscaler(hpa *autoscalingv2.HorizontalPodAutoscaler) field.ErrorList {
	path, spec := specPath, &hpa.Spec
	var errs field.ErrorList
	if n := spec.MinReplicas; n != nil && *n < minReplicasLowerBound {
		errs = append(errs, field.Invalid(path.Child("minReplicas"), *n, fmt.Sprintf("must be greater than or equal to %d", minReplicasLowerBound)))
	}
	if spec.MaxReplicas < 1 {
		errs = append(errs, field.Invalid(path.Child("maxReplicas"), spec.MaxReplicas, "must be greater than 0"))
	}
	if n := spec.MinReplicas; n != nil && spec.MaxReplicas < *n {
		errs = append(errs, field.Invalid(path.Child("maxReplicas"), spec.MaxReplicas, "must be greater than or equal to `minReplicas`"))
	}
	errs = append(errs, objectReference(&spec.ScaleTargetRef, path.Child("scaleTargetRef"))...)
	for i := range spec.Metrics {
		errs = append(errs, validateMetricSpec(&spec.Metrics[i], path.Child("metrics").Index(i))...)
	}
	if b := spec.Behavior; b != nil {
		errs = append(errs, validateScalingRules(b.ScaleUp, path.Child("behavior", "scaleUp"))...)
		errs = append(errs, validateScalingRules(b.ScaleDown, path.Child("behavior", "scaleDown"))...)
	}
	return errs
}

func objectReference(ref *autoscalingv2.CrossVersionObjectReference, path *field.Path) field.ErrorList {
	errs := pathSegment(ref.Kind, path.Child("kind"), "")
	return append(errs, pathSegment(ref.Name, path.Child("name"), "")...)
}

// pathSegment checks what becomes part of a URL. Upstream: api/validation/path, IsValidPathSegmentName.
func pathSegment(name string, path *field.Path, ifMissing string) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, ifMissing)}
	}
	return invalidFor(path, name, objectmeta.NameIsPathSegment(name, false))
}

func validateScalingRules(r *autoscalingv2.HPAScalingRules, path *field.Path) field.ErrorList {
	if r == nil {
		return nil
	}
	var errs field.ErrorList
	if s := r.StabilizationWindowSeconds; s != nil {
		if *s < 0 {
			errs = append(errs, field.Invalid(path.Child("stabilizationWindowSeconds"), *s, "must be greater than or equal to zero"))
		}
		if *s > maxStabilizationWindowSeconds {
			errs = append(errs, field.Invalid(path.Child("stabilizationWindowSeconds"), *s,
				fmt.Sprintf("must be less than or equal to %v", maxStabilizationWindowSeconds)))
		}
	}
	if p := r.SelectPolicy; p != nil {
		errs = append(errs, oneOf(*p, path.Child("selectPolicy"), autoscalingv2.DisabledPolicySelect, autoscalingv2.MaxChangePolicySelect,
			autoscalingv2.MinChangePolicySelect)...)
	}
	if len(r.Policies) == 0 {
		errs = append(errs, field.Required(path.Child("policies"), "must specify at least one Policy"))
	}
	for i := range r.Policies {
		p, at := &r.Policies[i], path.Child("policies").Index(i)
		errs = append(errs, oneOf(p.Type, at.Child("type"), autoscalingv2.PercentScalingPolicy, autoscalingv2.PodsScalingPolicy)...)
		if p.Value <= 0 {
			errs = append(errs, field.Invalid(at.Child("value"), p.Value, greaterThanZero))
		}
		if p.PeriodSeconds <= 0 {
			errs = append(errs, field.Invalid(at.Child("periodSeconds"), p.PeriodSeconds, greaterThanZero))
		}
		if p.PeriodSeconds > maxPeriodSeconds {
			errs = append(errs, field.Invalid(at.Child("periodSeconds"), p.PeriodSeconds, fmt.Sprintf("must be less than or equal to %v", maxPeriodSeconds)))
		}
	}
	if t := r.Tolerance; t != nil && t.Sign() < 0 {
		errs = append(errs, field.Invalid(path.Child("tolerance"), t.String(), isNonNegative))
	}
	return errs
}

// validateMetricSpec wants the one source that the type says, and no other.
func validateMetricSpec(m *autoscalingv2.MetricSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	types := []autoscalingv2.MetricSourceType{autoscalingv2.ContainerResourceMetricSourceType, autoscalingv2.ExternalMetricSourceType,
		autoscalingv2.ObjectMetricSourceType, autoscalingv2.PodsMetricSourceType, autoscalingv2.ResourceMetricSourceType}
	if m.Type == "" {
		errs = append(errs, field.Required(path.Child("type"), "must specify a metric source type"))
	}
	if !slices.Contains(types, m.Type) {
		errs = append(errs, field.NotSupported(path.Child("type"), m.Type, types))
	}
	sources := []struct {
		of      autoscalingv2.MetricSourceType
		name    string
		present bool
	}{
		{autoscalingv2.ContainerResourceMetricSourceType, "containerResource", m.ContainerResource != nil},
		{autoscalingv2.ExternalMetricSourceType, "external", m.External != nil},
		{autoscalingv2.ObjectMetricSourceType, "object", m.Object != nil},
		{autoscalingv2.PodsMetricSourceType, "pods", m.Pods != nil},
		{autoscalingv2.ResourceMetricSourceType, "resource", m.Resource != nil},
	}
	for _, s := range sources {
		if at := path.Child(s.name); !s.present {
			if s.of == m.Type {
				errs = append(errs, field.Required(at, populateSource))
			}
		} else if s.of != m.Type {
			errs = append(errs, field.Forbidden(at, "must populate the given metric source only"))
		} else {
			errs = append(errs, validateMetricSource(m, at)...)
		}
	}
	return errs
}

func validateMetricSource(m *autoscalingv2.MetricSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	target := path.Child("target")
	switch m.Type {
	case autoscalingv2.ObjectMetricSourceType:
		s := m.Object
		errs = append(errs, objectReference(&s.DescribedObject, path.Child("describedObject"))...)
		errs = append(errs, validateMetricIdentifier(&s.Metric, path.Child("metric"))...)
		errs = append(errs, validateMetricTarget(&s.Target, target)...)
		if s.Target.Value == nil && s.Target.AverageValue == nil {
			errs = append(errs, field.Required(target.Child("averageValue"), "must set either a target value or averageValue"))
		}
	case autoscalingv2.ExternalMetricSourceType:
		s := m.External
		errs = append(errs, validateMetricIdentifier(&s.Metric, path.Child("metric"))...)
		errs = append(errs, validateMetricTarget(&s.Target, target)...)
		switch v, a := s.Target.Value != nil, s.Target.AverageValue != nil; {
		case !v && !a:
			errs = append(errs, field.Required(target.Child("averageValue"), "must set either a target value for metric or a per-pod target"))
		case v && a:
			errs = append(errs, field.Forbidden(target.Child("value"), "may not set both a target value for metric and a per-pod target"))
		}
	case autoscalingv2.PodsMetricSourceType:
		s := m.Pods
		errs = append(errs, validateMetricIdentifier(&s.Metric, path.Child("metric"))...)
		errs = append(errs, validateMetricTarget(&s.Target, target)...)
		if v := s.Target.AverageValue; v == nil || v.Sign() != 1 {
			errs = append(errs, field.Required(target.Child("averageValue"), "must specify a positive target averageValue"))
		}
	case autoscalingv2.ResourceMetricSourceType:
		errs = validateResourceTarget(string(m.Resource.Name), &m.Resource.Target, path)
	case autoscalingv2.ContainerResourceMetricSourceType:
		if m.ContainerResource.Container == "" {
			errs = append(errs, field.Required(path.Child("container"), "must specify a container"))
		}
		errs = append(errs, validateResourceTarget(string(m.ContainerResource.Name), &m.ContainerResource.Target, path)...)
	}
	return errs
}

func validateResourceTarget(name string, t *autoscalingv2.MetricTarget, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if name == "" {
		errs = append(errs, field.Required(path.Child("name"), "must specify a resource name"))
	}
	target := path.Child("target")
	errs = append(errs, validateMetricTarget(t, target)...)
	switch u, v := t.AverageUtilization != nil, t.AverageValue != nil; {
	case !u && !v:
		errs = append(errs, field.Required(target.Child("averageUtilization"), "must set either a target raw value or a target utilization"))
	case u && v:
		errs = append(errs, field.Forbidden(target.Child("averageValue"), "may not set both a target raw value and a target utilization"))
	}
	return errs
}

func validateMetricTarget(t *autoscalingv2.MetricTarget, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if t.Type == "" {
		errs = append(errs, field.Required(path.Child("type"), "must specify a metric target type"))
	}
	switch t.Type {
	case autoscalingv2.UtilizationMetricType, autoscalingv2.ValueMetricType, autoscalingv2.AverageValueMetricType:
	default:
		errs = append(errs, field.Invalid(path.Child("type"), string(t.Type), "must be either Utilization, Value, or AverageValue"))
	}
	positive := func(q *resource.Quantity, name string) {
		if q != nil && q.Sign() != 1 {
			errs = append(errs, field.Invalid(path.Child(name), q, "must be positive"))
		}
	}
	positive(t.Value, "value")
	positive(t.AverageValue, "averageValue")
	if u := t.AverageUtilization; u != nil && *u < 1 {
		errs = append(errs, field.Invalid(path.Child("averageUtilization"), *u, "must be greater than 0"))
	}
	return errs
}

func validateMetricIdentifier(id *autoscalingv2.MetricIdentifier, path *field.Path) field.ErrorList {
	errs := pathSegment(id.Name, path.Child("name"), "must specify a metric name")
	if id.Selector != nil {
		errs = append(errs, ValidateLabelSelector(id.Selector, path.Child("selector"))...)
	}
	return errs
}

// ValidateHorizontalPodAutoscalerStatusUpdate checks the numbers.
func ValidateHorizontalPodAutoscalerStatusUpdate(hpa *autoscalingv2.HorizontalPodAutoscaler) field.ErrorList {
	path := statusPath
	errs := nonnegative32(hpa.Status.CurrentReplicas, path.Child("currentReplicas"))
	return append(errs, nonnegative32(hpa.Status.DesiredReplicas, path.Child("desiredReplicas"))...)
}

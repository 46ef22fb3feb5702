package validation

import (
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
)

// ValidateDeployment checks a Deployment but for its metadata. Upstream: ValidateDeploymentSpec.
func ValidateDeployment(d *appsv1.Deployment) field.ErrorList {
	path := specPath
	var errs field.ErrorList
	if d.Spec.Replicas != nil {
		errs = append(errs, nonnegative32(*d.Spec.Replicas, path.Child("replicas"))...)
	}
	selector, more := validateSelector(d.Spec.Selector, path.Child("selector"))
	errs = append(errs, more...)
	if selector != nil {
		errs = append(errs, validateTemplate(&d.Spec.Template, selector, path.Child("template"))...)
	}
	errs = append(errs, validateDeploymentStrategy(&d.Spec.Strategy, path.Child("strategy"))...)
	errs = append(errs, nonnegative32(d.Spec.MinReadySeconds, path.Child("minReadySeconds"))...)
	if n := d.Spec.RevisionHistoryLimit; n != nil {
		errs = append(errs, nonnegative32(*n, path.Child("revisionHistoryLimit"))...)
	}
	if n := d.Spec.ProgressDeadlineSeconds; n != nil {
		errs = append(errs, nonnegative32(*n, path.Child("progressDeadlineSeconds"))...)
		if *n <= d.Spec.MinReadySeconds {
			errs = append(errs, field.Invalid(path.Child("progressDeadlineSeconds"), *n, "must be greater than minReadySeconds"))
		}
	}
	return errs
}

// validateDeploymentStrategy: with no surge and no unavailability nothing could move.
func validateDeploymentStrategy(s *appsv1.DeploymentStrategy, path *field.Path) field.ErrorList {
	at := path.Child("rollingUpdate")
	switch s.Type {
	case appsv1.RecreateDeploymentStrategyType:
		if s.RollingUpdate != nil {
			return field.ErrorList{field.Forbidden(at, "may not be specified when strategy `type` is 'Recreate'")}
		}
		return nil
	case appsv1.RollingUpdateDeploymentStrategyType:
	default:
		return field.ErrorList{field.NotSupported(path, *s, []appsv1.DeploymentStrategyType{appsv1.RecreateDeploymentStrategyType,
			appsv1.RollingUpdateDeploymentStrategyType})}
	}
	r := s.RollingUpdate
	if r == nil {
		return field.ErrorList{field.Required(at, "this should be defaulted and never be nil")}
	}
	errs := validatePositiveIntOrPercent(r.MaxUnavailable, at.Child("maxUnavailable"))
	errs = append(errs, validatePositiveIntOrPercent(r.MaxSurge, at.Child("maxSurge"))...)
	if getIntOrPercentValue(r.MaxUnavailable) == 0 && getIntOrPercentValue(r.MaxSurge) == 0 {
		errs = append(errs, field.Invalid(at.Child("maxUnavailable"), r.MaxUnavailable, "may not be 0 when `maxSurge` is 0"))
	}
	return append(errs, isNotMoreThan100Percent(r.MaxUnavailable, at.Child("maxUnavailable"))...)
}

// ValidateDeploymentUpdate checks a changed Deployment; the selector can't change.
func ValidateDeploymentUpdate(d, old *appsv1.Deployment) field.ErrorList {
	errs := ValidateDeployment(d)
	return append(errs, objectmeta.Immutable(d.Spec.Selector, old.Spec.Selector, field.NewPath("spec", "selector"))...)
}

// ValidateDeploymentStatusUpdate checks the numbers. Upstream: ValidateDeploymentStatus.
func ValidateDeploymentStatusUpdate(d, old *appsv1.Deployment) field.ErrorList {
	path, s := statusPath, &d.Status
	errs := objectmeta.Nonnegative(s.ObservedGeneration, path.Child("observedGeneration"))
	errs = append(errs, nonnegative32(s.Replicas, path.Child("replicas"))...)
	errs = append(errs, nonnegative32(s.UpdatedReplicas, path.Child("updatedReplicas"))...)
	errs = append(errs, nonnegative32(s.ReadyReplicas, path.Child("readyReplicas"))...)
	errs = append(errs, nonnegative32(s.AvailableReplicas, path.Child("availableReplicas"))...)
	errs = append(errs, nonnegative32(s.UnavailableReplicas, path.Child("unavailableReplicas"))...)
	if s.TerminatingReplicas != nil {
		errs = append(errs, nonnegative32(*s.TerminatingReplicas, path.Child("terminatingReplicas"))...)
	}
	atMost := func(name string, value, max int32, detail string) {
		if value > max {
			errs = append(errs, field.Invalid(path.Child(name), value, detail))
		}
	}
	atMost("updatedReplicas", s.UpdatedReplicas, s.Replicas, "cannot be greater than status.replicas")
	atMost("readyReplicas", s.ReadyReplicas, s.Replicas, "cannot be greater than status.replicas")
	atMost("availableReplicas", s.AvailableReplicas, s.Replicas, "cannot be greater than status.replicas")
	atMost("availableReplicas", s.AvailableReplicas, s.ReadyReplicas, "cannot be greater than readyReplicas")
	return append(errs, notDecremented(s.CollisionCount, old.Status.CollisionCount, path.Child("collisionCount"))...)
}

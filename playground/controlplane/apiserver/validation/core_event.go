package validation

import (
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/validate"
)

// ValidateEvent checks an Event as v1 takes it; those of events.k8s.io are held
// to no more here.
// Upstream: pkg/apis/core/validation/events.go, legacyValidateEvent.
func ValidateEvent(e *corev1.Event) field.ErrorList {
	var errs field.ErrorList
	about := e.InvolvedObject.Namespace
	// What has no namespace is reported in "default", or nowhere.
	if about == "" && e.Namespace != "" && e.Namespace != "default" || about != "" && about != e.Namespace {
		errs = append(errs, field.Invalid(field.NewPath("involvedObject", "namespace"), about, "does not match event.namespace"))
	}
	if e.EventTime.IsZero() {
		return errs
	}
	controller := field.NewPath("reportingController")
	if e.ReportingController == "" {
		errs = append(errs, field.Required(controller, ""))
	}
	errs = append(errs, invalidFor(controller, e.ReportingController, validate.IsLabelKey(e.ReportingController))...)
	if e.ReportingInstance == "" {
		errs = append(errs, field.Required(field.NewPath("reportingInstance"), ""))
	} else if len(e.ReportingInstance) > 128 {
		errs = append(errs, field.Invalid(field.NewPath("reportingInstance"), "", "can have at most 128 characters"))
	}
	if e.Action == "" {
		errs = append(errs, field.Required(field.NewPath("action"), ""))
	} else if len(e.Action) > 128 {
		errs = append(errs, field.Invalid(field.NewPath("action"), "", "can have at most 128 characters"))
	}
	if e.Reason == "" {
		errs = append(errs, field.Required(field.NewPath("reason"), ""))
	} else if len(e.Reason) > 128 {
		errs = append(errs, field.Invalid(field.NewPath("reason"), "", "can have at most 128 characters"))
	}
	if len(e.Message) > 1024 {
		errs = append(errs, field.Invalid(field.NewPath("message"), "", "can have at most 1024 characters"))
	}
	return errs
}

// ValidateLease is upstream's pkg/apis/coordination/validation, ValidateLeaseSpec.
func ValidateLease(l *coordinationv1.Lease) field.ErrorList {
	var errs field.ErrorList
	path := specPath
	if d := l.Spec.LeaseDurationSeconds; d != nil && *d <= 0 {
		errs = append(errs, field.Invalid(path.Child("leaseDurationSeconds"), *d, "must be greater than 0"))
	}
	if n := l.Spec.LeaseTransitions; n != nil && *n < 0 {
		errs = append(errs, field.Invalid(path.Child("leaseTransitions"), *n, isNonNegative))
	}
	return errs
}

package apierrors

import (
	"errors"
	"fmt"
	"testing"

	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
)

var (
	replicaSets = schema.GroupResource{Group: "apps", Resource: "replicasets"}
	pods        = schema.GroupResource{Resource: "pods"}
	modified    = errors.New("the object has been modified; please apply your changes to the latest version and try again")
)

func TestMessages(t *testing.T) {
	negative := field.ErrorList{field.Invalid(field.NewPath("spec", "replicas"), int32(-1), "must be greater than or equal to 0")}
	for _, c := range []struct {
		err  *StatusError
		code int32
		is   func(error) bool
		want string
	}{
		{NewNotFound(replicaSets, "web"), 404, IsNotFound, `replicasets.apps "web" not found`},
		{NewNotFound(pods, "web"), 404, IsNotFound, `pods "web" not found`},
		{NewAlreadyExists(pods, "web"), 409, IsAlreadyExists, `pods "web" already exists`},
		{NewGenerateNameConflict(pods, "web-", 1), 409, IsAlreadyExists,
			`pods "web-" already exists, the server was not able to generate a unique name for the object`},
		{NewConflict(replicaSets, "web", modified), 409, IsConflict,
			`Operation cannot be fulfilled on replicasets.apps "web": the object has been modified; please apply your changes to the latest version and try again`},
		{NewForbidden(pods, "web", errors.New("no")), 403, IsForbidden, `pods "web" is forbidden: no`},
		{NewForbidden(pods, "", errors.New("no")), 403, IsForbidden, `pods is forbidden: no`},
		{NewForbidden(schema.GroupResource{}, "", errors.New("no")), 403, IsForbidden, `forbidden: no`},
		{NewInvalid(schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}, "web", negative), 422, IsInvalid,
			`ReplicaSet.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`},
		{NewInvalid(schema.GroupKind{}, "", negative), 422, IsInvalid, ` "" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`},
		{NewResourceExpired("too old resource version: 5 (12)"), 410, IsResourceExpired, `too old resource version: 5 (12)`},
		{NewMethodNotSupported(pods, "foo"), 405, IsMethodNotSupported, `foo is not supported on resources of kind "pods"`},
		{NewServerTimeout(pods, "get", 2), 500, IsServerTimeout, `The get operation against pods could not be completed at this time, please try again.`},
		{NewInternalError(modified), 500, IsInternalError, `Internal error occurred: ` + modified.Error()},
		{NewTimeoutError("x", 1), 504, IsTimeout, `Timeout: x`},
		{NewUnprocessable(), 422, IsInvalid, `the server rejected our request due to an error in our request`},
		{NewUnsupportedMediaType([]string{"a", "b"}), 415, IsUnsupportedMediaType,
			`the body of the request was in an unknown format - accepted media types include: a, b`},
		{NewBadRequest("50% wrong"), 400, IsBadRequest, `50% wrong`},
	} {
		if c.err.Error() != c.want || c.err.ErrStatus.Code != c.code {
			t.Errorf("got  %d %s\nwant %d %s", c.err.ErrStatus.Code, c.err.Error(), c.code, c.want)
		}
		if wrapped := fmt.Errorf("while testing: %w", c.err); !c.is(wrapped) {
			t.Errorf("%s: the wrapped error is not recognised", c.want)
		}
	}
}

func TestReasonWinsOverCode(t *testing.T) {
	if IsConflict(NewAlreadyExists(pods, "web")) {
		t.Error("already exists counts as a conflict: both are 409, the reason has to tell them apart")
	}
	if !IsNotFound(&StatusError{metav1.Status{Code: 404}}) {
		t.Error("404 without a reason is not found")
	}
	if IsNotFound(nil) || IsConflict(errors.New("x")) {
		t.Error("an error without a status has a reason")
	}
}

func TestCauses(t *testing.T) {
	err := NewInvalid(schema.GroupKind{Kind: "Pod"}, "web", field.ErrorList{
		field.Required(field.NewPath("spec", "containers"), ""),
		field.Duplicate(field.NewPath("spec", "x"), "y"),
	})
	cause, ok := StatusCause(err, metav1.CauseTypeFieldValueDuplicate)
	if want := (metav1.StatusCause{Type: "FieldValueDuplicate", Message: `Duplicate value: "y"`, Field: "spec.x"}); !ok || cause != want {
		t.Errorf("cause: got %+v, want %+v", cause, want)
	}
	if want := `Pod "web" is invalid: [spec.containers: Required value, spec.x: Duplicate value: "y"]`; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	if s, ok := SuggestsClientDelay(NewServerTimeout(pods, "get", 2)); !ok || s != 2 {
		t.Errorf("delay: got %d %v, want 2 true", s, ok)
	}
}

package apierrors

import (
	"errors"

	"kubewalk/playground/api/metav1"
)

// ReasonForError returns the reason of the status that err carries, or wraps; unknown for any other error and for nil.
func ReasonForError(err error) metav1.StatusReason {
	reason, _ := reasonAndCodeForError(err)
	return reason
}

func reasonAndCodeForError(err error) (metav1.StatusReason, int32) {
	var status APIStatus
	if errors.As(err, &status) {
		s := status.Status()
		return s.Reason, s.Code
	}
	return metav1.StatusReasonUnknown, 0
}

// is decides by the reason; only an answer without one is judged by its code.
func is(err error, reason metav1.StatusReason, code int32) bool {
	r, c := reasonAndCodeForError(err)
	return r == reason || r == metav1.StatusReasonUnknown && c == code
}

// IsNotFound says that there is no such object, or resource, or namespace.
func IsNotFound(err error) bool { return is(err, metav1.StatusReasonNotFound, codeNotFound) }

// IsAlreadyExists says that the name is taken.
func IsAlreadyExists(err error) bool {
	return ReasonForError(err) == metav1.StatusReasonAlreadyExists
}

// IsConflict says that the object changed since it was read, or is in no state for the change.
func IsConflict(err error) bool { return is(err, metav1.StatusReasonConflict, codeConflict) }

// IsInvalid says that validation refused the object.
func IsInvalid(err error) bool { return is(err, metav1.StatusReasonInvalid, codeUnprocessableEntity) }

// IsGone says that the resource is no longer there for good.
func IsGone(err error) bool { return is(err, metav1.StatusReasonGone, codeGone) }

// IsResourceExpired says that the resource version is no longer in the history: list again.
func IsResourceExpired(err error) bool { return ReasonForError(err) == metav1.StatusReasonExpired }

// IsUnsupportedMediaType says that the server doesn't know the body's content type.
func IsUnsupportedMediaType(err error) bool {
	return is(err, metav1.StatusReasonUnsupportedMediaType, codeUnsupportedMediaType)
}

// IsMethodNotSupported says that the resource has no such verb.
func IsMethodNotSupported(err error) bool {
	return is(err, metav1.StatusReasonMethodNotAllowed, codeMethodNotAllowed)
}

// IsBadRequest says that the request can't be understood.
func IsBadRequest(err error) bool { return is(err, metav1.StatusReasonBadRequest, codeBadRequest) }

// IsForbidden says that the action is not allowed.
func IsForbidden(err error) bool { return is(err, metav1.StatusReasonForbidden, codeForbidden) }

// IsTimeout says that time ran out, and that the operation may still complete.
func IsTimeout(err error) bool { return is(err, metav1.StatusReasonTimeout, codeGatewayTimeout) }

// IsServerTimeout says that trying again may help.
func IsServerTimeout(err error) bool {
	return ReasonForError(err) == metav1.StatusReasonServerTimeout
}

// IsInternalError says that the server itself failed.
func IsInternalError(err error) bool {
	return is(err, metav1.StatusReasonInternalError, codeInternalServerError)
}

// IsTooManyRequests says that the client has to wait. The code alone decides too, whatever the reason.
func IsTooManyRequests(err error) bool {
	reason, code := reasonAndCodeForError(err)
	return reason == metav1.StatusReasonTooManyRequests || code == codeTooManyRequests
}

// SuggestsClientDelay returns how many seconds the server wants the client to wait.
func SuggestsClientDelay(err error) (seconds int, ok bool) {
	var status APIStatus
	if !errors.As(err, &status) {
		return 0, false
	}
	s := status.Status()
	if s.Details == nil {
		return 0, false
	}
	if s.Reason == metav1.StatusReasonServerTimeout || s.Details.RetryAfterSeconds > 0 {
		return int(s.Details.RetryAfterSeconds), true
	}
	return 0, false
}

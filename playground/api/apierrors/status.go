// Package apierrors is what the API server answers when it refuses: a Status as a Go error. Clients decide by its reason
// (IsNotFound, IsConflict …), never by its text; people read the text, which is word for word that of a real server.
//
// Names and texts are those of upstream's k8s.io/apimachinery/pkg/api/errors. What has to do with other servers' answers
// (NewGenericServerResponse, ErrorReporter) is absent: nobody else answers here.
package apierrors

import (
	"errors"
	"fmt"

	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
)

// The HTTP codes of answers. net/http has them too, but costs the WebAssembly half a megabyte.
const (
	codeBadRequest            = 400
	codeUnauthorized          = 401
	codeForbidden             = 403
	codeNotFound              = 404
	codeMethodNotAllowed      = 405
	codeConflict              = 409
	codeGone                  = 410
	codeRequestEntityTooLarge = 413
	codeUnsupportedMediaType  = 415
	codeUnprocessableEntity   = 422
	codeTooManyRequests       = 429
	codeInternalServerError   = 500
	codeServiceUnavailable    = 503
	codeGatewayTimeout        = 504
)

// StatusError is a refusal as an error.
type StatusError struct {
	ErrStatus metav1.Status
}

// APIStatus is implemented by errors that carry a Status.
type APIStatus interface {
	Status() metav1.Status
}

// Error is the status' message.
func (e *StatusError) Error() string { return e.ErrStatus.Message }

// Status is what the server answered.
func (e *StatusError) Status() metav1.Status { return e.ErrStatus }

// FromStatus makes an error of a status, as a watch delivers one in an ERROR event.
// Upstream: errors.go, FromObject.
func FromStatus(status *metav1.Status) *StatusError { return &StatusError{*status} }

func failure(code int32, reason metav1.StatusReason, details *metav1.StatusDetails, format string, args ...any) *StatusError {
	return &StatusError{metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    code,
		Reason:  reason,
		Details: details,
		Message: fmt.Sprintf(format, args...),
	}}
}

func about(resource schema.GroupResource, name string) *metav1.StatusDetails {
	return &metav1.StatusDetails{Group: resource.Group, Kind: resource.Resource, Name: name}
}

// NewNotFound says that there is no object of that name.
func NewNotFound(resource schema.GroupResource, name string) *StatusError {
	return failure(codeNotFound, metav1.StatusReasonNotFound, about(resource, name), "%s %q not found", resource, name)
}

// NewAlreadyExists says that the name is taken.
func NewAlreadyExists(resource schema.GroupResource, name string) *StatusError {
	return failure(codeConflict, metav1.StatusReasonAlreadyExists, about(resource, name), "%s %q already exists", resource, name)
}

// NewGenerateNameConflict says that no free name was found for a generateName.
func NewGenerateNameConflict(resource schema.GroupResource, name string, retryAfterSeconds int) *StatusError {
	details := about(resource, name)
	details.RetryAfterSeconds = int32(retryAfterSeconds)
	return failure(codeConflict, metav1.StatusReasonAlreadyExists, details,
		"%s %q already exists, the server was not able to generate a unique name for the object", resource, name)
}

// NewForbidden says that the action is not allowed.
func NewForbidden(resource schema.GroupResource, name string, err error) *StatusError {
	what := resource.String() + " is "
	if resource.Empty() {
		what = ""
	} else if name != "" {
		what = fmt.Sprintf("%s %q is ", resource, name)
	}
	return failure(codeForbidden, metav1.StatusReasonForbidden, about(resource, name), "%sforbidden: %v", what, err)
}

// NewConflict says that the object is in no state for the change; most often it changed since it was read.
func NewConflict(resource schema.GroupResource, name string, err error) *StatusError {
	return failure(codeConflict, metav1.StatusReasonConflict, about(resource, name),
		"Operation cannot be fulfilled on %s %q: %v", resource, name, err)
}

// NewApplyConflict says that an apply would change what others manage.
func NewApplyConflict(causes []metav1.StatusCause, message string) *StatusError {
	return failure(codeConflict, metav1.StatusReasonConflict, &metav1.StatusDetails{Causes: causes}, "%s", message)
}

// NewResourceExpired says that the resource version asked for is no longer in the history.
func NewResourceExpired(message string) *StatusError {
	return failure(codeGone, metav1.StatusReasonExpired, nil, "%s", message)
}

// NewInvalid says what is wrong with an object, each mistake also as a cause.
func NewInvalid(kind schema.GroupKind, name string, errs field.ErrorList) *StatusError {
	causes := make([]metav1.StatusCause, 0, len(errs))
	for _, err := range errs {
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseType(err.Type), Message: err.ErrorBody(), Field: err.Field})
	}
	details := &metav1.StatusDetails{Group: kind.Group, Kind: kind.Kind, Name: name, Causes: causes}
	message := fmt.Sprintf("%s %q is invalid", kind, name)
	if err := errs.ToAggregate(); err != nil {
		message += ": " + err.Error()
	}
	return failure(codeUnprocessableEntity, metav1.StatusReasonInvalid, details, "%s", message)
}

// NewBadRequest says that the request can't be understood.
func NewBadRequest(reason string) *StatusError {
	return failure(codeBadRequest, metav1.StatusReasonBadRequest, nil, "%s", reason)
}

// NewUnrecognized says that a body is nothing of the kind that it should be. Upstream: apiserver/pkg/endpoints/handlers/create.go,
// transformDecodeError, and rest.go, summarizeData.
func NewUnrecognized(kind string, err error, body []byte) *StatusError {
	const most = 30
	summary, end := body[:min(len(body), most)], ""
	if len(body) > most {
		end = " ..."
	}
	switch {
	case len(body) == 0:
		end = "<empty>"
	case body[0] != '{':
		summary = fmt.Appendf(nil, "%x", summary)
	}
	return NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s%s)", kind, err, summary, end))
}

// NewTooManyRequests says that the client has to wait.
func NewTooManyRequests(message string, retryAfterSeconds int) *StatusError {
	return failure(codeTooManyRequests, metav1.StatusReasonTooManyRequests,
		&metav1.StatusDetails{RetryAfterSeconds: int32(retryAfterSeconds)}, "%s", message)
}

// NewUnauthorized says that nobody knows who asks. Upstream: errors.go, the function of that name.
func NewUnauthorized(reason string) *StatusError {
	return failure(codeUnauthorized, metav1.StatusReasonUnauthorized, nil, "%s", reason)
}

// NewServiceUnavailable says that the service is down.
func NewServiceUnavailable(reason string) *StatusError {
	return failure(codeServiceUnavailable, metav1.StatusReasonServiceUnavailable, nil, "%s", reason)
}

// NewMethodNotSupported says that the resource has no such verb.
func NewMethodNotSupported(resource schema.GroupResource, action string) *StatusError {
	return failure(codeMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, about(resource, ""),
		"%s is not supported on resources of kind %q", action, resource)
}

// NewServerTimeout says that the server could not finish, and that trying again may help.
func NewServerTimeout(resource schema.GroupResource, operation string, retryAfterSeconds int) *StatusError {
	details := about(resource, operation)
	details.RetryAfterSeconds = int32(retryAfterSeconds)
	return failure(codeInternalServerError, metav1.StatusReasonServerTimeout, details,
		"The %s operation against %s could not be completed at this time, please try again.", operation, resource)
}

// NewInternalError says that the server itself failed.
func NewInternalError(err error) *StatusError {
	return failure(codeInternalServerError, metav1.StatusReasonInternalError,
		&metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: err.Error()}}}, "Internal error occurred: %v", err)
}

// NewTimeoutError says that time ran out; the operation may still complete.
func NewTimeoutError(message string, retryAfterSeconds int) *StatusError {
	return failure(codeGatewayTimeout, metav1.StatusReasonTimeout,
		&metav1.StatusDetails{RetryAfterSeconds: int32(retryAfterSeconds)}, "Timeout: %s", message)
}

// NewRequestEntityTooLargeError says that the body, or a patch's result, is too big.
func NewRequestEntityTooLargeError(message string) *StatusError {
	return failure(codeRequestEntityTooLarge, metav1.StatusReasonRequestEntityTooLarge, nil, "Request entity too large: %s", message)
}

// NewUnsupportedMediaType says that the body's content type is none of those served.
// Upstream: apiserver/pkg/endpoints/handlers/negotiation/errors.go, NewUnsupportedMediaTypeError.
func NewUnsupportedMediaType(accepted []string) *StatusError {
	list := ""
	for i, a := range accepted {
		if i > 0 {
			list += ", "
		}
		list += a
	}
	return failure(codeUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType, nil,
		"the body of the request was in an unknown format - accepted media types include: %s", list)
}

// NewUnprocessable says, without saying more, that the request can't be applied: what a JSON patch gets whose path leads
// nowhere. Upstream: errors.go, NewGenericServerResponse, for code 422.
func NewUnprocessable() *StatusError {
	return failure(codeUnprocessableEntity, metav1.StatusReasonInvalid, &metav1.StatusDetails{},
		"the server rejected our request due to an error in our request")
}

// StatusCause returns the first cause of that type.
func StatusCause(err error, name metav1.CauseType) (metav1.StatusCause, bool) {
	var status APIStatus
	if errors.As(err, &status) {
		if details := status.Status().Details; details != nil {
			for _, cause := range details.Causes {
				if cause.Type == name {
					return cause, true
				}
			}
		}
	}
	return metav1.StatusCause{}, false
}

// HasStatusCause says that there is a cause of that type.
func HasStatusCause(err error, name metav1.CauseType) bool {
	_, ok := StatusCause(err, name)
	return ok
}

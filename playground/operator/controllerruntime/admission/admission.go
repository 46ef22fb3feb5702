// Package admission turns a review, which the API server sends to a webhook, into a call of an author's method, and what that returns into an answer.
// Upstream: controller-runtime/pkg/webhook/admission.
package admission

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/operator/controllerruntime/context"
)

// Warnings are shown to whoever asked for the change.
type Warnings []string

// Defaulter fills in what a user has left out.
type Defaulter[T api.Object] interface {
	Default(ctx context.Context, obj T) error
}

// Validator refuses a change with an error.
type Validator[T api.Object] interface {
	ValidateCreate(ctx context.Context, obj T) (Warnings, error)
	ValidateUpdate(ctx context.Context, before, now T) (Warnings, error)
	ValidateDelete(ctx context.Context, obj T) (Warnings, error)
}

// Request is what a review asks. Upstream: k8s.io/api/admission/v1, AdmissionRequest.
type Request struct {
	UID       string          `json:"uid"`
	Operation string          `json:"operation"`
	Object    json.RawMessage `json:"object,omitempty"`
	OldObject json.RawMessage `json:"oldObject,omitempty"`
}

// Response is what a webhook answers. Upstream: k8s.io/api/admission/v1, AdmissionResponse.
type Response struct {
	UID       string         `json:"uid"`
	Allowed   bool           `json:"allowed"`
	Status    *metav1.Status `json:"status,omitempty"`
	Patch     []byte         `json:"patch,omitempty"`
	PatchType string         `json:"patchType,omitempty"`
	Warnings  Warnings       `json:"warnings,omitempty"`
}

// Handler answers a request.
type Handler func(ctx context.Context, r *Request) Response

// WithDefaulter calls a defaulter.
func WithDefaulter[T api.Object](defaulter Defaulter[T]) Handler {
	return func(ctx context.Context, r *Request) Response {
		obj, err := decode[T](r.Object)
		if err != nil {
			return refused(400, "BadRequest", err)
		}
		if err := defaulter.Default(ctx, obj); err != nil {
			return refused(403, "Forbidden", err)
		}
		return patched(r.Object, obj)
	}
}

// WithValidator calls a validator.
func WithValidator[T api.Object](validator Validator[T]) Handler {
	return func(ctx context.Context, r *Request) Response {
		now, err := decode[T](r.Object)
		before, errBefore := decode[T](r.OldObject)
		if err != nil || errBefore != nil {
			return refused(400, "BadRequest", err)
		}
		var warnings Warnings
		switch r.Operation {
		case "CREATE":
			warnings, err = validator.ValidateCreate(ctx, now)
		case "UPDATE":
			warnings, err = validator.ValidateUpdate(ctx, before, now)
		case "DELETE":
			warnings, err = validator.ValidateDelete(ctx, before)
		}
		answer := Response{Allowed: true}
		if err != nil {
			answer = refused(403, "Forbidden", err)
		}
		answer.Warnings = warnings
		return answer
	}
}

// decode makes an object of JSON; of none, an empty one.
func decode[T api.Object](text json.RawMessage) (T, error) {
	obj := reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T)
	if len(text) == 0 {
		return obj, nil
	}
	return obj, json.Unmarshal(text, obj)
}

func refused(code int32, reason metav1.StatusReason, err error) Response {
	return Response{Status: &metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: err.Error()}}
}

// operation is one of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// patched allows an object, with what was changed in it as a JSON patch. Fields that the Go type doesn't have stay, and so does what a defaulter
// has emptied: nothing is removed.
func patched(before json.RawMessage, obj any) Response {
	var was, is map[string]any
	text, err := json.Marshal(obj)
	if err == nil {
		err = json.Unmarshal(text, &is)
	}
	if err == nil {
		err = json.Unmarshal(before, &was)
	}
	if err != nil {
		return refused(500, "InternalError", err)
	}
	out := Response{Allowed: true}
	if operations := differences("", was, is); len(operations) > 0 {
		out.Patch, _ = json.Marshal(operations) // made of JSON
		out.PatchType = "JSONPatch"
	}
	return out
}

func differences(path string, was, is map[string]any) (out []operation) {
	for _, name := range slices.Sorted(maps.Keys(is)) {
		at := path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		before, there := was[name]
		inner, isMap := is[name].(map[string]any)
		outer, wasMap := before.(map[string]any)
		switch {
		case isMap && wasMap:
			out = append(out, differences(at, outer, inner)...)
		case !there:
			out = append(out, operation{"add", at, is[name]})
		case !reflect.DeepEqual(before, is[name]):
			out = append(out, operation{"replace", at, is[name]})
		}
	}
	return out
}

package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"kubewalk/playground/api/schema"
)

// DecodeError says why JSON is not an object. GVK is what the JSON claims to be, as far as that could be read; with it
// the API server makes `ReplicaSet in version "v1" cannot be handled as a ReplicaSet: …` of the error.
type DecodeError struct {
	GVK GroupVersionKind
	// Err is a *StrictError, a *TypeError, or another error of the JSON.
	Err error
}

func (e *DecodeError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *DecodeError) Unwrap() error { return e.Err }

// StrictError lists the fields that are unknown or given twice, in the order of the JSON, at most 100.
// Upstream: apimachinery/pkg/runtime/error.go, strictDecodingError.
type StrictError struct{ Fields []FieldError }

func (e *StrictError) Error() string {
	list := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		list[i] = f.Error()
	}
	return "strict decoding error: " + strings.Join(list, ", ")
}

// FieldError is one field that strict decoding refuses. Path is as in `spec.template.spec.containers[0].imag`.
type FieldError struct {
	Duplicate bool
	Path      string
}

func (e FieldError) Error() string {
	if e.Duplicate {
		return fmt.Sprintf("duplicate field %q", e.Path)
	}
	return fmt.Sprintf("unknown field %q", e.Path)
}

// TypeError says that a value is of the wrong type: `json: cannot unmarshal string into Go struct field
// ReplicaSetSpec.spec.replicas of type int32`.
type TypeError struct{ *json.UnmarshalTypeError }

// Error names types as upstream, whose packages are called by their version alone: batchv1.JobSpec is v1.JobSpec.
func (e *TypeError) Error() string {
	typ := e.Type.String()
	if i := strings.IndexByte(typ, '.'); i >= 2 && (typ[i-2:i] == "v1" || typ[i-2:i] == "v2") {
		start := strings.LastIndexAny(typ[:i], "[]*") + 1
		typ = typ[:start] + typ[i-2:]
	}
	if e.Struct != "" || e.Field != "" {
		return "json: cannot unmarshal " + e.Value + " into Go struct field " + e.Struct + "." + e.Field + " of type " + typ
	}
	return "json: cannot unmarshal " + e.Value + " into Go value of type " + typ
}

// Unwrap returns the error of encoding/json.
func (e *TypeError) Unwrap() error { return e.UnmarshalTypeError }

// DecodeStrict makes an object of JSON and refuses unknown and repeated fields. What apiVersion and kind leave open is
// taken from defaults, which may be nil. The error is a *DecodeError.
// Upstream: apimachinery/pkg/runtime/serializer/json/json.go, Serializer.Decode.
func DecodeStrict(data []byte, defaults *GroupVersionKind) (Object, error) {
	obj, strict, err := Decode(data, defaults)
	if err == nil && strict != nil {
		err = &DecodeError{obj.GetObjectKind().GroupVersionKind(), strict}
	}
	if err != nil {
		return nil, err
	}
	return obj, nil
}

// Decode is DecodeStrict for requests that want to be warned only: unknown fields are left out, of repeated ones the
// last counts, and strict, if not nil, lists them.
func Decode(data []byte, defaults *GroupVersionKind) (obj Object, strict *StrictError, err error) {
	gvk, err := ReadKind(data, defaults)
	if err == nil {
		obj, err = newObject(gvk, data)
	}
	if err == nil {
		strict, err = DecodeInto(data, obj)
	}
	if err != nil {
		return nil, nil, &DecodeError{gvk, err}
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return obj, strict, nil
}

// DecodeInto reads JSON into what a pointer points to: options, a list, a Status. Names of fields are case-sensitive.
func DecodeInto(data []byte, into any) (strict *StrictError, err error) {
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, err
	}
	c := checker{data: data, seen: map[FieldError]bool{}, fields: map[reflect.Type]map[string]reflect.Type{}}
	c.value(reflect.TypeOf(into), "")
	if len(c.cuts) > 0 {
		data = c.withoutCuts()
	}
	if err := json.Unmarshal(data, into); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			err = &TypeError{wrong}
		}
		return nil, err
	}
	if len(c.found) > 0 {
		strict = &StrictError{c.found}
	}
	return strict, nil
}

// ReadKind reads apiVersion and kind of JSON. What they leave open is taken from defaults, which may be nil.
func ReadKind(data []byte, defaults *GroupVersionKind) (GroupVersionKind, error) {
	var head struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return GroupVersionKind{}, fmt.Errorf("couldn't get version/kind; json parse error: %v", err)
	}
	gv, err := schema.ParseGroupVersion(head.APIVersion)
	if err != nil {
		return GroupVersionKind{}, err
	}
	return withDefaults(gv.WithKind(head.Kind), defaults), nil
}

// withDefaults is upstream's serializer/json.gvkWithDefaults.
func withDefaults(gvk GroupVersionKind, defaults *GroupVersionKind) GroupVersionKind {
	if defaults == nil {
		return gvk
	}
	if gvk.Kind == "" {
		gvk.Kind = defaults.Kind
	}
	if gvk.Version == "" && gvk.Group == "" {
		gvk.Group, gvk.Version = defaults.Group, defaults.Version
	}
	if gvk.Version == "" && gvk.Group == defaults.Group {
		gvk.Version = defaults.Version
	}
	return gvk
}

func newObject(gvk GroupVersionKind, data []byte) (Object, error) {
	switch {
	case gvk.Kind == "":
		return nil, fmt.Errorf("Object 'Kind' is missing in '%s'", data)
	case gvk.Version == "":
		return nil, fmt.Errorf("Object 'apiVersion' is missing in '%s'", data)
	}
	k := KindFor(gvk)
	if k == nil {
		return nil, fmt.Errorf("no kind %q is registered for version %q in scheme %q",
			gvk.Kind, gvk.GroupVersion(), "pkg/api/legacyscheme/scheme.go:30")
	}
	return k.New(), nil
}

// Encode writes an object, a list, options or a Status as JSON: fields in the order of the type, maps by key. Upstream
// ends a body with a newline, which is left to the host.
func Encode(v any) ([]byte, error) { return json.Marshal(v) }

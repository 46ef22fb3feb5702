package apiserver

import (
	"errors"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/defaults"
	"kubewalk/playground/controlplane/apiserver/registry"
)

// decode makes the object of a request's body: JSON strictly, objects as they would come out of JSON. Defaults are filled
// in, and the object is the server's own. Upstream: endpoints/handlers/create.go and update.go, Decoder with defaulting.
func (s *Server) decode(c *call, e *registry.Store) (api.Object, error) {
	r := c.Request
	kind := e.Kind.GroupVersionKind
	if r.Subresource != "" {
		sub, _ := e.Kind.Subresource(r.Subresource)
		kind = sub.Kind
	}
	var obj api.Object
	switch {
	case r.Body != nil:
		var err error
		if obj, err = c.decodeBody(e, r.Body, &kind); err != nil {
			return nil, transformDecodeError(kind, err, r.Body)
		}
	case r.Object != nil:
		obj = r.Object.DeepCopyObject()
	default:
		return nil, apierrors.NewBadRequest("request body is empty")
	}
	found := kindOf(obj)
	if found.GroupVersion() != kind.GroupVersion() {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", found.GroupVersion(),
			kind.GroupVersion()))
	}
	if found != kind {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: converting (%s) to (%s): unknown conversion", found.Kind,
			found.Version, kind.Kind, found, kind))
	}
	api.SetKind(obj)
	settle(obj)
	defaults.Set(obj)
	return e.Stored(obj), nil
}

// kindOf is what an object says that it is, if only its words tell, or else what its Go type is.
func kindOf(obj api.Object) api.GroupVersionKind {
	if u, ok := obj.(*api.Unstructured); ok {
		return u.GroupVersionKind()
	}
	return api.KindOf(obj).GroupVersionKind
}

// decodeBody decodes JSON as strictly as the request wants it.
// Upstream: endpoints/handlers/rest.go, and handlers/create.go, by fieldValidation.
func (c *call) decodeBody(e *registry.Store, text []byte, kind *api.GroupVersionKind) (api.Object, error) {
	obj, strict, err := decodeAs(e, text, kind)
	if missing := missingKind(nil); errors.As(err, &missing) && c.Request.FieldValidation != metav1.FieldValidationIgnore {
		err = &api.DecodeError{Err: missing} // a strict decoder does not guess; upstream: serializer/json/json.go, Decode
	}
	if err != nil || strict == nil {
		return obj, err
	}
	switch c.Request.FieldValidation {
	case metav1.FieldValidationIgnore:
	case metav1.FieldValidationWarn:
		for _, f := range strict.Fields {
			c.Warn(f.Error())
		}
	default:
		return nil, &api.DecodeError{GVK: obj.GetObjectKind().GroupVersionKind(), Err: strict}
	}
	return obj, nil
}

// decodeAs decodes JSON as an object of the registry's kind, or what a subresource of it takes. There is no registry of reviews.
func decodeAs(e *registry.Store, text []byte, kind *api.GroupVersionKind) (api.Object, *api.StrictError, error) {
	if e == nil || e.Custom == nil || *kind != e.Kind.GroupVersionKind {
		return api.Decode(text, kind)
	}
	obj, strict, err := e.Custom.Decode(text, kind)
	if err != nil {
		return nil, nil, err
	}
	own, _ := api.ReadKind(text, nil) // it has been read a moment ago
	if own.Kind == "" {
		return nil, nil, &api.DecodeError{GVK: *kind, Err: missingKind(text)}
	}
	obj.SetGroupVersionKind(own)
	return obj, strict, nil
}

// missingKind is a body that does not say its kind, which one of a custom kind has to.
// Upstream: apimachinery/pkg/apis/meta/v1/unstructured/helpers.go, unstructuredJSONScheme.Decode.
type missingKind []byte

func (m missingKind) Error() string { return "Object 'Kind' is missing in '" + string(m) + "'" }

// transformDecodeError is upstream's endpoints/handlers/create.go, the function of that name.
func transformDecodeError(kind api.GroupVersionKind, err error, body []byte) error {
	var d *api.DecodeError
	if errors.As(err, &d) && d.GVK.Kind != "" {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", d.GVK.Kind, d.GVK.Version, kind.Kind, err))
	}
	return apierrors.NewUnrecognized(kind.Kind, err, body)
}

func invalidDelete(name, value, detail string) field.ErrorList {
	return field.ErrorList{field.Invalid(field.NewPath(name), value, detail)}
}

func unsupportedDelete(name, value string) field.ErrorList {
	return field.ErrorList{field.NotSupported(field.NewPath(name), value, []string{"Foreground", "Background", "Orphan", "nil"})}
}

package apiserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/patching"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver/defaults"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// patchHandler applies a patch to what there is, again and again if somebody else writes meanwhile, and then goes the
// way of an update. Upstream: endpoints/handlers/patch.go, PatchResource and patcher.
func (s *Server) patchHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, int32, error) {
	r := c.Request
	apply := false
	switch r.PatchType {
	case types.StrategicMergePatchType:
		if e.Custom != nil && r.Subresource != "scale" {
			return nil, 0, apierrors.NewUnsupportedMediaType(customPatchTypes)
		}
	case types.JSONPatchType, types.MergePatchType:
	case types.ApplyPatchType:
		apply = true
	default:
		return nil, 0, apierrors.NewUnsupportedMediaType(patchTypes)
	}
	if err := validatePatchOptions(r, apply); err != nil {
		return nil, 0, err
	}
	if apply {
		result, created, err := s.applyHandler(p, c, e)
		return result, okCode(created), err
	}
	kind := e.Kind.GroupVersionKind
	if sub, ok := e.Kind.Subresource(r.Subresource); ok {
		kind = sub.Kind
	}
	patched := func(p *sim.Proc, old api.Object) (api.Object, error) {
		if old == nil {
			return nil, apierrors.NewNotFound(e.Kind.GroupResource(), r.Name)
		}
		before := e.Served(old)
		if obj, ok := applyStatus(r, before); ok {
			return obj, nil
		}
		if bytes.Contains(r.PatchText(), []byte("managedFields")) {
			before = e.Served(s.withManagedFields(e, old))
		}
		obj, err := s.applyPatch(c, e, kind, before)
		if err != nil {
			return nil, err
		}
		return e.Stored(obj), nil
	}
	// A patch never creates, whatever the kind's strategy says of PUT.
	if _, err := e.Get(p, r.Namespace, r.Name); err != nil {
		return nil, 0, err
	}
	result, _, err := s.update(p, c, e, patched)
	return result, statusOK, err
}

func okCode(created bool) int32 {
	if created {
		return statusCreated
	}
	return statusOK
}

// applyStatus carries out a patch of a status that needs no JSON. What defaults say of a Pod concerns its spec, which stays.
func applyStatus(r *client.Request, old api.Object) (obj api.Object, ok bool) {
	if r.Status == nil || r.Subresource != "status" {
		return nil, false
	}
	obj, ok = r.Status.Apply(old)
	if node, isNode := obj.(*corev1.Node); isNode {
		defaults.Set(node)
	}
	return obj, ok
}

// applyPatch makes a new object of an old one. Patches of the ordinary kind do not go through JSON.
func (s *Server) applyPatch(c *call, e *registry.Store, kind api.GroupVersionKind, old api.Object) (api.Object, error) {
	r := c.Request
	if _, ok := old.(*api.Unstructured); ok {
		return applyPatchToJSON(c, e, kind, old)
	}
	if r.PatchType != types.JSONPatchType {
		obj := old.DeepCopyObject()
		if s.merger.Merge(obj, r.PatchText(), r.PatchType == types.StrategicMergePatchType) {
			return asPatched(obj, old, kind)
		}
	}
	if r.PatchType != types.JSONPatchType {
		if obj, ok := applyPatchToPart(c, kind, old); ok {
			return obj, nil
		}
	}
	return applyPatchToJSON(c, e, kind, old)
}

// applyPatchToPart takes only that part of an object through JSON which a patch is about: of a Pod whose status is
// patched, the status. ok is false when the patch is about the whole, or something is wrong with it; then nothing is decided.
func applyPatchToPart(c *call, kind api.GroupVersionKind, old api.Object) (obj api.Object, ok bool) {
	var keys map[string]json.RawMessage
	if json.Unmarshal(c.Request.PatchText(), &keys) != nil {
		return nil, false
	}
	for key := range keys { // order: any will do
		if strings.HasPrefix(key, "$") || key == "apiVersion" || key == "kind" {
			return nil, false
		}
	}
	rest := old.DeepCopyObject()
	part := reflect.New(reflect.TypeOf(old).Elem())
	part.Elem().Set(reflect.ValueOf(rest).Elem())
	var aside []int
	for i := range part.Elem().NumField() {
		f := part.Elem().Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, patched := keys[name]; patched || f.Anonymous {
			continue // names and versions are always looked at
		}
		part.Elem().Field(i).SetZero()
		aside = append(aside, i)
	}
	before, err := api.Encode(part.Interface())
	if err != nil {
		return nil, false
	}
	after, err := patching.Apply(c.Request.PatchType, c.Request.PatchText(), before, reflect.TypeOf(old))
	if err != nil {
		return nil, false
	}
	// Warnings are the long way's business, so whatever is unknown goes there.
	if obj, err = api.DecodeStrict(after, &kind); err != nil {
		return nil, false
	}
	for _, i := range aside {
		reflect.ValueOf(obj).Elem().Field(i).Set(reflect.ValueOf(rest).Elem().Field(i))
	}
	obj, err = asPatched(obj, old, kind)
	return obj, err == nil
}

// applyPatchToJSON is applyPatch for every patch, and the judge of what is wrong with one.
func applyPatchToJSON(c *call, e *registry.Store, kind api.GroupVersionKind, old api.Object) (api.Object, error) {
	before, err := api.Encode(old)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	after, err := patching.Apply(c.Request.PatchType, c.Request.PatchText(), before, reflect.TypeOf(old))
	if err != nil {
		return nil, err
	}
	obj, err := c.decodeBody(e, after, &kind)
	if err != nil {
		return nil, apierrors.NewInvalid(api.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), string(after), err.Error())})
	}
	return asPatched(obj, old, kind)
}

// asPatched checks that a patch has not made another object of an object.
func asPatched(obj, old api.Object, kind api.GroupVersionKind) (api.Object, error) {
	if found := kindOf(obj); found != kind {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)",
			found.GroupVersion(), kind.GroupVersion()))
	}
	if obj.GetName() != old.GetName() {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", obj.GetName(), old.GetName()))
	}
	if obj.GetNamespace() != old.GetNamespace() {
		return nil, apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	api.SetKind(obj)
	defaults.Set(obj)
	return obj, nil
}

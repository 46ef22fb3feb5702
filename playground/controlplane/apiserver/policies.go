//go:build !js || cel

package apiserver

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/managedfields"
	"kubewalk/playground/api/patching"
	"kubewalk/playground/controlplane/apiserver/defaults"
)

// What mutating policies want of the server.

func init() { byPolicy = policyPatches{} }

type policyPatches struct{}

// patched is upstream's admission/plugin/policy/mutating/patch/json_patch.go, the end of jsonPatcher.Patch.
func (policyPatches) patched(s *Server, kind *api.Kind, obj api.Object, text []byte) (api.Object, error) {
	before, err := api.Encode(obj)
	if err != nil {
		return nil, fmt.Errorf("failed to create JSON patch: %w", err)
	}
	patch, err := jsonpatch.DecodePatch(text)
	var after []byte
	if err == nil {
		after, err = patching.SafeApply(patch, before)
	}
	switch {
	case errors.Is(err, jsonpatch.ErrTestFailed):
		return obj, nil
	case err != nil:
		return nil, fmt.Errorf("JSON Patch: %w", err)
	}
	changed, strict, err := s.decodeChanged(kind, obj, after)
	if err == nil && strict != nil {
		err = strict
	}
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return changed, nil
}

// applied is upstream's admission/plugin/policy/mutating/patch/smd.go, ApplyStructuredMergeDiff.
func (policyPatches) applied(s *Server, kind *api.Kind, obj api.Object, patch map[string]any) (api.Object, error) {
	gvk := kindOf(obj)
	patch["apiVersion"], patch["kind"] = gvk.GroupVersion().String(), gvk.Kind
	var t *managedfields.Type
	if _, ok := obj.(*api.Unstructured); ok {
		t = s.owners.types.For(kind)
	} else {
		t = s.owners.types.Of(reflect.TypeOf(obj))
	}
	if err := t.Validate(patch); err != nil {
		return nil, fmt.Errorf("error applying patch: failed to convert patch object to typed object: %w", err)
	}
	if atomics := t.Atomics(patch); len(atomics) > 0 {
		return nil, fmt.Errorf("error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %v", strings.Join(atomics, ", "))
	}
	changed, _, err := s.decodeChanged(kind, obj, managedfields.Text(t.Merge(managedfields.Tree(obj), patch)))
	return changed, err
}

// decodeChanged makes the object of one that was changed as JSON.
func (s *Server) decodeChanged(kind *api.Kind, obj api.Object, text []byte) (api.Object, *api.StrictError, error) {
	e := s.registries[kind.GroupVersionResource()]
	own := kindOf(obj)
	changed, strict, err := decodeAs(e, text, &own)
	if err != nil {
		return nil, nil, err
	}
	settle(changed)
	defaults.Set(changed)
	if e != nil {
		changed = e.Stored(changed)
	}
	return changed, strict, nil
}

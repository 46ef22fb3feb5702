// Package patching carries out patches of JSON, and refuses those that cannot be, for every server of the API.
package patching

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
)

// maxJSONPatchOperations is upstream's endpoints/handlers/patch.go, the constant of that name.
const maxJSONPatchOperations = 10000

// Apply patches the JSON of an object. of is its Go type, by which strategic merge patches go.
// Upstream: endpoints/handlers/patch.go, jsonPatcher.applyJSPatch.
func Apply(how types.PatchType, text, before []byte, of reflect.Type) (after []byte, err error) {
	if how == types.StrategicMergePatchType {
		// Upstream: endpoints/handlers/patch.go, smpPatcher.
		after, err = strategicpatch.StrategicMergePatch(before, text, of)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return after, nil
	}
	if how == types.MergePatchType {
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
		}
		after, err = jsonpatch.MergePatch(before, text)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return after, nil
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if len(patch) > maxJSONPatchOperations {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxJSONPatchOperations,
			len(patch)))
	}
	after, err = SafeApply(patch, before)
	if err != nil {
		return nil, apierrors.NewUnprocessable()
	}
	return after, nil
}

// SafeApply shields the server from operations on which the library panics ("null" as an operation or a document).
func SafeApply(patch jsonpatch.Patch, before []byte) (after []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("json patch panicked")
		}
	}()
	return patch.Apply(before)
}

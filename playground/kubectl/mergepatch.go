package kubectl

import (
	"encoding/json"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// threeWayMergePatch is the patch with which apply changes an object that only a definition describes: what the manifest says
// otherwise than the live object, and nulls for what it no longer says.
// Upstream: apimachinery/pkg/util/jsonmergepatch/patch.go, CreateThreeWayJSONMergePatch.
func threeWayMergePatch(original, modified, current []byte) ([]byte, error) {
	if len(original) == 0 {
		original = []byte("{}")
	}
	changes, err := partOfMergePatch(current, modified, false)
	if err != nil {
		return nil, err
	}
	deletions, err := partOfMergePatch(original, modified, true)
	if err != nil {
		return nil, err
	}
	return jsonpatch.MergeMergePatches(changes, deletions)
}

// partOfMergePatch is the patch that makes one document of another, with the deletions alone or without them.
func partOfMergePatch(from, to []byte, deletions bool) ([]byte, error) {
	patch, err := jsonpatch.CreateMergePatch(from, to)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := decode(patch, &tree); err != nil {
		return nil, err
	}
	return json.Marshal(onlyNulls(tree, deletions))
}

// onlyNulls keeps the nulls of a patch, or everything else.
func onlyNulls(tree map[string]any, keep bool) map[string]any {
	out := map[string]any{}
	for name, v := range tree { // order: each fills its own key
		switch v := v.(type) {
		case nil:
			if keep {
				out[name] = nil
			}
		case map[string]any:
			if inner := onlyNulls(v, keep); len(inner) > 0 || !keep && len(v) == 0 {
				out[name] = inner
			}
		default:
			if !keep {
				out[name] = v
			}
		}
	}
	return out
}

package kubectl

import (
	"encoding/json"
	"reflect"
	"strings"

	"kubewalk/playground/api"
)

// LastApplied is the annotation in which apply keeps what it was given.
// Upstream: corev1.LastAppliedConfigAnnotation.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// annotate writes a manifest into its own annotation.
func annotate(tree map[string]any, text []byte) {
	meta, _ := tree["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		tree["metadata"] = meta
	}
	annotations, _ := meta["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
		meta["annotations"] = annotations
	}
	annotations[LastApplied] = strings.TrimSpace(string(text)) + "\n"
}

// threeWay makes the merge patch that brings a live object to a manifest: what
// the manifest sets is set, what the last one set and this one does not is
// removed, and the rest is left alone. It returns nil when nothing changes.
//
// Upstream: apimachinery util/jsonmergepatch CreateThreeWayJSONMergePatch.
func threeWay(live api.Object, manifest map[string]any, text []byte) ([]byte, error) {
	encoded, err := api.Encode(live)
	if err != nil {
		return nil, err
	}
	var current, last map[string]any
	if err := json.Unmarshal(encoded, &current); err != nil {
		return nil, err
	}
	if said := live.GetAnnotations()[LastApplied]; said != "" {
		// Somebody may have written nonsense there: then nothing is known to have been removed.
		if json.Unmarshal([]byte(said), &last) != nil {
			last = nil
		}
	}
	annotate(manifest, text)
	patch := changes(current, manifest)
	removals(patch, last, manifest)
	if len(patch) == 0 {
		return nil, nil
	}
	return json.Marshal(patch)
}

// changes is what has to be set in current so that all of wanted is in it.
func changes(current, wanted map[string]any) map[string]any {
	patch := map[string]any{}
	for k, w := range wanted {
		c, ok := current[k]
		if wm, isMap := w.(map[string]any); isMap {
			cm, _ := c.(map[string]any)
			if sub := changes(cm, wm); len(sub) > 0 || !ok {
				patch[k] = sub
			}
			continue
		}
		if !ok || !within(w, c) {
			patch[k] = w
		}
	}
	return patch
}

// within tells whether everything a manifest says of a value is so already:
// defaults that the server filled in do not count as a difference.
func within(wanted, current any) bool {
	switch w := wanted.(type) {
	case map[string]any:
		c, ok := current.(map[string]any)
		if !ok {
			return false
		}
		for k, v := range w {
			if !within(v, c[k]) {
				return false
			}
		}
		return true
	case []any:
		c, ok := current.([]any)
		if !ok || len(c) != len(w) {
			return false
		}
		for i := range w {
			if !within(w[i], c[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(wanted, current)
}

// removals adds a null for every key that was applied last time and is not now.
func removals(patch, last, wanted map[string]any) {
	// order: each key has its own place in the patch.
	for k, l := range last {
		w, ok := wanted[k]
		if !ok {
			patch[k] = nil
			continue
		}
		lm, both := l.(map[string]any)
		wm, ok := w.(map[string]any)
		if !both || !ok {
			continue
		}
		sub, _ := patch[k].(map[string]any)
		if sub == nil {
			sub = map[string]any{}
		}
		removals(sub, lm, wm)
		if len(sub) > 0 {
			patch[k] = sub
		}
	}
}

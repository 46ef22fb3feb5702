package kubectl

import (
	"reflect"

	"kubewalk/playground/api/types"
)

// threeWay brings current to modified: what it sets is set, what original set and it does not is removed.
func threeWay(original, modified, current []byte, t reflect.Type) ([]byte, types.PatchType, error) {
	var o, m, c map[string]any
	if err := decode(modified, &m); err != nil {
		return nil, "", err
	}
	if err := decode(current, &c); err != nil {
		return nil, "", err
	}
	if len(original) > 0 && decode(original, &o) != nil {
		o = nil
	}
	patch := changes(c, m)
	removals(patch, o, m)
	return encode(patch), types.MergePatchType, nil
}

// twoWay is what changed between two versions of an object.
func twoWay(before, after []byte, t reflect.Type) ([]byte, types.PatchType, error) {
	return threeWay(before, after, before, t)
}

func changes(current, wanted map[string]any) map[string]any {
	patch := map[string]any{}
	for k, w := range wanted { // order: each has its own key
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

func within(wanted, current any) bool {
	switch w := wanted.(type) {
	case map[string]any:
		c, ok := current.(map[string]any)
		if !ok {
			return false
		}
		for k, v := range w { // order: one answer
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

func removals(patch, last, wanted map[string]any) {
	for k, l := range last { // order: each has its own key
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

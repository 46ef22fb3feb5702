package api

import "slices"

// Trees are values of JSON as encoding/json decodes them: maps, lists, texts, json.Numbers, bools and nil.

// CopyTree returns a tree that shares nothing with another.
func CopyTree(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v { // order: each fills its own key
			out[name] = CopyTree(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = CopyTree(item)
		}
		return out
	}
	return v
}

// SameTree compares trees. Numbers are the same if they are written in the same way.
func SameTree(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a { // order: all have to be the same
			if w, ok := b[name]; !ok || !SameTree(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, SameTree)
	}
	return a == b
}

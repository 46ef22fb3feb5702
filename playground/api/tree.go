package api

import (
	"reflect"
	"slices"
)

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

// MergePatch returns what makes one object of another by the rules of RFC 7386. It shares its values with the second.
func MergePatch(before, now map[string]any) map[string]any {
	out := map[string]any{}
	for name := range before { // order: each fills its own key
		if _, kept := now[name]; !kept {
			out[name] = nil
		}
	}
	for name, v := range now { // order: each fills its own key
		old, had := before[name]
		if had && reflect.DeepEqual(old, v) {
			continue
		}
		a, isObject := old.(map[string]any)
		b, both := v.(map[string]any)
		if isObject && both {
			out[name] = MergePatch(a, b)
		} else {
			out[name] = v
		}
	}
	return out
}

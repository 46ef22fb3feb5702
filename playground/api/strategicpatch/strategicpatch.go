// Package strategicpatch applies strategic merge patches: JSON merge patches
// that know the type, and so merge lists by key instead of replacing them.
//
// How a list is merged is said by the tags of the Go types: patchStrategy
// ("merge", "replace", "retainKeys") and patchMergeKey, which are upstream's.
// What a patch can say beyond values are directives: $patch (replace, delete,
// merge), $retainKeys, $deleteFromPrimitiveList/… and $setElementOrder/….
//
// Controllers, the scheduler and kubectl patch this way, since a patch that
// changes one owner reference or one condition then can't undo what somebody
// else wrote beside it.
//
// Simplified: with $setElementOrder the elements that it lists take the places
// that listed elements had, in its order; upstream finds places for the others
// by what stands before them. Making patches (CreateTwoWayMergePatch) is absent:
// our programs write theirs by hand.
//
// Upstream: k8s.io/apimachinery/pkg/util/strategicpatch.
package strategicpatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
)

const (
	directiveMarker       = "$patch"
	retainKeysDirective   = "$retainKeys"
	deleteFromPrimitive   = "$deleteFromPrimitiveList/"
	setElementOrderPrefix = "$setElementOrder/"
)

// Errors that a patch, or what it is applied to, is to blame for.
var (
	ErrBadJSONDoc     = errors.New("invalid JSON document")
	ErrBadPatchFormat = errors.New("invalid patch format")
)

// StrategicMergePatch applies a patch to a document. Both are JSON; t is the
// document's type, a struct or a pointer to one.
func StrategicMergePatch(original, patch []byte, t reflect.Type) ([]byte, error) {
	before, err := object(original)
	if err != nil {
		return nil, err
	}
	change, err := object(patch)
	if err != nil {
		return nil, err
	}
	after, err := mergeMap(before, change, t)
	if err != nil {
		return nil, err
	}
	return json.Marshal(after)
}

// object decodes without turning integers into floats.
func object(text []byte) (map[string]any, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		return nil, ErrBadJSONDoc
	}
	return out, nil
}

// strategy is what the tags say of a field.
type strategy struct {
	typ                        reflect.Type // nil when the type has no such field
	merge, replace, retainKeys bool
	mergeKey                   string
}

// lookup finds the field of a struct by its JSON name, also in inlined structs.
func lookup(t reflect.Type, name string) strategy {
	t = deref(t)
	if t == nil {
		return strategy{}
	}
	if t.Kind() == reflect.Map {
		return strategy{typ: t.Elem()}
	}
	if t.Kind() != reflect.Struct {
		return strategy{}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" && strings.Contains(options, "inline") {
			if s := lookup(f.Type, name); s.typ != nil {
				return s
			}
			continue
		}
		if tag != name {
			continue
		}
		s := strategy{typ: f.Type, mergeKey: f.Tag.Get("patchMergeKey")}
		for _, word := range strings.Split(f.Tag.Get("patchStrategy"), ",") {
			switch word {
			case "merge":
				s.merge = true
			case "replace":
				s.replace = true
			case "retainKeys":
				s.retainKeys = true
			}
		}
		return s
	}
	return strategy{}
}

func deref(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// element is the type of a list's elements; nil when it is no list.
func element(t reflect.Type) reflect.Type {
	if t = deref(t); t != nil && t.Kind() == reflect.Slice {
		return t.Elem()
	}
	return nil
}

func mergeMap(original, patch map[string]any, t reflect.Type) (map[string]any, error) {
	if v, ok := patch[directiveMarker]; ok {
		switch v {
		case "replace":
			out := map[string]any{}
			for k, v := range patch {
				if k != directiveMarker {
					out[k] = v
				}
			}
			return out, nil
		case "delete":
			return map[string]any{}, nil
		case "merge":
		default:
			return nil, fmt.Errorf("unknown patch type: %v in map: %v", v, patch)
		}
	}
	out := make(map[string]any, len(original))
	for k, v := range original {
		out[k] = v
	}
	if err := retainKeys(out, patch); err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(patch) {
		value := patch[name]
		switch {
		case name == directiveMarker, name == retainKeysDirective, strings.HasPrefix(name, setElementOrderPrefix):
			continue
		case strings.HasPrefix(name, deleteFromPrimitive):
			if err := deletePrimitives(out, strings.TrimPrefix(name, deleteFromPrimitive), value); err != nil {
				return nil, err
			}
			continue
		case value == nil:
			delete(out, name)
			continue
		}
		s := lookup(t, name)
		merged, err := mergeValue(out[name], value, s)
		if err != nil {
			return nil, err
		}
		out[name] = merged
	}
	return out, setOrders(out, patch, t)
}

// mergeValue merges one field. original is nil when there was none.
func mergeValue(original, patch any, s strategy) (any, error) {
	switch patch := patch.(type) {
	case map[string]any:
		before, ok := original.(map[string]any)
		if !ok || s.replace {
			before = map[string]any{} // so that directives inside are carried out, not stored
		}
		return mergeMap(before, patch, s.typ)
	case []any:
		before, _ := original.([]any)
		if !s.merge {
			return patch, nil
		}
		return mergeSlice(before, patch, s)
	}
	return patch, nil
}

func mergeSlice(original, patch []any, s strategy) ([]any, error) {
	if len(original)+len(patch) == 0 {
		return patch, nil
	}
	out := append(make([]any, 0, len(original)+len(patch)), original...)
	if s.mergeKey == "" {
		for _, v := range patch {
			if !slices.ContainsFunc(out, func(o any) bool { return text(o) == text(v) }) {
				out = append(out, v)
			}
		}
		return out, nil
	}
	for _, v := range patch {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, ErrBadPatchFormat
		}
		if m[directiveMarker] == "replace" {
			return replaceSlice(patch), nil
		}
	}
	for _, v := range patch {
		item := v.(map[string]any)
		key, ok := item[s.mergeKey]
		if !ok {
			return nil, fmt.Errorf("map: %v does not contain declared merge key: %s", item, s.mergeKey)
		}
		at := slices.IndexFunc(out, func(o any) bool {
			m, ok := o.(map[string]any)
			return ok && text(m[s.mergeKey]) == text(key)
		})
		switch {
		case item[directiveMarker] == "delete":
			if at >= 0 {
				out = slices.Delete(out, at, at+1)
			}
		case at >= 0:
			merged, err := mergeMap(out[at].(map[string]any), item, element(s.typ))
			if err != nil {
				return nil, err
			}
			out[at] = merged
		default:
			merged, err := mergeMap(map[string]any{}, item, element(s.typ))
			if err != nil {
				return nil, err
			}
			out = append(out, merged)
		}
	}
	return out, nil
}

// replaceSlice is the list without the element that says to replace.
func replaceSlice(patch []any) []any {
	out := []any{}
	for _, v := range patch {
		if _, directive := v.(map[string]any)[directiveMarker]; !directive {
			out = append(out, v)
		}
	}
	return out
}

// retainKeys drops the fields that $retainKeys does not list. Every field that
// the patch sets has to be listed.
func retainKeys(original, patch map[string]any) error {
	v, ok := patch[retainKeysDirective]
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return ErrBadPatchFormat
	}
	keep := map[string]bool{}
	for _, name := range list {
		keep[text(name)] = true
	}
	for _, name := range sortedKeys(patch) {
		if !strings.HasPrefix(name, "$") && patch[name] != nil && !keep[name] {
			return ErrBadPatchFormat
		}
	}
	for name := range original {
		if !keep[name] {
			delete(original, name)
		}
	}
	return nil
}

func deletePrimitives(out map[string]any, field string, value any) error {
	gone, ok := value.([]any)
	if !ok {
		return ErrBadPatchFormat
	}
	list, ok := out[field].([]any)
	if !ok {
		return nil
	}
	out[field] = slices.DeleteFunc(slices.Clone(list), func(v any) bool {
		return slices.ContainsFunc(gone, func(g any) bool { return text(g) == text(v) })
	})
	return nil
}

// setOrders brings the lists into the order that $setElementOrder asks for.
func setOrders(out, patch map[string]any, t reflect.Type) error {
	for _, name := range sortedKeys(patch) {
		field, ok := strings.CutPrefix(name, setElementOrderPrefix)
		if !ok {
			continue
		}
		order, ok := patch[name].([]any)
		if !ok {
			return ErrBadPatchFormat
		}
		list, ok := out[field].([]any)
		if !ok {
			continue
		}
		s := lookup(t, field)
		keyOf := func(v any) string {
			if m, ok := v.(map[string]any); ok {
				return text(m[s.mergeKey])
			}
			return text(v)
		}
		rank := map[string]int{}
		for i, v := range order {
			rank[keyOf(v)] = i + 1
		}
		var places []int
		var listed []any
		for i, v := range list {
			if rank[keyOf(v)] > 0 {
				places, listed = append(places, i), append(listed, v)
			}
		}
		sort.SliceStable(listed, func(i, j int) bool { return rank[keyOf(listed[i])] < rank[keyOf(listed[j])] })
		sorted := slices.Clone(list)
		for i, at := range places {
			sorted[at] = listed[i]
		}
		out[field] = sorted
	}
	return nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// text compares scalars as upstream does: by how they are printed.
func text(v any) string { return fmt.Sprintf("%v", v) }

package strategicpatch

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// merging puts a patch over something: over a document, when its directives are
// carried out, or over another patch, when they are kept.
// Upstream: patch.go, MergeOptions (MergeParallelList, IgnoreUnmatchedNulls).
type merging struct{ carryOut bool }

// maps merges two maps into a new one. Upstream: patch.go, mergeMap.
func (g merging) maps(original, patch map[string]any, t reflect.Type) (map[string]any, error) {
	if v, ok := patch[directiveMarker]; ok {
		switch v {
		case "replace":
			return without(patch, directiveMarker), nil
		case "delete":
			return map[string]any{}, nil
		}
		return nil, fmt.Errorf("unknown patch type: %v in map: %v", v, patch)
	}
	out := make(map[string]any, len(original)+len(patch))
	for k, v := range original { // order: each fills its own key
		out[k] = v
	}
	if err := g.retainKeys(out, patch); err != nil {
		return nil, err
	}
	ordered, err := g.orderedLists(out, patch, t)
	if err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(patch) {
		value := patch[name]
		gone, deletes := strings.CutPrefix(name, deleteFromPrimitive)
		switch {
		case name == retainKeysDirective, strings.HasPrefix(name, setElementOrderPrefix), ordered[name]:
		case deletes && g.carryOut:
			if err := deletePrimitives(out, gone, value); err != nil {
				return nil, err
			}
		case value == nil:
			delete(out, name)
			if !g.carryOut {
				out[name] = nil // the other patch has to say so
			}
		default:
			before, has := out[name]
			if !has && !g.carryOut {
				out[name] = value
				continue
			}
			if out[name], err = g.value(before, value, lookup(t, name)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func without(m map[string]any, name string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m { // order: each fills its own key
		if k != name {
			out[k] = v
		}
	}
	return out
}

// value merges one field. original is nil when there was none, or one of
// another form.
func (g merging) value(original, patch any, s strategy) (any, error) {
	switch patch := patch.(type) {
	case map[string]any:
		before, ok := original.(map[string]any)
		if s.replace && !g.carryOut {
			return patch, nil
		}
		if !ok || s.replace {
			before = map[string]any{} // so that directives inside are carried out, not stored
		}
		return g.maps(before, patch, s.typ)
	case []any:
		before, _ := original.([]any)
		if !s.merge {
			return patch, nil
		}
		return g.slices(before, patch, s)
	}
	return patch, nil
}

// slices merges two lists by key, or as sets. What the patch lists comes in its
// order. Upstream: patch.go, mergeSlice.
func (g merging) slices(original, patch []any, s strategy) ([]any, error) {
	if len(original)+len(patch) == 0 {
		return patch, nil
	}
	if s.mergeKey == "" {
		out := slices.Clone(original)
		for _, v := range patch {
			switch v.(type) {
			case map[string]any:
				return nil, fmt.Errorf("cannot merge lists without merge key for %v", s.typ)
			case []any:
				return nil, ErrNoListOfLists
			}
			if !slices.ContainsFunc(out, func(o any) bool { return text(o) == text(v) }) {
				out = append(out, v)
			}
		}
		return arrange(out, patch, original, ""), nil
	}
	original, patch, err := specialElements(original, patch, s.mergeKey)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(original)
	for _, v := range patch {
		item := v.(map[string]any)
		key, ok := item[s.mergeKey]
		if !ok {
			return nil, noMergeKey(item, s.mergeKey)
		}
		at := find(out, s.mergeKey, key)
		if at < 0 && !g.carryOut {
			out = append(out, item)
			continue
		}
		before := map[string]any{}
		if at >= 0 {
			before = out[at].(map[string]any)
		}
		merged, err := g.maps(before, item, element(s.typ))
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			out[at] = merged
		} else {
			out = append(out, merged)
		}
	}
	return arrange(out, patch, original, s.mergeKey), nil
}

func noMergeKey(m any, key string) error {
	return fmt.Errorf("map: %v does not contain declared merge key: %s", m, key)
}

// find is the place of the element with that key, -1 if there is none.
func find(list []any, mergeKey string, key any) int {
	return slices.IndexFunc(list, func(o any) bool {
		m, ok := o.(map[string]any)
		return ok && text(m[mergeKey]) == text(key)
	})
}

// specialElements carries out the elements of a patch that are directives, and
// returns the lists without them. Upstream: patch.go, mergeSliceWithSpecialElements.
func specialElements(original, patch []any, mergeKey string) (list, rest []any, err error) {
	replace := false
	list = original
	for _, v := range patch {
		item, ok := v.(map[string]any)
		if !ok {
			return nil, nil, ErrBadJSONDoc
		}
		switch directive, has := item[directiveMarker]; {
		case !has:
			rest = append(rest, v)
		case directive == "delete":
			key, ok := item[mergeKey]
			if !ok {
				return nil, nil, noMergeKey(item, mergeKey)
			}
			list = slices.DeleteFunc(slices.Clone(list), func(o any) bool {
				m, ok := o.(map[string]any)
				return ok && text(m[mergeKey]) == text(key)
			})
		case directive == "replace":
			replace = true
		case directive == "merge":
			return nil, nil, errMergingListsCannotYetBeSpecified
		default:
			return nil, nil, fmt.Errorf("unknown patch type: %v in map: %v", directive, item)
		}
	}
	if replace {
		return rest, nil, nil
	}
	if list == nil {
		list = []any{}
	}
	return list, rest, nil
}

// retainKeys drops the fields that $retainKeys does not list. Every field that
// the patch sets has to be listed. Upstream: patch.go, applyRetainKeysDirective.
func (g merging) retainKeys(out, patch map[string]any) error {
	v, ok := patch[retainKeysDirective]
	if !ok {
		return nil
	}
	if !g.carryOut {
		if before, has := out[retainKeysDirective]; has && !reflect.DeepEqual(before, v) {
			return ErrBadPatchFormatForRetainKeys
		}
		out[retainKeysDirective] = v
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return ErrBadPatchFormatForRetainKeys
	}
	keep := map[string]bool{}
	for _, name := range list {
		keep[text(name)] = true
	}
	for _, name := range sortedKeys(patch) {
		if !strings.HasPrefix(name, "$") && patch[name] != nil && !keep[name] {
			return ErrBadPatchFormatForRetainKeys
		}
	}
	for name := range out { // order: each goes or stays
		if !keep[name] {
			delete(out, name)
		}
	}
	return nil
}

func deletePrimitives(out map[string]any, field string, value any) error {
	gone, ok := value.([]any)
	if !ok {
		return ErrBadPatchFormatForPrimitiveList
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

package strategicpatch

import (
	"reflect"
	"slices"
	"sort"
	"strings"
)

// diffing makes patches. Upstream: patch.go, DiffOptions.
type diffing struct {
	ignoreChangesAndAdditions bool
	ignoreDeletions           bool
	setElementOrder           bool
}

// maps is the patch that turns one map into another. retain asks for the list
// of the fields that stay. Upstream: patch.go, diffMaps.
func (d diffing) maps(original, modified map[string]any, t reflect.Type, retain bool) (map[string]any, error) {
	patch := map[string]any{}
	for _, key := range sortedKeys(modified) {
		was, is := original[key], modified[key]
		if _, had := original[key]; !had || reflect.TypeOf(was) != reflect.TypeOf(is) {
			if !d.ignoreChangesAndAdditions {
				patch[key] = is
			}
			continue
		}
		if err := d.value(patch, key, was, is, lookup(t, key)); err != nil {
			return nil, err
		}
	}
	added := false
	for _, key := range sortedKeys(original) {
		if _, has := modified[key]; has {
			continue
		}
		added = true
		if !d.ignoreDeletions {
			patch[key] = nil
		}
	}
	if retain && (len(patch) > 0 || added) {
		var keys []any
		for _, key := range sortedKeys(modified) {
			if modified[key] != nil {
				keys = append(keys, key)
			}
		}
		if keys != nil {
			patch[retainKeysDirective] = keys
		}
	}
	return patch, nil
}

// value puts what differs in one field into a patch.
func (d diffing) value(patch map[string]any, key string, was, is any, s strategy) error {
	switch was := was.(type) {
	case map[string]any:
		if s.replace {
			break
		}
		inner, err := d.maps(was, is.(map[string]any), s.typ, s.retainKeys)
		if err == nil && len(inner) > 0 {
			patch[key] = inner
		}
		return err
	case []any:
		if s.merge {
			return d.lists(patch, key, was, is.([]any), s)
		}
	}
	if !d.ignoreChangesAndAdditions && !reflect.DeepEqual(was, is) {
		patch[key] = is
	}
	return nil
}

// lists is the patch of a list that is merged: the elements that change, and
// those that go; the order of all. Upstream: patch.go, handleSliceDiff and diffLists.
func (d diffing) lists(patch map[string]any, key string, original, modified []any, s strategy) error {
	if len(original) == 0 {
		if len(modified) > 0 && !d.ignoreChangesAndAdditions {
			patch[key] = modified
		}
		return nil
	}
	if s.mergeKey == "" {
		d.scalars(patch, key, original, modified)
		return nil
	}
	changes, err := d.elements(original, modified, s)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		patch[key] = changes
	}
	if d.setElementOrder && (d.ignoreDeletions && len(changes) > 0 || !d.ignoreDeletions && !sameOrder(original, modified, s.mergeKey)) {
		order := make([]any, len(modified))
		for i, v := range modified {
			order[i] = map[string]any{s.mergeKey: v.(map[string]any)[s.mergeKey]}
		}
		patch[setElementOrderPrefix+key] = order
	}
	return nil
}

func sameOrder(original, modified []any, mergeKey string) bool {
	return slices.EqualFunc(original, modified, func(a, b any) bool { return identity(a, mergeKey) == identity(b, mergeKey) })
}

// elements lists what changes in a list of maps, in the order of modified, and
// then what goes. Upstream: patch.go, diffListsOfMaps.
func (d diffing) elements(original, modified []any, s strategy) ([]any, error) {
	var changes, deletions []any
	for _, list := range [][]any{original, modified} {
		for _, v := range list {
			m, ok := v.(map[string]any)
			if !ok {
				return nil, ErrBadJSONDoc
			}
			if _, ok := m[s.mergeKey]; !ok {
				return nil, noMergeKey(m, s.mergeKey)
			}
		}
	}
	for _, v := range modified {
		item := v.(map[string]any)
		at := find(original, s.mergeKey, item[s.mergeKey])
		if at < 0 {
			if !d.ignoreChangesAndAdditions {
				changes = append(changes, item)
			}
			continue
		}
		inner, err := d.maps(original[at].(map[string]any), item, element(s.typ), s.retainKeys)
		if err != nil {
			return nil, err
		}
		if len(inner) > 0 {
			inner[s.mergeKey] = item[s.mergeKey]
			changes = append(changes, inner)
		}
	}
	if !d.ignoreDeletions {
		for _, v := range original {
			item := v.(map[string]any)
			if find(modified, s.mergeKey, item[s.mergeKey]) < 0 {
				deletions = append(deletions, map[string]any{s.mergeKey: item[s.mergeKey], directiveMarker: "delete"})
			}
		}
		sort.SliceStable(deletions, func(i, j int) bool {
			return identity(deletions[i], s.mergeKey) < identity(deletions[j], s.mergeKey)
		})
	}
	return append(changes, deletions...), nil
}

// scalars is the patch of a list that is a set. Upstream: patch.go, diffListsOfScalars.
func (d diffing) scalars(patch map[string]any, key string, original, modified []any) {
	var added, gone []any
	was, is := places(original, ""), places(modified, "")
	for i, v := range modified {
		if was[text(v)] == 0 && is[text(v)] == i+1 && !d.ignoreChangesAndAdditions {
			added = append(added, v)
		}
	}
	for i, v := range original {
		if is[text(v)] == 0 && was[text(v)] == i+1 && !d.ignoreDeletions {
			gone = append(gone, v)
		}
	}
	if len(added) > 0 {
		patch[key] = added
	}
	if len(gone) > 0 {
		sort.SliceStable(gone, func(i, j int) bool { return text(gone[i]) < text(gone[j]) })
		patch[deleteFromPrimitive+key] = gone
	}
	if d.setElementOrder && (d.ignoreDeletions && len(added) > 0 || !d.ignoreDeletions && !reflect.DeepEqual(original, modified)) {
		patch[setElementOrderPrefix+key] = modified
	}
}

// conflict says that two patches of one document want different things.
// Upstream: patch.go, MergingMapsHaveConflicts.
func conflict(a, b any, t reflect.Type) bool {
	switch a := a.(type) {
	case map[string]any:
		other, ok := b.(map[string]any)
		if !ok {
			return true
		}
		if x, y := a[directiveMarker], other[directiveMarker]; x != y {
			return true
		}
		for key, v := range a { // order: any is enough
			w, ok := other[key]
			if !ok || strings.HasPrefix(key, "$") {
				continue
			}
			if s := lookup(t, key); s.merge {
				if listsConflict(v, w, s) {
					return true
				}
			} else if conflict(v, w, s.typ) {
				return true
			}
		}
		return false
	}
	return !reflect.DeepEqual(a, b)
}

func listsConflict(a, b any, s strategy) bool {
	x, ok := a.([]any)
	y, okay := b.([]any)
	if !ok || !okay {
		return !reflect.DeepEqual(a, b)
	}
	if s.mergeKey == "" {
		return false // both only add
	}
	for _, v := range x {
		m, ok := v.(map[string]any)
		if !ok {
			return true
		}
		if at := find(y, s.mergeKey, m[s.mergeKey]); at >= 0 && conflict(v, y[at], element(s.typ)) {
			return true
		}
	}
	return false
}

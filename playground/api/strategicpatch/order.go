package strategicpatch

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
)

// orderedLists merges the lists for which the patch says an order, and returns
// which these are. Upstream: patch.go, mergePatchIntoOriginal.
func (g merging) orderedLists(out, patch map[string]any, t reflect.Type) (map[string]bool, error) {
	done := map[string]bool{}
	for _, name := range sortedKeys(patch) {
		field, ok := strings.CutPrefix(name, setElementOrderPrefix)
		if !ok {
			continue
		}
		order, ok := patch[name].([]any)
		if !ok {
			return nil, ErrBadPatchFormatForSetElementOrderList
		}
		if !g.carryOut {
			if before, has := out[name]; has && !reflect.DeepEqual(before, patch[name]) {
				return nil, ErrBadPatchFormatForSetElementOrderList
			}
			out[name] = patch[name]
		}
		s := lookup(t, field)
		was, had := out[field]
		list, has := patch[field]
		before, isList := was.([]any)
		change, good := list.([]any)
		if had && !isList || has && !good {
			return nil, ErrBadPatchFormatForSetElementOrderList
		}
		if err := consistent(change, order, s.mergeKey); err != nil {
			return nil, err
		}
		// Elements to be taken from a list of primitives come in a list of their own.
		if gone, ok := patch[deleteFromPrimitive+field]; ok && g.carryOut && had {
			if err := deletePrimitives(out, field, gone); err != nil {
				return nil, err
			}
			was = out[field]
		}
		merged, _ := was.([]any)
		switch {
		case !had && !has:
			continue
		case has:
			var err error
			if had || g.carryOut {
				merged, err = g.slices(merged, change, s)
			} else {
				merged = change
			}
			if err != nil {
				return nil, err
			}
		}
		out[field] = arrange(merged, order, before, s.mergeKey)
		done[field] = true
	}
	return done, nil
}

// consistent checks that a patch's list has its elements in the order that the
// patch asks for. Upstream: patch.go, validatePatchWithSetOrderList.
func consistent(list, order []any, mergeKey string) error {
	at := 0
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			if m[directiveMarker] != nil {
				continue
			}
			if _, ok := m[mergeKey]; !ok {
				return noMergeKey(m, mergeKey)
			}
		}
		for at < len(order) && identity(order[at], mergeKey) != identity(v, mergeKey) {
			at++
		}
		if at == len(order) {
			return fmt.Errorf("The order in patch list:\n%v\n doesn't match %s list:\n%v\n", list, strings.TrimSuffix(setElementOrderPrefix, "/"), order)
		}
		at++
	}
	return nil
}

// identity is what tells an element from the others.
func identity(v any, mergeKey string) string {
	if m, ok := v.(map[string]any); ok {
		return text(m[mergeKey])
	}
	return text(v)
}

// places is where each element of a list is.
func places(list []any, mergeKey string) map[string]int {
	out := make(map[string]int, len(list))
	for i, v := range list {
		if id := identity(v, mergeKey); out[id] == 0 {
			out[id] = i + 1
		}
	}
	return out
}

// arrange brings a list into order: what is in first comes in first's order, the
// others in that of before, each in front of the first element that came after
// it there. Elements that delete come last.
// Upstream: patch.go, normalizeElementOrder and mergeSortedSlice.
func arrange(list, first, before []any, mergeKey string) []any {
	rank, was := places(first, mergeKey), places(before, mergeKey)
	var ours, others, deletions []any
	for _, v := range list {
		m, ok := v.(map[string]any)
		switch {
		case ok && m[directiveMarker] == "delete":
			deletions = append(deletions, v)
		case rank[identity(v, mergeKey)] > 0:
			ours = append(ours, v)
		default:
			others = append(others, v)
		}
	}
	sortBy(ours, rank, mergeKey)
	sortBy(others, was, mergeKey)
	out := make([]any, 0, len(list))
	for len(ours)+len(others) > 0 {
		take := &others
		if len(others) == 0 {
			take = &ours
		} else if len(ours) > 0 {
			l, r := was[identity(others[0], mergeKey)], was[identity(ours[0], mergeKey)]
			if l == 0 || r == 0 || l > r {
				take = &ours
			}
		}
		out, *take = append(out, (*take)[0]), (*take)[1:]
	}
	return append(out, deletions...)
}

func sortBy(list []any, rank map[string]int, mergeKey string) {
	sort.SliceStable(list, func(i, j int) bool { return rank[identity(list[i], mergeKey)] < rank[identity(list[j], mergeKey)] })
}

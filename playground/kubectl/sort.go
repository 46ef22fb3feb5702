package kubectl

import (
	"fmt"

	"kubewalk/playground/api/jsonpath"
	"kubewalk/playground/api/sorting"
)

// sortBy puts things into the order of what a path leads to in each, and fails if it leads nowhere in all of them.
// Upstream: kubectl pkg/cmd/get/sorter.go, NewTableSorter.
func sortBy[T any](things []T, path string, of func(T) any) error {
	template, err := jsonpath.Relaxed(path)
	if err != nil {
		return err
	}
	j, err := jsonpath.Parse(template)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	type keyed struct {
		thing T
		key   any
	}
	list, found := make([]keyed, len(things)), false
	for i, t := range things {
		v, err := j.Values(of(t))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		list[i].thing = t
		if len(v) > 0 {
			list[i].key, found = v[0], true
		}
	}
	if len(things) > 0 && !found {
		return fmt.Errorf("couldn't find any field with path %q in the list of objects", template)
	}
	sorting.Stable(list, func(a, b keyed) int {
		x, y := a.key, b.key
		switch {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return -1
		case y == nil:
			return 1
		}
		return jsonpath.Compare(x, y)
	})
	for i, k := range list {
		things[i] = k.thing
	}
	return nil
}

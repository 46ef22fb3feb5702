package kubectl

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/jsonpath"
)

// sortBy puts things into the order of what a path leads to in each.
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
	list := make([]keyed, len(things))
	for i, t := range things {
		v, err := j.Values(of(t))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		list[i].thing = t
		if len(v) > 0 {
			list[i].key = v[0]
		}
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
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

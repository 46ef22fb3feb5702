package kubectl

import (
	"fmt"

	"kubewalk/playground/api/jsonpath"
	"kubewalk/playground/api/sorting"
)

// sortBy puts things into the order of what a path leads to in each, and fails if it leads nowhere in all of them.
// Upstream: kubectl pkg/cmd/get/sorter.go, NewTableSorter.
func sortBy[T any](s *session, things []T, path string, of func(T) any) error {
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
		v, err := j.Find(of(t))
		if err != nil {
			return err
		}
		list[i].thing = t
		if len(v) > 0 {
			list[i].key, found = v[0], true
		}
	}
	if len(things) > 0 && !found {
		return fmt.Errorf("couldn't find any field with path %q in the list of objects", template)
	}
	if len(list) > 1 {
		for _, t := range list {
			switch t.key.(type) {
			case map[string]any, []any:
				place, in := "375", "[][][]reflect.Value"
				if _, objects := any(things).([]map[string]any); objects {
					place, in = "329", "*unstructured.Unstructured"
				}
				return unsortable(fmt.Sprintf("F%s %7d sorter.go:%s] Field %s in %s is an unsortable type: interface, err: unsortable type: %[6]T",
					s.p.Time().Format("0102 15:04:05.000000"), 1, place, template, in, t.key))
			}
		}
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

// unsortable is what klog writes of objects that are sorted by what has no order, and kubectl is over. Upstream: sorter.go, TableSorter.Less.
type unsortable string

func (e unsortable) Error() string { return string(e) }

package customresource

import (
	"encoding/json"
	"maps"
	"slices"

	"kubewalk/playground/api/field"
)

// listErrors finds items that are there twice in lists that are sets, or maps by keys, and embedded objects that do not say what they are.
// Upstream: pkg/apiserver/schema/listtype/validation.go, ValidateListSetsAndMaps; schema/objectmeta/validation.go, validateEmbeddedResource.
func listErrors(v any, s *schema, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	var errs field.ErrorList
	switch v := v.(type) {
	case map[string]any:
		if s.XEmbeddedResource {
			for _, name := range []string{"apiVersion", "kind"} {
				if _, ok := v[name]; !ok {
					errs = append(errs, field.Required(path.Child(name), "must not be empty"))
				}
			}
		}
		values, _ := additional(s)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if prop, ok := s.Properties[name]; ok {
				errs = append(errs, listErrors(v[name], &prop, path.Child(name))...)
			} else if values != nil {
				errs = append(errs, listErrors(v[name], values, path.Key(name))...)
			}
		}
	case []any:
		if s.XListType != nil {
			switch *s.XListType {
			case "set":
				for _, i := range repeated(v) {
					errs = append(errs, field.Duplicate(path.Index(i), v[i]))
				}
			case "map":
				errs = append(errs, repeatedKeys(v, s.XListMapKeys, path)...)
			}
		}
		for i, item := range v {
			errs = append(errs, listErrors(item, itemsOf(s), path.Index(i))...)
		}
	}
	return errs
}

func repeatedKeys(list []any, names []string, path *field.Path) field.ErrorList {
	keys := make([]any, len(list))
	for i, item := range list {
		m, ok := item.(map[string]any)
		if !ok && item != nil {
			return field.ErrorList{field.Invalid(path.Index(i), item, "must be an object for an array of list-type map")}
		}
		key := map[string]any{}
		for _, name := range names {
			if v, ok := m[name]; ok {
				key[name] = v
			}
		}
		keys[i] = key
	}
	var errs field.ErrorList
	for _, i := range repeated(keys) {
		errs = append(errs, field.Duplicate(path.Index(i), keys[i]))
	}
	return errs
}

// repeated are the places of values that are there for the second time.
func repeated(list []any) []int {
	times := map[string]int{}
	var out []int
	for i, v := range list {
		text, err := json.Marshal(v)
		if err != nil {
			continue // it came out of JSON
		}
		if times[string(text)]++; times[string(text)] == 2 {
			out = append(out, i)
		}
	}
	return out
}

package kustomize

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"kubewalk/playground/api/strategicpatch"
)

// merge applies a strategic merge patch, as Kustomize does: elements of lists that the patch names come first. It changes both, and
// returns nil for what the patch deletes. t is the type of what is merged, and keys are what tells elements apart if it is a list that
// is merged; "" stands for elements that are scalars.
// Upstream: kyaml/yaml/walk and kyaml/yaml/merge2.
func merge(to, patch any, t reflect.Type, keys []string) (any, error) {
	kind := nodeKind(patch)
	if to != nil && patch != nil && nodeKind(to) != kind {
		return nil, fmt.Errorf("wrong node kind: expected %s but was %s", nodeKind(to), kind)
	}
	switch p := patch.(type) {
	case map[string]any:
		m, _ := to.(map[string]any)
		what, there := p["$patch"]
		switch delete(p, "$patch"); {
		case what == "delete":
			return nil, nil
		case what == "replace" || m == nil:
			m = p
		case there && what != "merge":
			return nil, fmt.Errorf("unknown patch strategy '%s'", scalar(what))
		}
		for _, name := range slices.Sorted(maps.Keys(p)) {
			field, elements := strategicpatch.Field(t, name)
			v, err := merge(m[name], p[name], field, elements)
			if err != nil {
				return nil, err
			}
			if m[name] = v; v == nil {
				delete(m, name)
			}
		}
		return m, nil
	case []any:
		if len(keys) == 0 {
			return p, nil
		}
		list, _ := to.([]any)
		for i, e := range p {
			e, ok := e.(map[string]any)
			if what, there := e["$patch"]; ok && there && len(e) == 1 {
				if p = slices.Delete(slices.Clone(p), i, i+1); what == "delete" {
					return nil, nil
				} else if what == "replace" {
					list = nil
				}
				break
			}
		}
		if list == nil {
			list = p
		}
		return mergeLists(list, p, strategicpatch.Element(t), keys)
	}
	return patch, nil
}

// mergeLists merges lists by what tells their elements apart. Upstream: kyaml/yaml/walk/associative_sequence.go.
func mergeLists(list, patch []any, t reflect.Type, keys []string) (any, error) {
	var values [][]string
	for _, of := range [][]any{patch, list} {
		for _, e := range of {
			if v := valuesOf(e, keys); !slices.ContainsFunc(values, func(o []string) bool { return slices.Equal(o, v) }) {
				values = append(values, v)
			}
		}
	}
	for i := range values { // one that names fewer keys is about the element that has those
		for j := range values {
			if both, ok := joined(values[i], values[j]); ok && len(keys) > 1 {
				values[i], values[j] = both, both
			}
		}
	}
	list = slices.Clone(list)
	var out []any
	for _, v := range values {
		i, j := find(list, keys, v), find(patch, keys, v)
		var merged any
		if i >= 0 {
			merged = list[i]
		}
		if j >= 0 {
			var err error
			if merged, err = merge(merged, patch[j], t, nil); err != nil {
				return nil, err
			}
		}
		if m, ok := merged.(map[string]any); merged == nil || ok && len(m) == 0 {
			list = set(list, nil, keys, v)
			continue
		}
		if i >= 0 {
			list[i] = merged
		}
		out = set(out, merged, keys, v)
	}
	for _, e := range list {
		v := slices.DeleteFunc(valuesOf(e, keys), func(s string) bool { return s == "" })
		if len(keys) > 1 {
			out = set(out, nil, keys, v)
		}
		out = set(out, e, keys, v)
	}
	if out == nil {
		return nil, nil
	}
	return out, nil
}

// valuesOf is what tells an element apart.
func valuesOf(e any, keys []string) (out []string) {
	m, _ := e.(map[string]any)
	for _, k := range keys {
		if k == "" {
			out = append(out, scalar(e))
		} else {
			out = append(out, scalar(m[k]))
		}
	}
	return out
}

// joined are the values of two elements that may be the same: one has what the other lacks.
func joined(a, b []string) ([]string, bool) {
	out, common := slices.Clone(a), false
	for i := range a {
		switch {
		case a[i] == b[i]:
			common = true
		case a[i] != "" && b[i] != "":
			return nil, false
		case a[i] == "":
			out[i] = b[i]
		}
	}
	return out, common
}

// find is where the element with some values is. Upstream: kyaml/yaml/fns.go, ElementMatcher.
func find(list []any, keys, values []string) int {
	return slices.IndexFunc(list, func(e any) bool {
		has := valuesOf(e, keys)
		for i, v := range values {
			if v != "" && v != has[i] {
				return false
			}
		}
		return true
	})
}

// set replaces the elements with some values, removes them if there is nothing instead, or else appends.
// As upstream, it takes an element for one of those if it has the first values, and less is known of the rest.
// Upstream: kyaml/yaml/fns.go, ElementSetter.
func set(list []any, e any, keys, values []string) (out []any) {
	found := false
	for _, o := range list {
		is := len(values) > 0
		for i, has := range valuesOf(o, keys) {
			if i < len(values) {
				is = is && has != "" && (values[i] == "" || has == values[i])
			}
		}
		found = found || is
		switch {
		case !is:
			out = append(out, o)
		case e != nil:
			out = append(out, e)
		}
	}
	if !found && e != nil {
		out = append(out, e)
	}
	return out
}

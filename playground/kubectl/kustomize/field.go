package kustomize

import (
	"errors"
	"fmt"
	"strings"
)

// fields reads field specifications: on each line a kind (KIND:GROUP:VERSION, or *) and a path, with + in front if it is created where
// it is missing.
func fields(table string) (out []FieldSpec) {
	words := strings.Fields(table)
	for i := 0; i+1 < len(words); i += 2 {
		path, create := strings.CutPrefix(words[i+1], "+")
		out = append(out, FieldSpec{kind(words[i]), path, create})
	}
	return out
}

func kind(text string) (g Gvk) {
	parts := append(strings.Split(text, ":"), "", "")
	if g = (Gvk{parts[1], parts[2], parts[0]}); g.Kind == "*" {
		g.Kind = ""
	}
	return g
}

// What is made of a field that is missing: nothing, a map, or a text.
const (
	nothing = iota
	aMap
	aText
)

// each changes the fields that a specification names. Upstream: api/filters/fieldspec/fieldspec.go.
func (r *resource) each(f FieldSpec, create int, set func(any) (any, error)) error {
	if !r.gvk().is(f.Gvk) {
		return nil
	}
	if !f.Create {
		create = nothing
	}
	path := split(f.Path, "/")
	if _, err := walk(r.tree, path, create, set); err != nil {
		return fmt.Errorf("considering field '%s' of object %s: %w", f.Path, r.id(), err)
	}
	return nil
}

// split is upstream's kyaml/utils/pathsplitter.go, PathSplitter.
func split(path, by string) (out []string) {
	path = strings.ReplaceAll(strings.TrimPrefix(path, by), `\`+by, "\x00")
	for _, p := range strings.Split(path, by) {
		out = append(out, strings.ReplaceAll(p, "\x00", by))
	}
	return out
}

func walk(v any, path []string, create int, set func(any) (any, error)) (any, error) {
	if len(path) == 0 {
		return set(v)
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		for i := range v {
			w, err := walk(v[i], path, create, set)
			if err != nil {
				return nil, fmt.Errorf("visit traversal on path: %v: %w", path, err)
			}
			v[i] = w
		}
		return v, nil
	case map[string]any:
		name, list := strings.CutSuffix(path[0], "[]")
		w := v[name]
		if w == nil {
			switch {
			case create == nothing || list:
				return v, nil
			case create == aMap || len(path) > 1:
				w = map[string]any{}
			default:
				w = ""
			}
		}
		w, err := walk(w, path[1:], create, set)
		if err == nil {
			v[name] = w
		}
		return v, err
	}
	return nil, errors.New("expected sequence or mapping node")
}

// entry sets a key of a map.
func entry(key string, value any) func(any) (any, error) {
	return func(v any) (any, error) {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("wrong node kind: expected MappingNode but was %s", nodeKind(v))
		}
		m[key] = value
		return m, nil
	}
}

// to replaces a scalar.
func to(value any) func(any) (any, error) {
	return func(v any) (any, error) {
		if k := nodeKind(v); k != "ScalarNode" {
			return nil, fmt.Errorf("wrong node kind: expected ScalarNode but was %s", k)
		}
		return value, nil
	}
}

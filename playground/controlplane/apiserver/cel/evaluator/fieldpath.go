package evaluator

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
)

func sortedNames(m map[string]apiextensionsv1.JSONSchemaProps) []string {
	return slices.Sorted(maps.Keys(m))
}

// tokens are the delimiters of a path, and what is between them; what stands in quotes is one.
func tokens(path string) (out []string) {
	for path != "" {
		end := 1
		switch {
		case path[0] == '\'':
			for end < len(path) && (path[end] != '\'' || path[end-1] == '\\') {
				end++
			}
			end = min(end+1, len(path))
		case !strings.ContainsRune(".[]", rune(path[0])):
			if end = strings.IndexAny(path, ".[]"); end < 0 {
				end = len(path)
			}
		}
		out, path = append(out, path[:end]), path[end:]
	}
	return out
}

var unquote = strings.NewReplacer(`\a`, "\a", `\b`, "\b", `\f`, "\f", `\n`, "\n", `\r`, "\r", `\t`, "\t", `\v`, "\v", `\'`, "'", `\\`, `\`)

// fieldPath reads the path of a field, which the schema must have. Upstream: schema/cel/validation.go, ValidFieldPath.
func fieldPath(path string, s *schema) (*field.Path, *schema, error) {
	var at *field.Path
	step := func(name string) error {
		switch {
		case s != nil && s.Properties != nil:
			p, ok := s.Properties[name]
			at = at.Child(name)
			if !ok {
				return errors.New("does not refer to a valid field")
			}
			s = &p
		case s != nil && s.AdditionalProperties != nil:
			at, s = at.Key(name), s.AdditionalProperties.Schema
		default:
			return errors.New("does not refer to a valid field")
		}
		return nil
	}
	list := tokens(path)
	next := func() (string, bool) {
		if len(list) == 0 {
			return "", false
		}
		t := list[0]
		list = list[1:]
		return t, true
	}
	for {
		t, ok := next()
		if !ok {
			return at, s, nil
		}
		switch t {
		case ".":
			name, ok := next()
			if !ok {
				return nil, nil, errors.New("unexpected end of JSON path")
			}
			if err := step(name); err != nil {
				return nil, nil, err
			}
		case "[":
			name, ok := next()
			if !ok {
				return nil, nil, errors.New("unexpected end of JSON path")
			}
			if len(name) < 2 || name[0] != '\'' || name[len(name)-1] != '\'' {
				return nil, nil, fmt.Errorf("expected single quoted string but got %s", name)
			}
			if err := step(unquote.Replace(name[1 : len(name)-1])); err != nil {
				return nil, nil, err
			}
			if end, ok := next(); !ok {
				return nil, nil, errors.New("unexpected end of JSON path")
			} else if end != "]" {
				return nil, nil, fmt.Errorf("expected ] but got %s", end)
			}
		default:
			return nil, nil, fmt.Errorf("expected [ or . but got: %s", t)
		}
	}
}

package claim

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"kubewalk/generator/problem"
	"kubewalk/playground/api"
)

var marshaler = reflect.TypeFor[json.Marshaler]()

// checkPath tells whether objects of a kind can have a field. Whether one has it
// is another matter: what is empty is not written.
func checkPath(kind *api.Kind, path string) error {
	_, err := typeAt(kind, path)
	return err
}

// typeAt is the type of a field; nil where only the object can tell.
func typeAt(kind *api.Kind, path string) (reflect.Type, error) {
	if kind == nil {
		return nil, nil // a definition added it
	}
	t, rest := reflect.TypeOf(kind.New()), path
	for {
		if rest == "" {
			return t, nil
		}
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Interface || t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
			return nil, nil
		}
		var step string
		if step, rest = cut(rest); step == "" {
			return nil, wrong("write .status.phase, .spec.containers.0.image or .status.conditions[Ready].status", "field %q", "."+path)
		}
		switch t.Kind() {
		case reflect.Map, reflect.Slice:
			if _, err := strconv.Atoi(step); t.Kind() == reflect.Slice && err != nil && t.Elem().Kind() != reflect.Struct {
				return nil, wrong("write its number, from 0", "%q in a list, in %q", step, "."+path)
			}
			t = t.Elem()
		case reflect.Struct:
			fields := map[string]reflect.Type{}
			fieldsOf(t, fields)
			inner, ok := fields[step]
			if !ok {
				names := make([]string, 0, len(fields))
				for name := range fields {
					names = append(names, name)
				}
				slices.Sort(names)
				return nil, wrong(problem.DidYouMean(step, names), "unknown field %q of a %s, in %q", step, kind.Kind, "."+path)
			}
			t = inner
		default:
			return nil, wrong("end the path before it", "nothing is inside of what %q comes to, before %q", "."+path, step)
		}
	}
}

func fieldsOf(t reflect.Type, into map[string]reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" {
			inner := f.Type
			for inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				fieldsOf(inner, into)
			}
		} else if tag != "" && tag != "-" {
			into[tag] = f.Type
		}
	}
}

// cut takes the first step off a path: a name, or what stands in brackets.
func cut(path string) (step, rest string) {
	if inner, rest, ok := strings.Cut(path, "]"); ok && path[0] == '[' {
		return inner[1:], strings.TrimPrefix(rest, ".")
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	return path[:end], strings.TrimPrefix(path[end:], ".")
}

// absent is what a field says that is not there. A pointer to nothing says that
// nobody has said anything.
func absent(t reflect.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case reflect.Bool:
		return "false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "0"
	}
	return ""
}

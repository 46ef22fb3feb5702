package jq

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/sorting"
)

// simple are functions without arguments, of one value.
var simple = map[string]func(v any) (any, error){
	"not":  func(v any) (any, error) { return !truth(v), nil },
	"type": func(v any) (any, error) { return kind(v), nil },
	"length": func(v any) (any, error) {
		switch t := v.(type) {
		case nil:
			return float64(0), nil
		case string:
			return float64(len([]rune(t))), nil
		case []any:
			return float64(len(t)), nil
		case map[string]any:
			return float64(len(t)), nil
		}
		if n, ok := number(v); ok {
			return max(n, -n), nil
		}
		return nil, fmt.Errorf("%s has no length", shown(v))
	},
	"keys": func(v any) (any, error) {
		out := []any{}
		switch t := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(t)) {
				out = append(out, key)
			}
		case []any:
			for i := range t {
				out = append(out, float64(i))
			}
		default:
			return nil, fmt.Errorf("%s has no keys", shown(v))
		}
		return out, nil
	},
	"tostring": func(v any) (any, error) { return text(v), nil },
	"tojson":   func(v any) (any, error) { return Text(v), nil },
	"tonumber": func(v any) (any, error) {
		if _, ok := number(v); ok {
			return v, nil
		}
		s, _ := v.(string)
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be parsed as a number", shown(v))
		}
		return n, nil
	},
	"ascii_downcase": ofText(func(s string) (any, error) { return strings.ToLower(s), nil }),
	"ascii_upcase":   ofText(func(s string) (any, error) { return strings.ToUpper(s), nil }),
	"@text":          func(v any) (any, error) { return text(v), nil },
	"@json":          func(v any) (any, error) { return Text(v), nil },
	"@base64":        func(v any) (any, error) { return base64.StdEncoding.EncodeToString([]byte(text(v))), nil },
	"@base64d": func(v any) (any, error) {
		out, err := base64.StdEncoding.DecodeString(text(v))
		if err != nil {
			return nil, fmt.Errorf("%s is not valid base64 data", shown(v))
		}
		return string(out), nil
	},
	"add": ofList(func(list []any) (out any, err error) {
		for _, v := range list {
			if out, err = binary("+", out, v); err != nil {
				return nil, err
			}
		}
		return out, nil
	}),
	"sort": ofList(func(list []any) (any, error) {
		list = slices.Clone(list)
		sorting.Stable(list, compare)
		return list, nil
	}),
	"unique": ofList(func(list []any) (any, error) {
		list = slices.Clone(list)
		sorting.Stable(list, compare)
		return slices.CompactFunc(list, func(a, b any) bool { return compare(a, b) == 0 }), nil
	}),
	"reverse": ofList(func(list []any) (any, error) {
		list = slices.Clone(list)
		slices.Reverse(list)
		return list, nil
	}),
	"any": ofList(func(list []any) (any, error) { return slices.ContainsFunc(list, truth), nil }),
	"all": ofList(func(list []any) (any, error) {
		return !slices.ContainsFunc(list, func(v any) bool { return !truth(v) }), nil
	}),
	"to_entries": func(v any) (any, error) {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s has no keys", shown(v))
		}
		out := []any{}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			out = append(out, map[string]any{"key": key, "value": object[key]})
		}
		return out, nil
	},
	"from_entries": ofList(func(list []any) (any, error) {
		out := map[string]any{}
		for _, v := range list {
			entry, _ := v.(map[string]any)
			key, ok := entry["key"].(string)
			if !ok {
				return nil, fmt.Errorf("Cannot use %s as object key", shown(entry["key"]))
			}
			out[key] = entry["value"]
		}
		return out, nil
	}),
}

func ofText(f func(s string) (any, error)) func(any) (any, error) {
	return func(v any) (any, error) {
		s, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("%s cannot be processed: a string is required", shown(v))
		}
		return f(s)
	}
}

func ofList(f func(list []any) (any, error)) func(any) (any, error) {
	return func(v any) (any, error) {
		list, ok := v.([]any)
		if !ok {
			return nil, fmt.Errorf("Cannot iterate over %s", shown(v))
		}
		return f(list)
	}
}

// withValue are functions with one argument of which the value matters.
var withValue = map[string]func(v, arg any) (any, error){
	"has": func(v, arg any) (any, error) {
		switch t := v.(type) {
		case map[string]any:
			if key, ok := arg.(string); ok {
				_, has := t[key]
				return has, nil
			}
		case []any:
			if n, ok := number(arg); ok {
				return n >= 0 && int(n) < len(t), nil
			}
		}
		return nil, fmt.Errorf("Cannot check whether %s has a %s key", kind(v), kind(arg))
	},
	"startswith": texts("startswith", func(s, arg string) any { return strings.HasPrefix(s, arg) }),
	"endswith":   texts("endswith", func(s, arg string) any { return strings.HasSuffix(s, arg) }),
	"ltrimstr":   texts("ltrimstr", func(s, arg string) any { return strings.TrimPrefix(s, arg) }),
	"rtrimstr":   texts("rtrimstr", func(s, arg string) any { return strings.TrimSuffix(s, arg) }),
	"split": texts("split", func(s, arg string) any {
		out := []any{}
		for part := range strings.SplitSeq(s, arg) {
			out = append(out, part)
		}
		return out
	}),
	"join": func(v, arg any) (any, error) {
		list, _ := v.([]any)
		var parts []string
		for _, element := range list {
			if element == nil {
				element = ""
			}
			parts = append(parts, text(element))
		}
		return strings.Join(parts, text(arg)), nil
	},
	"contains": func(v, arg any) (any, error) { return contains(v, arg) },
	"inside":   func(v, arg any) (any, error) { return contains(arg, v) },
}

func texts(name string, f func(s, arg string) any) func(v, arg any) (any, error) {
	return func(v, arg any) (any, error) {
		s, ok := v.(string)
		a, okArg := arg.(string)
		if !ok || !okArg {
			return nil, errors.New(name + "() requires string inputs")
		}
		return f(s, a), nil
	}
}

func contains(v, part any) (bool, error) {
	if kind(v) != kind(part) {
		return false, fmt.Errorf("%s and %s cannot have their containment checked", shown(v), shown(part))
	}
	switch p := part.(type) {
	case string:
		return strings.Contains(v.(string), p), nil
	case []any:
		for _, one := range p {
			if !slices.ContainsFunc(v.([]any), func(w any) bool {
				is, err := contains(w, one)
				return is && err == nil
			}) {
				return false, nil
			}
		}
		return true, nil
	case map[string]any:
		for key, one := range p { // order: all must be so
			if is, err := contains(v.(map[string]any)[key], one); !is || err != nil {
				return false, nil
			}
		}
		return true, nil
	}
	return compare(v, part) == 0, nil
}

// withFilter are functions with one argument that is a filter.
var withFilter = map[string]func(f node) node{
	"select": func(f node) node {
		return func(in item, out func(item) error) error {
			return f(in, func(i item) error {
				if truth(i.v) {
					return out(in)
				}
				return nil
			})
		}
	},
	"map": func(f node) node {
		return func(in item, out func(item) error) error {
			list := []any{}
			err := each(in, func(i item) error {
				some, err := collect(f, i)
				list = append(list, some...)
				return err
			})
			if err != nil {
				return err
			}
			return out(made(list))
		}
	},
	"with_entries": func(f node) node {
		return func(in item, out func(item) error) error {
			entries, err := simple["to_entries"](in.v)
			if err != nil {
				return err
			}
			var changed []any
			for _, entry := range entries.([]any) {
				some, err := collect(f, made(entry))
				if err != nil {
					return err
				}
				changed = append(changed, some...)
			}
			v, err := simple["from_entries"](changed)
			if err != nil {
				return err
			}
			return out(made(v))
		}
	},
	"sort_by": func(f node) node {
		return func(in item, out func(item) error) error {
			list, ok := in.v.([]any)
			if !ok {
				return fmt.Errorf("Cannot index %s with number", kind(in.v))
			}
			type row struct {
				v  any
				by []any
			}
			var rows []row
			for _, v := range list {
				by, err := collect(f, made(v))
				if err != nil {
					return err
				}
				rows = append(rows, row{v, by})
			}
			sorting.Stable(rows, func(a, b row) int { return slices.CompareFunc(a.by, b.by, compare) })
			sorted := []any{}
			for _, r := range rows {
				sorted = append(sorted, r.v)
			}
			return out(made(sorted))
		}
	},
	"first": func(f node) node {
		return func(in item, out func(item) error) error {
			v, ok, err := first(f, in)
			if err != nil || !ok {
				return err
			}
			return out(made(v))
		}
	},
	"del": func(f node) node {
		return func(in item, out func(item) error) error {
			all, err := paths(f, in.v)
			if err != nil {
				return err
			}
			v := in.v
			for _, i := range slices.Backward(all) { // from the last on, so that places in lists stay right
				if v, err = set(v, i.path, nil, true); err != nil {
					return err
				}
			}
			return out(made(v))
		}
	},
	"error": func(f node) node {
		return func(in item, _ func(item) error) error {
			v, _, err := first(f, in)
			if err != nil {
				return err
			}
			return errors.New(text(v))
		}
	},
}

package scenario

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"kubewalk/playground/api"
)

// fieldOf is what lookup finds in the object's JSON, without writing that: a
// condition looks at each object that changes, which in a large cluster are many.
func fieldOf(obj api.Object, path string) string {
	if u, ok := obj.(*api.Unstructured); ok {
		return lookup(u.Tree(), path)
	}
	v := reflect.ValueOf(obj)
	for {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			if v.IsNil() {
				return ""
			}
			v = v.Elem()
		}
		if path == "" || ownForm(v) {
			return leaf(v, path)
		}
		step, rest, bracket := cut(path)
		if path = rest; bracket && v.Kind() == reflect.Slice {
			if found, ok := elementOf(v, step); ok {
				v = found
				continue
			}
		}
		inner, ok := childOf(v, step)
		if !ok {
			return ""
		}
		v = inner
	}
}

// cut takes the first step off a path: a name, or what stands in brackets.
func cut(path string) (step, rest string, bracket bool) {
	if inner, rest, ok := strings.Cut(path, "]"); ok && path[0] == '[' {
		return inner[1:], strings.TrimPrefix(rest, "."), true
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	return path[:end], strings.TrimPrefix(path[end:], "."), false
}

// ownForm tells that a value says itself how it is written.
func ownForm(v reflect.Value) bool {
	if !v.IsValid() || v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		return true
	}
	if _, ok := v.Interface().(json.Marshaler); ok {
		return true
	}
	if v.CanAddr() {
		_, ok := v.Addr().Interface().(json.Marshaler)
		return ok
	}
	return false
}

func leaf(v reflect.Value, path string) string {
	if !v.IsValid() {
		return ""
	}
	if path == "" && !ownForm(v) {
		switch v.Kind() {
		case reflect.String:
			return v.String()
		case reflect.Bool:
			return strconv.FormatBool(v.Bool())
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			return strconv.FormatInt(v.Int(), 10)
		}
	}
	text, err := json.Marshal(v.Interface())
	var tree any
	if err != nil || json.Unmarshal(text, &tree) != nil {
		return ""
	}
	return lookup(tree, path)
}

func childOf(v reflect.Value, name string) (reflect.Value, bool) {
	switch v.Kind() {
	case reflect.Struct:
		return structField(v, name)
	case reflect.Map:
		inner := v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))
		return inner, inner.IsValid()
	case reflect.Slice:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < v.Len() {
			return v.Index(i), true
		}
	}
	return reflect.Value{}, false
}

func structField(v reflect.Value, name string) (reflect.Value, bool) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" {
			inner := v.Field(i)
			if inner.Kind() == reflect.Pointer && inner.IsNil() {
				continue
			}
			if found, ok := structField(reflect.Indirect(inner), name); ok {
				return found, true
			}
		}
		if tag != name || tag == "-" || !f.IsExported() {
			continue
		}
		inner := v.Field(i)
		if strings.Contains(options, "omitempty") && isEmpty(inner) || strings.Contains(options, "omitzero") && inner.IsZero() {
			return inner, false
		}
		return inner, true
	}
	return reflect.Value{}, false
}

// isEmpty is what omitempty leaves out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// elementOf is the element of a list whose type or name that is.
func elementOf(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.Len() {
		e := reflect.Indirect(v.Index(i))
		if e.Kind() != reflect.Struct {
			return reflect.Value{}, false
		}
		for _, key := range []string{"type", "name"} {
			if f, ok := structField(e, key); ok && f.Kind() == reflect.String && f.String() == name {
				return e, true
			}
		}
	}
	return reflect.Value{}, false
}

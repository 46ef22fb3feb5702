package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// Merger applies JSON merge patches and strategic merge patches to objects in
// memory. What it makes is what Encode, the patch on JSON and DecodeStrict make,
// at the price of the patch instead of the whole object.
//
// It knows the ordinary patch: known fields, right types. All others are left
// to the long way, which also has the words for what is wrong with them. So
// nothing is decided here that could be decided otherwise there.
//
// A Merger remembers what it has learnt of types: one goroutine at a time.
type Merger struct {
	types map[reflect.Type]map[string]mergeField
}

// NewMerger returns a Merger that knows no type yet.
func NewMerger() *Merger { return &Merger{map[reflect.Type]map[string]mergeField{}} }

// mergeField is what is to be known of a struct's field to patch it.
type mergeField struct {
	index     []int        // through inlined structs
	typ       reflect.Type // without pointers
	whole     bool         // its JSON is its type's own business
	strategic bool         // strategic patches have a way of their own with it
}

// Merge patches an object, which is changed. When it returns false the patch is
// for the long way, and the object is to be thrown away.
func (m *Merger) Merge(obj Object, patch []byte, strategic bool) bool {
	if !json.Valid(patch) {
		return false
	}
	w := merging{merger: m, strategic: strategic}
	w.data = patch
	w.blank()
	return patch[w.pos] == '{' && w.object(reflect.ValueOf(obj).Elem(), true)
}

// merging is a walk through one patch. Its methods return false to give up.
type merging struct {
	checker
	merger    *Merger
	strategic bool
	listed    bool // in a list, whose elements are new: nothing is merged into them
}

// object merges the JSON object at the walk's place into a struct.
func (w *merging) object(v reflect.Value, top bool) bool {
	fields := w.merger.fields(v.Type())
	seen := map[string]bool{}
	w.pos++
	for w.more('}') {
		key := w.text()
		w.colon()
		f, known := fields[key]
		if !known || seen[key] || w.strategic && f.strategic || top && (key == "kind" || key == "apiVersion") {
			return false
		}
		seen[key] = true
		if !w.field(v.FieldByIndex(f.index), f) {
			return false
		}
	}
	return true
}

func (w *merging) field(v reflect.Value, f mergeField) bool {
	switch c := w.data[w.pos]; {
	case c == 'n':
		w.value(nil, "")
		v.SetZero()
		return true
	case c != '{':
		return w.replace(v, f)
	case f.whole:
		return false
	case f.typ.Kind() == reflect.Struct:
		if v.Kind() == reflect.Pointer {
			if v.Type().Elem() != f.typ {
				return false
			}
			if v.IsNil() {
				v.Set(reflect.New(f.typ))
			}
			v = v.Elem()
		}
		return w.object(v, false)
	case v.Type() == reflect.TypeFor[map[string]string]():
		return w.texts(v)
	}
	return false
}

// replace decodes the value at the walk's place, which is no JSON object, into a field.
func (w *merging) replace(v reflect.Value, f mergeField) bool {
	switch c := w.data[w.pos]; {
	case f.whole:
	case c == '"' && v.Kind() == reflect.String:
		v.SetString(w.text())
		return true
	case c == '[':
		return v.Kind() == reflect.Slice && w.list(v)
	}
	start := w.pos
	w.value(nil, "")
	if f.whole && !ordinary(w.data[start:w.pos]) {
		return false
	}
	into := reflect.New(v.Type())
	if json.Unmarshal(w.data[start:w.pos], into.Interface()) != nil {
		return false
	}
	v.Set(into.Elem())
	return true
}

// ordinary says whether JSON is written as Encode would write it: some types keep the text, and the long way does not leave every text as it is, nor does
// it take every number.
func ordinary(text []byte) bool {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return false
	}
	again, err := json.Marshal(v)
	return err == nil && bytes.Equal(again, text)
}

// list decodes the JSON array at the walk's place.
func (w *merging) list(v reflect.Value) bool {
	elem := mergeField{typ: v.Type().Elem()}
	elem.whole = marshalsItself(reflect.PointerTo(elem.typ))
	defer func(before bool) { w.listed = before }(w.listed)
	w.listed = true
	out := reflect.MakeSlice(v.Type(), 0, 0)
	w.pos++
	for w.more(']') {
		out = reflect.Append(out, reflect.Zero(elem.typ))
		if !w.field(out.Index(out.Len()-1), elem) {
			return false
		}
	}
	v.Set(out)
	return true
}

// texts merges the JSON object at the walk's place into a map of strings.
func (w *merging) texts(v reflect.Value) bool {
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	m := v.Interface().(map[string]string)
	seen := map[string]bool{}
	w.pos++
	for w.more('}') {
		key := w.text()
		w.colon()
		if seen[key] || w.strategic && strings.HasPrefix(key, "$") {
			return false
		}
		seen[key] = true
		switch w.data[w.pos] {
		case '"':
			m[key] = w.text()
		case 'n':
			if w.listed {
				return false // in JSON it depends on what was there whether null is taken for a deletion or an empty text
			}
			w.value(nil, "")
			delete(m, key)
		default:
			return false
		}
	}
	return true
}

func (w *merging) colon() {
	w.blank()
	w.pos++
	w.blank()
}

// fields lists a struct's fields by their JSON names.
func (m *Merger) fields(t reflect.Type) map[string]mergeField {
	if known := m.types[t]; known != nil {
		return known
	}
	out := map[string]mergeField{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			for name, inner := range m.fields(f.Type) { // order: each fills its own key
				inner.index = append([]int{i}, inner.index...)
				out[name] = inner
			}
		case !f.IsExported() || name == "-":
		default:
			if name == "" {
				name = f.Name
			}
			typ := f.Type
			for typ.Kind() == reflect.Pointer {
				typ = typ.Elem()
			}
			out[name] = mergeField{
				index: []int{i}, typ: typ, whole: marshalsItself(reflect.PointerTo(typ)),
				strategic: f.Tag.Get("patchStrategy") != "",
			}
		}
	}
	m.types[t] = out
	return out
}

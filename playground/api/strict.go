package api

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// checker walks JSON beside the Go type that it is to become, and notes the fields that strict decoding refuses.
// encoding/json alone would do less: it stops at the first unknown field, lets repeated ones pass, and takes "Spec" for
// "spec". Upstream has its own copy of it for that, sigs.k8s.io/json, whose findings these are.
type checker struct {
	// data is valid JSON; pos is where the walk is.
	data []byte
	pos  int
	// found is in the order of the JSON, each once.
	found []FieldError
	seen  map[FieldError]bool
	// cuts are the members of objects (key and value) that have no field: they are left out before decoding, lest a
	// name in another case be taken for the field. They are in order and never nested.
	cuts [][2]int
	// fields is by struct: the JSON names of its fields, and their types.
	fields map[reflect.Type]map[string]reflect.Type
}

const maxStrictErrors = 100

func (c *checker) report(e FieldError) {
	if len(c.found) < maxStrictErrors && !c.seen[e] {
		c.seen[e] = true
		c.found = append(c.found, e)
	}
}

// value walks one JSON value that becomes a t; t is nil for what is not to be looked into.
func (c *checker) value(t reflect.Type, path string) {
	for t != nil && t.Kind() == reflect.Pointer && !marshalsItself(t) {
		t = t.Elem()
	}
	if t != nil && marshalsItself(reflect.PointerTo(t)) {
		t = nil
	}
	switch c.blank(); c.data[c.pos] {
	case '{':
		c.object(t, path)
	case '[':
		var elem reflect.Type
		if t != nil && t.Kind() == reflect.Slice {
			elem = t.Elem()
		}
		c.pos++
		for i := 0; c.more(']'); i++ {
			c.value(elem, path+"["+strconv.Itoa(i)+"]")
		}
	case '"':
		c.text()
	default:
		for c.pos < len(c.data) && strings.IndexByte(",]} \t\r\n", c.data[c.pos]) < 0 {
			c.pos++
		}
	}
}

func (c *checker) object(t reflect.Type, path string) {
	var fields map[string]reflect.Type
	var elem reflect.Type
	if t != nil {
		switch t.Kind() {
		case reflect.Struct:
			fields = c.fieldsOf(t)
		case reflect.Map:
			elem = t.Elem()
		}
	}
	keys := map[string]bool{}
	c.pos++
	for c.more('}') {
		start := c.pos
		key := c.text()
		c.blank()
		c.pos++ // the colon
		at := path + "." + key
		if path == "" {
			at = key
		}
		typ, known := elem, true
		if fields != nil {
			typ, known = fields[key]
		}
		if t != nil && (fields != nil || elem != nil) {
			switch {
			case !known:
				c.report(FieldError{Path: at})
			case keys[key]:
				c.report(FieldError{Duplicate: true, Path: at})
			}
		}
		keys[key] = true
		c.value(typ, at)
		if !known {
			c.cuts = append(c.cuts, [2]int{start, c.pos})
		}
	}
}

// more steps over blanks and a comma to the next member, or over the closing bracket.
func (c *checker) more(closing byte) bool {
	c.blank()
	if c.data[c.pos] == ',' {
		c.pos++
		c.blank()
	}
	if c.data[c.pos] == closing {
		c.pos++
		return false
	}
	return true
}

func (c *checker) blank() {
	for strings.IndexByte(" \t\r\n", c.data[c.pos]) >= 0 {
		c.pos++
	}
}

func (c *checker) text() string {
	start := c.pos
	c.pos++
	for c.data[c.pos] != '"' {
		if c.data[c.pos] == '\\' {
			c.pos++
		}
		c.pos++
	}
	c.pos++
	inner := c.data[start+1 : c.pos-1]
	if plain(inner) {
		return string(inner)
	}
	var s string
	if json.Unmarshal(c.data[start:c.pos], &s) != nil {
		panic("api: strict check of invalid JSON")
	}
	return s
}

// plain tells that a JSON string stands for its very bytes.
func plain(s []byte) bool {
	for _, b := range s {
		if b == '\\' || b >= 0x80 { // beyond ASCII: it may be invalid UTF-8
			return false
		}
	}
	return true
}

// withoutCuts replaces each cut member by one whose name no field has, so that commas stay right.
func (c *checker) withoutCuts() []byte {
	var out []byte
	last := 0
	for _, cut := range c.cuts {
		out = append(out, c.data[last:cut[0]]...)
		out = append(out, `"":null`...)
		last = cut[1]
	}
	return append(out, c.data[last:]...)
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func marshalsItself(t reflect.Type) bool {
	return t.Implements(jsonUnmarshaler) || t.Implements(textUnmarshaler)
}

func (c *checker) fieldsOf(t reflect.Type) map[string]reflect.Type {
	if m := c.fields[t]; m != nil {
		return m
	}
	m := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			for name, typ := range c.fieldsOf(f.Type) {
				m[name] = typ
			}
		case !f.IsExported() || name == "-":
		case name == "":
			m[f.Name] = f.Type
		default:
			m[name] = f.Type
		}
	}
	c.fields[t] = m
	return m
}

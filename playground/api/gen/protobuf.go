package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// writeFields writes the table from which package protobuf decodes: the types, and of each field its number, its name in
// JSON ("-" for a struct whose fields are its parent's), and its type.
func writeFields(c *closure, out string) error {
	var b strings.Builder
	for _, p := range packages {
		for _, t := range c.in(p.name) {
			if t.Kind() != reflect.Struct || isLeaf(t) {
				continue
			}
			if lines := fieldLines(t); lines != "" {
				fmt.Fprintf(&b, "type %s.%s\n%s", p.name, t.Name(), lines)
			}
		}
	}
	return os.WriteFile(filepath.Join(out, "protobuf", "fields.txt"), []byte(b.String()), 0o644)
}

func fieldLines(t reflect.Type) string {
	var b strings.Builder
	for i := range t.NumField() {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("protobuf"), ",")
		if len(tag) < 2 {
			continue // TypeMeta, which the envelope has
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if strings.Contains(options, "inline") {
			name = "-"
		}
		for _, part := range tag {
			if n, ok := strings.CutPrefix(part, "name="); ok && name == "" {
				name = n
			}
		}
		fmt.Fprintf(&b, "%s %s %s\n", tag[1], name, wireType(f.Type))
	}
	return b.String()
}

// wireType spells a type as protobuf writes it: string, bytes, bool, int, items, or a message's name;
// [] before what is repeated, map[] before the values of a map.
func wireType(t reflect.Type) string {
	switch {
	case t.PkgPath() == "":
	case t.Kind() == reflect.Struct:
		return packageNames[t.PkgPath()] + "." + t.Name()
	case t.Kind() == reflect.Slice && reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ Marshal() ([]byte, error) }]()):
		return "items" // a message whose first field is the list: Verbs, ExtraValue
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wireType(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + wireType(t.Elem())
	case reflect.Map:
		return "map[]" + wireType(t.Elem())
	case reflect.String, reflect.Bool:
		return t.Kind().String()
	}
	if isNumber(t) {
		if t.Kind() == reflect.Float64 {
			return "float"
		}
		return "int"
	}
	panic(fmt.Sprintf("gen: protobuf has no form for %v", t))
}

func isNumber(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64, reflect.Float64:
		return true
	}
	return false
}

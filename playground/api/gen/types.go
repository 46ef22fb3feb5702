package main

import (
	"go/constant"
	gotypes "go/types"
	"reflect"
	"strings"
)

// keptTags are copied from upstream's struct tags; protobuf's go.
var keptTags = []string{"json", "patchStrategy", "patchMergeKey"}

// keptMarkers become struct tags, so that apply and merge patches can read them by reflection. Several values are
// joined by commas.
var keptMarkers = []string{"listType", "listMapKey", "mapType", "structType"}

func writeTypes(w *writer, c *closure, src *source) {
	for _, t := range c.in(w.pkg.name) {
		w.printf("\n// %s has the shape of upstream's %s.%s.\n", t.Name(), src.path, t.Name())
		if t.Kind() != reflect.Struct {
			w.printf("type %s %s\n", t.Name(), w.underlying(t))
			continue
		}
		w.printf("type %s struct {\n", t.Name())
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.Anonymous {
				w.printf("%s ", f.Name)
			}
			w.printf("%s `%s`\n", w.typeName(f.Type), tags(f, src.markers[t.Name()+"."+f.Name]))
		}
		w.printf("}\n")
		if src.isAtomic(t.Name()) {
			w.printf("\n// StructType says that apply replaces the struct whole.\n")
			w.printf("func (%s) StructType() string { return \"atomic\" }\n", t.Name())
		} else if embedsAtomic(t, src) {
			w.printf("\n// StructType says that apply merges the fields, unlike those of the struct embedded.\n")
			w.printf("func (%s) StructType() string { return \"granular\" }\n", t.Name())
		}
	}
}

// embedsAtomic says that t would inherit the method StructType. Only structs of one package do that.
func embedsAtomic(t reflect.Type, src *source) bool {
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Type.PkgPath() == src.path && src.isAtomic(f.Name) {
			return true
		}
	}
	return false
}

// underlying spells the type behind a named one.
func (w *writer) underlying(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return w.typeName(reflect.SliceOf(t.Elem()))
	case reflect.Map:
		return w.typeName(reflect.MapOf(t.Key(), t.Elem()))
	}
	return t.Kind().String()
}

func tags(f reflect.StructField, markers map[string][]string) string {
	var list []string
	for _, key := range keptTags {
		if v, ok := f.Tag.Lookup(key); ok {
			list = append(list, key+`:"`+v+`"`)
		}
	}
	for _, key := range keptMarkers {
		if v := markers[key]; len(v) > 0 {
			list = append(list, key+`:"`+strings.Join(v, ",")+`"`)
		}
	}
	if isRequired(f, markers) {
		list = append(list, `required:"true"`)
	}
	return strings.Join(list, " ")
}

// isRequired decides as upstream's schemas do: kube-openapi/pkg/generators/openapi.go, membersAndRequired.
func isRequired(f reflect.StructField, markers map[string][]string) bool {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	_, required := markers["required"]
	_, optional := markers["optional"]
	return name != "" && !optional && (required || !strings.Contains(options, "omit"))
}

// writeConstants writes the constants of plain type, and those of a type that we generate.
func writeConstants(w *writer, c *closure, src *source) {
	w.printf("\n// The constants of upstream's %s that belong to the types here, by name.\nconst (\n", src.path)
	for _, name := range src.scope.Names() {
		obj, ok := src.scope.Lookup(name).(*gotypes.Const)
		if !ok || !obj.Exported() || obj.Val().Kind() == constant.Unknown {
			continue
		}
		switch t := obj.Type().(type) {
		case *gotypes.Basic:
			typ := ""
			if t.Info()&gotypes.IsUntyped == 0 {
				typ = t.Name()
			}
			w.printf("%s %s = %s\n", name, typ, obj.Val().ExactString())
		case *gotypes.Named:
			if c.has(w.pkg.name, t.Obj().Name()) {
				w.printf("%s %s = %s\n", name, t.Obj().Name(), obj.Val().ExactString())
			}
		}
	}
	w.printf(")\n")
}

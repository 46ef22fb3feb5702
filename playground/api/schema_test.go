package api_test

import (
	_ "embed"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
)

//go:embed testdata/schema.txt
var recordedSchema string

// TestTypesMatchRecordedSchema compares the generated types with what a real API server publishes, in both directions:
// no field missing, none too many, of the same JSON type, merged in the same way.
func TestTypesMatchRecordedSchema(t *testing.T) {
	want := readSchema(recordedSchema)
	if len(api.AllKinds()) == len(api.Kinds()) { // a build without the rare kinds
		maps.DeleteFunc(want, func(field, _ string) bool {
			return slices.ContainsFunc(rareTypes, func(t string) bool { return strings.HasPrefix(field, t) })
		})
	}
	s := schemaWriter{}
	for _, k := range api.AllKinds() {
		if strings.HasSuffix(k.Kind, "Review") {
			continue // their groups were not recorded: api/gen alone speaks for them
		}
		s.add(reflect.TypeOf(k.New()).Elem())
		if k.NewList != nil {
			s.add(reflect.TypeOf(k.NewList()).Elem())
		}
	}
	for _, v := range []any{metav1.DeleteOptions{}, metav1.Status{}, metav1.Condition{}, metav1.APIResourceList{}} {
		s.add(reflect.TypeOf(v))
	}
	all := maps.Clone(want)
	maps.Copy(all, map[string]string(s))
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if got := s[field]; got != want[field] {
			t.Errorf("field %s: type has %q, real API server %q (run go generate ./playground/api/...)", field, got, want[field])
		}
	}
	if len(s) < 1000 {
		t.Errorf("compared %d types and fields, want 1000 or more", len(s))
	}
}

// rareTypes are how the names of types begin that only AllKinds has.
var rareTypes = []string{"autoscalingv1.HorizontalPodAutoscaler", "autoscalingv1.CrossVersionObjectReference", "certificatesv1.", "flowcontrolv1.", "nodev1.",
	"resourcev1."}

// readSchema returns what the schema says of each type and of each "Type.field".
func readSchema(text string) map[string]string {
	fields := map[string]string{}
	typ := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		name, rest, _ := strings.Cut(strings.TrimPrefix(line, "\t"), " ")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "\t"):
			fields[typ+"."+name] = rest
		default:
			typ = name
			fields[typ] = rest
		}
	}
	return fields
}

// schemaWriter says of Go types what the recorded schema says of the real ones.
type schemaWriter map[string]string

func (s schemaWriter) add(t reflect.Type) {
	if _, done := s[t.String()]; done {
		return
	}
	s[t.String()] = ""
	if a, ok := reflect.Zero(t).Interface().(interface{ StructType() string }); ok && a.StructType() != "granular" {
		s[t.String()] = "map-type=" + a.StructType()
	}
	s.fields(t, t.String())
}

func (s schemaWriter) fields(t reflect.Type, owner string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			s.fields(f.Type, owner)
			continue
		}
		line := s.jsonType(f.Type)
		if f.Tag.Get("required") == "true" {
			line += " required"
		}
		for _, tag := range [][2]string{{"patchStrategy", "patch-strategy"}, {"patchMergeKey", "patch-merge-key"},
			{"listType", "list-type"}, {"mapType", "map-type"}, {"structType", "map-type"}, {"listMapKey", "list-map-keys"}} {
			if v := f.Tag.Get(tag[0]); v != "" {
				line += " " + tag[1] + "=" + v
			}
		}
		s[owner+"."+name] = line
	}
}

func (s schemaWriter) jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return s.jsonType(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + s.jsonType(t.Elem())
	case reflect.Map:
		return "map[string]" + s.jsonType(t.Elem())
	case reflect.Struct:
		switch t.String() {
		case "metav1.Time", "metav1.MicroTime", "metav1.FieldsV1", "resource.Quantity", "intstr.IntOrString", "runtime.RawExtension",
			"apiextensionsv1.JSON", "apiextensionsv1.JSONSchemaPropsOrArray", "apiextensionsv1.JSONSchemaPropsOrBool",
			"apiextensionsv1.JSONSchemaPropsOrStringArray":
		default:
			s.add(t)
		}
		return t.String()
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	case reflect.String, reflect.Int32, reflect.Int64:
		return t.Kind().String()
	}
	panic(fmt.Sprintf("no JSON type for %v", t))
}

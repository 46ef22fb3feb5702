package managedfields

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
)

// Type is how values of one place in an object are told apart, merged and owned.
// Upstream: structured-merge-diff/schema, Atom.
type Type struct {
	what   string // "string", "numeric", "boolean", "map", "list", or "" for anything, as a whole
	atomic bool   // owned as a whole
	fields map[string]*Type
	elem   *Type // of a list, or of a map's values
	keys   []string
	set    bool // a list whose elements are told apart by their values
}

// Types are those that were read off Go types, and off the schemas of custom kinds, so far. They are not for several
// goroutines at once.
type Types struct {
	known  map[reflect.Type]*Type
	custom map[*api.Kind]*Type
}

// NewTypes knows nothing yet.
func NewTypes() *Types { return &Types{map[reflect.Type]*Type{}, map[*api.Kind]*Type{}} }

// For is the type of a kind's objects.
func (ts *Types) For(kind *api.Kind) *Type {
	if kind.Schema == nil {
		return ts.Of(reflect.TypeOf(kind.New()))
	}
	known := ts.custom[kind]
	if known == nil {
		whole := *ofSchema(kind.Schema)
		whole.what, whole.atomic = "map", false
		whole.fields = maps.Clone(whole.fields)
		if whole.fields == nil {
			whole.fields = map[string]*Type{}
		}
		whole.fields["apiVersion"], whole.fields["kind"] = &Type{what: "string"}, &Type{what: "string"}
		whole.fields["metadata"] = ts.of(reflect.TypeFor[metav1.ObjectMeta]())
		known = &whole
		ts.custom[kind] = known
	}
	return known
}

// ofSchema is the type that a structural schema describes. What it leaves open belongs to who wrote it as a whole, where upstream
// looks into maps.
// Upstream: kube-openapi/pkg/schemaconv/openapi.go.
func ofSchema(s *apiextensionsv1.JSONSchemaProps) *Type {
	switch s.Type {
	case "string":
		return &Type{what: "string"}
	case "integer", "number":
		return &Type{what: "numeric"}
	case "boolean":
		return &Type{what: "boolean"}
	case "array":
		t := &Type{what: "list", atomic: true, elem: ofSchema(s.Items.Schema)}
		if s.XListType != nil {
			t.atomic, t.set = *s.XListType == "atomic", *s.XListType == "set"
			t.keys = s.XListMapKeys
		}
		return t
	case "object":
		t := &Type{what: "map", atomic: s.XMapType != nil && *s.XMapType == "atomic"}
		if len(s.Properties) > 0 {
			t.fields = map[string]*Type{}
		}
		for name, p := range s.Properties { // order: each fills its own key
			t.fields[name] = ofSchema(&p)
		}
		switch more := s.AdditionalProperties; {
		case more != nil && more.Schema != nil:
			t.elem = ofSchema(more.Schema)
		case more != nil, s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields:
			t.elem = &Type{atomic: true}
		}
		return t
	}
	return &Type{atomic: true}
}

// Of is the type of an object, or of a pointer to one.
func (ts *Types) Of(t reflect.Type) *Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return ts.of(t)
}

// below is the type one element of a path further.
func (t *Type) below(e string) *Type {
	if t == nil {
		return nil
	}
	if name, ok := strings.CutPrefix(e, "f:"); ok {
		if f := t.fields[name]; f != nil {
			return f
		}
	}
	return t.elem
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	quantityType  = reflect.TypeFor[resource.Quantity]()
	intOrString   = reflect.TypeFor[intstr.IntOrString]()
)

func (ts *Types) of(t reflect.Type) *Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if known := ts.known[t]; known != nil {
		return known
	}
	out := &Type{}
	ts.known[t] = out // for types that contain themselves
	switch {
	case t == quantityType, t == intOrString:
		out.what, out.atomic = "", true
	case marshalsItself(t):
		out.what, out.atomic = "", true // times, and what only somebody else understands
	default:
		ts.fill(out, t)
	}
	return out
}

// marshalsItself says that a type's JSON is its own business.
func marshalsItself(t reflect.Type) bool {
	return t.Implements(jsonMarshaler) || reflect.PointerTo(t).Implements(jsonMarshaler) || t.Implements(textMarshaler)
}

func (ts *Types) fill(out *Type, t reflect.Type) {
	switch t.Kind() {
	case reflect.String:
		out.what = "string"
	case reflect.Bool:
		out.what = "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64, reflect.Float64:
		out.what = "numeric"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			out.what = "string"
			return
		}
		out.what, out.elem, out.atomic = "list", ts.of(t.Elem()), true
	case reflect.Map:
		out.what, out.elem = "map", ts.of(t.Elem())
	case reflect.Struct:
		out.what, out.fields = "map", map[string]*Type{}
		if s, ok := reflect.Zero(t).Interface().(interface{ StructType() string }); ok {
			out.atomic = s.StructType() == "atomic"
		}
		ts.collect(out, t)
	}
}

// collect adds the fields of a struct, and of the structs inlined in it.
func (ts *Types) collect(out *Type, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			inner := f.Type
			for inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			ts.collect(out, inner)
		case !f.IsExported() || name == "-":
		default:
			if name == "" {
				name = f.Name
			}
			out.fields[name] = ts.field(f)
		}
	}
}

// field is the type of a field: what its tags say counts before what its type says.
func (ts *Types) field(f reflect.StructField) *Type {
	t := ts.of(f.Type)
	list, keys := f.Tag.Get("listType"), f.Tag.Get("listMapKey")
	mapping := f.Tag.Get("mapType")
	if mapping == "" {
		mapping = f.Tag.Get("structType")
	}
	if list == "" && mapping == "" {
		return t
	}
	own := *t
	switch {
	case list == "map":
		own.atomic, own.keys = false, strings.Split(keys, ",")
	case list == "set":
		own.atomic, own.set = false, true
	case mapping != "":
		own.atomic = mapping == "atomic"
		if own.fields == nil && own.elem == nil { // it contains itself, and is not ready
			own = Type{}
			ts.fill(&own, deref(f.Type))
			own.atomic = mapping == "atomic"
		}
	}
	if list != "" && own.elem == nil {
		own.what, own.elem = "list", ts.of(deref(f.Type).Elem())
	}
	return &own
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

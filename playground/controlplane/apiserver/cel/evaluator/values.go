package evaluator

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
)

// adapter makes values of CEL from Go's. Its maps have an order, that of their keys, where cel-go's have Go's.
type adapter struct{ types.Adapter }

// NativeToValue implements types.Adapter.
func (a adapter) NativeToValue(value any) ref.Val {
	switch v := value.(type) {
	case json.Number:
		return numberValue(v)
	case map[string]any:
		keys := make([]ref.Val, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			keys = append(keys, types.String(key))
		}
		return &orderedMap{types.NewStringInterfaceMap(a, v), keys}
	case []any:
		return types.NewDynamicList(a, v)
	case map[ref.Val]ref.Val:
		keys := slices.Collect(maps.Keys(v)) // order: they are sorted
		slices.SortFunc(keys, func(x, y ref.Val) int { return strings.Compare(keyText(x), keyText(y)) })
		return &orderedMap{types.NewRefValMap(a, v), keys}
	}
	return a.Adapter.NativeToValue(value)
}

func numberValue(n json.Number) ref.Val {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return types.Int(i)
	}
	f, err := n.Float64()
	if err != nil {
		return types.NewErr("invalid number %s", string(n))
	}
	return types.Double(f)
}

// keyText orders keys of any type: numbers by size.
func keyText(v ref.Val) string {
	switch v := v.(type) {
	case types.Int:
		return fmt.Sprintf("int %020d", uint64(v)^(1<<63))
	case types.Uint:
		return fmt.Sprintf("uint %020d", uint64(v))
	}
	return fmt.Sprintf("%s %v", v.Type().TypeName(), v.Value())
}

// orderedMap is a map whose iterator has an order. It embeds the interface, so nobody sees that the map could be folded.
type orderedMap struct {
	traits.Mapper
	keys []ref.Val
}

func (m *orderedMap) Iterator() traits.Iterator { return &iterator{Mapper: m, items: m.keys} }

func (m *orderedMap) Equal(other ref.Val) ref.Val {
	if o, ok := other.(*orderedMap); ok {
		other = o.Mapper
	}
	return m.Mapper.Equal(other)
}

// iterator goes through a list.
type iterator struct {
	traits.Mapper // for what an iterator must be, besides
	items         []ref.Val
}

func (it *iterator) HasNext() ref.Val { return types.Bool(len(it.items) > 0) }

func (it *iterator) Next() ref.Val {
	next := it.items[0]
	it.items = it.items[1:]
	return next
}

// typed makes a value of a tree of JSON that has a schema. Upstream: apiserver/pkg/cel/common/valuesunstructured.go, UnstructuredToVal.
func (e *Evaluator) typed(v any, s *apiextensionsv1.JSONSchemaProps, root bool) ref.Val {
	if v == nil {
		if s.Nullable {
			return types.NullValue
		}
		return types.NewErr("invalid data, got null for schema with nullable=false")
	}
	if s.XIntOrString {
		switch v := v.(type) {
		case string:
			return types.String(v)
		case json.Number:
			if n, ok := numberValue(v).(types.Int); ok {
				return n
			}
		}
		return types.NewErr("invalid data, expected XIntOrString value to be either a string or integer")
	}
	switch s.Type {
	case "object":
		m, ok := v.(map[string]any)
		if !ok {
			return types.NewErr("invalid data, expected a map for the provided schema with type=object")
		}
		if root || s.XEmbeddedResource {
			s = withMeta(s)
		}
		return &object{e: e, fields: m, schema: s}
	case "array":
		items, ok := v.([]any)
		if !ok {
			return types.NewErr("invalid data, expected an array for the provided schema with type=array")
		}
		if s.Items == nil || s.Items.Schema == nil {
			return types.NewErr("invalid array type, expected Items with a non-empty Schema")
		}
		values := make([]ref.Val, len(items))
		for i := range items {
			values[i] = e.typed(items[i], s.Items.Schema, false)
		}
		l := &list{Lister: types.NewRefValList(e.adapter, values), values: values}
		if t := s.XListType; t != nil && *t != "atomic" {
			l.kind, l.keys = *t, s.XListMapKeys
		}
		return l
	case "string":
		text, ok := v.(string)
		if !ok {
			return types.NewErr("invalid data, expected string, got %T", v)
		}
		return formatted(text, s.Format)
	case "number":
		if n, ok := v.(json.Number); ok {
			if f, err := n.Float64(); err == nil {
				return types.Double(f)
			}
		}
		return types.NewErr("invalid data, expected float, got %T", v)
	case "integer":
		if n, ok := v.(json.Number); ok {
			switch n := numberValue(n).(type) {
			case types.Int:
				return n
			case types.Double:
				if f := float64(n); f == math.Trunc(f) {
					return types.Int(int64(f))
				}
			}
		}
		return types.NewErr("invalid data, expected int, got %T", v)
	case "boolean":
		if b, ok := v.(bool); ok {
			return types.Bool(b)
		}
		return types.NewErr("invalid data, expected bool, got %T", v)
	}
	if preserves(s) {
		return unknown{v}
	}
	return types.NewErr("invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or "+
		"x-kubernetes-preserve-unknown-fields is true, got %s", s.Type)
}

func formatted(text, format string) ref.Val {
	switch format {
	case "duration":
		d, err := parseDuration(text)
		if err != nil {
			return types.NewErr("Invalid duration %s: %v", text, err)
		}
		return types.Duration{Duration: d}
	case "date":
		t, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return types.NewErr("Invalid date formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: t}
	case "date-time":
		t, err := parseDateTime(text)
		if err != nil {
			return types.NewErr("Invalid date-time formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: t}
	case "byte":
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return types.NewErr("Invalid byte formatted string %s: %v", text, err)
		}
		return types.Bytes(b)
	}
	return types.String(text)
}

func parseDuration(text string) (time.Duration, error) {
	return time.ParseDuration(strings.ReplaceAll(text, " ", ""))
}

// parseDateTime takes what RFC 3339 allows, and a small t and z. Upstream: kube-openapi/pkg/validation/strfmt/time.go, ParseDateTime.
func parseDateTime(text string) (time.Time, error) {
	return time.Parse(time.RFC3339Nano, strings.ToUpper(text))
}

func preserves(s *apiextensionsv1.JSONSchemaProps) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// withMeta is the schema of a whole resource, of whose metadata rules see the name.
// Upstream: apiextensions-apiserver/pkg/apiserver/schema/cel/model/schemas.go, WithTypeAndObjectMeta.
func withMeta(s *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	out := *s
	out.Properties = maps.Clone(s.Properties)
	if out.Properties == nil {
		out.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
	}
	out.Properties["kind"], out.Properties["apiVersion"] = text, text
	out.Properties["metadata"] = apiextensionsv1.JSONSchemaProps{Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": text, "generateName": text}}
	return &out
}

// unknown is a value of which the schema says nothing. It can be compared, no more.
type unknown struct{ tree any }

func (unknown) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields", t)
}

func (unknown) ConvertToType(t ref.Type) ref.Val {
	return types.NewErr("type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields", t.TypeName())
}

func (u unknown) Equal(other ref.Val) ref.Val {
	o, ok := other.(unknown)
	return types.Bool(ok && api.SameTree(u.tree, o.tree))
}
func (unknown) Type() ref.Type { return types.UnknownType }
func (u unknown) Value() any   { return u.tree }

// object is a map or a struct with a schema. Names of fields are escaped, keys of maps are not.
type object struct {
	e      *Evaluator
	fields map[string]any
	schema *apiextensionsv1.JSONSchemaProps
}

func (o *object) isStruct() bool { return o.schema.Properties != nil }

// of is the schema of a field.
func (o *object) of(name string) *apiextensionsv1.JSONSchemaProps {
	if o.isStruct() {
		if s, ok := o.schema.Properties[name]; ok {
			return &s
		}
	} else if a := o.schema.AdditionalProperties; a != nil && a.Schema != nil {
		return a.Schema
	}
	return nil
}

func (o *object) Find(key ref.Val) (ref.Val, bool) {
	text, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	name := string(text)
	if o.isStruct() {
		if name, ok = unescape(name); !ok {
			return nil, false
		}
	}
	v, ok := o.fields[name]
	if !ok || v == nil && o.isStruct() {
		return nil, false
	}
	s := o.of(name)
	if s == nil {
		return nil, false
	}
	return o.e.typed(v, s, false), true
}

func (o *object) Get(key ref.Val) ref.Val {
	if v, ok := o.Find(key); ok {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (o *object) Contains(key ref.Val) ref.Val {
	v, ok := o.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(ok)
}

func (o *object) Iterator() traits.Iterator {
	var keys []ref.Val
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if o.of(name) == nil {
			continue
		}
		if escaped, ok := escape(name); ok && o.isStruct() {
			name = escaped
		}
		keys = append(keys, types.String(name))
	}
	return &iterator{Mapper: o, items: keys}
}

func (o *object) Size() ref.Val  { return types.Int(len(o.fields)) }
func (o *object) Type() ref.Type { return types.MapType }
func (o *object) Value() any     { return o.fields }

func (o *object) Equal(other ref.Val) ref.Val {
	m, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if o.Size() != m.Size() {
		return types.False
	}
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if o.of(name) != nil {
			v, found := o.Find(types.String(name))
			w, has := m.Find(types.String(name))
			if found != has {
				return types.False
			}
			if found {
				if equal := v.Equal(w); equal != types.True {
					return equal
				}
			}
			continue
		}
		p, ok := other.(*object)
		if !ok {
			return types.MaybeNoSuchOverloadErr(other)
		}
		if w, has := p.fields[name]; has && !api.SameTree(o.fields[name], w) {
			return types.False
		}
	}
	return types.True
}

func (o *object) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() == reflect.Map {
		return o.fields, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", o.Type(), t)
}

func (o *object) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.MapType:
		return o
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", o.Type(), t.TypeName())
}

// list is a list with a schema. Of sets and of lists with keys the order does not count.
type list struct {
	traits.Lister
	values []ref.Val
	kind   string // "set", "map" or ""
	keys   []string
}

// same tells whether two items stand for the same place of the list.
func (l *list) same(a, b ref.Val) bool {
	if l.kind == "set" {
		return a.Equal(b) == types.True
	}
	m, ok := a.(traits.Mapper)
	n, also := b.(traits.Mapper)
	if !ok || !also {
		return false
	}
	for _, key := range l.keys {
		name, _ := escape(key)
		v, has := m.Find(types.String(name))
		w, too := n.Find(types.String(name))
		if has != too || has && v.Equal(w) != types.True {
			return false
		}
	}
	return true
}

func (l *list) find(item ref.Val) int {
	return slices.IndexFunc(l.values, func(v ref.Val) bool { return l.same(v, item) })
}

func (l *list) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != o.Size() {
		return types.False
	}
	for i := range l.values {
		item, own := o.Get(types.Int(i)), i
		if l.kind != "" {
			if own = l.find(item); own < 0 {
				return types.False
			}
		}
		if equal := l.values[own].Equal(item); equal != types.True {
			return equal
		}
	}
	return types.True
}

func (l *list) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.kind == "" {
		return l.Lister.Add(other)
	}
	sum := &list{values: slices.Clone(l.values), kind: l.kind, keys: l.keys}
	for it := o.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		switch i := sum.find(item); {
		case i < 0:
			sum.values = append(sum.values, item)
		case l.kind == "map":
			sum.values[i] = item
		}
	}
	sum.Lister = types.NewRefValList(types.DefaultTypeAdapter, sum.values)
	return sum
}

package evaluator

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// The types of which mutating policies make changes: Object with Object.spec, Object.spec.template and so on, whose fields may be any, and
// JSONPatch. Upstream: apiserver/pkg/cel/mutation and library/jsonpatch.go.

var (
	objectType    = cel.ObjectType("Object")
	jsonPatchType = cel.ObjectType("JSONPatch")
)

var jsonPatches = &library{"kubernetes.jsonpatch", []cel.EnvOption{
	cel.Function("jsonpatch.escapeKey", unary("string_jsonpatch_escapeKey_string", cel.StringType, cel.StringType, func(s string) ref.Val {
		return types.String(strings.NewReplacer("/", "~1", "~", "~0").Replace(s))
	})),
}}

// changes knows these types, besides those of the provider under it. Upstream: apiserver/pkg/cel/common/typeprovider.go, ResolverTypeProvider.
type changes struct{ types.Provider }

// jsonPatchFields are the fields of a JSONPatch, with their types.
var jsonPatchFields = map[string]*cel.Type{"op": cel.StringType, "from": cel.StringType, "path": cel.StringType, "value": cel.DynType}

func isObject(name string) bool { return name == "Object" || strings.HasPrefix(name, "Object.") }

func (c *changes) FindStructType(name string) (*types.Type, bool) {
	if isObject(name) || name == "JSONPatch" {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return c.Provider.FindStructType(name)
}

func (c *changes) FindStructFieldNames(name string) ([]string, bool) {
	switch {
	case isObject(name):
		return nil, true // any
	case name == "JSONPatch":
		return slices.Sorted(maps.Keys(jsonPatchFields)), true
	}
	return c.Provider.FindStructFieldNames(name)
}

func (c *changes) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	switch {
	case isObject(name):
		return &types.FieldType{Type: types.DynType}, true
	case name == "JSONPatch":
		return &types.FieldType{Type: jsonPatchFields[field]}, jsonPatchFields[field] != nil
	}
	return c.Provider.FindStructFieldType(name, field)
}

func (c *changes) NewValue(name string, fields map[string]ref.Val) ref.Val {
	switch {
	case isObject(name):
		return &literal{t: types.NewObjectType(name), fields: fields}
	case name == "JSONPatch":
		for _, field := range []string{"op", "path", "from"} {
			if v := fields[field]; v != nil {
				if _, ok := v.Value().(string); !ok {
					return types.NewErr("unexpected type %T for JSONPatchType '%s' field", v.Value(), field)
				}
			}
		}
		return &literal{t: jsonPatchType, fields: fields}
	}
	return c.Provider.NewValue(name, fields)
}

// literal is a value that an expression makes of one of these types. Upstream: mutation/dynamic, ObjectVal, and mutation, JSONPatchVal.
type literal struct {
	t      *types.Type
	fields map[string]ref.Val
}

func (l *literal) ConvertToNative(t reflect.Type) (any, error) {
	if l.t == jsonPatchType {
		return nil, fmt.Errorf("cannot convert to native type: %v", t)
	}
	if t == reflect.TypeFor[map[string]any]() {
		return native(l)
	}
	return nil, fmt.Errorf("unable to convert to %v", t)
}

func (l *literal) ConvertToType(t ref.Type) ref.Val {
	switch {
	case l.t.TypeName() == t.TypeName():
		return l
	case t == types.TypeType:
		return types.NewTypeTypeWithParam(l.t)
	case l.t == jsonPatchType:
		return types.NewErr("unsupported type: %s", t.TypeName())
	}
	return types.NewErr("unsupported conversion into %v", t)
}

func (l *literal) Equal(other ref.Val) ref.Val {
	o, ok := other.(*literal)
	if !ok || l.t.TypeName() != o.t.TypeName() || len(l.fields) != len(o.fields) {
		return types.False
	}
	for name, v := range l.fields { // order: all have to be equal
		if w := o.fields[name]; w == nil || v.Equal(w) != types.True {
			return types.False
		}
	}
	return types.True
}

// Get is a field. Upstream: JSONPatchVal.Get; an Object's fields cannot be read.
func (l *literal) Get(index ref.Val) ref.Val {
	name, _ := index.(types.String)
	if l.t != jsonPatchType || jsonPatchFields[string(name)] == nil {
		return types.NewErr("unsupported indexer: %s", index)
	}
	if v := l.fields[string(name)]; v != nil {
		return v
	}
	if name == "value" {
		return types.NullValue
	}
	return types.String("")
}

// IsSet tells whether a field is there. Upstream: JSONPatchVal.IsSet.
func (l *literal) IsSet(field ref.Val) ref.Val {
	name, _ := field.(types.String)
	if l.t != jsonPatchType || jsonPatchFields[string(name)] == nil {
		return types.NewErr("unsupported field: %s", field)
	}
	v := l.fields[string(name)]
	return types.Bool(v != nil && (name == "value" || v != types.String("")))
}

func (l *literal) Type() ref.Type    { return l.t }
func (l *literal) Value() any        { return l.fields }
func (l *literal) IsZeroValue() bool { return len(l.fields) == 0 }

// largestNumber is the largest whole number of which CEL makes a number in a patch; beyond it there are texts. Upstream: cel-go, maxIntJSON.
const largestNumber = 1<<53 - 1

// changeOf is a change in Go's terms: an Object as a tree of JSON, a list of JSONPatches as JSON.
// Upstream: policy/mutating/patch, applyConfigPatcher.Patch and jsonPatcher.evaluatePatchExpression.
func changeOf(v ref.Val) (any, error) {
	if l, ok := v.(*literal); ok && l.t != jsonPatchType {
		if err := l.matches(); err != nil {
			return nil, err
		}
		return native(l)
	}
	items, ok := v.(traits.Lister)
	if !ok {
		return nil, errors.New("type mismatch: JSONPatchType.expression should evaluate to array")
	}
	patch := []any{}
	for it := items.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		l, ok := item.(*literal)
		if !ok || l.t != jsonPatchType {
			return nil, fmt.Errorf("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch, got element of %T", item)
		}
		operation := map[string]any{"op": "", "path": ""}
		for name, field := range l.fields { // order: each fills its own key
			if text, _ := field.(types.String); name != "value" && (name != "from" || text != "") {
				operation[name] = string(text)
			}
		}
		if value := l.fields["value"]; value != nil {
			if of, ok := value.(*literal); ok && of.t != jsonPatchType {
				if err := of.matches(); err != nil {
					return nil, err
				}
			}
			tree, err := native(value)
			if n, ok := value.(types.Int); ok && (n > largestNumber || n < -largestNumber) {
				tree = fmt.Sprint(int64(n))
			}
			if err != nil {
				return nil, fmt.Errorf("JSONPath valueExpression evaluated to a type that could not marshal to JSON: %w", err)
			}
			operation["value"] = tree
		}
		patch = append(patch, operation)
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return nil, fmt.Errorf("JSONPath valueExpression evaluated to a type that could not marshal to JSON: %w", err)
	}
	return text, nil
}

// matches checks that each Object in a literal has the name of the place where it is.
// Upstream: ObjectVal.CheckTypeNamesMatchFieldPathNames.
func (l *literal) matches() error {
	if err := errors.Join(mismatches(l, l.t.TypeName())...); err != nil {
		return fmt.Errorf("type mismatch: %w", err)
	}
	return nil
}

func mismatches(v ref.Val, path string) (errs []error) {
	switch v := v.(type) {
	case *literal:
		if name := v.t.TypeName(); name != path {
			errs = append(errs, fmt.Errorf("unexpected type name %q, expected %q, which matches field name path from root Object type", name, path))
		}
		for _, name := range slices.Sorted(maps.Keys(v.fields)) {
			errs = append(errs, mismatches(v.fields[name], path+"."+name)...)
		}
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			errs = append(errs, mismatches(it.Next(), path)...)
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			errs = append(errs, mismatches(v.Get(it.Next()), path)...)
		}
	}
	return errs
}

// native is a value as a tree of JSON.
func native(v ref.Val) (any, error) {
	switch v := v.(type) {
	case *literal:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v.fields)) {
			field, err := native(v.fields[name])
			if err != nil {
				return nil, fmt.Errorf("fail to convert field %q: %w", name, err)
			}
			out[name] = field
		}
		return out, nil
	case traits.Lister:
		out := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			item, err := native(it.Next())
			if err != nil {
				return nil, err
			}
			out = append(out, item)
		}
		return out, nil
	case traits.Mapper:
		out := map[string]any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			name, ok := key.(types.String)
			if !ok {
				return nil, fmt.Errorf("map key %q is of type %T, not string", key, key)
			}
			value, err := native(v.Get(key))
			if err != nil {
				return nil, err
			}
			out[string(name)] = value
		}
		return out, nil
	case types.Null:
		return nil, nil
	case types.Bool:
		return bool(v), nil
	case types.String:
		return string(v), nil
	case types.Int:
		return json.Number(fmt.Sprint(int64(v))), nil
	case types.Uint:
		return json.Number(fmt.Sprint(uint64(v))), nil
	case types.Double:
		text, err := json.Marshal(float64(v))
		return json.Number(text), err
	case types.Timestamp, types.Duration:
		return native(v.ConvertToType(types.StringType))
	case types.Bytes:
		return base64.StdEncoding.EncodeToString(v), nil
	}
	if types.IsUnknownOrError(v) {
		return nil, fmt.Errorf("%v", v)
	}
	return nil, fmt.Errorf("type conversion error from '%s' to JSON", v.Type().TypeName())
}

package evaluator

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"kubewalk/playground/api/apiextensionsv1"
)

// declared is a type as a schema declares it, with the bounds from which costs are estimated.
// Upstream: apiserver/pkg/cel/types.go, DeclType.
type declared struct {
	cel      *cel.Type
	fields   map[string]*declared // of a struct, by identifier
	key      *declared            // of a map
	elem     *declared            // of a map or list
	max      int64                // elements, or bytes of a text
	smallest int64                // bytes of JSON
}

// maxRequest is how large what a client sends may be. Upstream: apiserver/pkg/apis/cel/config.go.
const maxRequest = 3 * 1024 * 1024

func scalar(t *cel.Type, smallest int64) *declared { return &declared{cel: t, smallest: smallest} }

func listOf(elem *declared, max int64) *declared {
	return &declared{cel: cel.ListType(elem.cel), elem: elem, max: max, smallest: 2}
}

func mapOf(elem *declared, max int64) *declared {
	return &declared{cel: cel.MapType(cel.StringType, elem.cel), key: scalar(cel.StringType, 2), elem: elem, max: max, smallest: 2}
}

func structOf(name string, fields map[string]*declared) *declared {
	return &declared{cel: cel.ObjectType(name), fields: fields, smallest: 2}
}

// declare is the type that a schema declares; nil if none. The name is that of structs in it.
// Upstream: apiserver/pkg/cel/common/schemas.go, SchemaDeclType; types.go, MaybeAssignTypeName.
func declare(s *apiextensionsv1.JSONSchemaProps, root bool, name string) *declared {
	bytes := func() int64 {
		if s.MaxLength != nil {
			return max(*s.MaxLength, 0) * 4
		}
		return maxRequest - 2
	}
	if s.XIntOrString {
		return &declared{cel: cel.DynType, smallest: 1, max: bytes()}
	}
	if root {
		s = withMeta(s)
	}
	switch s.Type {
	case "array":
		if s.Items == nil || s.Items.Schema == nil {
			return nil
		}
		elem := declare(s.Items.Schema, s.Items.Schema.XEmbeddedResource, name+".@idx")
		if elem == nil {
			return nil
		}
		if s.MaxItems != nil {
			return listOf(elem, max(*s.MaxItems, 0))
		}
		return listOf(elem, (maxRequest-2)/(elem.smallest+1))
	case "object":
		return declareObject(s, name)
	case "string":
		return declareText(s, bytes)
	case "boolean":
		return scalar(cel.BoolType, 4)
	case "number":
		return scalar(cel.DoubleType, 1)
	case "integer":
		return scalar(cel.IntType, 1)
	}
	return nil
}

func declareObject(s *apiextensionsv1.JSONSchemaProps, name string) *declared {
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		elem := declare(a.Schema, a.Schema.XEmbeddedResource, name+".@elem")
		switch {
		case elem == nil:
			return nil
		case s.MaxProperties != nil:
			return mapOf(elem, max(*s.MaxProperties, 0))
		}
		return mapOf(elem, (maxRequest-2)/(elem.smallest+6))
	}
	d := structOf(name, map[string]*declared{})
	for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[field]
		id, ok := escape(field)
		t := declare(&p, p.XEmbeddedResource, name+"."+id)
		if t == nil {
			continue
		}
		if ok {
			d.fields[id] = t
		}
		if slices.Contains(s.Required, field) && p.Default == nil {
			d.smallest += int64(len(field)) + t.smallest + 4
		}
	}
	return d
}

func declareText(s *apiextensionsv1.JSONSchemaProps, bytes func() int64) *declared {
	switch s.Format {
	case "byte":
		d := &declared{cel: cel.BytesType, smallest: 2, max: maxRequest - 2}
		if s.MaxLength != nil {
			d.max = max(*s.MaxLength, 0)
		}
		return d
	case "duration":
		return &declared{cel: cel.DurationType, smallest: 3, max: 32}
	case "date":
		return &declared{cel: cel.TimestampType, smallest: 12, max: 12}
	case "date-time":
		return &declared{cel: cel.TimestampType, smallest: 21, max: 32}
	}
	d := &declared{cel: cel.StringType, smallest: 2, max: bytes()}
	if s.MaxLength == nil && len(s.Enum) > 0 {
		d.max = 0
		for _, e := range s.Enum {
			var text string
			if json.Unmarshal(e.Raw, &text) == nil {
				d.max = max(d.max, int64(len(text)))
			}
		}
	}
	return d
}

// provider tells cel-go which fields the declared structs have. Upstream: apiserver/pkg/cel/types.go, DeclTypeProvider.
type provider struct {
	types.Provider
	structs map[string]*declared
}

func newProvider(under types.Provider, roots ...*declared) *provider {
	p := &provider{under, map[string]*declared{}}
	for _, d := range roots {
		p.add(d)
	}
	return p
}

func (p *provider) add(d *declared) {
	if d == nil {
		return
	}
	if d.fields != nil {
		p.structs[d.cel.TypeName()] = d
		for _, f := range d.fields { // order: each fills its own key
			p.add(f)
		}
	}
	p.add(d.elem)
}

func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if d := p.structs[name]; d != nil {
		return types.NewTypeTypeWithParam(d.cel), true
	}
	return p.Provider.FindStructType(name)
}

func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	if p.structs[name] != nil {
		return nil, false
	}
	return p.Provider.FindStructFieldNames(name)
}

func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	d := p.structs[name]
	if d == nil {
		return p.Provider.FindStructFieldType(name, field)
	}
	t := d.fields[field]
	if t == nil && slices.Contains(reserved, field) {
		t = d.fields["__"+field+"__"]
	}
	if t == nil {
		return nil, false
	}
	return &types.FieldType{Type: t.cel}, true
}

func (p *provider) NewValue(name string, fields map[string]ref.Val) ref.Val {
	return p.Provider.NewValue(name, fields)
}

// cardinality is how often at most something of a size fits into a request. Upstream: schema/cel/compilation.go, maxCardinality.
func cardinality(smallest int64) uint64 { return uint64(maxRequest / (smallest + 1)) }

// times multiplies, and stays at the largest number. Upstream: apiextensions/validation, multiplyWithOverflowGuard.
func times(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}

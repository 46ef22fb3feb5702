//go:build !js || cel

package kubectl

import (
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/openapi"
	"kubewalk/playground/api/schema"
)

func init() {
	published = func(kind *api.Kind) (root *fieldSchema, named func(string) *fieldSchema) {
		types := publishedTypes(openapi.Types(kind.GroupVersion()))
		if name, _ := openapi.TypeOf(types, kind.GroupVersion().WithKind(kind.Kind)); name != "" {
			return types.named(name), types.named
		}
		return nil, nil
	}
	publishedObjectMeta = func() *fieldSchema {
		return publishedTypes(openapi.Types(schema.GroupVersion{Version: "v1"})).named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
	}
}

// publishedTypes are types of OpenAPI by their names.
type publishedTypes map[string]map[string]any

func (p publishedTypes) named(name string) *fieldSchema { return p.schema(p[name], []string{name}) }

// schema is a type with all that it refers to: a reference is an element of AllOf, with the type's fields, but for those of types that it is inside of.
func (p publishedTypes) schema(t map[string]any, inside []string) *fieldSchema {
	s := &fieldSchema{}
	s.Type, _ = t["type"].(string)
	s.Description, _ = t["description"].(string)
	required, _ := t["required"].([]any)
	for _, name := range required {
		text, _ := name.(string)
		s.Required = append(s.Required, text)
	}
	enum, _ := t["enum"].([]any)
	for _, v := range enum {
		s.Enum = append(s.Enum, apiextensionsv1.JSON{Raw: encode(v)})
	}
	if items, ok := t["items"].(map[string]any); ok {
		s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: p.schema(items, inside)}
	}
	if values, ok := t["additionalProperties"].(map[string]any); ok {
		s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Schema: p.schema(values, inside)}
	}
	fields, _ := t["properties"].(map[string]any)
	for name, of := range fields { // order: each fills its own key
		if s.Properties == nil {
			s.Properties = map[string]fieldSchema{}
		}
		field, _ := of.(map[string]any)
		s.Properties[name] = *p.schema(field, inside)
	}
	all, _ := t["allOf"].([]any)
	for _, one := range append(all, t) {
		of, _ := one.(map[string]any)
		if ref, ok := of["$ref"].(string); ok {
			s.AllOf = append(s.AllOf, *p.referred(strings.TrimPrefix(ref, "#/components/schemas/"), inside))
		}
	}
	return s
}

func (p publishedTypes) referred(name string, inside []string) *fieldSchema {
	t := p[name]
	for _, outer := range inside {
		if outer == name { // a schema within a schema, and so on
			t = map[string]any{"type": t["type"], "description": t["description"]}
		}
	}
	s := p.schema(t, append(inside[:len(inside):len(inside)], name))
	if s.Type == "object" || s.Type == "" {
		s.Ref = &name
	}
	return s
}

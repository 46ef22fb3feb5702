package conformance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	upstream "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/controlplane/apiserver/customresource"
)

// TestSchemas holds the validation of custom resources against upstream's, on random schemas and objects: the same places are wrong.
func TestSchemas(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	wrong, right := 0, 0
	for range 20_000 {
		schema := randomSchema(r, 3)
		for schema["type"] != "object" {
			schema = randomSchema(r, 3)
		}
		text, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		crd.Spec.Group, crd.Status.AcceptedNames.Plural, crd.Status.AcceptedNames.Kind = "example.com", "things", "Thing"
		version := apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{}}
		if err := json.Unmarshal(text, &version.Schema.OpenAPIV3Schema); err != nil {
			t.Fatal(err)
		}
		crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{version}
		resource := customresource.New(crd, nil)[0]
		body, err := json.Marshal(randomValue(r, schema, 4))
		if err != nil {
			t.Fatal(err)
		}
		obj, _, err := resource.Decode(body, &resource.Kind.GroupVersionKind)
		if err != nil {
			t.Fatal(err)
		}
		var ours []string
		for _, e := range resource.Validate(obj, nil) {
			if e.Field != "<nil>" {
				ours = append(ours, strings.TrimPrefix(e.Field, "."))
			}
		}
		theirs := places(t, text, obj.Fields)
		slices.Sort(ours)
		if !slices.Equal(slices.Compact(ours), theirs) {
			fields, _ := json.Marshal(obj.Fields)
			t.Fatalf("schema %s\nobject %s\nours   %v\ntheirs %v", text, fields, ours, theirs)
		}
		if len(theirs) > 0 {
			wrong++
		} else {
			right++
		}
	}
	if wrong < 1000 || right < 1000 {
		t.Errorf("%d objects were wrong and %d right: the test compares too little", wrong, right)
	}
}

// places are where upstream finds mistakes.
func places(t *testing.T, schema []byte, fields map[string]any) []string {
	var s spec.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, err := range validate.NewSchemaValidator(&s, nil, "", strfmt.Default).Validate(plain).Errors {
		if v, ok := err.(*upstream.Validation); ok && v.Name != "" {
			out = append(out, strings.TrimPrefix(v.Name, "."))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func randomSchema(r *rand.Rand, depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array")
	}
	s := map[string]any{"type": kinds[r.IntN(len(kinds))]}
	some := func(name string, value any) {
		if r.IntN(4) == 0 {
			s[name] = value
		}
	}
	switch s["type"] {
	case "string":
		some("minLength", r.IntN(3))
		some("maxLength", 1+r.IntN(3))
		some("pattern", "^a")
		some("enum", []any{"a", "ab"})
	case "integer", "number":
		some("minimum", r.IntN(3))
		some("maximum", 2+r.IntN(3))
		some("exclusiveMaximum", true)
		if s["maximum"] == nil {
			delete(s, "exclusiveMaximum")
		}
		some("multipleOf", 2)
	case "object":
		properties := map[string]any{}
		for i := range 1 + r.IntN(3) {
			properties[fmt.Sprint("f", i)] = randomSchema(r, depth-1)
		}
		if r.IntN(5) == 0 && depth < 3 {
			s["additionalProperties"] = randomSchema(r, depth-1)
		} else {
			s["properties"] = properties
			some("required", []string{"f0", "f1"})
		}
		if depth < 3 {
			some("maxProperties", 1)
		}
	case "array":
		s["items"] = randomSchema(r, depth-1)
		some("minItems", 1)
		some("maxItems", 1)
	}
	some("nullable", true)
	return s
}

// randomValue mostly fits a schema.
func randomValue(r *rand.Rand, s map[string]any, depth int) any {
	if r.IntN(12) == 0 && depth < 4 {
		return []any{nil, "a", 7, 1.5, true, []any{}, map[string]any{}}[r.IntN(7)]
	}
	switch s["type"] {
	case "string":
		return []string{"", "a", "ab", "abc", "b"}[r.IntN(5)]
	case "integer":
		return r.IntN(7)
	case "number":
		return float64(r.IntN(14)) / 2
	case "boolean":
		return r.IntN(2) == 0
	case "array":
		out := []any{}
		for range r.IntN(3) {
			out = append(out, randomValue(r, s["items"].(map[string]any), depth-1))
		}
		return out
	}
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	for i := range 3 {
		name := fmt.Sprint("f", i)
		inner, ok := properties[name].(map[string]any)
		if more, is := s["additionalProperties"].(map[string]any); is {
			inner, ok = more, true
		}
		if ok && r.IntN(3) > 0 {
			out[name] = randomValue(r, inner, depth-1)
		}
	}
	return out
}

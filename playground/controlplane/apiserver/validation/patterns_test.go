//go:build js && !cel

package validation

import (
	"strings"
	"testing"

	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
)

// The browser's smaller build refuses the patterns that it would ignore, wherever in a schema they are.
func TestWithoutPatterns(t *testing.T) {
	odd := apiextensionsv1.JSONSchemaProps{Pattern: "^a"}
	plain := apiextensionsv1.JSONSchemaProps{Format: "date-time"}
	s := &apiextensionsv1.JSONSchemaProps{
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": odd, "b": {Format: "uuid"}, "c": plain},
		Items:      &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &odd}, AnyOf: []apiextensionsv1.JSONSchemaProps{plain, odd}, Not: &odd,
		AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &odd},
	}
	const at = "schema.properties[a].pattern schema.properties[b].format schema.anyOf[1].pattern schema.not.pattern schema.items.pattern schema.additionalProperties.pattern"
	var got []string
	for _, e := range validateWithoutPatterns(s, field.NewPath("schema")) {
		got = append(got, e.Field)
	}
	if strings.Join(got, " ") != at {
		t.Errorf("got %v", got)
	}
}

package kubectl

import (
	"reflect"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/schema"
)

// Fields say what a value in a manifest may be, for who helps somebody to write one.
type Fields struct {
	Type     string             `json:"type,omitempty"`     // object, array, string, integer, number or boolean; "" is any of them
	Fields   map[string]*Fields `json:"fields,omitempty"`   // of an object; nil if its keys may be any
	Items    *Fields            `json:"items,omitempty"`    // of a list, or of an object whose keys may be any
	Required []string           `json:"required,omitempty"` // of Fields
}

// FieldsOf are those of a built-in kind; nil if there is no such kind.
func FieldsOf(apiVersion, kind string) *Fields {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil
	}
	k := api.Kinds().For(gv.WithKind(kind))
	if k == nil || k.Resource == "" {
		return nil
	}
	return fieldsFor(builtIn(reflect.TypeOf(k.New())))
}

// KindNames are the built-in kinds, as "apps/v1 Deployment".
func KindNames() []string {
	var out []string
	for _, k := range api.Kinds() {
		if k.Resource != "" && k.NewList != nil {
			out = append(out, k.GroupVersion().String()+" "+k.Kind)
		}
	}
	slices.Sort(out)
	return out
}

func fieldsFor(s *fieldSchema) *Fields {
	f := &Fields{Type: s.Type, Required: s.Required}
	switch {
	case s.Items != nil:
		f.Items = fieldsFor(s.Items.Schema)
	case s.AdditionalProperties != nil:
		f.Items = fieldsFor(s.AdditionalProperties.Schema)
	case s.Properties != nil:
		f.Fields = map[string]*Fields{}
		for name, p := range s.Properties { // order: each fills its own key
			f.Fields[name] = fieldsFor(&p)
		}
	case s.Type == "object": // a number or a text, JSON, or a schema within a schema
		f.Type = ""
	}
	return f
}

package schema

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Draft is the version of JSON Schema that editors' YAML servers read best.
const Draft = "http://json-schema.org/draft-07/schema#"

// JSON is the schema of a type, for editors.
func JSON(t reflect.Type, title string) []byte {
	whole := append(object{{"$schema", Draft}, {"title", title}}, Of(t).json()...)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(whole); err != nil {
		panic("schema: " + err.Error()) // texts, numbers and lists of them
	}
	return out.Bytes()
}

// object is a JSON object that keeps its order.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func (s *Schema) json() object {
	var o object
	if s.Doc != "" {
		o = append(o, member{"description", s.Doc})
	}
	switch s.Kind {
	case Object:
		properties, required := object{}, []string{}
		for _, k := range s.Keys {
			properties = append(properties, member{k.Name, k.Value.json()})
			if k.Required {
				required = append(required, k.Name)
			}
		}
		whole := object{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}
		if len(required) > 0 {
			whole = append(whole, member{"required", required})
		}
		if s.Short != "" {
			o = append(o, member{"oneOf", []object{(&Schema{Kind: String, Filled: true}).json(), whole}})
		} else {
			o = append(o, whole...)
		}
	case Map:
		o = append(o, member{"type", "object"}, member{"additionalProperties", s.Item.json()})
		if s.Pattern != nil {
			o = append(o, member{"propertyNames", object{{"pattern", s.Pattern.String()}}})
		}
		if s.Filled {
			o = append(o, member{"minProperties", 1})
		}
	case List:
		o = append(o, member{"type", "array"}, member{"items", s.Item.json()})
		if s.Filled {
			o = append(o, member{"minItems", 1})
		}
	case Texts:
		text := &Schema{Kind: String, Filled: s.Filled}
		byLanguage := &Schema{Kind: Map, Item: text, Filled: s.Filled}
		o = append(o, member{"oneOf", []object{text.json(), byLanguage.json()}})
	case String:
		o = append(o, member{"type", "string"})
		switch {
		case len(s.Enum) > 0:
			o = append(o, member{"enum", s.Enum})
		case s.Pattern != nil:
			o = append(o, member{"pattern", s.Pattern.String()})
		case s.Filled:
			o = append(o, member{"pattern", `\S`})
		}
	case Integer:
		o = append(o, member{"type", "integer"})
		if s.Minimum != nil {
			o = append(o, member{"minimum", *s.Minimum})
		}
	case Boolean:
		o = append(o, member{"type", "boolean"})
	}
	return o
}

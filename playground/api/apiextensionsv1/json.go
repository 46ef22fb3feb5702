package apiextensionsv1

import (
	"encoding/json"
	"errors"
)

// MarshalJSON writes the JSON that it holds. Upstream: apiextensions/v1/marshal.go, JSON.MarshalJSON.
func (s JSON) MarshalJSON() ([]byte, error) {
	if len(s.Raw) > 0 {
		return s.Raw, nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON keeps the JSON as it stands.
func (s *JSON) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && string(data) != "null" {
		s.Raw = append([]byte(nil), data...)
	}
	return nil
}

// MarshalJSON writes the schema, or else whether anything is allowed.
func (s JSONSchemaPropsOrBool) MarshalJSON() ([]byte, error) {
	if s.Schema != nil {
		return json.Marshal(s.Schema)
	}
	return json.Marshal(s.Allows)
}

// UnmarshalJSON takes a schema or a boolean.
func (s *JSONSchemaPropsOrBool) UnmarshalJSON(data []byte) error {
	*s = JSONSchemaPropsOrBool{}
	switch {
	case len(data) == 0 || string(data) == "false":
		return nil
	case string(data) == "true":
		s.Allows = true
		return nil
	case data[0] == '{':
		s.Allows = true
		return json.Unmarshal(data, &s.Schema)
	}
	return errors.New("boolean or JSON schema expected")
}

// MarshalJSON writes the names, or else the schema.
func (s JSONSchemaPropsOrStringArray) MarshalJSON() ([]byte, error) {
	switch {
	case len(s.Property) > 0:
		return json.Marshal(s.Property)
	case s.Schema != nil:
		return json.Marshal(s.Schema)
	}
	return []byte("null"), nil
}

// UnmarshalJSON takes a schema or a list of names.
func (s *JSONSchemaPropsOrStringArray) UnmarshalJSON(data []byte) error {
	*s = JSONSchemaPropsOrStringArray{}
	switch {
	case len(data) > 0 && data[0] == '{':
		return json.Unmarshal(data, &s.Schema)
	case len(data) > 0 && data[0] == '[':
		return json.Unmarshal(data, &s.Property)
	}
	return nil
}

// MarshalJSON writes the list of schemas, or else the one.
func (s JSONSchemaPropsOrArray) MarshalJSON() ([]byte, error) {
	if len(s.JSONSchemas) > 0 {
		return json.Marshal(s.JSONSchemas)
	}
	return json.Marshal(s.Schema)
}

// UnmarshalJSON takes a schema or a list of schemas.
func (s *JSONSchemaPropsOrArray) UnmarshalJSON(data []byte) error {
	*s = JSONSchemaPropsOrArray{}
	switch {
	case len(data) > 0 && data[0] == '{':
		return json.Unmarshal(data, &s.Schema)
	case len(data) > 0 && data[0] == '[':
		return json.Unmarshal(data, &s.JSONSchemas)
	}
	return nil
}

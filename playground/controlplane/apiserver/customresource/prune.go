package customresource

import (
	"maps"
	"slices"
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
)

type schema = apiextensionsv1.JSONSchemaProps

// isMeta says that a field is one of those that every object has.
func isMeta(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

func preserves(s *schema) bool {
	return s != nil && s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// additional says whether a map may hold more than its named properties, and the schema of these values, nil if it says nothing
// of them: then they stay, and what is inside them is unknown.
func additional(s *schema) (values *schema, allowed bool) {
	if s.AdditionalProperties == nil {
		return nil, false
	}
	return s.AdditionalProperties.Schema, s.AdditionalProperties.Schema != nil || s.AdditionalProperties.Allows
}

func itemsOf(s *schema) *schema {
	if s == nil || s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

// pruner drops fields that a schema does not name. Upstream: pkg/apiserver/schema/pruning/algorithm.go.
type pruner struct{ unknown []string }

func (p *pruner) sorted() []api.FieldError {
	slices.Sort(p.unknown)
	var out []api.FieldError
	for _, path := range p.unknown {
		out = append(out, api.FieldError{Path: path})
	}
	return out
}

func (p *pruner) prune(v any, s *schema, root bool) { p.walk(v, s, "", root, preserves(s)) }

// walk goes through a value. kept says that unknown fields stay at this place, embedded that it is a whole object.
func (p *pruner) walk(v any, s *schema, path string, embedded, kept bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := name
			if path != "" {
				at = path + "." + name
			}
			p.field(v, name, s, at, embedded, kept)
		}
	case []any:
		items := itemsOf(s)
		for i := range v {
			p.walk(v[i], items, path+"["+strconv.Itoa(i)+"]", items != nil && items.XEmbeddedResource, kept || preserves(items))
		}
	}
}

func (p *pruner) field(fields map[string]any, name string, s *schema, at string, embedded, kept bool) {
	if embedded && isMeta(name) {
		return
	}
	if s != nil {
		if prop, ok := s.Properties[name]; ok {
			p.walk(fields[name], &prop, at, prop.XEmbeddedResource, preserves(&prop))
			return
		}
		if values, allowed := additional(s); allowed {
			p.walk(fields[name], values, at, values != nil && values.XEmbeddedResource, preserves(values))
			return
		}
	}
	if kept {
		return
	}
	p.unknown = append(p.unknown, at)
	delete(fields, name)
}

// dropNulls removes null where the schema does not allow it and has no default to replace it with.
// Upstream: pkg/apiserver/schema/defaulting/prune.go, PruneNonNullableNullsWithoutDefaults.
func dropNulls(v any, s *schema) {
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v { // order: each is dropped or stays by itself
			prop, known := s.Properties[name]
			values, _ := additional(s)
			if !known && values != nil {
				prop, known = *values, true
			}
			switch {
			case !known:
			case item == nil && !prop.Nullable && prop.Default == nil:
				delete(v, name)
			default:
				dropNulls(item, &prop)
			}
		}
	case []any:
		for _, item := range v {
			dropNulls(item, itemsOf(s))
		}
	}
}

// fillIn sets what is missing and has a default. Upstream: pkg/apiserver/schema/defaulting/algorithm.go, Default.
func fillIn(v any, s *schema) {
	if s == nil {
		return
	}
	replaces := func(item any, s *schema) bool { return item == nil && !s.Nullable && s.Default != nil }
	switch v := v.(type) {
	case map[string]any:
		for name, prop := range s.Properties { // order: each fills its own key
			if item, there := v[name]; prop.Default != nil && (!there || replaces(item, &prop)) {
				v[name] = decode(prop.Default.Raw)
			}
		}
		for name, item := range v { // order: each fills its own key
			if prop, ok := s.Properties[name]; ok {
				fillIn(item, &prop)
			} else if values, _ := additional(s); values != nil {
				if replaces(item, values) {
					v[name] = decode(values.Default.Raw)
				}
				fillIn(v[name], values)
			}
		}
	case []any:
		items := itemsOf(s)
		for i, item := range v {
			if items != nil && replaces(item, items) {
				v[i] = decode(items.Default.Raw)
			}
			fillIn(v[i], items)
		}
	}
}

package kustomize

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api"
)

// Replacement copies a value from one resource to others. Upstream: api/types/replacement.go.
type Replacement struct {
	Source      *SourceSelector   `json:"source"`
	SourceValue *string           `json:"sourceValue"`
	Targets     []*TargetSelector `json:"targets"`
}

// ReplacementField is one, or where it is.
type ReplacementField struct {
	Replacement
	Path string `json:"path"`
}

// SourceSelector is where the value is.
type SourceSelector struct {
	ResId
	FieldPath string        `json:"fieldPath"`
	Options   *FieldOptions `json:"options"`
}

// TargetSelector is where it is copied to.
type TargetSelector struct {
	Select     *Selector     `json:"select"`
	Reject     []*Selector   `json:"reject"`
	FieldPaths []string      `json:"fieldPaths"`
	Options    *FieldOptions `json:"options"`
}

// FieldOptions are which part of a text is meant.
type FieldOptions struct {
	Delimiter string `json:"delimiter"`
	Index     int    `json:"index"`
	Encoding  string `json:"encoding"`
	Create    bool   `json:"create"`
}

// loadReplacements reads those that are in files. Upstream: internal/builtins/ReplacementTransformer.go, Config.
func (t *target) loadReplacements() error {
	given := t.k.Replacements
	t.k.Replacements = nil
	for _, r := range given {
		if r.Path == "" {
			t.k.Replacements = append(t.k.Replacements, r)
			continue
		}
		if r.Source != nil || len(r.Targets) > 0 {
			return t.trouble("ReplacementTransformer", map[string]any{"path": r.Path}, errors.New("cannot specify both path and inline replacement"))
		}
		text, err := t.read(r.Path)
		if err == nil {
			if text[0] == '{' {
				text = slices.Concat([]byte{'['}, text, []byte{']'})
			}
			var more []ReplacementField
			err = json.Unmarshal(text, &more)
			t.k.Replacements = append(t.k.Replacements, more...)
		}
		if err != nil {
			return t.trouble("ReplacementTransformer", map[string]any{"replacements": []any{map[string]any{"path": r.Path}}}, err)
		}
	}
	return nil
}

// replace carries out the replacements. Upstream: api/filters/replacement/replacement.go.
func (t *target) replace(all resources) error {
	for _, r := range t.k.Replacements {
		if r.SourceValue == nil && r.Source == nil || r.Targets == nil {
			return errors.New("replacements must specify a source and at least one target")
		}
		value, err := r.value(all)
		if err != nil {
			return err
		}
		for _, to := range r.Targets {
			if to.Select == nil {
				return errors.New("target must specify resources to select")
			}
			for _, r := range all {
				is, err := to.selects(r)
				if err != nil {
					return err
				}
				for _, path := range to.paths(is) {
					if err := t.copyTo(r, path, to.Options, value); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (s *TargetSelector) paths(is bool) []string {
	if is && len(s.FieldPaths) == 0 {
		return []string{"metadata.name"}
	}
	if !is {
		return nil
	}
	return s.FieldPaths
}

func (s *TargetSelector) selects(r *resource) (bool, error) {
	is := func(s *Selector) bool {
		return slices.ContainsFunc(r.ids(), func(i ResId) bool {
			return s.kinds(i.Gvk) && matches(s.Name, i.Name) && matches(s.Namespace, i.Namespace)
		})
	}
	ok, err := s.Select.marked(r)
	if err != nil || !ok {
		return false, err
	}
	for _, reject := range s.Reject {
		if reject.ResId != (ResId{}) && is(reject) {
			return false, nil
		}
		if reject.LabelSelector+reject.AnnotationSelector != "" {
			if ok, err := reject.marked(r); ok || err != nil {
				return false, err
			}
		}
	}
	return is(s.Select), nil
}

// value is what is copied.
func (r Replacement) value(all resources) (any, error) {
	s := r.Source
	if r.SourceValue != nil {
		if s != nil {
			return nil, errors.New("value and resource selectors are mutually exclusive")
		}
		return *r.SourceValue, nil
	}
	found := all.matching(func(i ResId) bool {
		return (s.Name == "" || s.Name == i.Name) && (s.Namespace == "" || i.effective() == ResId{i.Gvk, "", s.Namespace}.effective()) && i.is(s.Gvk)
	})
	path := or(s.FieldPath, "metadata.name")
	if len(found) != 1 {
		shown := s.ResId.String()
		if s.FieldPath != "" {
			shown += ":" + s.FieldPath
		}
		if o := s.Options; o != nil && (o.Delimiter != "" || o.Create) {
			shown += fmt.Sprintf(":%s(%d), create=%t", o.Delimiter, o.Index, o.Create)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("nothing selected by %s", shown)
		}
		return nil, fmt.Errorf("multiple matches for selector %s", shown)
	}
	var value any
	err := at(found[0].tree, parts(path), nil, func(v any) (any, error) {
		value = v
		return v, nil
	})
	if err != nil {
		return nil, fmt.Errorf("error looking up replacement source: %w", err)
	}
	if m, ok := value.(map[string]any); value == nil || ok && len(m) == 0 || value == "" {
		return nil, fmt.Errorf("fieldPath `%s` is missing for replacement source %s", path, s.ResId)
	}
	if o := s.Options; o != nil && o.Delimiter != "" {
		if nodeKind(value) != "ScalarNode" {
			return nil, errors.New("delimiter option can only be used with scalar nodes")
		}
		pieces := strings.Split(scalar(value), o.Delimiter)
		if o.Index < 0 || o.Index >= len(pieces) {
			return nil, fmt.Errorf("options.index %d is out of bounds for value %s", o.Index, scalar(value))
		}
		return pieces[o.Index], nil
	}
	return value, nil
}

// mostCopied bounds what replacements copy: a copy of a copy of a copy is large.
const mostCopied = 1 << 20

// copyTo writes a value into a field.
func (t *target) copyTo(r *resource, path string, o *FieldOptions, value any) error {
	found := false
	var create any
	if o != nil && o.Create {
		create = value
	}
	err := at(r.tree, parts(path), create, func(old any) (any, error) {
		found = true
		if text, _ := json.Marshal(value); t.size > mostCopied {
			return nil, errors.New("the replacements copy too much")
		} else {
			t.size += len(text)
		}
		if o != nil && o.Delimiter != "" {
			if nodeKind(old) != "ScalarNode" {
				return nil, errors.New("delimiter option can only be used with scalar nodes")
			}
			pieces := strings.Split(scalar(old), o.Delimiter)
			switch v := scalar(value); {
			case o.Index < 0:
				pieces = slices.Insert(pieces, 0, v)
			case o.Index >= len(pieces):
				pieces = append(pieces, v)
			default:
				pieces[o.Index] = v
			}
			return as(old, strings.Join(pieces, o.Delimiter)), nil
		}
		if nodeKind(value) == "ScalarNode" && old != nil && nodeKind(old) == "ScalarNode" {
			return as(old, scalar(value)), nil
		}
		return api.CopyTree(value), nil
	})
	what := "find"
	if create != nil {
		what = "find or create"
	}
	switch {
	case found:
		return err
	case err != nil:
		return fmt.Errorf("unable to %s field %q in replacement target: %w", what, path, err)
	}
	return fmt.Errorf("unable to %s field %q in replacement target", what, path)
}

// as is a text in the type of what it replaces.
func as(old any, text string) any {
	switch old.(type) {
	case json.Number:
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return json.Number(text)
		}
	case bool:
		if text == "true" || text == "false" {
			return text == "true"
		}
	}
	return text
}

// parts splits a path at dots that are not in brackets. Upstream: kyaml/utils/pathsplitter.go, SmarterPathSplitter.
func parts(path string) (out []string) {
	all := split(path, ".")
	for i := 0; i < len(all); i++ {
		part := all[i]
		if strings.HasPrefix(part, "[") {
			for ; !strings.HasSuffix(part, "]") && i+1 < len(all); i++ {
				part += "." + all[i+1]
			}
			if !strings.Contains(part, "=") {
				part = strings.Trim(part, "[]")
			}
		}
		out = append(out, part)
	}
	return out
}

// at calls a function for each value at a path: names of fields, numbers of elements, [name=value], and * for all elements. What is
// missing is made if create is what will be there. Upstream: kyaml/yaml/match.go, PathMatcher.
func at(v any, path []string, create any, do func(any) (any, error)) error {
	if len(path) == 0 {
		return nil
	}
	part, rest := path[0], path[1:]
	// step goes on with a value, and returns what it has become.
	step := func(v any) (any, error) {
		if len(rest) == 0 {
			return do(v)
		}
		if v == nil && create != nil {
			v = map[string]any{}
			if _, err := strconv.Atoi(rest[0]); err == nil || rest[0][:min(1, len(rest[0]))] == "[" || rest[0] == "*" {
				v = []any{}
			}
		}
		list, isList := v.([]any)
		if isList && create != nil {
			if grown := grow(list, rest[0]); len(grown) > len(list) {
				v = grown
			}
		}
		return v, at(v, rest, create, do)
	}
	switch v := v.(type) {
	case map[string]any:
		w, there := v[part]
		if !there && create == nil {
			return nil
		}
		w, err := step(w)
		if err == nil {
			v[part] = w
		}
		return err
	case []any:
		n, err := strconv.Atoi(part)
		key, value, isKey := strings.Cut(strings.Trim(part, "[]"), "=")
		switch {
		case err == nil && (n < 0 || n >= len(v)):
			return fmt.Errorf("index %d specified but only %d elements found", n, len(v))
		case err != nil && part != "*" && (!isKey || part[0] != '['):
			return fmt.Errorf("wrong node kind: expected MappingNode but was SequenceNode")
		}
		for i := range v {
			m, _ := v[i].(map[string]any)
			is := part == "*" || err == nil && i == n || isKey && (key == "" && scalar(v[i]) == value || m[key] != nil && scalar(m[key]) == value)
			if is {
				w, err := step(v[i])
				if err != nil {
					return err
				}
				v[i] = w
			}
		}
	case nil:
	default:
		return fmt.Errorf("wrong node kind: expected MappingNode but was %s", nodeKind(v))
	}
	return nil
}

// grow is a list with the element that a part of a path wants.
func grow(list []any, part string) []any {
	if n, err := strconv.Atoi(part); err == nil && n == len(list) {
		return append(list, nil)
	}
	key, value, is := strings.Cut(strings.Trim(part, "[]"), "=")
	for _, e := range list {
		if m, _ := e.(map[string]any); key == "" && scalar(e) == value || scalar(m[key]) == value {
			is = false
		}
	}
	if !is || part[0] != '[' {
		return list
	}
	if key == "" {
		return append(list, value)
	}
	return append(list, maps.Clone(map[string]any{key: value}))
}

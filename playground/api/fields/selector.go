// Package fields matches a few fields of an object against selectors ("spec.nodeName=node-1"): how a kubelet watches
// only its own Pods. Which fields a kind offers is the API server's to say. Names and behaviour are those of upstream's
// k8s.io/apimachinery/pkg/fields.
package fields

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/selection"
)

// Fields is what a selector is matched against.
type Fields interface {
	// Has says that the object's kind has the field.
	Has(field string) bool
	// Get returns the field's value, empty if there is none.
	Get(field string) string
}

// Set is the fields of an object.
type Set map[string]string

// Has implements Fields.
func (s Set) Has(field string) bool { _, ok := s[field]; return ok }

// Get implements Fields.
func (s Set) Get(field string) string { return s[field] }

// String is the fields as "a=1,b=2", by name.
func (s Set) String() string {
	list := make([]string, 0, len(s))
	for k, v := range s {
		list = append(list, k+"="+v)
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// AsSelector is SelectorFromSet.
func (s Set) AsSelector() Selector { return SelectorFromSet(s) }

// Requirement is one condition: Operator is Equals or NotEquals.
type Requirement struct {
	Operator selection.Operator
	Field    string
	Value    string
}

// Requirements are conditions that must all hold.
type Requirements []Requirement

// TransformFunc renames a field or rewrites its value, or refuses the field. Two empty results drop the condition.
type TransformFunc func(field, value string) (newField, newValue string, err error)

// Selector picks objects by fields. Selectors are immutable.
type Selector interface {
	// Matches says that an object with these fields is picked.
	Matches(Fields) bool
	// Empty says that the selector leaves nothing out.
	Empty() bool
	// RequiresExactMatch returns the only value that the field may have.
	RequiresExactMatch(field string) (value string, found bool)
	// Transform returns the selector with fn applied to each condition.
	Transform(fn TransformFunc) (Selector, error)
	// Requirements lists the conditions.
	Requirements() Requirements
	// String is the selector as ParseSelector reads it.
	String() string
}

// Everything matches all.
func Everything() Selector { return selector{} }

// Nothing matches none.
func Nothing() Selector { return nothing{} }

type nothing struct{}

func (nothing) Matches(Fields) bool                         { return false }
func (nothing) Empty() bool                                 { return false }
func (nothing) RequiresExactMatch(string) (string, bool)    { return "", false }
func (n nothing) Transform(TransformFunc) (Selector, error) { return n, nil }
func (nothing) Requirements() Requirements                  { return nil }
func (nothing) String() string                              { return "" }

// selector is conditions that must all hold. Upstream nests terms; nobody nests them deeper than one list.
type selector struct{ reqs Requirements }

func (s selector) Matches(f Fields) bool {
	for _, r := range s.reqs {
		if (f.Get(r.Field) == r.Value) != (r.Operator == selection.Equals) {
			return false
		}
	}
	return true
}

func (s selector) Empty() bool { return len(s.reqs) == 0 }

func (s selector) RequiresExactMatch(field string) (string, bool) {
	for _, r := range s.reqs {
		if r.Field == field && r.Operator == selection.Equals {
			return r.Value, true
		}
	}
	return "", false
}

func (s selector) Transform(fn TransformFunc) (Selector, error) {
	var out selector
	for _, r := range s.reqs {
		field, value, err := fn(r.Field, r.Value)
		if err != nil {
			return nil, err
		}
		if field != "" || value != "" {
			out.reqs = append(out.reqs, Requirement{r.Operator, field, value})
		}
	}
	return out, nil
}

func (s selector) Requirements() Requirements { return slices.Clone(s.reqs) }

func (s selector) String() string {
	list := make([]string, len(s.reqs))
	for i, r := range s.reqs {
		list[i] = r.Field + string(r.Operator) + EscapeValue(r.Value)
	}
	return strings.Join(list, ",")
}

// SelectorFromSet matches what has all these values.
func SelectorFromSet(s Set) Selector {
	var out selector
	for _, k := range slices.Sorted(maps.Keys(s)) {
		out.reqs = append(out.reqs, Requirement{selection.Equals, k, s[k]})
	}
	return out
}

// OneTermEqualSelector matches what has the value in the field.
func OneTermEqualSelector(field, value string) Selector {
	return selector{Requirements{{selection.Equals, field, value}}}
}

// OneTermNotEqualSelector matches what has another value in the field.
func OneTermNotEqualSelector(field, value string) Selector {
	return selector{Requirements{{selection.NotEquals, field, value}}}
}

// AndSelectors matches what all the selectors match.
func AndSelectors(list ...Selector) Selector {
	var out selector
	for _, s := range list {
		if s == Selector(nothing{}) {
			return s
		}
		out.reqs = append(out.reqs, s.Requirements()...)
	}
	return out
}

// ParseSelector reads "a=1,b!=2,c==3". A backslash escapes a comma, an equals sign or itself in a value. The result is
// in the order of the sorted terms. Upstream: apimachinery/pkg/fields/selector.go, ParseSelector.
func ParseSelector(s string) (Selector, error) {
	var out selector
	terms := splitTerms(s)
	slices.Sort(terms)
	for _, term := range terms {
		if term == "" {
			continue
		}
		field, op, value, ok := splitTerm(term)
		if !ok {
			return nil, fmt.Errorf("invalid selector: '%s'; can't understand '%s'", s, term)
		}
		value, err := UnescapeValue(value)
		if err != nil {
			return nil, err
		}
		if field != "" || value != "" {
			out.reqs = append(out.reqs, Requirement{op, field, value})
		}
	}
	return out, nil
}

// ParseAndTransformSelector is ParseSelector and Transform.
func ParseAndTransformSelector(s string, fn TransformFunc) (Selector, error) {
	parsed, err := ParseSelector(s)
	if err != nil {
		return nil, err
	}
	return parsed.Transform(fn)
}

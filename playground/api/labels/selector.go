package labels

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/selection"
	"kubewalk/playground/api/sorting"
)

// Selector picks objects by their labels. Selectors are immutable.
type Selector interface {
	// Matches says that an object with these labels is picked.
	Matches(Labels) bool
	// Empty says that the selector leaves nothing out.
	Empty() bool
	// String is the selector as Parse reads it.
	String() string
	// Add returns a selector with more requirements.
	Add(...Requirement) Selector
	// Requirements lists the conditions by key; selectable is false if nothing can match.
	Requirements() (reqs Requirements, selectable bool)
	// RequiresExactMatch returns the only value that the label may have.
	RequiresExactMatch(label string) (value string, found bool)
}

// Everything matches all.
func Everything() Selector { return all{} }

// Nothing matches none.
func Nothing() Selector { return nothing{} }

// MatchesNothing says that s is Nothing().
func MatchesNothing(s Selector) bool { return s == Nothing() }

type nothing struct{}

func (nothing) Matches(Labels) bool                      { return false }
func (nothing) Empty() bool                              { return false }
func (nothing) String() string                           { return "" }
func (n nothing) Add(...Requirement) Selector            { return n }
func (nothing) Requirements() (Requirements, bool)       { return nil, false }
func (nothing) RequiresExactMatch(string) (string, bool) { return "", false }

// all is a selector of which each requirement must hold. It is behind a pointerless struct, so that selectors may be
// compared with ==, as MatchesNothing does.
type all struct{ *terms }

// terms are the requirements by key; those of one key stay in the order in which they came.
type terms struct{ reqs Requirements }

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m { // order: sorted below
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func newAll(reqs Requirements) Selector {
	if len(reqs) == 0 {
		return all{}
	}
	if len(reqs) > 1 {
		sorting.Stable(reqs, func(a, b Requirement) int { return cmp.Compare(a.key, b.key) })
	}
	return all{&terms{reqs}}
}

func (s all) requirements() Requirements {
	if s.terms == nil {
		return nil
	}
	return s.reqs
}

func (s all) Matches(ls Labels) bool {
	reqs := s.requirements()
	for i := range reqs {
		if !reqs[i].Matches(ls) {
			return false
		}
	}
	return true
}

func (s all) Empty() bool { return s.terms == nil }

func (s all) String() string {
	reqs := s.requirements()
	list := make([]string, len(reqs))
	for i := range reqs {
		list[i] = reqs[i].String()
	}
	return strings.Join(list, ",")
}

func (s all) Add(more ...Requirement) Selector {
	return newAll(append(slices.Clone(s.requirements()), more...))
}

func (s all) Requirements() (Requirements, bool) { return slices.Clone(s.requirements()), true }

func (s all) RequiresExactMatch(label string) (string, bool) {
	for _, r := range s.requirements() {
		if r.key != label {
			continue
		}
		switch r.operator {
		case selection.Equals, selection.DoubleEquals, selection.In:
			if len(r.values) == 1 {
				return r.values[0], true
			}
		}
		return "", false
	}
	return "", false
}

// SelectorFromSet matches what has all the labels of s; an empty s matches all. Nothing is validated.
func SelectorFromSet(s Set) Selector {
	reqs := make(Requirements, 0, len(s))
	for _, k := range sortedKeys(s) {
		reqs = append(reqs, Requirement{k, selection.Equals, []string{s[k]}})
	}
	return newAll(reqs)
}

// LabelSelectorAsSelector turns the selector of a spec into one that matches. Beware: nil matches nothing, an empty one
// everything. Upstream: apimachinery/pkg/apis/meta/v1/helpers.go, LabelSelectorAsSelector.
func LabelSelectorAsSelector(ps *metav1.LabelSelector) (Selector, error) {
	if ps == nil {
		return Nothing(), nil
	}
	reqs := make(Requirements, 0, len(ps.MatchLabels)+len(ps.MatchExpressions))
	add := func(key string, op selection.Operator, values []string) error {
		r, err := NewRequirement(key, op, values)
		if err == nil {
			reqs = append(reqs, *r)
		}
		return err
	}
	for _, k := range sortedKeys(ps.MatchLabels) {
		if err := add(k, selection.Equals, []string{ps.MatchLabels[k]}); err != nil {
			return nil, err
		}
	}
	for _, expr := range ps.MatchExpressions {
		op, ok := map[metav1.LabelSelectorOperator]selection.Operator{
			metav1.LabelSelectorOpIn:           selection.In,
			metav1.LabelSelectorOpNotIn:        selection.NotIn,
			metav1.LabelSelectorOpExists:       selection.Exists,
			metav1.LabelSelectorOpDoesNotExist: selection.DoesNotExist,
		}[expr.Operator]
		if !ok {
			return nil, fmt.Errorf("%q is not a valid label selector operator", expr.Operator)
		}
		if err := add(expr.Key, op, slices.Clone(expr.Values)); err != nil {
			return nil, err
		}
	}
	return newAll(reqs), nil
}

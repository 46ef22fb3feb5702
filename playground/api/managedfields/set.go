package managedfields

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// Set is a set of fields, as a tree. Elements of paths are in the form in which fieldsV1 writes them: "f:replicas" for a
// field, `k:{"name":"web"}` for the element of a list by its keys, `v:"a"` for one by its value. Sets that were handed out
// are not changed any more, except by insert.
// Upstream: structured-merge-diff/fieldpath/set.go, Set.
type Set struct {
	member   bool // the path that leads here is in the set
	children map[string]*Set
}

// NewSet makes a set of paths.
func NewSet(paths ...[]string) *Set {
	s := &Set{}
	for _, path := range paths {
		s.insert(path)
	}
	return s
}

func (s *Set) insert(path []string) {
	for _, e := range path {
		next := s.children[e]
		if next == nil {
			if s.children == nil {
				s.children = map[string]*Set{}
			}
			next = &Set{}
			s.children[e] = next
		}
		s = next
	}
	s.member = true
}

// Has says that a path is in the set.
func (s *Set) Has(path ...string) bool {
	for _, e := range path {
		if s = s.child(e); s == nil {
			return false
		}
	}
	return s.member
}

// child is the set below one element, nil if there is none. Of a nil set everything is empty.
func (s *Set) child(e string) *Set {
	if s == nil {
		return nil
	}
	return s.children[e]
}

// Empty says that nothing is in the set.
func (s *Set) Empty() bool { return s == nil || !s.member && len(s.children) == 0 }

// Union is what is in either.
func (s *Set) Union(o *Set) *Set {
	return combine(s, o, func(a, b bool) bool { return a || b })
}

// Intersection is what is in both.
func (s *Set) Intersection(o *Set) *Set {
	return combine(s, o, func(a, b bool) bool { return a && b })
}

// Difference is what is in s and not in o, path by path.
func (s *Set) Difference(o *Set) *Set {
	return combine(s, o, func(a, b bool) bool { return a && !b })
}

func combine(a, b *Set, keep func(a, b bool) bool) *Set {
	if out := combined(a, b, keep); out != nil {
		return out
	}
	return &Set{}
}

// combined is combine with nil for a set of nothing: most of the sets below are.
func combined(a, b *Set, keep func(a, b bool) bool) *Set {
	var out *Set
	if keep(a != nil && a.member, b != nil && b.member) {
		out = &Set{member: true}
	}
	if a != nil {
		for e, child := range a.children { // order: each fills its own key
			out = out.with(e, combined(child, b.child(e), keep))
		}
	}
	if b != nil {
		for e, child := range b.children { // order: each fills its own key
			if a.child(e) == nil {
				out = out.with(e, combined(nil, child, keep))
			}
		}
	}
	return out
}

// with gives a set that nobody else has yet a child, unless the child is nil.
func (s *Set) with(e string, child *Set) *Set {
	if child == nil {
		return s
	}
	if s == nil {
		s = &Set{}
	}
	if s.children == nil {
		s.children = map[string]*Set{}
	}
	s.children[e] = child
	return s
}

// RecursiveDifference is s without the paths of o and all below them.
func (s *Set) RecursiveDifference(o *Set) *Set {
	if s == nil || o != nil && o.member {
		return &Set{}
	}
	out := &Set{member: s.member}
	for e, below := range s.children { // order: each fills its own key
		if o.child(e) != nil {
			below = below.RecursiveDifference(o.child(e))
		}
		if !below.Empty() {
			if out.children == nil {
				out.children = map[string]*Set{}
			}
			out.children[e] = below
		}
	}
	return out
}

// ensureNamedFieldsAreMembers adds the fields of structs that have something below them.
// Upstream: Set.EnsureNamedFieldsAreMembers.
func (s *Set) ensureNamedFieldsAreMembers(t *Type) *Set {
	if s == nil {
		return &Set{}
	}
	out := &Set{member: s.member}
	for e, below := range s.children { // order: each fills its own key
		inner := t.below(e)
		child := below.ensureNamedFieldsAreMembers(inner)
		if name, named := strings.CutPrefix(e, "f:"); named && len(below.children) > 0 && t != nil && t.fields[name] != nil {
			child.member = true
		}
		if out.children == nil {
			out.children = map[string]*Set{}
		}
		out.children[e] = child
	}
	return out
}

// each calls do with every path, those of one level before those below. Upstream: Set.Iterate.
func (s *Set) each(prefix []string, do func(path []string)) {
	elements := s.sorted()
	for _, e := range elements {
		if s.children[e].member {
			do(append(prefix[:len(prefix):len(prefix)], e))
		}
	}
	for _, e := range elements {
		s.children[e].each(append(prefix[:len(prefix):len(prefix)], e), do)
	}
}

// Paths lists the set, each path as upstream's messages write it: .spec.containers[name="web"].image.
func (s *Set) Paths() []string {
	var out []string
	if s != nil {
		s.each(nil, func(path []string) { out = append(out, pathString(path)) })
	}
	return out
}

func (s *Set) sorted() []string {
	list := make([]string, 0, len(s.children))
	for e := range s.children { // order: sorted below
		list = append(list, e)
	}
	sort.Slice(list, func(i, j int) bool { return less(list[i], list[j]) })
	return list
}

// String is the set in the form of fieldsV1. Upstream: fieldpath/serialize.go, Set.ToJSON.
func (s *Set) String() string {
	var b strings.Builder
	s.write(&b)
	return b.String()
}

func (s *Set) write(b *strings.Builder) {
	b.WriteByte('{')
	if s != nil {
		for i, e := range s.sorted() {
			child := s.children[e]
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote(e))
			b.WriteByte(':')
			child.writeBelow(b)
		}
	}
	b.WriteByte('}')
}

func (s *Set) writeBelow(b *strings.Builder) {
	if len(s.children) == 0 || !s.member {
		s.write(b)
		return
	}
	b.WriteString(`{".":{},`)
	var below strings.Builder
	s.write(&below)
	b.WriteString(below.String()[1:])
}

// ParseSet reads fieldsV1. Upstream: fieldpath/serialize.go, Set.FromJSON.
func ParseSet(text string) (*Set, error) {
	var tree map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	return parse(tree)
}

func parse(tree map[string]any) (*Set, error) {
	s := &Set{}
	for e, below := range tree { // order: each fills its own key
		if e == "." {
			s.member = true
			continue
		}
		e, err := canonical(e)
		if err != nil {
			return nil, err
		}
		child, ok := below.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("expected an object below %s", e)
		}
		c, err := parse(child)
		if err != nil {
			return nil, err
		}
		if len(child) == 0 {
			c.member = true
		}
		if c.Empty() {
			continue
		}
		if s.children == nil {
			s.children = map[string]*Set{}
		}
		s.children[e] = c.Union(s.children[e])
	}
	return s, nil
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string
	}
	return strings.TrimSuffix(b.String(), "\n")
}

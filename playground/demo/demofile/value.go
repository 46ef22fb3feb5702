package demofile

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"kubewalk/playground/cluster/suggest"
)

// reader reads values off the tree and collects what is wrong with them: an
// author sees all mistakes of a file at once.
type reader struct {
	path     string
	anchors  anchors
	problems []Problem
	merges   int // mappings that were merged: aliases can make them endless
}

func (r *reader) fail(at place, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.path, at.line, at.column, fmt.Sprintf(format, args...)})
}

// place is a line and a column, both from 1; columns count characters.
type place struct{ line, column int }

func placeOf(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{1, 1}
	}
	return place{max(t.Position.Line, 1), max(t.Position.Column, 1)}
}

// value is a node of the tree and where it stands. The zero value is one that
// is not there: it reads as empty.
type value struct {
	*reader
	node ast.Node // nil when it is not there; never an alias, an anchor or a tag
	at   place    // where it begins: for a mapping, its first key
	key  place    // of the key that it stands under; where it begins, if there is none
}

// value makes a value of a node. key is that of the entry around, if there is one.
func (r *reader) value(node ast.Node, key *place) value {
	v := value{reader: r, node: r.anchors.resolve(node)}
	if node != nil {
		v.at = begin(node)
	}
	if v.key = v.at; key != nil {
		v.key = *key
	}
	return v
}

func begin(node ast.Node) place {
	switch n := node.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return placeOf(n.Values[0].Key.GetToken())
		}
	case *ast.MappingValueNode:
		return placeOf(n.Key.GetToken())
	}
	return placeOf(node.GetToken())
}

func (v value) there() bool { return v.node != nil }

// entry is one key of a mapping.
type entry struct {
	name string
	at   place
	value
}

// entries are the keys of a mapping, in the file's order; a merged mapping's
// come behind its own. It is nil for what is no mapping.
func (v value) entries() []entry { return v.merged(0) }

func (v value) merged(depth int) (out []entry) {
	m, ok := v.node.(*ast.MappingNode)
	if !ok {
		return nil
	}
	if depth > 0 {
		if v.merges++; v.merges == maxMerges {
			v.fail(v.at, "mappings are merged more than %d times", maxMerges)
		}
		if v.merges >= maxMerges {
			return nil
		}
	}
	var base []entry
	for _, e := range m.Values {
		at := placeOf(e.Key.GetToken())
		inner := v.value(e.Value, &at)
		if !e.Key.IsMergeKey() {
			out = append(out, entry{keyText(e.Key), at, inner})
		} else if depth < maxDepth {
			base = append(base, inner.bases(depth+1)...)
		}
	}
	for _, b := range base {
		if len(out) < maxNodes && !slices.ContainsFunc(out, func(e entry) bool { return e.name == b.name }) {
			out = append(out, b)
		}
	}
	return out
}

// bases are the entries of what a mapping merges: a mapping, or a list of them.
func (v value) bases(depth int) (out []entry) {
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		return v.merged(depth)
	}
	for _, n := range s.Values {
		out = append(out, v.value(n, nil).merged(depth)...)
	}
	return out
}

func keyText(key ast.MapKeyNode) string {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value
	case *ast.MappingKeyNode: // "? key"
		if k.Value != nil {
			return k.Value.GetToken().Value
		}
	}
	return key.GetToken().Value
}

// mapping reads a mapping that may have a form's keys, and no others.
func (v value) mapping(f *form) map[string]value { return v.mappingAs(f.what, f) }

// mappingAs is mapping for a form that messages call something else here.
func (v value) mappingAs(what string, f *form) map[string]value {
	out := v.open(what, f.example)
	keys := f.names()
	for _, e := range v.entries() {
		if !slices.Contains(keys, e.name) {
			v.fail(e.at, "%s has no key %q (%s)", what, e.name, suggest.Cure(e.name, keys))
			delete(out, e.name)
		}
	}
	return out
}

// open reads a mapping with any keys. what names it in messages; example shows how
// it is written.
func (v value) open(what, example string) map[string]value {
	out := map[string]value{}
	if !v.there() {
		return out
	}
	if _, ok := v.node.(*ast.MappingNode); !ok {
		v.fail(v.at, "%s is written as %s, not as %s", what, example, kind(v.node))
		return out
	}
	for _, e := range v.entries() {
		out[e.name] = e.value
	}
	return out
}

// list reads a list.
func (v value) list(what, example string) []value {
	if !v.there() {
		return nil
	}
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		v.fail(v.at, "%s is a list, written as %s, not %s", what, example, kind(v.node))
		return nil
	}
	out := make([]value, len(s.Values))
	for i, n := range s.Values {
		out[i] = v.value(n, nil)
	}
	return out
}

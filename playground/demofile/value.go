package demofile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"kubewalk/playground/suggest"
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

// mapping reads a mapping that may have the given keys, and no others. what
// names it in messages; example shows how it is written.
func (v value) mapping(what, example string, keys ...string) map[string]value {
	out := v.open(what, example)
	for _, e := range v.entries() {
		if !slices.Contains(keys, e.name) {
			v.fail(e.at, "%s has no key %q (%s)", what, e.name, suggest.Cure(e.name, keys))
			delete(out, e.name)
		}
	}
	return out
}

// open reads a mapping with any keys.
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

// kind says what a node is, for whoever expected something else.
func kind(node ast.Node) string {
	switch node.(type) {
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	}
	text, _ := scalar(node)
	return fmt.Sprintf("%q", text)
}

// scalar is the text of what is neither a mapping nor a list: as it stands in
// the file, so that 1.50 and true stay what they are.
func scalar(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, true
	}
	return "", false
}

// text reads a text. Numbers and truth values are texts too: {status: True}
// asks for the text "True".
func (v value) text(what string) string {
	if !v.there() {
		return ""
	}
	s, ok := scalar(v.node)
	if !ok {
		v.fail(v.at, "%s is a text, not %s", what, kind(v.node))
	}
	return s
}

// whole reads a whole number. Numbers that are too large for what they stand
// for are refused here, with a place.
func (v value) whole(what string, from, to int64) int64 {
	if !v.there() {
		return 0
	}
	var n int64
	i, ok := v.node.(*ast.IntegerNode)
	if ok {
		switch x := i.Value.(type) {
		case int64:
			n = x
		case uint64:
			n, ok = int64(x), x < 1<<63
		}
	}
	if !ok || n < from || n > to {
		v.fail(v.at, "%s is a whole number from %d to %d, not %s", what, from, to, kind(v.node))
		return 0
	}
	return n
}

// yes reads true or false.
func (v value) yes(what string) bool {
	if !v.there() {
		return false
	}
	b, ok := v.node.(*ast.BoolNode)
	if !ok {
		v.fail(v.at, "%s is true or false, not %s", what, kind(v.node))
		return false
	}
	return b.Value
}

// longest is the longest that a demo may last: a reader watches it.
const longest = 24 * time.Hour

// duration reads a duration; or is what it is when it is not there.
func (v value) duration(what string, or time.Duration) time.Duration {
	if !v.there() {
		return or
	}
	return v.parseDuration(what, v.text(what))
}

func (v value) parseDuration(what, s string) time.Duration {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		v.fail(v.at, "%s %q is no duration: write 500ms, 12s or 1m30s", what, s)
	case d < 0:
		v.fail(v.at, "%s %s is negative", what, s)
	case d > longest:
		v.fail(v.at, "%s %s is longer than a day", what, s)
	default:
		return d
	}
	return 0
}

// texts reads texts by key: fields and what they have to be.
func (v value) texts(what, example string) map[string]string {
	if !v.there() {
		return nil
	}
	m := v.open(what, example)
	out := make(map[string]string, len(m))
	for _, k := range sorted(m) {
		out[k] = m[k].text(what + " " + k)
	}
	return out
}

// oneOf reads a name out of those that are known.
func (v value) oneOf(what string, known []string) string {
	s := v.text(what)
	if v.there() && !slices.Contains(known, s) {
		v.fail(v.at, "unknown %s %q (%s)", what, s, suggest.Cure(s, known))
	}
	return s
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// listed is a list in words.
func listed(names []string) string { return strings.Join(names, ", ") }

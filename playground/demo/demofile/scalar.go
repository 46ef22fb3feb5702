package demofile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/demo/scenario"
)

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
		v.fail(v.at, "%s %q is not a duration: write 500ms, 12s or 1m30s", what, s)
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

// conditions reads texts, of which some compare: ">= 3".
func (v value) conditions(what, example string) map[string]string {
	out := v.texts(what, example)
	if len(out) == 0 {
		return out
	}
	at := v.open(what, example)
	for _, key := range sorted(out) {
		c, ok := scenario.ParseComparison(out[key])
		if ok && !c.Known() && !strings.HasSuffix(c.Than, ">") { // <none> is a text
			v.fail(at[key].at, "%s of %s needs a number, a quantity (500m, 1Gi) or a time (5s, 2026-01-01T00:00:05Z), not %q", c.Op, key, c.Than)
		}
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

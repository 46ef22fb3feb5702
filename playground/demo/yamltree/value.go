package yamltree

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Value is a node of the tree and where it stands. The zero value is one that is not
// there: it reads as empty.
type Value struct {
	*Tree
	node ast.Node // nil when it is not there; never an alias, an anchor or a tag
	At   Place    // where it begins: for a mapping, its first key
	Key  Place    // of the key that it stands under; where it begins, if there is none
	null bool
}

// Entry is one key of a mapping.
type Entry struct {
	Name string
	Value
}

// value makes a value of a node. key is that of the entry around, if there is one.
func (t *Tree) value(node ast.Node, key *Place) Value {
	v := Value{Tree: t, node: t.anchors.resolve(node)}
	if _, v.null = v.node.(*ast.NullNode); v.null {
		v.node = nil
	}
	if node != nil {
		v.At = t.begin(node)
	}
	if v.Key = v.At; key != nil {
		v.Key = *key
	}
	return v
}

// There tells whether something is written there.
func (v Value) There() bool { return v.node != nil }

// Null tells whether there is a key, and nothing behind it.
func (v Value) Null() bool { return v.null }

// IsMapping tells whether the value is a mapping.
func (v Value) IsMapping() bool { _, is := v.node.(*ast.MappingNode); return is }

// IsList tells whether the value is a list.
func (v Value) IsList() bool { _, is := v.node.(*ast.SequenceNode); return is }

// IsWhole tells whether the value is a whole number.
func (v Value) IsWhole() bool { _, is := v.node.(*ast.IntegerNode); return is }

// IsText tells whether the value is a text, and not what YAML takes for a number or
// for true.
func (v Value) IsText() bool {
	switch v.node.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return true
	}
	return false
}

// Scalar is the text of what is neither a mapping nor a list: as it stands in the
// file, so that 1.50 and true stay what they are.
func (v Value) Scalar() (string, bool) { return scalar(v.node) }

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

// Quoted tells how a text stands in the file: on a line of its own, as it is (block is
// false), and within quotes or not.
func (v Value) Quoted() (quoted, block bool) {
	s, ok := v.node.(*ast.StringNode)
	if !ok {
		return false, true
	}
	return s.Token.Type == token.SingleQuoteType || s.Token.Type == token.DoubleQuoteType, false
}

// Documents are those of a text that holds YAML itself. If exact, their places are those of the file: the text stands
// there as it is, below "|".
func (v Value) Documents() (documents []*Tree, exact bool) {
	text, _ := v.Scalar()
	before, indent := v.At.Line-1, v.At.Column-1
	if n, ok := v.node.(*ast.LiteralNode); ok && strings.HasPrefix(n.Start.Value, "|") {
		// Of its lines the file has more than the value: what all of them are indented by.
		exact, before = true, v.At.Line
		indent = firstIndent(n.Value.GetToken().Origin) - firstIndent(text)
	}
	for _, document := range strings.Split(text, "\n---\n") {
		documents = append(documents, parse(document, before, indent))
		before += strings.Count(document, "\n") + 2
	}
	return documents, exact
}

// firstIndent is how far the first line of a text is indented that is not blank.
func firstIndent(text string) int {
	for line := range strings.SplitSeq(text, "\n") {
		if rest := strings.TrimLeft(line, " "); strings.TrimSpace(rest) != "" {
			return len(line) - len(rest)
		}
	}
	return 0
}

// Items are those of a list; nil for what is no list.
func (v Value) Items() []Value {
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		return nil
	}
	out := make([]Value, len(s.Values))
	for i, n := range s.Values {
		out[i] = v.value(n, nil)
	}
	return out
}

// Entries are the keys of a mapping, each once, in the file's order; a merged mapping's
// come behind its own. It is nil for what is no mapping.
func (v Value) Entries() []Entry {
	m, ok := v.node.(*ast.MappingNode)
	if !ok || len(m.Values) < 16 {
		return v.merged(0)
	}
	return v.kept(m).list
}

// entries are those of a large mapping, which are made once.
type entries struct {
	list   []Entry
	byName map[string]int
}

func (v Value) kept(m *ast.MappingNode) *entries {
	if known := v.large[m]; known != nil {
		return known
	}
	e := &entries{v.merged(0), map[string]int{}}
	for i, one := range e.list {
		e.byName[one.Name] = i
	}
	v.large[m] = e
	return e
}

// key is the entry of a name.
func (v Value) key(name string) (found Value, ok bool) {
	if m, is := v.node.(*ast.MappingNode); is && len(m.Values) >= 16 {
		e := v.kept(m)
		if i, ok := e.byName[name]; ok {
			return e.list[i].Value, true
		}
		return Value{}, false
	}
	for _, e := range v.Entries() {
		if e.Name == name {
			return e.Value, true
		}
	}
	return Value{}, false
}

func (v Value) merged(depth int) (out []Entry) {
	m, ok := v.node.(*ast.MappingNode)
	if !ok {
		return nil
	}
	if depth > 0 {
		if v.merges++; v.merges == maxMerges {
			v.Fail(v.At, "mappings are merged more than %d times", maxMerges)
		}
		if v.merges >= maxMerges {
			return nil
		}
	}
	seen := make(map[string]bool, len(m.Values))
	add := func(e Entry) {
		if !seen[e.Name] && len(out) < MaxNodes {
			seen[e.Name], out = true, append(out, e)
		}
	}
	var base []Entry
	out = make([]Entry, 0, len(m.Values))
	for _, e := range m.Values {
		at := v.place(e.Key.GetToken())
		inner := v.value(e.Value, &at)
		if !e.Key.IsMergeKey() {
			add(Entry{keyText(e.Key), inner})
		} else if depth < maxDepth {
			base = append(base, inner.bases(depth+1)...)
		}
	}
	for _, b := range base {
		add(b)
	}
	return out
}

// bases are the entries of what a mapping merges: a mapping, or a list of them.
func (v Value) bases(depth int) (out []Entry) {
	if !v.IsList() {
		return v.merged(depth)
	}
	for _, item := range v.Items() {
		out = append(out, item.merged(depth)...)
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

// Find returns what a path such as "steps[0].manifest.metadata.labels[app]" leads to. ok is
// false when that is not there; then it is the nearest thing around it.
func (v Value) Find(path string) (found Value, ok bool) {
	for path != "" {
		inner, rest, ok := v.step(path)
		if !ok {
			return v, false
		}
		v, path = inner, rest
	}
	return v, true
}

// step goes one step down a path. Keys may hold dots and brackets: the longest one that fits is meant.
func (v Value) step(path string) (inner Value, rest string, ok bool) {
	bracket, bracketed := strings.CutPrefix(path, "[")
	if bracketed && v.IsList() {
		element, after, _ := strings.Cut(bracket, "]")
		items := v.Items()
		i, err := strconv.Atoi(element)
		if err != nil || i < 0 || i >= len(items) {
			return v, "", false
		}
		return items[i], after, true
	}
	if name, after, closed := strings.Cut(bracket, "]"); bracketed && closed {
		if inner, ok := v.key(name); ok {
			return inner, after, true
		}
	}
	longest := -1
	for _, e := range v.Entries() {
		var after string
		var fits bool
		if bracketed {
			after, fits = strings.CutPrefix(bracket, e.Name+"]")
		} else {
			after, fits = strings.CutPrefix(strings.TrimPrefix(path, "."), e.Name)
		}
		if fits && len(e.Name) > longest && (after == "" || after[0] == '.' || after[0] == '[') {
			inner, rest, longest = e.Value, after, len(e.Name)
		}
	}
	return inner, rest, longest >= 0
}

// Package yamltree reads the YAML that people write: site.yaml, front matter, the
// glossary, demos. It knows the place of everything, so that whatever is wrong is
// told with line and column, what is there instead, and a cure; all of it at once.
//
// Parse makes a Tree of a text, whose Root is a Value. Whoever knows what a file may
// hold asks values for what it expects (Keys, List, Text, Whole, Yes, OneOf): what is
// something else is reported, in the same words for every file. Two packages do so:
// demofile, for demos, and the generator's schema, for what Go types describe.
package yamltree

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"kubewalk/playground/cluster/suggest"
)

// Place is a line and a column, both from 1; columns count characters. The zero Place
// is the whole file.
type Place struct{ Line, Column int }

// Problem is something wrong in a text.
type Problem struct {
	Place
	Message, Cure string // the cure may be ""
}

// Tree is a text that was read.
type Tree struct {
	Root     Value // not there when the text holds nothing, or cannot be read
	Problems []Problem
	before   int // lines of the file that come before the text
	indent   int // columns of each line that do, in a text that stands within another
	anchors  anchors
	merges   int // mappings that were merged: aliases can make them endless
	large    map[*ast.MappingNode]*entries
}

// What is read at most: aliases can make a file of ten lines endless.
const (
	MaxNodes  = 20_000 // of one value
	maxDepth  = 64
	maxMerges = 20_000 // in the whole file
)

// Parse reads a text. before is how many lines of the file come before it.
func Parse(text string, before int) *Tree { return parse(text, before, 0) }

func parse(text string, before, indent int) (t *Tree) {
	t = &Tree{before: before, indent: indent, large: map[*ast.MappingNode]*entries{}}
	first := Place{before + 1, indent + 1}
	t.Root = Value{Tree: t, At: first, Key: first}
	defer func() {
		// The text is whatever an author saved in the middle of a thought; a
		// parser that trips over it must not end a running server.
		if recover() != nil {
			t.Cure(first, "take away lines until it can be read, to find the one that is wrong", "text cannot be read as YAML")
		}
	}()
	file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		t.syntax(text, err)
		return t
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			t.Cure(t.begin(doc.Body), "remove the line --- before it: the file contains one document", "a second YAML document begins here")
			break
		}
		body = doc.Body
	}
	if body == nil {
		return t
	}
	t.anchors = anchors{}
	ast.Walk(t.anchors, body)
	ast.Walk(checker{t}, body)
	t.Root = t.value(body, nil)
	return t
}

// Fail reports something wrong.
func (t *Tree) Fail(at Place, format string, args ...any) { t.Cure(at, "", format, args...) }

// Cure reports something wrong, with a cure.
func (t *Tree) Cure(at Place, cure, format string, args ...any) {
	t.Problems = append(t.Problems, Problem{at, fmt.Sprintf(format, args...), cure})
}

// place is that of a token: of the text's beginning, when it has none.
func (t *Tree) place(of *token.Token) Place {
	if of == nil || of.Position == nil {
		return Place{t.before + 1, t.indent + 1}
	}
	return Place{t.before + max(of.Position.Line, 1), t.indent + max(of.Position.Column, 1)}
}

// begin is where a node begins. A mapping's own token is its first colon.
func (t *Tree) begin(node ast.Node) Place {
	switch n := node.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return t.place(n.Values[0].Key.GetToken())
		}
	case *ast.MappingValueNode:
		return t.place(n.Key.GetToken())
	}
	return t.place(node.GetToken())
}

// anchors are the nodes that aliases stand for, by name, in the file's order.
type anchors map[string][]*ast.AnchorNode

// Visit collects a node that has a name.
func (a anchors) Visit(node ast.Node) ast.Visitor {
	if n, ok := node.(*ast.AnchorNode); ok && n.Name != nil {
		name := n.Name.GetToken().Value
		a[name] = append(a[name], n)
	}
	return a
}

// checker reports what is wrong whatever the file may hold: aliases of what is not
// there, and keys that are given twice.
type checker struct{ *Tree }

// Visit looks at a node.
func (c checker) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.AliasNode:
		if c.anchors.target(n) == nil {
			name := strings.TrimPrefix(n.String(), "*")
			c.Cure(c.place(n.GetToken()), suggest.Cure(name, slices.Sorted(maps.Keys(c.anchors))), "alias *%s is not defined", name)
		}
	case *ast.TagNode:
		if tag := n.Start.Value; !strings.HasPrefix(tag, "!!") {
			c.Cure(c.place(n.Start), "put a text that begins with ! in quotes", "%s would say of which type the value is, and there is no such type", tag)
		}
	case *ast.LiteralNode:
		return nil // its lines hold whatever they like
	case *ast.StringNode:
		// YAML has no such text outside of quotes; the parser takes it for one within brackets.
		if text, _, found := strings.Cut(n.Value, ": "); found && n.Token.Type == token.StringType {
			c.Cure(c.place(n.Token), "write a comma before the next key, or put the text in quotes",
				"a second key begins within the text that begins with %q", shortened(text))
		}
	case *ast.MappingNode:
		seen := make(map[string]bool, len(n.Values))
		for _, entry := range n.Values {
			if entry.Key.IsMergeKey() {
				switch c.anchors.resolve(entry.Value).(type) {
				case *ast.MappingNode, *ast.SequenceNode, nil: // nil is an alias of what is not there, which is told
				default:
					c.Cure(c.place(entry.Value.GetToken()), "write <<: *name, or remove the line", "<< takes over keys and values, and this has none")
				}
				continue
			}
			key := keyText(entry.Key)
			if seen[key] {
				c.Cure(c.place(entry.Key.GetToken()), "keep one of them", "key %q is given twice", key)
			}
			seen[key] = true
		}
	}
	return c
}

// resolve returns what a node stands for, without names and tags; nil for an
// alias of what is not there or of itself.
func (a anchors) resolve(node ast.Node) ast.Node {
	for range maxDepth {
		switch n := node.(type) {
		case *ast.AnchorNode:
			node = n.Value
		case *ast.TagNode:
			if text, ok := scalar(n.Value); ok && n.Start.Value == "!!str" {
				return &ast.StringNode{BaseNode: &ast.BaseNode{}, Token: n.Value.GetToken(), Value: text}
			}
			node = n.Value
		case *ast.AliasNode:
			if node = a.target(n); node == nil {
				return nil
			}
		case *ast.MappingValueNode: // a mapping of one entry
			return ast.Mapping(n.GetToken(), false, n)
		default:
			return node
		}
	}
	return nil
}

// target is the newest anchor of that name before the alias.
func (a anchors) target(alias *ast.AliasNode) ast.Node {
	if alias.Value == nil {
		return nil
	}
	var out ast.Node
	for _, n := range a[alias.Value.GetToken().Value] {
		if n.GetToken().Position.Offset < alias.GetToken().Position.Offset {
			out = n.Value
		}
	}
	return out
}

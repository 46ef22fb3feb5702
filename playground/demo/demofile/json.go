package demofile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"kubewalk/playground/cluster/suggest"
)

// What a manifest may be at most: aliases can make a file of ten lines endless.
const (
	maxDepth  = 64
	maxNodes  = 20_000
	maxMerges = 20_000 // in the whole file, each time one is read
)

// anchors are the nodes that aliases stand for, by name, in the file's order.
type anchors map[string][]*ast.AnchorNode

func anchorsOf(file *ast.File) anchors {
	a := anchors{}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			ast.Walk(a, doc.Body)
		}
	}
	return a
}

// Visit collects a node that has a name.
func (a anchors) Visit(node ast.Node) ast.Visitor {
	if n, ok := node.(*ast.AnchorNode); ok && n.Name != nil {
		name := n.Name.GetToken().Value
		a[name] = append(a[name], n)
	}
	return a
}

// aliasChecker reports aliases of what is not there.
type aliasChecker struct{ *reader }

// Visit looks at a node.
func (c aliasChecker) Visit(node ast.Node) ast.Visitor {
	if n, ok := node.(*ast.AliasNode); ok && c.anchors.target(n) == nil {
		name := strings.TrimPrefix(n.String(), "*")
		c.fail(placeOf(n.GetToken()), "alias *%s is not defined (%s)", name, suggest.Cure(name, sorted(c.anchors)))
	}
	return c
}

// resolve returns what a node stands for, without names and tags; nil for an
// alias of what is not there or of itself, and for nothing.
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
		case *ast.NullNode:
			return nil
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

// json writes a value as JSON, keys in the file's order, numbers as they stand
// there: the API server is to judge what the author wrote.
func (v value) json() (json.RawMessage, error) {
	w := &jsonWriter{}
	if err := w.write(v, 0); err != nil {
		return nil, err
	}
	out := w.b.String()
	if !json.Valid([]byte(out)) {
		return nil, errors.New("it cannot be written as JSON")
	}
	return json.RawMessage(out), nil
}

type jsonWriter struct {
	b     strings.Builder
	nodes int
}

func (w *jsonWriter) write(v value, depth int) error {
	if w.nodes++; w.nodes > maxNodes || depth > maxDepth {
		return errors.New("it is too large: does an alias refer to something that contains it?")
	}
	switch n := v.node.(type) {
	case nil:
		w.b.WriteString("null")
	case *ast.MappingNode:
		w.b.WriteByte('{')
		for i, e := range v.entries() {
			if i > 0 {
				w.b.WriteByte(',')
			}
			w.text(e.name)
			w.b.WriteByte(':')
			if err := w.write(e.value, depth+1); err != nil {
				return err
			}
		}
		w.b.WriteByte('}')
	case *ast.SequenceNode:
		w.b.WriteByte('[')
		for i, item := range n.Values {
			if i > 0 {
				w.b.WriteByte(',')
			}
			if err := w.write(v.value(item, nil), depth+1); err != nil {
				return err
			}
		}
		w.b.WriteByte(']')
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		text, err := json.Marshal(n.(ast.ScalarNode).GetValue())
		if err != nil {
			return err
		}
		w.b.Write(text)
	default:
		text, ok := scalar(n)
		if !ok {
			return fmt.Errorf("%s has no place in it", n.Type())
		}
		w.text(text)
	}
	return nil
}

func (w *jsonWriter) text(s string) {
	text, _ := json.Marshal(s) // a string always can be
	w.b.Write(text)
}

package markdown

import (
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// element is a block that becomes one HTML element around its children. Tag and
// attributes are ours; whatever an author wrote is escaped by attr.
type element struct {
	ast.BaseBlock
	tag        string
	attributes []string // as written in HTML, in order
	before     string   // HTML in front of the children
	line       bool     // its children are inline: it is one line of text
	folds      bool     // it may be closed
}

var kindElement = ast.NewNodeKind("Element")

func (*element) Kind() ast.NodeKind { return kindElement }

func (n *element) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"tag": n.tag}, nil)
}

// newElement is an element where another node stood.
func newElement(at ast.Node, tag string, attributes ...string) *element {
	n := &element{tag: tag, attributes: attributes}
	n.SetPos(at.Pos())
	return n
}

// newLine is an element that takes over a node's inline children.
func newLine(of ast.Node, tag string, attributes ...string) *element {
	n := newElement(of, tag, attributes...)
	n.line = true
	move(of, n)
	return n
}

// add writes one more attribute.
func (n *element) add(name, value string) { n.attributes = append(n.attributes, attr(name, value)) }

// attr is an attribute as written in HTML.
func attr(name, value string) string { return name + `="` + html.EscapeString(value) + `"` }

// move puts all children of one node behind those of another.
func move(from, to ast.Node) { moveUntil(from, to, nil) }

// moveUntil moves those before one of them.
func moveUntil(from, to, end ast.Node) {
	for child := from.FirstChild(); child != nil && child != end; {
		next := child.NextSibling()
		to.AppendChild(to, child)
		child = next
	}
}

// replace puts a node where another stood.
func replace(old, new ast.Node) { old.Parent().ReplaceChild(old.Parent(), old, new) }

// elements writes them.
func elements(*Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) { m.Renderer().AddOptions(render(kindElement, renderElement)) })
}

func renderElement(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*element)
	if !entering {
		fmt.Fprintf(w, "</%s>", n.tag)
		if n.tag != "span" {
			_ = w.WriteByte('\n')
		}
		return ast.WalkContinue, nil
	}
	fmt.Fprintf(w, "<%s>", strings.Join(append([]string{n.tag}, n.attributes...), " "))
	if !n.line {
		_ = w.WriteByte('\n')
	}
	_, _ = w.WriteString(n.before)
	return ast.WalkContinue, nil
}

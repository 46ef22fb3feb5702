package markdown

import (
	"github.com/yuin/goldmark/ast"
)

// details are what readers may open, by what stands in brackets:
//
//	:::details[Why not a list?]{open}
//	…
//	:::
//
// They open when a link leads into them (site/scripts/blocks.ts), and in print.
func (d *Document) details(n *container) ast.Node {
	box := newElement(n, "details", attr("class", "details"))
	box.folds = true
	if n.anchor != "" {
		box.add("id", n.anchor)
	}
	if n.has("open") {
		box.attributes = append(box.attributes, "open")
	}
	box.AppendChild(box, newLine(n.label, "summary"))
	n.RemoveChild(n, n.label)
	move(n, box)
	d.Details = true
	return box
}

// folded tells whether a node stands in what may be closed: such headings have
// anchors, but are no entries of the table of contents.
func folded(n ast.Node) bool {
	for at := n.Parent(); at != nil; at = at.Parent() {
		if e, ok := at.(*element); ok && e.folds {
			return true
		}
	}
	return false
}

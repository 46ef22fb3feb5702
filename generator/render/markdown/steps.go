package markdown

import (
	"github.com/yuin/goldmark/ast"
)

// steps are an ordered list with large numbers, or headings of one level, which
// get them:
//
//	:::steps
//	### Write it {#write}
//	…
//	### Apply it {#apply}
//	…
//	:::
func (d *Document) steps(n *container) ast.Node {
	box := newElement(n, "div", attr("class", "steps"))
	if n.anchor != "" {
		box.add("id", n.anchor)
	}
	if list, ok := n.FirstChild().(*ast.List); ok && list.IsOrdered() {
		for other := list.NextSibling(); other != nil; other = other.NextSibling() {
			d.wrong(other, "text in \"steps\" after the list", "indent it to make it part of a step, or put it below the container")
		}
		box.AppendChild(box, list)
		return box
	}
	if n.FirstChild().Kind() != ast.KindHeading {
		d.wrong(n.FirstChild(), "steps are neither a numbered list nor headings", "write 1. before each, or begin each with a heading")
		return nil
	}
	list := newElement(n, "ol")
	for _, part := range d.byHeading(n, "step") {
		step := newElement(part.heading, "li")
		step.AppendChild(step, part.heading)
		for _, block := range part.blocks {
			step.AppendChild(step, block)
		}
		list.AppendChild(list, step)
	}
	box.AppendChild(box, list)
	return box
}

package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// cards are a list of links with a few words for each, side by side:
//
//	:::cards
//	- [The tour](../start/tour.md)
//	  Five minutes with the controls.
//	:::
func (d *Document) cards(n *container) ast.Node {
	const cure = "write - [Title](chapter.md), and below it, indented, what it is about"
	list, ok := n.FirstChild().(*ast.List)
	if !ok || list.IsOrdered() || list.NextSibling() != nil {
		d.wrong(n, "cards are not one list", cure)
		return nil
	}
	grid := newElement(n, "ul", attr("class", "cards"))
	if n.anchor != "" {
		grid.add("id", n.anchor)
	}
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		card := newElement(item, "li", attr("class", "card"))
		first := item.FirstChild()
		var link *ast.Link
		if first != nil {
			link, _ = first.FirstChild().(*ast.Link)
		}
		if link == nil {
			d.wrong(item, "card does not begin with a link", cure)
			continue
		}
		title := newElement(first, "p", attr("class", "card-title"))
		title.line = true
		title.AppendChild(title, link)
		card.AppendChild(card, title)
		// What follows the link in its paragraph is the card's text.
		if t, ok := first.FirstChild().(*ast.Text); ok && len(strings.TrimSpace(string(t.Value(d.Chapter.Source)))) == 0 {
			first.RemoveChild(first, t)
		}
		if first.HasChildren() {
			card.AppendChild(card, newLine(first, "p"))
		}
		if first.Parent() == item {
			item.RemoveChild(item, first)
		}
		move(item, card)
		grid.AppendChild(grid, card)
	}
	return grid
}

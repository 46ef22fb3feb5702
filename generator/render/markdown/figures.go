package markdown

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	tableast "github.com/yuin/goldmark/extension/ast"
)

// figures have a caption. An image alone in its paragraph has its title as one,
// and anything has one in a container: an image, a table, code, a diagram.
//
//	![Two workers take keys from one queue](queue.svg "One queue, two workers")
//
//	:::figure[What `kubectl get` prints]{#columns wide}
//	| … |
//	:::
func figures(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(60, func(root *ast.Document) {
			each(root, d.titledImage)
		}))
	})
}

// titledImage makes a figure of a paragraph that is an image with a title.
func (d *Document) titledImage(image *ast.Image) {
	paragraph, ok := image.Parent().(*ast.Paragraph)
	if !ok || paragraph.ChildCount() != 1 || len(image.Title) == 0 {
		return
	}
	box, picture, caption := newElement(paragraph, "figure", attr("class", "figure")), ast.NewTextBlock(), newElement(paragraph, "figcaption")
	picture.AppendChild(picture, image)
	caption.line = true
	caption.AppendChild(caption, ast.NewString(image.Title))
	image.Title = nil
	box.AppendChild(box, picture)
	box.AppendChild(box, caption)
	replace(paragraph, box)
}

func (d *Document) figure(n *container) ast.Node {
	class := "figure"
	if n.has("wide") {
		class += " wide"
	}
	box := newElement(n, "figure", attr("class", class))
	if n.anchor != "" {
		box.add("id", n.anchor)
	}
	caption := newLine(n.label, "figcaption")
	n.RemoveChild(n, n.label)
	// A table that scrolls says what it is by its caption.
	if table, ok := n.FirstChild().(*tableast.Table); ok && table.NextSibling() == nil {
		id := d.unique("caption")
		caption.add("id", id)
		table.SetAttributeString("labelledby", id)
	}
	if p, ok := n.FirstChild().(*ast.Paragraph); ok && p.ChildCount() == 1 && p.FirstChild().Kind() == ast.KindImage {
		picture := ast.NewTextBlock()
		move(p, picture)
		replace(p, picture)
	}
	move(n, box)
	box.AppendChild(box, caption)
	return box
}

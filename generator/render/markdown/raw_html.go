package markdown

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// rawHTML is off: the book's pages hold no markup but ours. A comment is
// allowed and leaves nothing behind.
func rawHTML(d *Document) goldmark.Extender {
	nothing := func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkSkipChildren, nil }
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(600, func(root *ast.Document) {
			each(root, func(n *ast.RawHTML) {
				var text []byte
				for i := range n.Segments.Len() {
					segment := n.Segments.At(i)
					text = append(text, segment.Value(d.Chapter.Source)...)
				}
				offset := n.Pos()
				if n.Segments.Len() > 0 {
					offset = n.Segments.At(0).Start
				}
				if !inBraces(d.Chapter.Source, offset) { // foreign.go tells of those
					d.checkHTML(offset, text)
				}
			})
			each(root, func(n *ast.HTMLBlock) {
				var text []byte
				for i := range n.Lines().Len() {
					line := n.Lines().At(i)
					text = append(text, line.Value(d.Chapter.Source)...)
				}
				if n.HasClosure() {
					text = append(text, n.ClosureLine.Value(d.Chapter.Source)...)
				}
				d.checkHTML(n.Pos(), text)
			})
		}))
		m.Renderer().AddOptions(render(ast.KindRawHTML, nothing), render(ast.KindHTMLBlock, nothing))
	})
}

func (d *Document) checkHTML(offset int, text []byte) {
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("<!--")) && bytes.HasSuffix(text, []byte("-->")) {
		return
	}
	d.wrongAt(offset, "HTML in a chapter", "write Markdown; for a < in the text write \\< or put it in `code`")
}

package markdown

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
)

// emphasis finds ** that did not become bold. In Japanese that happens easily,
// because Markdown looks for spaces or punctuation around it: **「語」**は.
func emphasis(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(600, func(root *ast.Document) {
			each(root, func(t *ast.Text) {
				if t.Parent() != nil && t.Parent().Kind() == ast.KindCodeSpan {
					return
				}
				if i := bytes.Index(t.Segment.Value(d.Chapter.Source), []byte("**")); i >= 0 {
					d.wrongAt(t.Segment.Start+i, "** that is not bold text",
						"put an escaped space (\\ ) before and after it, or write \\* for an asterisk")
				}
			})
		}))
	})
}

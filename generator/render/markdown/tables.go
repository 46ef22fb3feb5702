package markdown

import (
	"fmt"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tableast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// tables scroll sideways on their own when the screen is narrow, also by keyboard.
func tables(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		// Alignment as a style attribute would need an unsafe policy.
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)).Extend(m)
		m.Renderer().AddOptions(render(tableast.KindTable, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				name := attr("aria-label", d.words().Table)
				if caption, ok := n.AttributeString("labelledby"); ok { // of its figure
					name = attr("aria-labelledby", caption.(string))
				}
				fmt.Fprintf(w, "<div class=\"table\" role=\"group\" tabindex=\"0\" %s>\n<table>\n", name)
			} else {
				fmt.Fprint(w, "</table>\n</div>\n")
			}
			return ast.WalkContinue, nil
		}))
	})
}

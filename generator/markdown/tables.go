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
		m.Renderer().AddOptions(render(tableast.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				fmt.Fprintf(w, "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"%s\">\n<table>\n", d.words().Table)
			} else {
				fmt.Fprint(w, "</table>\n</div>\n")
			}
			return ast.WalkContinue, nil
		}))
	})
}

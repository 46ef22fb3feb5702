package markdown

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tableast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
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
		m.Renderer().AddOptions(render(ast.KindCodeSpan, renderCodeSpan))
	})
}

// renderCodeSpan renders code within text as goldmark does, and a short name in one line; in a table it may break between the words of an
// identifier, and nowhere else (site/styles/code.css).
func renderCodeSpan(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		fmt.Fprint(w, "</code>")
		return ast.WalkContinue, nil
	}
	fmt.Fprint(w, "<code")
	if n.Attributes() != nil {
		html.RenderAttributes(w, n, html.CodeAttributeFilter)
	}
	var code []byte
	for part := n.FirstChild(); part != nil; part = part.NextSibling() {
		code = append(code, part.(*ast.Text).Segment.Value(source)...)
	}
	code = bytes.ReplaceAll(code, []byte("\n"), []byte(" "))
	words := [][]byte{code}
	switch {
	case isInCell(n):
		words = humpsOf(code)
	case isWhole(code) && n.Attributes() == nil:
		fmt.Fprint(w, ` class="whole"`)
	}
	fmt.Fprint(w, ">")
	for i, word := range words {
		if i > 0 {
			fmt.Fprint(w, "<wbr>")
		}
		html.DefaultWriter.RawWrite(w, word)
	}
	return ast.WalkSkipChildren, nil
}

// longestWhole is the length up to which a name stays in one line: it fits a phone's within a list.
const longestWhole = 20

// isWhole says whether code is a short name at whose signs a browser would end a line, as at the hyphen of "web-0".
func isWhole(code []byte) bool {
	isName := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-/?._:=@*$", c)
	}
	return len(code) <= longestWhole && bytes.ContainsAny(code, "-/?") && len(bytes.TrimFunc(code, isName)) == 0
}

func isInCell(n ast.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n.Kind() == tableast.KindTableCell {
			return true
		}
	}
	return false
}

// breakable lets an identifier that is a link in a table break between its words, so that its column need not be as wide as it is long.
func (d *Document) breakable(link *ast.Link) {
	name, ok := link.FirstChild().(*ast.Text)
	if !ok || name.NextSibling() != nil || link.Parent() == nil || link.Parent().Kind() != tableast.KindTableCell {
		return
	}
	words := humpsOf(name.Segment.Value(d.Chapter.Source))
	if len(words) == 1 {
		return
	}
	link.RemoveChildren(link)
	at := name.Segment.Start
	for i, word := range words {
		if i > 0 {
			chance := ast.NewString([]byte("<wbr>"))
			chance.SetCode(true) // as it is
			link.AppendChild(link, chance)
		}
		link.AppendChild(link, ast.NewTextSegment(text.NewSegment(at, at+len(word))))
		at += len(word)
	}
}

// leastBroken is the length from which on an identifier may break.
const leastBroken = 12

// humpsOf are the words of a long identifier: "ApplyOptions.", "Run".
func humpsOf(code []byte) (words [][]byte) {
	if len(code) < leastBroken {
		return [][]byte{code}
	}
	begin := 0
	for i := 1; i < len(code); i++ {
		before, c := code[i-1], code[i]
		hump := c >= 'A' && c <= 'Z' && before >= 'a' && before <= 'z'
		mark := (before == '.' && c != '.' || before == '/' || before == '_') && i-begin > 1
		if mark || hump && i-begin >= 8 && len(code)-i >= 6 {
			words, begin = append(words, code[begin:i]), i
		}
	}
	return append(words, code[begin:])
}

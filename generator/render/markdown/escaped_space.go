package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
)

// escapedSpaces are "\ " beside emphasis or a Japanese letter: they part the two where
// there is no space to be, and leave nothing. Elsewhere it is what CommonMark has it be,
// a backslash and a space.
func escapedSpaces(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(parser.WithEscapedSpace(), transform(50, func(root *ast.Document) {
			each(root, func(t *ast.Text) {
				if !t.IsRaw() && t.Parent() != nil && t.Parent().Kind() != ast.KindCodeSpan {
					d.part(t)
				}
			})
		}))
	})
}

// part takes the escaped spaces out of a text.
func (d *Document) part(t *ast.Text) {
	source := d.Chapter.Source
	for i := t.Segment.Start; i+1 < t.Segment.Stop; i++ {
		if source[i] != '\\' {
			continue
		}
		if source[i+1] != ' ' || !parts(source, i) {
			i++ // whatever it is, it is escaped
			continue
		}
		rest := ast.NewTextSegment(t.Segment.WithStart(i + 2))
		rest.SetSoftLineBreak(t.SoftLineBreak())
		rest.SetHardLineBreak(t.HardLineBreak())
		t.SetSoftLineBreak(false)
		t.SetHardLineBreak(false)
		t.Segment = t.Segment.WithStop(i)
		t.Parent().InsertAfter(t.Parent(), t, rest)
		t = rest
		i++
	}
}

// parts tells whether an escaped space has emphasis or a Japanese letter beside it.
func parts(source []byte, at int) bool {
	before, _ := utf8.DecodeLastRune(source[:at])
	after, _ := utf8.DecodeRune(source[at+2:])
	return strings.ContainsRune("*_~", before) || strings.ContainsRune("*_~", after) || isCJK(before) || isCJK(after)
}

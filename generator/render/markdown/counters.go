package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
)

// counterSigns are what follows a number in Japanese and begins its counter: 3 つ, 5 分, 2 台.
const counterSigns = "つ個台件本回行秒分時日週月年枚種番章節語字人名段倍割列度点組者歳巡"

// counters keeps a Japanese number and its counter in one line: the space between them becomes one
// that does not break, also where the number is a link.
func counters(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		if d.Chapter.Language != "ja" {
			return
		}
		m.Parser().AddOptions(transform(9000, func(root *ast.Document) { // after headings have their anchors
			var last byte // what was read before
			source := d.Chapter.Source
			var texts []*ast.Text
			var before []byte
			_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				switch n := n.(type) {
				case *ast.Text:
					if entering && !n.IsRaw() {
						texts, before = append(texts, n), append(before, last)
						if value := n.Segment.Value(source); len(value) > 0 {
							last = value[len(value)-1]
						}
					}
				case *ast.CodeSpan, *ast.CodeBlock, *ast.FencedCodeBlock:
					last = 0
					return ast.WalkSkipChildren, nil
				default:
					if n.Type() == ast.TypeBlock {
						last = 0
					}
				}
				return ast.WalkContinue, nil
			})
			for i, text := range texts {
				tie(text, before[i], source)
			}
		}))
	})
}

// tie replaces the spaces of a text that are between a number and its counter; before is the character before the text.
func tie(text *ast.Text, before byte, source []byte) {
	for at := text.Segment.Start; at < text.Segment.Stop; at++ {
		if at > text.Segment.Start {
			before = source[at-1]
		}
		if source[at] != ' ' || before < '0' || before > '9' {
			continue
		}
		if sign, _ := utf8.DecodeRune(source[at+1 : text.Segment.Stop]); !strings.ContainsRune(counterSigns, sign) || sign == utf8.RuneError {
			continue
		}
		head := ast.NewTextSegment(text.Segment.WithStop(at))
		text.Parent().InsertBefore(text.Parent(), text, head)
		text.Parent().InsertBefore(text.Parent(), text, ast.NewString([]byte("\u00a0")))
		text.Segment = text.Segment.WithStart(at + 1)
	}
}

package markdown

import (
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
)

// lineBreaks makes a line's end in the source a space only where the language
// has one: not between two Japanese characters, and not beside full-width
// punctuation. So authors may break Japanese lines anywhere.
func lineBreaks(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(700, func(root *ast.Document) {
			var before *ast.Text // a text that ends a line
			_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if !entering {
					return ast.WalkContinue, nil
				}
				if n.Type() == ast.TypeBlock {
					before = nil
				}
				t, ok := n.(*ast.Text)
				if !ok {
					return ast.WalkContinue, nil
				}
				value := t.Segment.Value(d.Chapter.Source)
				if before != nil && len(value) > 0 {
					last, _ := utf8.DecodeLastRune(before.Segment.Value(d.Chapter.Source))
					first, _ := utf8.DecodeRune(value)
					if joins(last, first) {
						before.SetSoftLineBreak(false)
					}
					before = nil
				}
				if t.SoftLineBreak() {
					before = t
				}
				return ast.WalkContinue, nil
			})
		}))
	})
}

// joins tells whether nothing stands between two characters of two lines.
func joins(last, first rune) bool {
	return fullPunctuation(last) || fullPunctuation(first) || eastAsian(last) && eastAsian(first)
}

func eastAsian(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー' || fullPunctuation(r)
}

// fullPunctuation brings its own space with it: 、。「」（）.
func fullPunctuation(r rune) bool {
	return r >= 0x3000 && r <= 0x303f && r != '々' && r != '〇' || r >= 0xff00 && r <= 0xff65 && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

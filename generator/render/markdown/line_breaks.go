package markdown

import (
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
)

// lineBreaks makes a line's end in the source a space only where the language
// has one, so that authors may break Japanese lines anywhere: not between two
// Japanese characters and not beside full-width punctuation, but between a
// Japanese character and a Latin one, and in Korean. It looks through emphasis
// and links. See "segment break transformation" in https://www.w3.org/TR/css-text-4/,
// which browsers leave undone.
func lineBreaks(d *Document) goldmark.Extender {
	language := d.Chapter.Language
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(700, func(root *ast.Document) {
			var ended *ast.Text // a text that ends a line
			var last rune       // what was read before
			read := func(text []byte) {
				if len(text) == 0 {
					return
				}
				if ended != nil {
					if first, _ := utf8.DecodeRune(text); joins(last, first, language) {
						ended.SetSoftLineBreak(false)
					}
					ended = nil
				}
				last, _ = utf8.DecodeLastRune(text)
			}
			_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if !entering {
					return ast.WalkContinue, nil
				}
				if n.Type() == ast.TypeBlock {
					ended, last = nil, 0
					return ast.WalkContinue, nil
				}
				switch n := n.(type) {
				case *ast.Text:
					if n.HardLineBreak() { // by spaces, none of which is shown
						d.trim(n)
					}
					read(n.Segment.Value(d.Chapter.Source))
					if n.SoftLineBreak() {
						ended = n
					}
				case *ast.String:
					read(n.Value)
				case *ast.AutoLink:
					read(n.Label(d.Chapter.Source))
				case *ast.RawHTML: // a comment, which leaves nothing
				case worded:
					read([]byte(n.inWords(d.Chapter.Source)))
					return ast.WalkSkipChildren, nil
				default:
					if !n.HasChildren() {
						read([]byte("x")) // a reference to a footnote, say, is no part of a word
					}
				}
				return ast.WalkContinue, nil
			})
		}))
	})
}

// joins tells whether nothing stands between the last character of a line and
// the first of the next.
func joins(last, first rune, language string) bool {
	const zeroWidthSpace = 0x200b
	switch {
	case last < 0x80 && first < 0x80: // most are
		return false
	case last == zeroWidthSpace || first == zeroWidthSpace:
		return true
	case unicode.Is(unicode.Hangul, last) || unicode.Is(unicode.Hangul, first):
		return false
	case isWide(last) && isWide(first):
		return true
	case fullPunctuation(last) || fullPunctuation(first):
		return true
	case language == "ja" || language == "zh":
		// “ … — are as wide as what they stand beside.
		return isWide(last) && isPunctuation(first) && isAmbiguous(first) || isPunctuation(last) && isAmbiguous(last) && isWide(first)
	}
	return false
}

// fullPunctuation brings its own space with it: 、。「」（）.
func fullPunctuation(r rune) bool {
	return r >= 0x3000 && r <= 0x303f && isPunctuation(r) || r == 0x3000 || r >= 0xff00 && r <= 0xff65 && isPunctuation(r)
}

// trim takes the spaces before a line's end away, which may be texts of their own.
func (d *Document) trim(n *ast.Text) {
	for ok := true; ok; n, ok = n.PreviousSibling().(*ast.Text) {
		if n.Segment = n.Segment.TrimRightSpace(d.Chapter.Source); !n.Segment.IsEmpty() || n.PreviousSibling() == nil {
			return
		}
	}
}

package markdown

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// emphasis is *this*, **this** and ~~this~~, next to Japanese punctuation as well:
//
//	これは**「重要なこと」**です。
//
// CommonMark looks for a space or for punctuation outside of ** when there is
// punctuation inside, which Japanese does not have. The rules here are those of
// https://github.com/tats-u/markdown-cjk-friendly/blob/main/specification.md; for text
// without such characters they are CommonMark's. A ** that remains is a problem.
func emphasis(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(
			// Before goldmark's own (500), which then find nothing.
			parser.WithInlineParsers(util.Prioritized(emphasisParser{}, 490), util.Prioritized(strikethroughParser{}, 490)),
			transform(600, func(root *ast.Document) {
				each(root, func(t *ast.Text) {
					if t.Parent() != nil && t.Parent().Kind() == ast.KindCodeSpan {
						return
					}
					if i := bytes.Index(t.Segment.Value(d.Chapter.Source), []byte("**")); i >= 0 {
						d.wrongAt(t.Segment.Start+i, "** that is not bold text",
							"take spaces inside of ** away, put an escaped space (\\ ) before and after it, or write \\* for an asterisk")
					}
				})
				if d.Chapter.Language == "ja" {
					each(root, func(e *ast.Emphasis) { markEnglish(e, d.Chapter.Source) })
				}
			}))
		extension.Strikethrough.Extend(m)
	})
}

// markEnglish says of *words* in Latin letters that they are English: they are read so, and slanted; Japanese ones have dots.
func markEnglish(e *ast.Emphasis, source []byte) {
	if e.Level != 1 || e.ChildCount() == 0 {
		return
	}
	for child := e.FirstChild(); child != nil; child = child.NextSibling() {
		t, ok := child.(*ast.Text)
		if !ok || bytes.ContainsFunc(t.Segment.Value(source), func(r rune) bool { return r >= utf8.RuneSelf }) {
			return
		}
	}
	e.SetAttributeString("lang", []byte("en"))
}

// delimiter reads a run of * _ or ~ and decides whether it can open and close.
func delimiter(block text.Reader, processor parser.DelimiterProcessor) *parser.Delimiter {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 1, processor)
	if node == nil {
		return nil
	}
	after := ' '
	if node.OriginalLength < len(line) {
		after, _ = utf8.DecodeRune(line[node.OriginalLength:])
	}
	base := before // what a variation selector belongs to
	if isVariationSelector(before) {
		if end := segment.Start - utf8.RuneLen(before); end > 0 {
			base, _ = utf8.DecodeLastRune(block.Source()[:end])
		}
	}
	node.CanOpen, node.CanClose = flanks(base, before, after, node.Char)
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	return node
}

// flanks is the specification's 6.2. The line's start and end count as spaces.
func flanks(base, before, after rune, char byte) (canOpen, canClose bool) {
	quote := before == 0xfe01 && (base == '‘' || base == '’' || base == '“' || base == '”') // asked to be full-width
	beforeSpace, afterSpace := unicode.IsSpace(before), unicode.IsSpace(after)
	beforeCJK, afterCJK := isCJK(base) || quote, isCJK(after)
	beforePunctuation, afterPunctuation := isPunctuation(base), isPunctuation(after)
	beforeOther, afterOther := beforePunctuation && !beforeCJK, afterPunctuation && !afterCJK

	left := !afterSpace && (!afterOther || beforeSpace || beforeOther || beforeCJK || isIdeographicVariation(before))
	right := !beforeSpace && (!beforeOther || afterSpace || afterOther || afterCJK)
	if char == '_' {
		return left && (!right || beforePunctuation), right && (!left || afterPunctuation)
	}
	return left, right
}

type emphasisParser struct{}

func (emphasisParser) Trigger() []byte               { return []byte{'*', '_'} }
func (emphasisParser) IsDelimiter(b byte) bool       { return b == '*' || b == '_' }
func (emphasisParser) OnMatch(consumes int) ast.Node { return ast.NewEmphasis(consumes) }
func (emphasisParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (p emphasisParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	node := delimiter(block, p)
	if node == nil {
		return nil
	}
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

type strikethroughParser struct{}

func (strikethroughParser) Trigger() []byte         { return []byte{'~'} }
func (strikethroughParser) IsDelimiter(b byte) bool { return b == '~' }
func (strikethroughParser) OnMatch(int) ast.Node    { return extensionast.NewStrikethrough() }
func (strikethroughParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (p strikethroughParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	node := delimiter(block, p)
	if node == nil || node.OriginalLength > 2 || before == '~' {
		return nil
	}
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

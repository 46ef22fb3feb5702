package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/render/formula"
)

// formulas are LaTeX between dollar signs, and become MathML:
//
//	waits $2^n \cdot 5\,\text{ms}$ at most       in a line; $`2^n`$ likewise
//
//	$$
//	d = \left\lceil c \times \frac{m}{t} \right\rceil
//	$$
//
// Prices and variables are none: no space follows the first dollar sign, none
// stands before the second, no letter or digit is outside of either, and both are in
// one line. So $HOME, $PATH and $5 to $6 are text. \$ always is.
func formulas(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(
			parser.WithInlineParsers(util.Prioritized(inlineFormulaParser{}, 150)), // before code, for $`…`$
			parser.WithBlockParsers(util.Prioritized(blockFormulaParser{}, 750)),
			transform(50, func(root *ast.Document) { // before headings, whose words they are
				each(root, d.mathFence)
				each(root, func(n *inlineFormula) { n.made = d.formula(n.lines, false) })
				each(root, func(n *blockFormula) {
					if !n.closed {
						d.wrong(n, "formula is not closed", "end it with $$; for two dollar signs write \\$\\$")
						return
					}
					n.made = d.formula(n.lines, true)
				})
			}))
		m.Renderer().AddOptions(render(kindInlineFormula, renderInlineFormula), render(kindBlockFormula, d.renderBlockFormula))
	})
}

type inlineFormula struct {
	ast.BaseInline
	lines []text.Segment
	made  *formula.Formula // nil when it has problems
}

type blockFormula struct {
	ast.BaseBlock
	lines  []text.Segment
	closed bool
	made   *formula.Formula
}

var kindInlineFormula, kindBlockFormula = ast.NewNodeKind("InlineFormula"), ast.NewNodeKind("BlockFormula")

func (*inlineFormula) Kind() ast.NodeKind { return kindInlineFormula }
func (*blockFormula) Kind() ast.NodeKind  { return kindBlockFormula }
func (*blockFormula) IsRaw() bool         { return true }

func (n *inlineFormula) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }
func (n *blockFormula) Dump(source []byte, level int)  { ast.DumpHelper(n, source, level, nil, nil) }

func (n *inlineFormula) inWords([]byte) string { return wordsOf(n.made) }
func (n *blockFormula) inWords([]byte) string  { return wordsOf(n.made) }

func wordsOf(made *formula.Formula) string {
	if made == nil {
		return ""
	}
	return made.Words
}

// formula translates LaTeX; what is wrong has its place in the file.
func (d *Document) formula(lines []text.Segment, display bool) *formula.Formula {
	d.Drawings = true
	var tex strings.Builder
	for _, line := range lines {
		tex.Write(line.Value(d.Chapter.Source))
	}
	made, wrong := formula.Render(tex.String(), display)
	if wrong != nil {
		at := wrong.Offset
		for i, line := range lines {
			if at < line.Len() || i == len(lines)-1 {
				d.wrongAt(line.Start+at, wrong.Message, wrong.Cure)
				break
			}
			at -= line.Len()
		}
	}
	return made
}

// mathFence makes a formula of ```math, as on GitHub.
func (d *Document) mathFence(block *ast.FencedCodeBlock) {
	if string(block.Language(d.Chapter.Source)) != "math" {
		return
	}
	n := &blockFormula{closed: true, lines: block.Lines().Sliced(0, block.Lines().Len())}
	n.SetPos(block.Pos())
	if len(n.lines) == 0 {
		n.lines = []text.Segment{text.NewSegment(block.Pos(), block.Pos())}
	}
	block.Parent().ReplaceChild(block.Parent(), block, n)
}

type inlineFormulaParser struct{}

func (inlineFormulaParser) Trigger() []byte { return []byte{'$'} }

func (inlineFormulaParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	if before := block.PrecendingCharacter(); before == '$' || before < 0x80 && util.IsAlphaNumeric(byte(before)) {
		return nil
	}
	line, segment := block.PeekLine()
	open, end := 1, -1
	if bytes.HasPrefix(line, []byte("$`")) {
		if i := bytes.Index(line, []byte("`$")); i > 2 {
			open, end = 2, i
		}
	}
	for i := open; end < 0 && i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '`':
			return nil
		case '$':
			end = i
		}
	}
	if end <= open || open == 1 && (util.IsSpace(line[open]) || util.IsSpace(line[end-1])) {
		return nil
	}
	after := end + open // behind the last character that closes it
	if after < len(line) && (line[after] == '$' || util.IsAlphaNumeric(line[after])) {
		return nil
	}
	block.Advance(after)
	n := &inlineFormula{lines: []text.Segment{text.NewSegment(segment.Start+open, segment.Start+end)}}
	n.SetPos(segment.Start)
	return n
}

type blockFormulaParser struct{}

func (blockFormulaParser) Trigger() []byte { return []byte{'$'} }

func (blockFormulaParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 || !bytes.HasPrefix(line[at:], []byte("$$")) {
		return nil, parser.NoChildren
	}
	n := &blockFormula{}
	n.SetPos(segment.Start + at - segment.Padding)
	rest := segment.WithStart(segment.Start + at - segment.Padding + 2)
	rest.Padding = 0
	if value := rest.Value(reader.Source()); bytes.Contains(bytes.TrimSpace(value), []byte("$$")) && !bytes.HasSuffix(bytes.TrimSpace(value), []byte("$$")) {
		return nil, parser.NoChildren // a line that goes on: text
	}
	n.take(rest, reader.Source())
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

func (blockFormulaParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*blockFormula)
	if n.closed {
		return parser.Close
	}
	_, segment := reader.PeekLine()
	segment.Padding = 0
	n.take(segment, reader.Source())
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// take adds a line, up to $$ at its end.
func (n *blockFormula) take(line text.Segment, source []byte) {
	value := bytes.TrimRight(line.Value(source), " \t\r\n")
	if rest, ok := bytes.CutSuffix(value, []byte("$$")); ok {
		line, n.closed = line.WithStop(line.Start+len(rest)), true
	}
	n.lines = append(n.lines, line)
}

func (blockFormulaParser) Close(ast.Node, text.Reader, parser.Context) {}
func (blockFormulaParser) CanInterruptParagraph() bool                 { return true }
func (blockFormulaParser) CanAcceptIndentedLine() bool                 { return false }

func renderInlineFormula(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if n := node.(*inlineFormula); entering && n.made != nil {
		_, _ = w.WriteString(n.made.MathML)
	}
	return ast.WalkContinue, nil
}

// renderBlockFormula makes a box that scrolls sideways, also by keyboard, when a formula is too wide.
func (d *Document) renderBlockFormula(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if n := node.(*blockFormula); entering && n.made != nil {
		_, _ = w.WriteString(`<div class="formula" role="group" tabindex="0" aria-label="` + d.words().Formula + "\">\n" + n.made.MathML + "\n</div>\n")
	}
	return ast.WalkContinue, nil
}

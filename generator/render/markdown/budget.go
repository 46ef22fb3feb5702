package markdown

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// What a chapter may have. Reading takes time by the square of some of these, and a page
// is read by machines with limits of their own (an HTML parser's is 512 elements in each
// other), so all are far above what somebody writes and far below what hurts.
const (
	mostNested      = 60       // blocks in each other: a list's item in a list in a quote counts three
	mostInlined     = 60       // emphasis, links and the like in each other
	mostMarks       = 2000     // characters in a paragraph that may begin or end something
	mostParagraph   = 64 << 10 // bytes of a paragraph
	mostDefinitions = 1000     // [link]: definitions, and footnotes, of a chapter
	mostProblems    = 200      // that are told of a chapter
	mostLeftOut     = 2000     // cells that a chapter's rows of tables lack
)

// exceeded is the panic by which parsing ends at the first thing that is too much.
type exceeded struct {
	offset        int
	message, cure string
}

// budget ends parsing where a limit is exceeded. Its parsers stand before all others and
// take nothing.
func budget(*Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		blocks := new(blockBudget)
		m.Parser().AddOptions(
			parser.WithBlockParsers(util.Prioritized(nestingBudget{blocks}, 0)),
			parser.WithInlineParsers(util.Prioritized(new(markBudget), 0)),
			parser.WithParagraphTransformers(util.Prioritized(blocks, 0)),
		)
	})
}

type nestingBudget struct{ blocks *blockBudget }

// Trigger is every character, since parsers without one come last.
func (nestingBudget) Trigger() []byte {
	all := make([]byte, 0, 255)
	for c := 1; c < 256; c++ {
		all = append(all, byte(c))
	}
	return all
}

func (b nestingBudget) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if n := len(pc.OpenedBlocks()); n > mostNested {
		_, at := reader.Position()
		panic(exceeded{at.Start, fmt.Sprintf("more than %d blocks are nested", mostNested), "quotes, lists and containers are blocks: nest fewer"})
	}
	line, at := reader.PeekLine()
	if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("[^")) { // of a footnote
		b.blocks.define(at.Start)
	}
	return nil, parser.NoChildren
}

func (nestingBudget) Continue(ast.Node, text.Reader, parser.Context) parser.State {
	return parser.Close
}
func (nestingBudget) Close(ast.Node, text.Reader, parser.Context) {}
func (nestingBudget) CanInterruptParagraph() bool                 { return true }
func (nestingBudget) CanAcceptIndentedLine() bool                 { return true }

type markBudget struct {
	of    ast.Node // the block that is read
	marks int
}

// marks are what the parsers of paragraphs look at.
const marks = "!$&*:<[]\\^_`{~"

// Trigger has the space, since a line's beginning counts as one.
func (*markBudget) Trigger() []byte { return []byte(" " + marks) }

func (b *markBudget) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, at := block.PeekLine()
	if parent != b.of {
		b.of, b.marks = parent, 0
		size := 0
		for i := range parent.Lines().Len() {
			segment := parent.Lines().At(i)
			size += segment.Len()
		}
		if size > mostParagraph {
			panic(exceeded{at.Start, fmt.Sprintf("paragraph has %d bytes, more than %d", size, mostParagraph), "put empty lines where a new thought begins"})
		}
	}
	if len(line) > 0 && strings.IndexByte(marks, line[0]) >= 0 {
		if b.marks++; b.marks > mostMarks {
			panic(exceeded{at.Start, fmt.Sprintf("paragraph has more than %d characters that may mean markup (%q is the next)", mostMarks, line[0]),
				"split it, or put code into a block of code"})
		}
	}
	return nil
}

// blockBudget counts definitions, and the cells that rows of tables lack, before goldmark
// reads them: it fills each row up to the table's width.
type blockBudget struct{ definitions, leftOut int }

func (b *blockBudget) define(offset int) {
	if b.definitions++; b.definitions > mostDefinitions {
		panic(exceeded{offset, fmt.Sprintf("chapter defines more than %d links and footnotes", mostDefinitions), "define fewer, or split the chapter"})
	}
}

func (b *blockBudget) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	columns := 0 // of the table that the paragraph may be
	for i := range node.Lines().Len() {
		segment := node.Lines().At(i)
		line := bytes.TrimSpace(segment.Value(reader.Source()))
		if bytes.HasPrefix(line, []byte("[")) && bytes.Contains(line, []byte("]:")) {
			b.define(segment.Start)
		}
		switch cells := bytes.Count(bytes.Trim(line, "|"), []byte("|")) + 1; {
		case columns > 0:
			if b.leftOut += max(0, columns-cells); b.leftOut > mostLeftOut {
				panic(exceeded{segment.Start, fmt.Sprintf("rows of the chapter's tables lack more than %d cells", mostLeftOut),
					"write each row with as many cells as the table's first"})
			}
		case i > 0 && len(bytes.Trim(line, "|:- \t")) == 0 && bytes.Contains(line, []byte("-")):
			columns = cells
		}
	}
}

// within parses, and returns an empty chapter with a problem where a limit is exceeded.
func (d *Document) within(parse func() ast.Node) (root ast.Node) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exceeded:
			d.wrongAt(e.offset, e.message, e.cure)
			root = ast.NewDocument()
		default:
			panic(e)
		}
	}()
	root = parse()
	d.inlineDepth(root)
	return root
}

// inlineDepth looks for what is nested too deep in a paragraph.
func (d *Document) inlineDepth(root ast.Node) {
	depth, told := 0, false
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Type() != ast.TypeInline {
			return ast.WalkContinue, nil
		}
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		if depth++; depth > mostInlined && !told {
			told = true
			d.wrong(n, fmt.Sprintf("more than %d pieces of emphasis or links are nested", mostInlined), "nest fewer")
		}
		return ast.WalkContinue, nil
	})
}

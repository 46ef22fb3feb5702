package markdown

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// fenceEnds demands that blocks of code end. CommonMark lets one run on to the end
// of what it stands in, and what an author forgot to end then swallows the chapter;
// or it takes the end of the next block for its own.
func fenceEnds(d *Document) goldmark.Extender {
	p := &fenceParser{BlockParser: parser.NewFencedCodeBlockParser(), opened: map[ast.Node]string{}, closed: map[ast.Node]bool{}}
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(
			parser.WithBlockParsers(util.Prioritized(p, 699)), // before goldmark's own, whose place it takes
			transform(40, func(root *ast.Document) { // before blocks become something else
				each(root, func(block *ast.FencedCodeBlock) { d.fenceEnd(block, p.opened[block], p.closed[block]) })
			}))
	})
}

// fenceEnd checks one block, that began with such a fence.
func (d *Document) fenceEnd(block *ast.FencedCodeBlock, fence string, closed bool) {
	for _, line := range block.Lines().Sliced(0, block.Lines().Len()) {
		content := strings.TrimSpace(string(line.Value(d.Chapter.Source)))
		name := strings.TrimLeft(content, fence[:1])
		if len(content)-len(name) < len(fence) || name == "" || !isLetter(name[0]) || strings.Contains(name, "`") {
			continue
		}
		at, _ := d.Chapter.Place(line.Start)
		d.wrong(block, fmt.Sprintf("code block is not closed where another begins, in line %d", at),
			fmt.Sprintf("end it with a line %s; if it shows that line, begin and end it with %s", fence, fence+fence[:1]))
		return
	}
	if !closed {
		d.wrong(block, "code block is not closed", "end it with a line "+fence+", indented as this one")
	}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// fenceParser is goldmark's, and remembers the fences.
type fenceParser struct {
	parser.BlockParser
	opened map[ast.Node]string
	closed map[ast.Node]bool
}

func (p *fenceParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	at := pc.BlockOffset()
	block, state := p.BlockParser.Open(parent, reader, pc)
	if block != nil {
		rest := strings.TrimLeft(string(line[at:]), string(line[at]))
		p.opened[block] = string(line[at : len(line)-len(rest)])
	}
	return block, state
}

func (p *fenceParser) Continue(block ast.Node, reader text.Reader, pc parser.Context) parser.State {
	state := p.BlockParser.Continue(block, reader, pc)
	p.closed[block] = p.closed[block] || state == parser.Close // which it says of a fence alone
	return state
}

package markdown

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/render/diagram"
)

// diagrams are boxes and arrows as text, in a part of the language D2:
//
//	```diagram
//	title: A controller's loop
//	direction: right
//	queue: Work queue {shape: queue}
//	queue -> worker: key
//	```
func diagrams(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(290, func(root *ast.Document) { each(root, d.diagram) }))
		m.Renderer().AddOptions(render(kindDiagram, d.renderDiagram))
	})
}

type diagramBlock struct {
	ast.BaseBlock
	drawn *diagram.Diagram
}

var kindDiagram = ast.NewNodeKind("Diagram")

func (*diagramBlock) Kind() ast.NodeKind { return kindDiagram }

func (n *diagramBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// inWords is the title, and a line for each thing that the picture says.
func (n *diagramBlock) inWords([]byte) string {
	return n.drawn.Title + "\n" + strings.Join(n.drawn.Lines, "\n")
}

func (d *Document) diagram(block *ast.FencedCodeBlock) {
	if language := string(block.Language(d.Chapter.Source)); language != "diagram" && language != "d2" {
		return
	}
	var text bytes.Buffer
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		text.Write(line.Value(d.Chapter.Source))
	}
	drawn, problems := diagram.Draw(text.String())
	for _, p := range problems {
		d.wrongAt(d.placeIn(block, p.Offset), p.Message, p.Cure)
	}
	if drawn == nil {
		drawn = &diagram.Diagram{}
	}
	n := &diagramBlock{drawn: drawn}
	d.Drawings = true
	n.SetPos(block.Pos())
	block.Parent().ReplaceChild(block.Parent(), block, n)
}

// placeIn is where an offset of a block's text stands in the file.
func (d *Document) placeIn(block ast.Node, offset int) int {
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		length := line.Len() + line.Padding
		if offset < length || i == block.Lines().Len()-1 {
			return line.Start + max(0, min(offset-line.Padding, line.Len()))
		}
		offset -= length
	}
	return block.Pos()
}

func (d *Document) renderDiagram(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*diagramBlock)
	if n.drawn.Scrolls {
		fmt.Fprintf(w, "<div class=\"diagram diagram-scrolls\">\n<div class=\"diagram-picture\" role=\"group\" tabindex=\"0\" aria-label=\"%s\">",
			d.words().Diagram)
	} else {
		_, _ = w.WriteString("<div class=\"diagram\">\n<div class=\"diagram-picture\">")
	}
	_, _ = w.WriteString(n.drawn.Wide + n.drawn.Narrow + "</div>\n")
	fmt.Fprintf(w, "<details class=\"diagram-words\"><summary>%s</summary>\n<ul>\n", d.words().InWords)
	for _, line := range n.drawn.Lines {
		fmt.Fprintf(w, "<li>%s</li>\n", html.EscapeString(line))
	}
	_, _ = w.WriteString("</ul></details>\n</div>\n")
	return ast.WalkContinue, nil
}

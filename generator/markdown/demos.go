package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/problem"
)

// demos are fenced blocks that name a demo of content/demos:
//
//	```demo
//	replicaset-scale
//	```
func demos(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(300, func(root *ast.Document) { each(root, d.demo) }))
		m.Renderer().AddOptions(render(kindDemo, renderDemo))
	})
}

type demo struct {
	ast.BaseBlock
	name string
	html string
}

var kindDemo = ast.NewNodeKind("Demo")

func (*demo) Kind() ast.NodeKind { return kindDemo }

func (n *demo) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"name": n.name}, nil)
}

// DemoAnchor is the anchor of a demo in a page.
func DemoAnchor(name string) string { return "demo-" + name }

func (d *Document) demo(block *ast.FencedCodeBlock) {
	if string(block.Language(d.Chapter.Source)) != "demo" {
		return
	}
	name, offset := "", block.Pos()
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		text := strings.TrimSpace(string(line.Value(d.Chapter.Source)))
		if text == "" {
			continue
		}
		if name != "" {
			d.wrongAt(line.Start, fmt.Sprintf("second line %q in a demo's block", text), "one block shows one demo; its name is all that stands there")
			return
		}
		name, offset = text, line.Start
	}
	if name == "" {
		d.wrong(block, "demo without a name", "write the name of a file in content/demos, without .yaml, between the fences")
		return
	}
	if slices.Contains(d.Demos, name) {
		d.wrongAt(offset, fmt.Sprintf("demo %q stands twice on the page", name), "link to the first: [text](#"+DemoAnchor(name)+")")
		return
	}
	d.Demos = append(d.Demos, name)
	d.shown = append(d.shown, placed{name, offset})
	d.anchors[DemoAnchor(name)] = true
	n := &demo{name: name}
	block.Parent().ReplaceChild(block.Parent(), block, n)
	d.later(func() {
		html, ok := d.library.Demo(name, d.Chapter.Language)
		if !ok {
			d.wrongAt(offset, fmt.Sprintf("unknown demo %q", name), problem.DidYouMean(name, d.library.Demos()))
			return
		}
		n.html = html
	})
}

func renderDemo(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(node.(*demo).html)
	}
	return ast.WalkContinue, nil
}

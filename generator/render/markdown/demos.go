package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/problem"
)

// demos are fenced blocks that name a demo of content/demos:
//
//	```demo
//	replicaset-scale
//	```
//
// Behind "demo" may stand how it opens in this page: ```demo start=bound speed=4
func demos(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(300, func(root *ast.Document) { each(root, d.demo) }))
		m.Renderer().AddOptions(render(kindDemo, renderDemo))
	})
}

// Opening is how a demo opens in a page: at which of its moments ("" for its
// beginning), and how fast it plays ("" for 1).
type Opening struct{ Start, Speed string }

// Speeds are those that the player offers (site/widgets/panels/controls.ts).
var Speeds = []string{"0.25", "0.5", "1", "2", "4"}

type demo struct {
	ast.BaseBlock
	name   string
	html   string
	beside bool // its picture stands beside text
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
			d.wrongAt(line.Start, fmt.Sprintf("second line %q in a demo's block", text), "a block shows one demo, and contains only its name")
			return
		}
		name, offset = text, line.Start
	}
	if name == "" {
		d.wrong(block, "demo without a name", "write the name of a file in content/demos, without .yaml, between the fences")
		return
	}
	opening, ok := d.opening(block)
	if !ok {
		return
	}
	if slices.Contains(d.Demos, name) {
		d.wrongAt(offset, fmt.Sprintf("demo %q is on the page twice", name), "link to the first: [text](#"+DemoAnchor(name)+")")
		return
	}
	d.Demos = append(d.Demos, name)
	d.shown = append(d.shown, placed{name, offset})
	d.anchors[DemoAnchor(name)] = true
	n := &demo{name: name}
	block.Parent().ReplaceChild(block.Parent(), block, n)
	d.later(func() {
		html, ok := d.library.Demo(name, d.Chapter.Language, opening.Opening)
		if !ok {
			d.wrongAt(offset, fmt.Sprintf("unknown demo %q", name), problem.DidYouMean(name, d.library.Demos()))
			return
		}
		n.html, n.beside = html, d.library.Beside(name)
		if opening.Start == "" {
			return
		}
		if _, _, err := d.library.Claim(&claim.Claim{Demo: name, To: opening.Start, Asks: claim.Moment}); err != nil {
			for _, p := range problem.Of(err) {
				d.wrongAt(opening.offset, p.Message, p.Cure)
			}
		}
	})
}

// placedOpening is an opening, and where its start stands in the file.
type placedOpening struct {
	Opening
	offset int
}

// opening reads what stands behind "demo". ok is false when something is wrong,
// which it reports; whether there is such a moment is known later.
func (d *Document) opening(block *ast.FencedCodeBlock) (o placedOpening, ok bool) {
	_, attributes, ok := d.fenceInfo(block)
	for _, a := range attributes {
		switch {
		case a.name != "start" && a.name != "speed":
			d.wrongAt(a.offset, fmt.Sprintf("unknown attribute %q of a demo", a.name), problem.DidYouMean(a.name, []string{"start", "speed"}))
		case a.form != '=' && a.form != '"' || a.value == "":
			d.wrongAt(a.offset, fmt.Sprintf("attribute %q of a demo", a.name), "write a moment's id: start=bound; or how fast it plays: speed=4")
		case a.name == "start":
			o.Start, o.offset = a.value, a.offset
			continue
		case !slices.Contains(Speeds, a.value):
			d.wrongAt(a.offset, fmt.Sprintf("speed %q of a demo", a.value), "write one of "+strings.Join(Speeds, ", "))
		default:
			o.Speed = a.value
			continue
		}
		ok = false
	}
	return o, ok
}

func renderDemo(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(node.(*demo).html)
	}
	return ast.WalkContinue, nil
}

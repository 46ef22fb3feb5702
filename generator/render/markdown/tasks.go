package markdown

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tableast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// tasks are list items that begin with [ ] or [x]: a box that cannot be ticked,
// with the text as its label.
func tasks(*Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		extension.TaskList.Extend(m)
		m.Parser().AddOptions(transform(60, func(root *ast.Document) {
			each(root, func(box *tableast.TaskCheckBox) {
				text := box.Parent()
				t := &task{done: box.IsChecked}
				text.RemoveChild(text, box)
				move(text, t)
				text.AppendChild(text, t)
				text.Parent().SetAttributeString("class", []byte("task"))
			})
		}))
		m.Renderer().AddOptions(render(kindTask, renderTask))
	})
}

// task is an item's text, which labels its box.
type task struct {
	ast.BaseInline
	done bool
}

var kindTask = ast.NewNodeKind("Task")

func (*task) Kind() ast.NodeKind              { return kindTask }
func (n *task) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

func renderTask(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	switch {
	case !entering:
		_, _ = w.WriteString("</label>")
	case node.(*task).done:
		_, _ = w.WriteString(`<label><input type="checkbox" disabled checked> `)
	default:
		_, _ = w.WriteString(`<label><input type="checkbox" disabled> `)
	}
	return ast.WalkContinue, nil
}

package markdown

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/problem"
)

// A walk is a demo whose picture is small enough to stand beside text, and the text
// that belongs to it: what leads to the demo from the last heading on (or from the
// chapter's beginning), and what follows it, up to where the next demo's text begins.
// The author writes nothing for it; a thematic break (---) ends a walk before that.
//
//	<div class="walk">
//	  <div class="walk-text">…</div>
//	  <kubewalk-demo>…</kubewalk-demo>
//	  <div class="walk-text">…</div>
//	</div>
//
// It is made of marks between the blocks, so that all blocks stay children of the
// document: whoever goes through a chapter's sections finds them as they were.
func walks(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(320, d.markWalks))
		m.Renderer().AddOptions(render(kindWalkMark, renderWalkMark))
	})
}

// walkMark opens or closes a part of a demo's walk.
type walkMark struct {
	ast.BaseBlock
	demo *demo
	html string
}

var kindWalkMark = ast.NewNodeKind("WalkMark")

func (*walkMark) Kind() ast.NodeKind { return kindWalkMark }

func (n *walkMark) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"html": n.html}, nil)
}

func (d *Document) markWalks(root *ast.Document) {
	var shown []*demo
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if n, ok := n.(*demo); ok {
			shown = append(shown, n)
		}
	}
	end := func() ast.Node { return nil } // where the walk before ends: nil is the chapter's end
	for i := len(shown) - 1; i >= 0; i-- {
		n := shown[i]
		lead := leadOf(n)
		before := func(at ast.Node, html string) {
			mark := &walkMark{demo: n, html: html}
			if at == nil {
				root.AppendChild(root, mark)
			} else {
				root.InsertBefore(root, at, mark)
			}
		}
		stop := end()
		for after := n.NextSibling(); after != nil && after != stop; after = after.NextSibling() {
			if _, ok := after.(*ast.ThematicBreak); ok {
				stop = after
				break
			}
		}
		before(stop, "</div>\n</div>\n")
		class := "walk"
		if lead.PreviousSibling() == nil {
			class = "walk is-first" // its picture begins beside the page's title
			d.Opening = n.name
		}
		before(lead, "<div class=\""+class+"\">\n<div class=\"walk-text\">\n")
		before(n, "</div>\n")
		before(n.NextSibling(), "<div class=\"walk-text\">\n")
		first := lead.PreviousSibling()
		end = func() ast.Node { return first }
	}
}

// leadOf is the first of the blocks that lead to a demo.
func leadOf(n *demo) ast.Node {
	var lead ast.Node = n
	for before := lead.PreviousSibling(); before != nil; before = before.PreviousSibling() {
		if _, ok := before.(*demo); ok {
			return lead
		}
		lead = before
		if _, ok := before.(*ast.Heading); ok {
			return lead
		}
	}
	return lead
}

func renderWalkMark(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if mark := node.(*walkMark); entering && mark.demo.beside {
		_, _ = w.WriteString(mark.html)
	}
	return ast.WalkContinue, nil
}

// moment is one of a demo's, by its number.
type moment struct {
	demo   string
	number int
}

// inOrder warns of a moment that a demo's text tells of for the first time after a later one: whoever reads on would see
// the picture go back. A moment that was told of before may come again.
func (d *Document) inOrder() {
	if len(d.moments) == 0 {
		return
	}
	demo, last, told := "", 0, map[int]bool{}
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		if mark, ok := n.(*walkMark); ok {
			switch {
			case strings.HasPrefix(mark.html, "</div>\n</div>"):
				demo = ""
			case strings.HasPrefix(mark.html, "<div class=\"walk ") || strings.HasPrefix(mark.html, "<div class=\"walk\""):
				demo, last, told = mark.demo.name, 0, map[int]bool{}
				if !mark.demo.beside {
					demo = "" // its picture is between the text, and goes nowhere by itself
				}
			}
			continue
		}
		each(n, func(link *ast.Link) {
			m, ok := d.moments[link]
			if !ok || m.demo != demo {
				return
			}
			if m.number < last && !told[m.number] {
				line, column := d.Chapter.Place(link.Pos())
				d.Warnings = append(d.Warnings, problem.Problem{File: d.Chapter.File, Line: line, Column: column,
					Message: fmt.Sprintf("moment %d of demo %q is named after moment %d, so the picture goes back while the text is read", m.number, demo, last),
					Cure:    "tell of moments in the order in which they happen, or leave out the link to the later one"})
			}
			last, told[m.number] = m.number, true
		})
	}
}

package markdown

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tableast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/problem"
)

// footnotes are written [^name] in the text, as often as one likes, and
// [^name]: … anywhere below. A name without a note and a note that nothing
// refers to are problems, since goldmark would show the one and lose the other.
func footnotes(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		extension.Footnote.Extend(m)
		m.Parser().AddOptions(transform(40, d.checkFootnotes))
		m.Renderer().AddOptions(
			render(tableast.KindFootnoteLink, d.renderFootnoteLink),
			render(tableast.KindFootnoteBacklink, d.renderFootnoteBacklink),
			render(tableast.KindFootnoteList, d.renderFootnoteList),
		)
	})
}

var footnoteReference = regexp.MustCompile(`^\[\^([^\[\]\s]+)\]`)

// checkFootnotes runs before the notes are put in order, which drops those
// without a reference.
func (d *Document) checkFootnotes(root *ast.Document) {
	var names []string
	each(root, func(list *tableast.FootnoteList) {
		root.AppendChild(root, list) // out of the block in which the first note stands
		for child := list.FirstChild(); child != nil; child = child.NextSibling() {
			note := child.(*tableast.Footnote)
			name := string(note.Ref)
			switch {
			case slices.Contains(names, name):
				d.wrong(note, fmt.Sprintf("footnote %q is written twice", name), "give each a name of its own")
			case note.Index < 0:
				d.wrong(note, fmt.Sprintf("nothing refers to footnote %q", name), "write [^"+name+"] in the text, or remove it")
			case !note.HasChildren():
				d.wrong(note, fmt.Sprintf("footnote %q is empty", name), "write its text after the colon")
			}
			names = append(names, name)
		}
	})
	source := d.Chapter.Source
	each(root, func(t *ast.Text) {
		if t.IsRaw() || t.Parent().Kind() == ast.KindCodeSpan {
			return
		}
		for i := t.Segment.Start; i < t.Segment.Stop; i++ {
			if source[i] != '[' {
				continue
			}
			if m := footnoteReference.FindSubmatch(source[i:]); m != nil && (i == 0 || source[i-1] != '\\') {
				d.wrongAt(i, fmt.Sprintf("unknown footnote %q", m[1]), problem.DidYouMean(string(m[1]), names)+"; for brackets in the text write \\[")
			}
		}
	})
}

// footnoteID is where a reference stands in the page; several lead to one note.
func footnoteID(index, reference int) string {
	if reference == 0 {
		return "fnref:" + strconv.Itoa(index)
	}
	return fmt.Sprintf("fnref%d:%d", reference, index)
}

func (d *Document) renderFootnoteLink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if n := node.(*tableast.FootnoteLink); entering {
		fmt.Fprintf(w, `<sup id="%s"><a href="#fn:%d" class="footnote-ref" role="doc-noteref" aria-label="%s">%d</a></sup>`,
			footnoteID(n.Index, n.RefIndex), n.Index, html.EscapeString(fmt.Sprintf(d.words().Footnote, n.Index)), n.Index)
	}
	return ast.WalkContinue, nil
}

func (d *Document) renderFootnoteBacklink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*tableast.FootnoteBacklink)
	if !entering {
		return ast.WalkContinue, nil
	}
	name, sign := d.words().Back, "↩\ufe0e"
	if n.RefCount > 1 { // which one, in words and to be seen
		name += " " + strconv.Itoa(n.RefIndex+1)
		sign += "<sup>" + strconv.Itoa(n.RefIndex+1) + "</sup>"
	}
	fmt.Fprintf(w, ` <a href="#%s" class="footnote-back" role="doc-backlink" aria-label="%s">%s</a>`,
		footnoteID(n.Index, n.RefIndex), html.EscapeString(name), sign)
	return ast.WalkContinue, nil
}

func (d *Document) renderFootnoteList(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		fmt.Fprintf(w, "<div class=\"footnotes\" role=\"doc-endnotes\" aria-label=\"%s\">\n<ol>\n", html.EscapeString(d.words().Footnotes))
	} else {
		_, _ = w.WriteString("</ol>\n</div>\n")
	}
	return ast.WalkContinue, nil
}

package markdown

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"kubewalk/generator/problem"
)

// admonitions are block quotes that begin with their kind, as on GitHub, where
// they look right as well:
//
//	> [!SIMPLIFIED]
//	> Here a request takes two milliseconds.
//
// A title of its own, and a minus or plus for one that readers fold, closed or
// open at first, are written as in Obsidian: > [!TIP]- Without a cluster. Long
// ones are containers, :::tip[Without a cluster]{closed}.
func admonitions(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(60, func(root *ast.Document) { each(root, d.admonition) }))
	})
}

var admonitionKinds = []string{"note", "tip", "important", "warning", "caution", "real", "simplified"}

var admonitionMark = regexp.MustCompile(`^\[!([A-Za-z]+)\]([-+]?)(?:[ \t]+(.*?))?[ \t]*$`)

func (d *Document) admonition(quote *ast.Blockquote) {
	paragraph, ok := quote.FirstChild().(*ast.Paragraph)
	if !ok || paragraph.Lines().Len() == 0 {
		return
	}
	first := paragraph.Lines().At(0)
	line := strings.TrimRight(string(first.Value(d.Chapter.Source)), "\r\n")
	m := admonitionMark.FindStringSubmatchIndex(line)
	if m == nil {
		return
	}
	kind := strings.ToLower(line[m[2]:m[3]])
	if !slices.Contains(admonitionKinds, kind) {
		upper := make([]string, len(admonitionKinds))
		for i, k := range admonitionKinds {
			upper[i] = strings.ToUpper(k)
		}
		cure := problem.DidYouMean(line[m[2]:m[3]], upper)
		if own := foreignContainers[kind]; slices.Contains(admonitionKinds, own) {
			cure = fmt.Sprintf("write [!%s]; the kinds are %s", strings.ToUpper(own), strings.Join(upper, ", "))
		}
		d.wrongAt(first.Start, fmt.Sprintf("unknown kind of note %q", line[m[2]:m[3]]), cure)
		return
	}
	var title *label
	if m[6] >= 0 && m[6] < m[7] {
		title = &label{}
		title.SetPos(first.Start + m[6])
	}
	d.cutFirstLine(paragraph, title, first.Start+m[5])
	if paragraph.ChildCount() == 0 {
		quote.RemoveChild(quote, paragraph)
	}
	if quote.ChildCount() == 0 {
		d.wrongAt(first.Start, "note is empty", "write its text in the next line, after >")
	}
	n := d.newNote(quote, kind, title, line[m[4]:m[5]])
	move(quote, n)
	replace(quote, n)
}

// cutFirstLine takes the first line out of a paragraph, and gives what stands in
// it behind an offset to the title, if there is one.
func (d *Document) cutFirstLine(paragraph *ast.Paragraph, title *label, from int) {
	first := paragraph.Lines().At(0)
	for child := paragraph.FirstChild(); child != nil; {
		next := child.NextSibling()
		t, isText := child.(*ast.Text)
		if isText && t.Segment.Start >= first.Stop {
			break
		}
		ends := isText && (t.SoftLineBreak() || t.HardLineBreak())
		paragraph.RemoveChild(paragraph, child)
		if isText {
			t.SetSoftLineBreak(false)
			t.SetHardLineBreak(false)
			t.Segment = t.Segment.WithStart(min(max(t.Segment.Start, from), t.Segment.Stop))
			if title == nil || !title.HasChildren() {
				t.Segment = t.Segment.TrimLeftSpace(d.Chapter.Source)
			}
		}
		if title != nil && !(isText && t.Segment.IsEmpty()) {
			title.AppendChild(title, child)
		}
		if ends {
			break
		}
		child = next
	}
	rest := text.NewSegments()
	for i := 1; i < paragraph.Lines().Len(); i++ {
		rest.Append(paragraph.Lines().At(i))
	}
	paragraph.SetLines(rest)
}

// note makes an admonition of a container.
func (d *Document) note(c *container) ast.Node {
	fold := ""
	switch {
	case c.has("closed"):
		fold = "-"
	case c.has("open"):
		fold = "+"
	}
	n := d.newNote(c, c.name, c.label, fold)
	if c.anchor != "" {
		n.add("id", c.anchor)
	}
	if c.label != nil {
		c.RemoveChild(c, c.label)
	}
	move(c, n)
	return n
}

// newNote is an admonition with its first line, and nothing below it yet.
func (d *Document) newNote(at ast.Node, kind string, title *label, fold string) *element {
	word := html.EscapeString(d.words().Admonitions[kind])
	class := attr("class", "note note-"+kind)
	n, head := newElement(at, "div", class, `role="note"`), newElement(at, "p", `class="note-kind"`)
	if fold != "" {
		d.Details = true
		n, head = newElement(at, "details", class), newElement(at, "summary", `class="note-kind"`)
		n.folds = true
		if fold == "+" {
			n.attributes = append(n.attributes, "open")
		}
	}
	head.line, head.before = true, word
	if title != nil {
		head.before += d.words().Colon
		own := newLine(title, "span", `class="note-title"`)
		head.AppendChild(head, own)
	}
	n.AppendChild(n, head)
	return n
}

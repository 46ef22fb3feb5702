package markdown

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// Heading is an entry of the table of contents.
type Heading struct {
	Level int // 2 or 3
	ID    string
	Text  string
}

// headings gives every heading an anchor and a link to itself.
//
//	## Work queue {#queue}
//
// An anchor is written by the author, which keeps it the same in all languages,
// or made of the text: letters and digits of any script, the rest as hyphens.
// The chapter's title is the page's h1, so headings start at level 2.
func headings(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(parser.WithHeadingAttribute(), transform(100, func(root *ast.Document) {
			each(root, d.heading)
		}))
		m.Renderer().AddOptions(render(ast.KindHeading, d.renderHeading))
	})
}

func (d *Document) heading(h *ast.Heading) {
	if h.Level == 1 {
		d.wrong(h, "heading of level 1 in the text", "the front matter's title is the page's heading; begin with ##")
		h.Level = 2
	}
	title := strings.TrimSpace(plain(h, d.Chapter.Source))
	id := slug(title)
	for _, a := range h.Attributes() {
		value, isText := a.Value.([]byte)
		if string(a.Name) != "id" || !isText || slug(string(value)) != string(value) {
			d.wrong(h, fmt.Sprintf("attribute %q of a heading", a.Name), "only {#anchor} is allowed, with lower-case letters, digits and hyphens")
			continue
		}
		id = string(value)
		if d.anchors[id] {
			d.wrong(h, fmt.Sprintf("anchor %q is used twice", id), "choose another")
		}
	}
	h.RemoveAttributes()
	if title == "" {
		d.wrong(h, "heading is empty", "write its text, or remove it")
	}
	id = d.unique(id)
	h.SetAttribute([]byte("id"), []byte(id))
	d.outline = append(d.outline, outlined{h.Level, id, title, h.Pos()})
	if h.Level <= 3 && !folded(h) {
		d.Headings = append(d.Headings, Heading{h.Level, id, title})
	}
}

// unique registers an anchor, with a number behind it when it is taken.
func (d *Document) unique(id string) string {
	if id == "" {
		id = "section"
	}
	free := id
	for d.anchors[free] {
		n := max(d.numbers[id], 1) + 1
		d.numbers[id] = n // where to go on looking
		free = id + "-" + strconv.Itoa(n)
	}
	d.anchors[free] = true
	return free
}

// slug keeps letters, digits and marks of any script, in lower case.
func slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (d *Document) renderHeading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading)
	id, _ := h.AttributeString("id")
	anchor, _ := id.([]byte)
	if entering {
		fmt.Fprintf(w, `<h%d id="%s">`, h.Level, util.EscapeHTML(anchor))
		return ast.WalkContinue, nil
	}
	fmt.Fprintf(w, ` <a class="anchor" href="#%s" aria-label="%s"></a></h%d>`+"\n",
		util.EscapeHTML(util.URLEscape(anchor, false)), util.EscapeHTML([]byte(d.words().Permalink)), h.Level)
	return ast.WalkContinue, nil
}

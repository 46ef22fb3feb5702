package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"kubewalk/generator/dom"
)

// line is the text of a paragraph under way.
type line struct {
	*writer
	strings.Builder
	emphasized int
	table      bool // a cell or a heading, which is one line
	linked     bool // inside a link's text
	inner      bool // inside marks, so never at a line's beginning

	space, broken bool // what is due before what comes next
}

// inlines is what stands in a paragraph.
func (w *writer) inlines(nodes []*html.Node, table bool) string {
	l := &line{writer: w, table: table}
	for _, n := range nodes {
		l.inline(n)
	}
	return strings.TrimRight(l.String(), "\u00a0") // which stood before the way back from a footnote
}

// put writes text that is markup already.
func (l *line) put(text string) {
	if text == "" {
		return
	}
	switch {
	case l.Len() == 0:
	case l.broken:
		l.WriteString("\\\n")
	case l.space:
		l.WriteByte(' ')
	}
	l.space, l.broken = false, false
	l.WriteString(text)
}

func (l *line) text(text string) {
	first, _ := utf8.DecodeRuneInString(text)
	if space(first) {
		l.space = true
	}
	words := strings.FieldsFunc(text, space)
	if len(words) == 0 {
		return
	}
	escaped := inline(strings.Join(words, " "))
	switch {
	case l.broken || l.Len() == 0 && !l.inner:
		escaped = lineStart(escaped)
	case !l.space && strings.HasSuffix(l.String(), "]") && strings.ContainsAny(escaped[:1], "(:"):
		escaped = `\` + escaped // what is before would become a link, or a footnote
	}
	l.put(escaped)
	last, _ := utf8.DecodeLastRuneInString(text)
	l.space = space(last)
}

// space is what HTML folds.
func space(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' }

func (l *line) children(n *html.Node) {
	for c := range n.ChildNodes() {
		l.inline(c)
	}
}

func (l *line) inline(n *html.Node) {
	if n.Type == html.TextNode {
		l.text(n.Data)
		return
	}
	if n.Type != html.ElementNode || silent(n) {
		return
	}
	switch n.Data {
	case "em", "i", "cite", "dfn", "var":
		l.emphasis(n, "*", "em")
	case "strong", "b":
		l.emphasis(n, "**", "strong")
	case "del", "s":
		l.emphasis(n, "~~", "del")
	case "code", "samp":
		code := codeSpan(verbatim(n))
		if l.table {
			code = strings.ReplaceAll(code, "|", `\|`)
		}
		l.put(code)
	case "kbd":
		l.put("<kbd>")
		l.children(n)
		l.WriteString("</kbd>")
	case "br":
		if l.table {
			l.space = true
		} else if l.Len() > 0 {
			l.broken = true
		}
	case "img":
		l.put("![" + inline(dom.Attribute(n, "alt")) + "](" + destination(l.address(dom.Attribute(n, "src"))) + ")")
	case "a":
		l.link(n)
	case "sup":
		if note := noteOf(n); note != "" {
			l.put("[^" + note + "]")
			return
		}
		l.children(n)
	case "input":
		if dom.Attribute(n, "type") == "checkbox" {
			if dom.Has(n, "checked") {
				l.put("[x]")
			} else {
				l.put("[ ]")
			}
			l.space = true
		}
	case "math":
		l.put("$" + strings.ReplaceAll(tex(n), "$", `\$`) + "$")
	case "svg":
		l.text(picture(n))
	case "rt":
		l.text("（")
		l.children(n)
		l.text("）")
	case "rp":
	default:
		l.children(n)
	}
}

// silent is what only a page has a use for.
func silent(n *html.Node) bool {
	switch n.Data {
	case "button", "script", "style", "template", "select":
		return true
	case "a":
		return dom.HasClass(n, "anchor") || dom.Attribute(n, "role") == "doc-backlink"
	}
	// A drawing may be there twice: for wide and narrow screens, for light and dark.
	return dom.Has(n, "hidden") || dom.HasClass(n, "diagram-narrow") || dom.HasClass(n, "on-dark") || dom.Attribute(n, "role") == "tooltip" ||
		dom.Attribute(n, "aria-hidden") == "true" && n.Data != "input"
}

func (l *line) link(n *html.Node) {
	href := dom.Attribute(n, "href")
	if href == "" || l.linked || dom.HasClass(n, "term") { // the glossary is a list of its own
		l.children(n)
		return
	}
	inside := &line{writer: l.writer, table: l.table, linked: true, inner: true, emphasized: l.emphasized}
	inside.children(n)
	l.space = l.space || leadingSpace(n)
	text := inside.String()
	if text == "" {
		return
	}
	defer func() { l.space = inside.space }()
	l.put("[" + text + "](" + destination(l.address(href)) + ")")
}

// emphasis writes marks where CommonMark takes them for marks, and an element
// where it would not: between letters and punctuation, or one mark beside another.
func (l *line) emphasis(n *html.Node, mark, element string) {
	inside := &line{writer: l.writer, table: l.table, linked: l.linked, emphasized: l.emphasized + 1, inner: true}
	inside.children(n)
	text := inside.String()
	if strings.TrimSpace(text) == "" {
		l.space = l.space || text != ""
		return
	}
	lead, trail := leadingSpace(n), inside.space
	if lead {
		l.space = true
	}
	before, _ := utf8.DecodeLastRuneInString(l.String())
	if l.Len() == 0 || l.space {
		before = ' '
	}
	after := ' '
	if !trail {
		after = following(n)
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	if l.emphasized == 0 && flanks(first, before) && flanks(last, after) && !strings.ContainsAny(string([]rune{before, after, first, last}), "*_~\\") {
		l.put(mark + text + mark)
	} else {
		l.put("<" + element + ">" + text + "</" + element + ">")
	}
	l.space = trail
}

// flanks tells whether a mark between these two belongs to the inner one.
func flanks(inner, outer rune) bool {
	return !unicode.IsSpace(inner) && (!punctuation(inner) || unicode.IsSpace(outer) || punctuation(outer))
}

func punctuation(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

func leadingSpace(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Data != "" {
			r, _ := utf8.DecodeRuneInString(d.Data)
			return space(r)
		}
	}
	return false
}

// following is the character behind an element as it will be written; '*' where it
// may be a mark of emphasis.
func following(n *html.Node) rune {
	next := n.NextSibling
	if next == nil {
		switch {
		case n.Parent == nil || !isInline(n.Parent):
			return ' '
		case n.Parent.Data == "a":
			return ']'
		}
		return following(n.Parent)
	}
	for next.Type == html.ElementNode {
		switch {
		case next.Data == "br":
			return ' '
		case next.Data == "code" || next.Data == "samp":
			return '`'
		case next.Data == "kbd":
			return '<'
		case next.Data == "a" && !silent(next) || next.Data == "sup" && noteOf(next) != "":
			return '['
		}
		if silent(next) || next.Data != "span" || next.FirstChild == nil {
			return '*'
		}
		next = next.FirstChild
	}
	r, _ := utf8.DecodeRuneInString(next.Data)
	return r
}

// tex is a formula's source, which its MathML carries; its text without one.
func tex(n *html.Node) string {
	source := find(n, func(d *html.Node) bool {
		return d.Data == "annotation" && dom.Attribute(d, "encoding") == "application/x-tex"
	})
	if source == nil {
		source = n
	}
	return strings.Join(strings.Fields(verbatim(source)), " ")
}

// picture is what a drawing is called.
func picture(n *html.Node) string {
	if label := dom.Attribute(n, "aria-label"); label != "" {
		return label
	}
	title := find(n, func(d *html.Node) bool { return d.Data == "title" })
	if title == nil {
		return ""
	}
	return verbatim(title)
}

// noteOf is the number of the footnote that a superscript refers to.
func noteOf(n *html.Node) string {
	ref := find(n, func(d *html.Node) bool { return d.Data == "a" && dom.Attribute(d, "role") == "doc-noteref" })
	if ref == nil {
		return ""
	}
	return strings.TrimSpace(verbatim(ref))
}

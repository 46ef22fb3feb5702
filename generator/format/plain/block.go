package plain

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"kubewalk/generator/dom"
)

// writer writes one page.
type writer struct {
	page   Page
	site   Site
	teller Teller
}

// inlineElements are those that stand in a line. Any other is a block.
var inlineElements = map[string]bool{"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "br": true, "button": true, "cite": true,
	"code": true, "data": true, "del": true, "dfn": true, "em": true, "i": true, "img": true, "input": true, "ins": true, "kbd": true, "label": true,
	"mark": true, "math": true, "q": true, "rp": true, "rt": true, "ruby": true, "s": true, "samp": true, "small": true, "span": true, "strong": true,
	"sub": true, "sup": true, "svg": true, "time": true, "u": true, "var": true, "wbr": true, "rb": true, "picture": true, "source": true}

func isInline(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return true
	}
	return inlineElements[n.Data] && !(n.Data == "math" && dom.Attribute(n, "display") == "block")
}

// block is a piece of a page, and what may stand beside it.
type block struct {
	text string
	list string // its marker, for a list: two lists in a row have different ones
}

// blocks writes what stands in a container.
func (w *writer) blocks(n *html.Node) string {
	var out []string
	for _, b := range w.list(n) {
		out = append(out, b.text)
	}
	return strings.Join(out, "\n\n")
}

func (w *writer) list(n *html.Node) (out []block) {
	var run []*html.Node
	add := func(b block) {
		if b.text != "" {
			out = append(out, b)
		}
	}
	flush := func() {
		add(block{text: w.inlines(run, false)})
		run = nil
	}
	for c := range n.ChildNodes() {
		if isInline(c) {
			run = append(run, c)
			continue
		}
		flush()
		if silent(c) {
			continue
		}
		before := ""
		if len(out) > 0 {
			before = out[len(out)-1].list
		}
		for _, b := range w.block(c, before) {
			add(b)
		}
	}
	flush()
	return out
}

func one(text string) []block { return []block{{text: text}} }

// block writes an element; before is the marker of a list right before it.
func (w *writer) block(n *html.Node, before string) []block {
	switch {
	case n.Data == "kubewalk-demo":
		return one(strings.TrimRight(w.teller.Demo(dom.Attribute(n, "data-demo"), w.page.Language), "\n"))
	case dom.Has(n, "data-exercise"):
		return one(strings.TrimRight(w.teller.Exercise(dom.Attribute(n, "data-demo"), dom.Attribute(n, "data-exercise"), w.page.Language), "\n"))
	case dom.Attribute(n, "role") == "note":
		return one(quote(w.note(n)))
	case n.Data == "div" && strings.HasPrefix(dom.Attribute(n, "class"), "code"):
		return one(w.code(n)) // with lines that are folded
	case dom.Attribute(n, "role") == "doc-endnotes":
		return w.footnotes(n)
	}
	switch n.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		level, _ := strconv.Atoi(n.Data[1:])
		text := strings.ReplaceAll(w.inlines(children(n), true), "\n", " ")
		if text == "" {
			return nil
		}
		if strings.HasSuffix(text, "#") {
			text = text[:len(text)-1] + `\#`
		}
		return one(strings.Repeat("#", level) + " " + text)
	case "ul", "ol":
		return w.items(n, before)
	case "dl":
		return one(w.definitions(n))
	case "pre":
		return one(w.code(n))
	case "hr":
		return one("***")
	case "table":
		return one(w.table(n))
	case "blockquote":
		return one(quote(w.blocks(n)))
	case "p":
		// Titles of tabs and cards are no headings of the page.
		if strings.HasSuffix(dom.Attribute(n, "class"), "-title") {
			if text := w.inlines(children(n), false); text != "" {
				return one(strong(text))
			}
			return nil
		}
	case "math":
		return one("$$\n" + tex(n) + "\n$$")
	case "summary", "legend":
		if text := w.inlines(children(n), false); text != "" {
			return one(strong(text))
		}
		return nil
	}
	return w.list(n)
}

// strong is a line of its own in bold.
func strong(text string) string {
	if strings.ContainsAny(text, "*_~\\\n") {
		return "<strong>" + text + "</strong>" // marks within would be taken apart otherwise
	}
	return "**" + text + "**"
}

func children(n *html.Node) (out []*html.Node) {
	for c := range n.ChildNodes() {
		out = append(out, c)
	}
	return out
}

// quote puts a mark before each line.
func quote(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight("> "+l, " ")
	}
	return strings.Join(lines, "\n")
}

// note is an admonition: its kind is in bold, in the page's language, since
// Markdown has words of its own for a few kinds only.
func (w *writer) note(n *html.Node) string {
	var out []string
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && dom.HasClass(c, "note-kind") {
			if kind := w.inlines(children(c), false); kind != "" {
				out = append(out, strong(kind))
			}
			n.RemoveChild(c)
			break
		}
	}
	if rest := w.blocks(n); rest != "" {
		out = append(out, rest)
	}
	return strings.Join(out, "\n\n")
}

// items writes a list. It is tight when no item holds paragraphs.
func (w *writer) items(n *html.Node, before string) []block {
	number, marker := 1, "-"
	if n.Data == "ol" {
		marker = "."
		if start, err := strconv.Atoi(dom.Attribute(n, "start")); err == nil && start >= 0 && start < 1_000_000_000 {
			number = start
		}
		if before == marker {
			marker = ")"
		}
	} else if before == marker {
		marker = "*"
	}
	gap := "\n"
	var items []string
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode || c.Data != "li" {
			continue
		}
		for p := range c.ChildNodes() {
			if p.Type == html.ElementNode && !isInline(p) && p.Data != "ul" && p.Data != "ol" {
				gap = "\n\n"
			}
		}
		first := marker + " "
		if n.Data == "ol" {
			first = strconv.Itoa(number) + marker + " "
			number++
		}
		items = append(items, hang(first, w.item(c)))
	}
	if len(items) == 0 {
		return nil
	}
	return []block{{strings.Join(items, gap), marker}}
}

func (w *writer) item(li *html.Node) string {
	pieces := w.list(li)
	var b strings.Builder
	for i, p := range pieces {
		if i > 0 {
			if p.list != "" && i == 1 && pieces[0].list == "" && !strings.Contains(pieces[0].text, "\n") && !strings.HasPrefix(pieces[0].text, "```") {
				b.WriteByte('\n') // a list right below its item's line
			} else {
				b.WriteString("\n\n")
			}
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// hang puts a mark before the first line, and as much room before the others.
func hang(first, text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		switch {
		case i == 0:
			lines[i] = strings.TrimRight(first+lines[i], " ")
		case lines[i] != "":
			lines[i] = strings.Repeat(" ", len(first)) + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

func (w *writer) definitions(n *html.Node) string {
	var b strings.Builder
	defined := false
	for c := range n.Descendants() {
		switch {
		case c.Type != html.ElementNode:
		case c.Data == "dt":
			if defined {
				b.WriteByte('\n')
			}
			defined = false
			b.WriteString(strings.ReplaceAll(w.inlines(children(c), false), "\\\n", " ") + "\n")
		case c.Data == "dd":
			defined = true
			if text := w.blocks(c); text != "" {
				b.WriteString(hang(":   ", text) + "\n")
			}
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// footnotes are where Markdown has them: anywhere.
func (w *writer) footnotes(n *html.Node) (out []block) {
	number := 0
	for c := range n.Descendants() {
		if c.Type != html.ElementNode || c.Data != "li" || !strings.HasPrefix(dom.Attribute(c, "id"), "fn") {
			continue
		}
		number++
		text := w.blocks(c)
		out = append(out, block{text: hangBy(fmt.Sprintf("[^%d]: ", number), "    ", text)})
	}
	return out
}

func hangBy(first, indent, text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		switch {
		case i == 0:
			lines[i] = first + lines[i]
		case lines[i] != "":
			lines[i] = indent + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

func (w *writer) code(n *html.Node) string {
	language := dom.Attribute(n, "data-language")
	text := ""
	for c := range n.Descendants() {
		if c.Data == "pre" {
			text += verbatim(c)
		}
	}
	if n.Data == "pre" {
		text = verbatim(n)
	}
	text = strings.TrimSuffix(text, "\n")
	marks := fence(text, '`', 3)
	if strings.ContainsAny(language, " `\n") {
		language = ""
	}
	if text == "" {
		return marks + language + "\n" + marks
	}
	return marks + language + "\n" + text + "\n" + marks
}

func (w *writer) table(n *html.Node) string {
	var rows [][]string
	var aligns []string
	head := false
	for c := range n.Descendants() {
		switch {
		case c.Type != html.ElementNode:
		case c.Data == "caption":
			continue
		case c.Data == "tr":
			rows = append(rows, nil)
			head = head || len(rows) == 1 && c.Parent.Data == "thead"
		case (c.Data == "th" || c.Data == "td") && len(rows) > 0:
			last := &rows[len(rows)-1]
			*last = append(*last, w.cell(c))
			if len(rows) == 1 {
				aligns = append(aligns, dom.Attribute(c, "align"))
			}
		}
	}
	if len(rows) == 0 || len(aligns) == 0 {
		return ""
	}
	if !head {
		rows = append([][]string{make([]string, len(aligns))}, rows...)
	}
	rule := make([]string, len(aligns))
	for i, a := range aligns {
		rule[i] = map[string]string{"left": ":--", "right": "--:", "center": ":-:"}[a]
		if rule[i] == "" {
			rule[i] = "---"
		}
	}
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("| " + strings.Join(rule, " | ") + " |\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// cell is a cell's text, in one line.
func (w *writer) cell(n *html.Node) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(w.inlines(flat(n), true), "\\\n", " ")), " ")
}

// flat is what stands in a container, without the paragraphs around it.
func flat(n *html.Node) (out []*html.Node) {
	for c := range n.ChildNodes() {
		if isInline(c) {
			out = append(out, c)
		} else {
			out = append(out, flat(c)...)
		}
	}
	return out
}

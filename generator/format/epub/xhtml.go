package epub

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"kubewalk/generator/dom"
)

// writer writes a tree as XHTML.
type writer struct {
	out        *strings.Builder
	seen       map[string]bool // ids
	properties map[string]bool // of the manifest
}

// dropped are elements that a book has no use for, with all that is in them.
var dropped = map[string]bool{"script": true, "style": true, "template": true, "button": true, "select": true, "link": true, "meta": true, "source": true,
	"noscript": true}

// unwrapped are elements of which only what is in them is written.
var unwrapped = map[string]bool{"label": true, "picture": true, "form": true}

// renamed are elements that few readers of books know; all of them show the others.
var renamed = map[string]string{"details": "div", "summary": "p", "article": "section", "main": "div", "kubewalk-demo": "div"}

// kept are the attributes of HTML that a book keeps.
var kept = map[string]bool{"id": true, "class": true, "href": true, "src": true, "alt": true, "title": true, "lang": true, "dir": true, "role": true,
	"width": true, "height": true, "start": true, "reversed": true, "value": true, "colspan": true, "rowspan": true, "scope": true, "headers": true,
	"datetime": true, "cite": true, "hreflang": true, "aria-label": true, "aria-labelledby": true, "aria-describedby": true, "aria-hidden": true}

var void = map[string]bool{"area": true, "br": true, "col": true, "hr": true, "img": true, "input": true, "wbr": true}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// escape is text in XML, without the characters that XML cannot hold.
func escape(text string) string {
	return xmlEscapes.Replace(strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r >= 0x20 && r != utf8.RuneError && r != 0xfffe && r != 0xffff && (r < 0x7f || r > 0x9f) {
			return r
		}
		return -1
	}, text))
}

// name tells whether XML takes it as a name.
func name(text string) bool {
	for i, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r >= 0xc0 && r != 0xd7 && r != 0xf7 && r < 0x2000 || r >= 0x3001 && r <= 0xd7ff ||
			r >= 0xf900 && r <= 0xfdcf
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '-' || r == '.')) {
			return false
		}
	}
	return text != ""
}

func (w *writer) children(n *html.Node) {
	for c := range n.ChildNodes() {
		w.node(c)
	}
}

func (w *writer) node(n *html.Node) {
	if n.Type == html.TextNode {
		w.out.WriteString(escape(n.Data))
		return
	}
	if n.Type != html.ElementNode {
		return
	}
	if n.Namespace != "" {
		w.foreign(n)
		return
	}
	element := n.Data
	switch {
	case dropped[element] || dom.Has(n, "hidden") || dom.Attribute(n, "role") == "tooltip":
		return
	case element == "a" && (dom.HasClass(n, "anchor") || dom.Attribute(n, "href") == ""), unwrapped[element]:
		if !dom.HasClass(n, "anchor") {
			w.children(n)
		}
		return
	case element == "input":
		if dom.Attribute(n, "type") == "checkbox" {
			if dom.Has(n, "checked") {
				w.out.WriteString("☑ ")
			} else {
				w.out.WriteString("☐ ")
			}
		}
		return
	}
	class := dom.Attribute(n, "class")
	if other, ok := renamed[element]; ok {
		class = strings.TrimSpace(class + " " + element)
		if element == "summary" && hasBlock(n) {
			other = "div"
		}
		element = other
	}
	if align := dom.Attribute(n, "align"); align != "" {
		class = strings.TrimSpace(class + " align-" + align)
	}
	if !name(element) {
		w.children(n)
		return
	}
	w.out.WriteString("<" + element)
	for _, a := range n.Attr {
		key, value := a.Key, a.Val
		if a.Namespace != "" || !kept[key] || key == "class" || key == "value" && element != "li" {
			continue
		}
		if key == "id" {
			if w.seen[value] || !name(value) {
				continue
			}
			w.seen[value] = true
		}
		fmt.Fprintf(w.out, ` %s="%s"`, key, escape(value))
		if key == "lang" {
			fmt.Fprintf(w.out, ` xml:lang="%s"`, escape(value))
		}
	}
	if class != "" {
		fmt.Fprintf(w.out, ` class="%s"`, escape(class))
	}
	if t := semantics[dom.Attribute(n, "role")]; t != "" {
		fmt.Fprintf(w.out, ` epub:type="%s"`, t)
	}
	if void[element] {
		if element == "img" && !dom.Has(n, "alt") {
			w.out.WriteString(` alt=""`)
		}
		w.out.WriteString("/>")
		return
	}
	w.out.WriteString(">")
	w.children(n)
	w.out.WriteString("</" + element + ">")
}

// semantics are what readers of books go by: a footnote opens where it is referred to.
var semantics = map[string]string{"doc-noteref": "noteref", "doc-endnotes": "endnotes"}

// foreign is a formula or a drawing: XML of its own.
func (w *writer) foreign(n *html.Node) {
	space := spaces[n.Namespace]
	if dropped[n.Data] || !name(n.Data) {
		return
	}
	w.out.WriteString("<" + n.Data)
	if n.Parent == nil || n.Parent.Namespace != n.Namespace {
		fmt.Fprintf(w.out, ` xmlns="%s"`, space)
		if w.properties == nil {
			w.properties = map[string]bool{}
		}
		w.properties[map[string]string{"svg": "svg", "math": "mathml"}[n.Namespace]] = true
	}
	for _, a := range n.Attr {
		if a.Namespace != "" || !name(a.Key) || a.Key == "xmlns" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "data-") || a.Key == "tabindex" {
			continue
		}
		if a.Key == "id" {
			if w.seen[a.Val] || !name(a.Val) {
				continue
			}
			w.seen[a.Val] = true
		}
		fmt.Fprintf(w.out, ` %s="%s"`, a.Key, escape(a.Val))
	}
	w.out.WriteString(">")
	w.children(n)
	w.out.WriteString("</" + n.Data + ">")
}

func hasBlock(n *html.Node) bool {
	for d := range n.Descendants() {
		switch d.Data {
		case "p", "div", "ul", "ol", "pre", "table", "h1", "h2", "h3", "h4", "h5", "h6", "section", "blockquote":
			return d.Type == html.ElementNode
		}
	}
	return false
}

// Package plain writes pages as Markdown, for readers without a browser:
// language models, terminals, whoever wants to quote a chapter.
//
// It reads the chapter's finished HTML, not its source. So all that stands in the
// source as a reference is there as what it refers to: included code, values of
// claims, titles of links. A new element of a chapter needs no line here as long
// as its HTML says what it is. What is drawn (a demo) is told in words by whoever
// knows it (Teller).
//
// What comes out is CommonMark with GitHub's tables, task lists, strikethrough,
// footnotes and notes. Read again, it has the same text; the fuzz test holds it
// to that.
package plain

import (
	"bytes"
	"path"
	"strings"

	"golang.org/x/net/html"
)

// File is what a page's Markdown is called, in the page's folder.
const File = "index.md"

// Page is a page of the book.
type Page struct {
	Path        string // "/en/loop/replicaset/"
	Title       string
	Description string
	Language    string
	HTML        string // the chapter's, without the page around it
}

// Site is where the pages are.
type Site struct {
	Base   string // "https://example.org/book", without a slash at the end; "" when unknown
	Prefix string // the path of the base: addresses in the HTML begin with it
	// Pages are the paths of pages that exist as Markdown.
	Pages map[string]bool
}

// Teller says in Markdown what is drawn.
type Teller interface {
	// Demo is a demo's storyboard.
	Demo(name, language string) string
	// Exercise is an exercise of a demo.
	Exercise(demo, id, language string) string
}

// Markdown is a page as a document of its own, headed by its title.
func Markdown(p Page, site Site, teller Teller) string {
	var out strings.Builder
	out.WriteString("# " + Escape(p.Title) + "\n\n")
	if p.Description != "" {
		out.WriteString("> " + Escape(p.Description) + "\n\n")
	}
	out.WriteString(body(p, site, teller))
	return strings.TrimRight(out.String(), "\n") + "\n"
}

func body(p Page, site Site, teller Teller) string {
	w := &writer{page: p, site: site, teller: teller}
	return w.blocks(parse(p.HTML))
}

// address makes an address of the HTML work from the page's Markdown, or from
// anywhere when the base is known. Pages lead to their Markdown; a place on this
// page to the page itself, since Markdown has no anchors.
func (w *writer) address(href string) string {
	if strings.HasPrefix(href, "#") {
		return w.to(w.page.Path) + href
	}
	rest, inside := strings.CutPrefix(href, w.site.Prefix+"/")
	if !inside || strings.HasPrefix(href, "//") {
		return href
	}
	target, anchor, hasAnchor := strings.Cut("/"+rest, "#")
	if w.site.Pages[target] {
		target += File
	}
	target = w.to(target)
	if hasAnchor {
		target += "#" + anchor
	}
	return target
}

// to is the address of a path of the site.
func (w *writer) to(target string) string {
	if w.site.Base != "" {
		return w.site.Base + target
	}
	up := strings.Repeat("../", strings.Count(w.page.Path, "/")-1)
	if strings.HasSuffix(target, "/") {
		target = path.Join(target, "index.html") // works without a server, too
	}
	return up + strings.TrimPrefix(target, "/")
}

// void are the elements that have no end.
var void = map[string]bool{"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true, "link": true,
	"meta": true, "source": true, "track": true, "wbr": true}

// parse reads HTML that we wrote: every element is closed in its place, so a
// stack is enough, several times as fast as what reads the HTML of others.
func parse(text string) *html.Node {
	root := &html.Node{Type: html.ElementNode, Data: "main"}
	at := root
	z := html.NewTokenizer(strings.NewReader(text))
	code := 0              // elements open inside a block of code: of its colours only the text counts
	var listing []byte     // the text of that block
	nodes := []html.Node{} // many at once: a page has some thousand
	node := func(n html.Node) *html.Node {
		if len(nodes) == cap(nodes) {
			nodes = make([]html.Node, 0, 256)
		}
		nodes = append(nodes, n)
		return &nodes[len(nodes)-1]
	}
	for {
		if at.Data == "pre" {
			switch kind := z.Next(); {
			case kind == html.ErrorToken:
				return root
			case kind == html.TextToken:
				listing = append(listing, z.Text()...)
				continue
			case kind == html.StartTagToken:
				if name, _ := z.TagName(); !void[string(name)] {
					code++
				}
				continue
			case kind != html.EndTagToken:
				continue
			case code > 0:
				code--
				continue
			}
			at.AppendChild(node(html.Node{Type: html.TextNode, Data: string(listing)}))
			listing, at = listing[:0], at.Parent
			continue
		}
		switch z.Next() {
		case html.ErrorToken:
			return root
		case html.TextToken:
			if text := z.Text(); len(text) > 0 {
				at.AppendChild(node(html.Node{Type: html.TextNode, Data: string(text)}))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			n := node(html.Node{Type: html.ElementNode, Data: token.Data, Attr: token.Attr})
			at.AppendChild(n)
			if token.Type == html.StartTagToken && !void[token.Data] {
				at = n
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			for open := at; open != root; open = open.Parent {
				if open.Data == string(name) {
					at = open.Parent
					break
				}
			}
		}
	}
}

// find is the first element below n that fits; nil when there is none.
func find(n *html.Node, fits func(*html.Node) bool) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && fits(d) {
			return d
		}
	}
	return nil
}

// verbatim is all text below n, as it stands.
func verbatim(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b bytes.Buffer
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// Package singlepage binds the chapters of a book into one text: a page to print, or
// a book for a reader of EPUB. What named a place within a chapter then names one
// within the whole: ids get the chapter's name in front, and links between
// chapters become links inside.
package singlepage

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Chapter is a chapter's HTML, and where it is on the site.
type Chapter struct {
	Path string // "/en/loop/replicaset/"
	HTML string
}

// Anchor is what a page is called within the whole: "loop.replicaset"; "home" for a
// language's first page.
func Anchor(path string) string {
	_, rest, _ := strings.Cut(strings.Trim(path, "/"), "/")
	if rest == "" {
		return "home"
	}
	return strings.ReplaceAll(rest, "/", ".")
}

// Page is the chapters that are bound together, by path.
type Page struct {
	Base   string // address of the site, without a slash at the end; "" when unknown
	Prefix string // with which addresses in the HTML begin
	Has    map[string]bool
	// Place is the address of a place in the page; id is "" for the chapter itself.
	Place func(path, id string) string
	// ID is what an id of a chapter is called.
	ID func(path, id string) string
}

// OnePage is a page that binds a whole book: places are "#loop.replicaset--queue".
func OnePage(base, prefix string, paths []string) *Page {
	v := &Page{Base: base, Prefix: prefix, Has: map[string]bool{}}
	for _, p := range paths {
		v.Has[p] = true
	}
	v.ID = func(path, id string) string {
		if id == "" {
			return Anchor(path)
		}
		return Anchor(path) + "--" + id
	}
	v.Place = func(path, id string) string { return "#" + v.ID(path, id) }
	return v
}

// Parse reads a chapter's HTML.
func Parse(text string) *html.Node {
	root := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: "div"}
	nodes, err := html.ParseFragment(strings.NewReader(text), root)
	if err != nil {
		panic("singlepage: " + err.Error()) // a string is read to its end
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	return root
}

// references are attributes that name ids, with spaces between them.
var references = map[string]bool{"for": true, "aria-labelledby": true, "aria-describedby": true, "aria-controls": true, "aria-owns": true,
	"aria-details": true, "aria-flowto": true, "headers": true, "popovertarget": true, "list": true, "anchor": true}

var urlReference = regexp.MustCompile(`url\(#([^)]+)\)`)

// Bind reads a chapter and makes its ids and addresses those of the page.
func (v *Page) Bind(c Chapter) *html.Node {
	root := Parse(c.HTML)
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for i := range n.Attr {
			a := &n.Attr[i]
			switch {
			case a.Key == "id":
				a.Val = v.ID(c.Path, a.Val)
			case references[a.Key]:
				ids := strings.Fields(a.Val)
				for j, id := range ids {
					ids[j] = v.ID(c.Path, id)
				}
				a.Val = strings.Join(ids, " ")
			case a.Key == "href":
				a.Val = v.address(c.Path, a.Val)
			case strings.Contains(a.Val, "url(#"):
				a.Val = urlReference.ReplaceAllStringFunc(a.Val, func(m string) string {
					return "url(#" + v.ID(c.Path, m[5:len(m)-1]) + ")"
				})
			}
		}
	}
	return root
}

// address is where a link of a chapter leads from the page.
func (v *Page) address(path, href string) string {
	if id, ok := strings.CutPrefix(href, "#"); ok {
		return v.Place(path, id)
	}
	rest, inside := strings.CutPrefix(href, v.Prefix+"/")
	if !inside || strings.HasPrefix(href, "//") {
		return href
	}
	target, id, _ := strings.Cut("/"+rest, "#")
	if v.Has[target] {
		return v.Place(target, id)
	}
	if v.Base != "" {
		return v.Base + "/" + rest
	}
	return href
}

// Lower makes headings so many levels lower, down to the last.
func Lower(root *html.Node, by int) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
			n.Data = "h" + strconv.Itoa(min(int(n.Data[1]-'0')+by, 6))
			n.DataAtom = atom.Lookup([]byte(n.Data))
		}
	}
}

// Still makes demos what they are on paper: their storyboards, which no script takes over.
func Still(root *html.Node) {
	for n := range root.Descendants() {
		if n.Data == "kubewalk-demo" {
			n.Data, n.DataAtom = "div", atom.Div
			var kept []html.Attribute
			for _, a := range n.Attr {
				if !strings.HasPrefix(a.Key, "data-") {
					kept = append(kept, a)
				}
			}
			n.Attr = kept
		}
	}
}

// Drop takes elements out.
func Drop(root *html.Node, unwanted func(*html.Node) bool) {
	var found []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && unwanted(n) {
			found = append(found, n)
		}
	}
	for _, n := range found {
		n.Parent.RemoveChild(n)
	}
}

// Attribute is an attribute's value.
func Attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// HasClass tells whether an element has a class.
func HasClass(n *html.Node, class string) bool {
	for _, c := range strings.Fields(Attribute(n, "class")) {
		if c == class {
			return true
		}
	}
	return false
}

// String is what stands in a container, as HTML.
func String(root *html.Node) string {
	var b strings.Builder
	for c := range root.ChildNodes() {
		if err := html.Render(&b, c); err != nil {
			panic("singlepage: " + err.Error()) // what was parsed can be written
		}
	}
	// A slash in an element without an end means nothing in HTML, and the W3C's
	// checker says so. What looks like it elsewhere was escaped.
	return strings.ReplaceAll(b.String(), "/>", ">")
}

// Package portable turns a finished site into one that is read from a folder: all
// addresses become relative and name a file, so that pages open from a disk or a USB
// stick, without a server.
//
// A browser gives such pages no modules and lets them fetch nothing. So demos are
// their storyboards there, and say so; what pages cannot use is left out. Whatever a
// reader reaches from the first page by links is there, and nothing else.
package portable

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"kubewalk/generator/build/output"

	"kubewalk/generator/dom"
)

// Note is what a demo says where it cannot run, in a language. The address of the
// same page on the web stands behind it where it is known.
type Note func(language string) string

// Make returns the portable form of a site whose addresses begin with prefix.
func Make(site *output.Tree, prefix string, note Note) (*output.Tree, error) {
	p := &porter{site: site, prefix: prefix, note: note, made: map[string][]byte{}}
	p.reach("index.html")
	for len(p.waiting) > 0 {
		name := p.waiting[0]
		p.waiting = p.waiting[1:]
		data, _ := site.Get(name)
		var err error
		switch path.Ext(name) {
		case ".html":
			data, err = p.page(name, data)
		case ".css":
			data = p.style(name, data)
		}
		if err != nil {
			return nil, err
		}
		p.made[name] = data
	}
	tree := output.NewTree()
	for _, name := range slices.Sorted(maps.Keys(p.made)) {
		tree.Put(name, p.made[name])
	}
	tree.Put(output.MarkerFile, []byte(output.Marker))
	return tree, nil
}

// porter makes a portable site.
type porter struct {
	site    *output.Tree
	prefix  string
	note    Note
	made    map[string][]byte // nil for what is waiting
	waiting []string
}

func (p *porter) reach(name string) {
	if _, ok := p.made[name]; !ok {
		p.made[name] = nil
		p.waiting = append(p.waiting, name)
	}
}

// address is where a file leads that names an address of the site; ok is false for
// one that is not of the site, or that nothing is at.
func (p *porter) address(from, value string) (relative string, ok bool) {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" {
		return "", false
	}
	target := u.Path
	if strings.HasPrefix(target, "/") {
		if target, ok = strings.CutPrefix(target, p.prefix+"/"); !ok {
			return "", false
		}
	} else {
		target = path.Join(path.Dir(from), target)
		if strings.HasSuffix(u.Path, "/") {
			target += "/"
		}
	}
	if target == "" || strings.HasSuffix(target, "/") {
		target += "index.html"
	}
	if !p.site.Has(target) {
		return "", false
	}
	p.reach(target)
	out := url.URL{Path: relativeTo(path.Dir(from), target), Fragment: u.Fragment}
	return out.String(), true
}

// relativeTo is the way from a folder to a file, both below the site's root.
func relativeTo(folder, file string) string {
	if folder == "." {
		return "./" + file
	}
	here, there := strings.Split(folder, "/"), strings.Split(file, "/")
	for len(here) > 0 && len(there) > 1 && here[0] == there[0] {
		here, there = here[1:], there[1:]
	}
	if len(here) == 0 {
		return "./" + strings.Join(there, "/")
	}
	return strings.Repeat("../", len(here)) + strings.Join(there, "/")
}

var inStyle = regexp.MustCompile(`url\(\s*("[^"]*"|'[^']*'|[^"')]*)\s*\)`)

func (p *porter) style(name string, css []byte) []byte {
	return inStyle.ReplaceAllFunc(css, func(found []byte) []byte {
		value := strings.Trim(string(inStyle.FindSubmatch(found)[1]), `"' `)
		if relative, ok := p.address(name, value); ok {
			return []byte(`url("` + relative + `")`)
		}
		return found
	})
}

func (p *porter) page(name string, data []byte) ([]byte, error) {
	root, err := html.ParseWithOptions(bytes.NewReader(data), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p.prune(root)
	language, web := "", ""
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch {
		case n.Data == "html":
			language = dom.Attribute(n, "lang")
		case n.Data == "link" && dom.Attribute(n, "rel") == "canonical":
			web = dom.Attribute(n, "href")
		case n.Data == "kubewalk-demo":
			p.still(n, language, web)
		}
		for i, a := range n.Attr {
			switch {
			case a.Key == "data-words":
				n.Attr[i].Val = "" // a page that is a file may not fetch it
			case a.Key == "srcset" || a.Key == "imagesrcset":
				n.Attr[i].Val = p.sources(name, a.Val)
			case a.Key == "href" || a.Key == "src" || a.Key == "poster":
				if relative, ok := p.address(name, a.Val); ok {
					n.Attr[i].Val = relative
				}
			}
		}
	}
	var out bytes.Buffer
	err = html.Render(&out, root)
	return out.Bytes(), err
}

// sources rewrites a list of images: "/a.png 1x, /b.png 2x".
func (p *porter) sources(name, value string) string {
	list := strings.Split(value, ",")
	for i, candidate := range list {
		address, size, _ := strings.Cut(strings.TrimSpace(candidate), " ")
		if relative, ok := p.address(name, address); ok {
			address = relative
		}
		list[i] = strings.TrimSpace(address + " " + size)
	}
	return strings.Join(list, ", ")
}

// prune removes what only a server can give, or asks.
func (p *porter) prune(root *html.Node) {
	var gone []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && useless(n) {
			gone = append(gone, n)
		}
	}
	for _, n := range gone {
		n.Parent.RemoveChild(n)
	}
}

func useless(n *html.Node) bool {
	switch n.Data {
	case "script":
		return dom.Attribute(n, "type") == "module" || strings.Contains(dom.Attribute(n, "src"), "://") // of a service that counts or comments
	case "link":
		switch dom.Attribute(n, "rel") {
		case "stylesheet", "icon", "canonical":
			return false
		}
		return true
	case "a":
		_, searches := lookup(n, "data-search")
		return searches
	}
	return false
}

// still leaves a demo its storyboard, whole, and says why it does not run.
func (p *porter) still(demo *html.Node, language, web string) {
	for i, a := range demo.Attr {
		if a.Key == "class" {
			demo.Attr[i].Val += " is-failed" // as when its script cannot be had (site/styles/storyboard.css)
		}
	}
	demo.Attr = slices.DeleteFunc(demo.Attr, func(a html.Attribute) bool {
		return strings.HasPrefix(a.Key, "data-") && strings.HasPrefix(a.Val, "/") // addresses for its script
	})
	var board, controls *html.Node
	for n := range demo.Descendants() {
		switch dom.Attribute(n, "class") {
		case "storyboard":
			board = n
		case "storyboard-controls":
			controls = n // what could be changed if it ran
		}
	}
	if board == nil {
		return
	}
	if controls != nil {
		controls.Parent.RemoveChild(controls)
	}
	note := element("p", p.note(language))
	note.Attr = []html.Attribute{{Key: "class", Val: "storyboard-note"}}
	if web != "" {
		link := element("a", web)
		link.Attr = []html.Attribute{{Key: "href", Val: web}}
		note.AppendChild(&html.Node{Type: html.TextNode, Data: " "})
		note.AppendChild(link)
	}
	title := board.FirstChild
	for title != nil && dom.Attribute(title, "class") != "storyboard-title" {
		title = title.NextSibling
	}
	if title == nil {
		board.AppendChild(note)
	} else {
		board.InsertBefore(note, title.NextSibling)
	}
}

func element(name, text string) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	return n
}

func lookup(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

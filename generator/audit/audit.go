// Package audit reads a finished site as a browser would, and finds what must
// not be there: inline scripts and styles, which the policy would block; links
// that lead nowhere; ids used twice; images without words. It looks at the
// output alone, so it holds whatever made it.
package audit

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/html"

	"kubewalk/generator/output"
	"kubewalk/generator/problem"
)

// Check reads all pages of a site whose addresses begin with prefix. The
// problems' files are those of the site.
func Check(tree *output.Tree, prefix string) error {
	a := &auditor{tree: tree, prefix: prefix, ids: map[string]map[string]bool{}}
	pages := map[string]*html.Node{}
	for _, name := range tree.Paths() {
		if path.Ext(name) != ".html" {
			continue
		}
		data, _ := tree.Get(name)
		root, err := html.Parse(bytes.NewReader(data))
		if err != nil {
			a.add(name, "page cannot be read: "+err.Error(), "")
			continue
		}
		pages[name] = root
		a.ids[name] = map[string]bool{}
		for n := range root.Descendants() {
			if id := attribute(n, "id"); id != "" {
				if a.ids[name][id] {
					a.add(name, fmt.Sprintf("id %q is used twice", id), "ids are unique in a page")
				}
				a.ids[name][id] = true
			}
		}
	}
	for name, root := range pages {
		a.page(name, root)
	}
	return a.problems.Err()
}

type auditor struct {
	tree     *output.Tree
	prefix   string
	ids      map[string]map[string]bool // by page
	problems problem.List
}

func (a *auditor) add(file, message, cure string) {
	a.problems.Add(problem.Problem{File: "public/" + file, Message: message, Cure: cure})
}

func (a *auditor) page(name string, root *html.Node) {
	title, lang := "", ""
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "html":
			lang = attribute(n, "lang")
		case "title":
			if n.Namespace == "" && n.FirstChild != nil {
				title = n.FirstChild.Data
			}
		case "style":
			a.add(name, "style element", "put the rules into a file of site/styles")
		case "script":
			if attribute(n, "src") == "" {
				a.add(name, "inline script", "put it into a file that esbuild bundles")
			}
		case "img":
			if !has(n, "alt") {
				a.add(name, fmt.Sprintf("image %q has no alt", attribute(n, "src")), "")
			}
		}
		for _, attr := range n.Attr {
			a.attribute(name, n, attr)
		}
	}
	if title == "" {
		a.add(name, "page has no title", "")
	}
	if lang == "" {
		a.add(name, "page has no lang", "")
	}
}

func (a *auditor) attribute(name string, n *html.Node, attr html.Attribute) {
	switch key := attr.Key; {
	case key == "style":
		a.add(name, fmt.Sprintf("style attribute %q of %s", attr.Val, n.Data), "use a class")
	case strings.HasPrefix(key, "on"):
		a.add(name, fmt.Sprintf("inline handler %s of %s", key, n.Data), "listen in a script")
	case n.Data == "link" && (attribute(n, "rel") == "canonical" || attribute(n, "rel") == "alternate"):
		// whole addresses of this site, for others
	case key == "href" || key == "src" || key == "data-worker" || key == "data-wasm" || key == "data-wasm-exec" || key == "data-phrases" || key == "data-embed":
		a.address(name, n, attr.Val)
	}
}

// address checks that something is there.
func (a *auditor) address(name string, n *html.Node, value string) {
	u, err := url.Parse(value)
	if err != nil {
		a.add(name, fmt.Sprintf("address %q of %s cannot be read", value, n.Data), "")
		return
	}
	if u.Scheme != "" {
		if u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" {
			a.add(name, fmt.Sprintf("address %q of %s", value, n.Data), "only https:, http: and mailto: leave the site")
		}
		if n.Data != "a" {
			a.add(name, fmt.Sprintf("%s is loaded from elsewhere: %q", n.Data, value), "a page loads from its own site alone")
		}
		return
	}
	target := name
	if u.Path != "" {
		rest, ok := strings.CutPrefix(u.Path, a.prefix+"/")
		if !ok {
			a.add(name, fmt.Sprintf("address %q of %s does not begin with %q", value, n.Data, a.prefix+"/"), "")
			return
		}
		if target = rest; target == "" || strings.HasSuffix(target, "/") {
			target += "index.html"
		}
		if _, ok := a.tree.Get(target); !ok && !strings.HasPrefix(u.Path, "/_dev/") {
			a.add(name, fmt.Sprintf("address %q of %s leads nowhere", value, n.Data), "")
			return
		}
	}
	if u.Fragment != "" && a.ids[target] != nil && !a.ids[target][u.Fragment] {
		a.add(name, fmt.Sprintf("address %q of %s leads to no place in %s", value, n.Data, target), "")
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

package audit

import (
	"bytes"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// facts are what matters of a page, or of a piece that many pages hold.
type facts struct {
	title, lang string
	ids         []string
	known       map[string]bool // the same, and those of the pieces
	leads       []lead          // each once
	said        []said          // what is wrong whatever else is on the site
	pieces      []*facts
	local       bool // an address leads to a place in the page itself
}

// lead is an address that an element leads to, or loads.
type lead struct {
	element, value string
	url            *url.URL
}

// said is a problem.
type said struct{ message, cure string }

// parts are the page without its pieces, then these.
func (f *facts) parts() iter.Seq[*facts] {
	return func(yield func(*facts) bool) {
		if !yield(f) {
			return
		}
		for _, p := range f.pieces {
			if !yield(p) {
				return
			}
		}
	}
}

// has tells whether "#id" leads anywhere in the page.
func (f *facts) has(id string) bool { return f.known[id] }

// pieces are what was read of <details>. The list of chapters beside a text is some,
// one for each part of the book, and stands in every page: it is most of a page
// in a book of a thousand, and needs to be read once.
type pieces struct{ known sync.Map } // text → *facts

var opens, closes = []byte("<details"), []byte("</details>")

// read reads a page.
func (p *pieces) read(page []byte) *facts {
	var rest []byte
	f := &facts{}
	from := 0
	for {
		begin := bytes.Index(page[from:], opens)
		if begin < 0 {
			break
		}
		begin += from
		length := bytes.Index(page[begin:], closes)
		if length < 0 {
			break
		}
		end := begin + length + len(closes)
		// Of nested ones the innermost is a piece; what is short is not worth it.
		for {
			inner := bytes.Index(page[begin+1:end], opens)
			if inner < 0 {
				break
			}
			begin += 1 + inner
		}
		if end-begin > 500 {
			rest = append(rest, page[from:begin]...)
			f.pieces = append(f.pieces, p.piece(page[begin:end]))
		} else {
			rest = append(rest, page[from:end]...)
		}
		from = end
	}
	f.scan(append(rest, page[from:]...))
	f.known = map[string]bool{}
	for part := range f.parts() {
		for _, id := range part.ids {
			f.known[id] = true
		}
	}
	return f
}

func (p *pieces) piece(text []byte) *facts {
	if known, ok := p.known.Load(string(text)); ok {
		return known.(*facts)
	}
	f := &facts{}
	f.scan(text)
	known, _ := p.known.LoadOrStore(string(text), f)
	return known.(*facts)
}

// scan reads elements and their attributes.
func (f *facts) scan(text []byte) {
	z := html.NewTokenizer(bytes.NewReader(text))
	seen := map[lead]bool{}
	pictures := 0 // svg elements that are open: a <title> in one is not the page's
	var attributes []html.Attribute
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "svg" {
				pictures--
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			element := intern(name)
			attributes = attributes[:0]
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				if k := intern(key); k != "class" {
					attributes = append(attributes, html.Attribute{Key: k, Val: string(value)})
				}
			}
			if element == "svg" && kind == html.StartTagToken {
				pictures++
			}
			if element == "title" && pictures == 0 && f.title == "" {
				if z.Next() == html.TextToken {
					f.title = string(z.Text())
				}
			}
			f.element(element, attributes, seen)
		}
	}
}

// unloaded are relations of links for others to follow: whole addresses of this site, or of others. No page loads them.
var unloaded = []string{"canonical", "alternate", "me", "author", "license", "help"}

func (f *facts) element(name string, attributes []html.Attribute, seen map[lead]bool) {
	switch name {
	case "html":
		f.lang = get(attributes, "lang")
	case "style":
		f.wrong("style element", "put the rules into a file of site/styles")
	case "script":
		// A block of data is no script: nothing runs it, and the policy is not about it.
		if get(attributes, "src") == "" && get(attributes, "type") != "application/ld+json" {
			f.wrong("inline script", "put it into a file that esbuild bundles")
		}
	case "img":
		if !has(attributes, "alt") {
			f.wrong(fmt.Sprintf("image %q has no alt", get(attributes, "src")), "")
		}
	case "link":
		if slices.Contains(unloaded, get(attributes, "rel")) {
			return
		}
	}
	for _, a := range attributes {
		switch key := a.Key; {
		case key == "style":
			f.wrong(fmt.Sprintf("style attribute %q of %s", a.Val, name), "use a class")
		case strings.HasPrefix(key, "on"):
			f.wrong(fmt.Sprintf("inline handler %s of %s", key, name), "listen in a script")
		case key == "id" && a.Val != "":
			f.ids = append(f.ids, a.Val)
		case addresses[key]:
			f.lead(name, a.Val, seen)
		case key == "srcset":
			for candidate := range strings.SplitSeq(a.Val, ",") {
				address, _, _ := strings.Cut(strings.TrimSpace(candidate), " ")
				f.lead(name, address, seen)
			}
		}
	}
}

// addresses are the attributes that hold one.
var addresses = map[string]bool{"href": true, "src": true, "data-worker": true, "data-wasm": true, "data-phrases": true,
	"data-words": true, "data-embed": true}

func (f *facts) lead(element, value string, seen map[lead]bool) {
	l := lead{element: element, value: value}
	if seen[l] {
		return
	}
	seen[l] = true
	l.url = parse(value)
	f.local = f.local || l.url != nil && l.url.Path == "" && l.url.Scheme == ""
	f.leads = append(f.leads, l)
}

func (f *facts) wrong(message, cure string) { f.said = append(f.said, said{message, cure}) }

func get(attributes []html.Attribute, key string) string {
	for _, a := range attributes {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(attributes []html.Attribute, key string) bool {
	for _, a := range attributes {
		if a.Key == key {
			return true
		}
	}
	return false
}

// intern makes strings of names, most of which are known, without copying them.
func intern(name []byte) string {
	if s, ok := names[string(name)]; ok {
		return s
	}
	return string(name)
}

var names = map[string]string{}

func init() {
	for _, s := range strings.Fields(`a p li ul ol span code pre div em strong table thead tbody tr td th h1 h2 h3 h4 h5 h6 svg path g
		href src class id lang rel aria-label role tabindex data-language title summary details nav link meta script`) {
		names[s] = s
	}
}

// Package talk makes a folder of a talk's page: a deck that opens from a disk and loads nothing from a network, each demo as
// one file, its pictures, and a README for the speaker.
//
//	index.html    the deck
//	deck/         reveal.js, the style and the pictures of the slides
//	demos/        a file for each demo (generator/format/singlefile), which the slides have in frames
//	pictures/     the moments that the slides show, as SVG and PNG, for when all else fails
//	README.md, LICENSES.txt
//
// A page that is a file may not load modules. So the deck's script becomes an ordinary one.
package talk

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"golang.org/x/net/html"

	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/dom"
	"kubewalk/generator/format/reveal"
	"kubewalk/generator/format/singlefile"
	"kubewalk/generator/render/standalone"
	"kubewalk/generator/sitebuild"
)

// Options say what a folder is made of.
type Options struct {
	Prefix string // of the site's addresses: "/book" or ""
	Base   string // address at which the site is, for links that lead there; "" makes them text
	// Moments are a demo's pictures in the talk's language.
	Moments func(demo string) ([]sitebuild.Moment, error)
}

// Folder is the files of a talk whose page is in a finished site. Lacking tells of pictures that are not there as PNG: the file
// and the characters that the program's font lacks.
func Folder(site *output.Tree, page string, o Options) (files *output.Tree, lacking map[string]string, err error) {
	data, ok := site.Get(page)
	if !ok {
		return nil, nil, fmt.Errorf("the site has no page %s", page)
	}
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", page, err)
	}
	f := &folder{site: site, o: o, page: page, files: output.NewTree(), shown: map[string][][2]string{}}
	if err := f.take(root); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", page, err)
	}
	var out bytes.Buffer
	if err := html.Render(&out, root); err != nil {
		return nil, nil, err
	}
	f.files.Put("index.html", out.Bytes())
	f.files.Put("deck/reveal.js", reveal.Script)
	f.files.Put("deck/notes.js", reveal.Notes)
	f.files.Put("LICENSES.txt", licenses())
	if lacking, err = f.putMoments(); err != nil {
		return nil, nil, err
	}
	f.files.Put("README.md", readme(f.language, f.title, f.names))
	return f.files, lacking, nil
}

// folder is one under way.
type folder struct {
	site            *output.Tree
	o               Options
	page            string
	files           *output.Tree
	language, title string
	names           []string               // of demos, in order of appearance
	shown           map[string][][2]string // by demo: from which moment to which its slides go; "" for its beginning and end
}

// get is what the site has at an address that a page names.
func (f *folder) get(address string) (name string, data []byte, ok bool) {
	address, _, _ = strings.Cut(address, "?")
	if name, ok = strings.CutPrefix(address, f.o.Prefix+"/"); !ok {
		return "", nil, false
	}
	data, ok = f.site.Get(name)
	return name, data, ok
}

func (f *folder) take(root *html.Node) error {
	var gone []*html.Node
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "html":
			f.language = dom.Attribute(n, "lang")
		case "title":
			f.title = n.FirstChild.Data
		case "link":
			_, data, ok := f.get(dom.Attribute(n, "href"))
			if rel := dom.Attribute(n, "rel"); rel != "stylesheet" && rel != "icon" || !ok {
				gone = append(gone, n)
				continue
			}
			if dom.Attribute(n, "rel") == "stylesheet" {
				data = f.style(data)
			}
			f.put(n, "href", "deck/", data)
		case "script":
			if err := f.script(n); err != nil {
				return err
			}
		case "img":
			address, part, _ := strings.Cut(dom.Attribute(n, "src"), "#")
			if _, data, ok := f.get(address); ok {
				file, _, _ := strings.Cut(address, "?") // of a demo's folder, in which a part is a moment's
				name := "deck/" + strings.TrimPrefix(path.Base(path.Dir(file))+"-"+part+"-", "-") + path.Base(file)
				if !f.files.Has(name) { // two slides may show the same moment
					f.files.Put(name, standalone.Only(data, part))
				}
				set(n, "src", name)
			}
		case "a":
			if dom.Has(n, "hreflang") && dom.HasClass(n.Parent, "talk-nav") {
				gone = append(gone, n) // the talk in another language is a folder of its own
				continue
			}
			f.link(n)
		case "kubewalk-demo":
			if err := f.demo(n); err != nil {
				return err
			}
		}
	}
	for _, n := range gone {
		n.Parent.RemoveChild(n)
	}
	return nil
}

// put puts a file that an element names into a subfolder, and has the element name it there. Names are short: there is one of each.
func (f *folder) put(n *html.Node, key, sub string, data []byte) {
	address, _, _ := strings.Cut(dom.Attribute(n, key), "?")
	name := sub + path.Base(address)
	f.files.Put(name, data)
	set(n, key, name)
}

// style puts what an author's own style sheet names beside it.
func (f *folder) style(css []byte) []byte {
	return []byte(singlefile.Addresses(string(css), func(address string) string {
		if data, ok := f.site.Get(path.Join(headers.Assets, address)); ok {
			f.files.Put("deck/"+address, data)
		}
		return address
	}))
}

// script makes an ordinary script of the deck's module. The speaker view is loaded before it.
func (f *folder) script(n *html.Node) error {
	address := dom.Attribute(n, "src")
	_, data, ok := f.get(address)
	if !ok {
		return fmt.Errorf("the site has no script %q", address)
	}
	if dom.Attribute(n, "type") != "module" {
		set(n, "src", "deck/reveal.js")
		return nil
	}
	plain := api.Transform(string(data), api.TransformOptions{Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LogLevel: api.LogLevelSilent,
		LogOverride: map[string]api.LogLevel{"empty-import-meta": api.LogLevelSilent}})
	if len(plain.Errors) > 0 {
		return fmt.Errorf("%s: %s", address, plain.Errors[0].Text)
	}
	f.files.Put("deck/talk.js", plain.Code)
	n.Attr = []html.Attribute{{Key: "src", Val: "deck/talk.js"}, {Key: "defer"}}
	notes := &html.Node{Type: html.ElementNode, Data: "script", Attr: []html.Attribute{{Key: "src", Val: "deck/notes.js"}, {Key: "defer"}}}
	n.Parent.InsertBefore(notes, n)
	return nil
}

// link leads to where something is in the folder, or on the site, if its address is known.
func (f *folder) link(n *html.Node) {
	href := dom.Attribute(n, "href")
	if !strings.HasPrefix(href, "/") {
		return
	}
	file, _, _ := strings.Cut(strings.TrimPrefix(href, f.o.Prefix+"/"), "#")
	switch demo := demoOf(file); {
	case file+"index.html" == f.page:
		set(n, "href", "index.html")
	case demo != "":
		set(n, "href", "demos/"+demo+".html")
	case f.o.Base != "":
		set(n, "href", strings.TrimSuffix(f.o.Base, "/")+strings.TrimPrefix(href, f.o.Prefix))
	default:
		n.Data, n.DataAtom, n.Attr = "span", 0, nil
	}
}

// demoOf is the demo that a page below embed/ holds; "" for any other address.
func demoOf(address string) string {
	if !strings.HasPrefix(address, headers.Embed+"/") {
		return ""
	}
	return path.Base(address)
}

// demo makes a file of a demo, and has the element show that.
func (f *folder) demo(n *html.Node) error {
	address := strings.TrimPrefix(dom.Attribute(n, "src"), f.o.Prefix+"/")
	name := demoOf(address)
	if name == "" {
		return fmt.Errorf("slide shows %q, which is no demo", dom.Attribute(n, "src"))
	}
	set(n, "src", "demos/"+name+".html")
	f.shown[name] = append(f.shown[name], [2]string{dom.Attribute(n, "start"), dom.Attribute(n, "end")})
	if slices.Contains(f.names, name) {
		return nil
	}
	f.names = append(f.names, name)
	data, err := singlefile.Page(f.site, address+"index.html", f.o.Prefix, f.o.Base)
	if err != nil {
		return err
	}
	f.files.Put("demos/"+name+".html", data)
	return nil
}

// putMoments puts the pictures of the moments that slides go through.
func (f *folder) putMoments() (lacking map[string]string, err error) {
	lacking = map[string]string{}
	for _, name := range f.names {
		moments, err := f.o.Moments(name)
		if err != nil {
			return nil, err
		}
		at := func(id string, otherwise int) int {
			if i := slices.IndexFunc(moments, func(m sitebuild.Moment) bool { return m.ID == id }); i >= 0 {
				return i
			}
			return otherwise
		}
		for i, m := range moments {
			if !slices.ContainsFunc(f.shown[name], func(s [2]string) bool { return i >= at(s[0], 0) && i <= at(s[1], len(moments)-1) }) {
				continue
			}
			file := fmt.Sprintf("pictures/%s-%02d-%s", name, i+1, m.ID)
			f.files.Put(file+".svg", []byte(m.SVG))
			if m.PNG == nil {
				lacking[file+".png"] = m.Lacks
			} else {
				f.files.Put(file+".png", m.PNG)
			}
		}
	}
	return lacking, nil
}

func licenses() []byte {
	return fmt.Appendf(nil, "deck/reveal.js, deck/notes.js and the reveal style in deck/ are reveal.js %s (https://revealjs.com):\n\n%s\n\n"+
		"deck/notes.js contains marked (https://marked.js.org):\n\n%s", reveal.Version, bytes.TrimSpace(reveal.License), reveal.MarkedLicense)
}

func set(n *html.Node, key, value string) {
	for i, a := range n.Attr {
		if a.Key == key {
			n.Attr[i].Val = value
		}
	}
}

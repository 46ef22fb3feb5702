package releases

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/source"
	"kubewalk/generator/dom"
)

// Keep takes the demos out of a finished site whose addresses begin with prefix, as a release of that date. languages are the book's, in order.
// Without demos there is nothing to keep: release is nil then.
func Keep(site *output.Tree, prefix string, languages []string, date string) (release *Release, files *output.Tree, err error) {
	k := keeper{site: site, prefix: prefix, files: output.NewTree()}
	r := &Release{Date: date, Languages: languages, Engines: map[string]string{}}
	for _, name := range site.Paths() {
		if !strings.HasPrefix(name, headers.Embed+"/") || path.Base(name) != "index.html" {
			continue
		}
		demo, engine, err := k.page(name)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		if known := r.Engines[demo]; !isID.MatchString(engine) || known != "" && known != engine {
			return nil, nil, fmt.Errorf("%s: demo %q has the engine %q", name, demo, engine)
		}
		r.Engines[demo] = engine
	}
	if len(r.Engines) == 0 {
		return nil, nil, nil
	}
	if data, ok := site.Get(headers.EmbedScript); ok {
		k.files.Put(headers.EmbedScript, data)
	}
	if err := k.demos(slices.Sorted(maps.Keys(r.Engines))); err != nil {
		return nil, nil, err
	}
	k.assets()
	r.ID = r.id(k.files)
	return r, k.files, nil
}

// pageOf is the file of a demo's own page.
func pageOf(demo, language string, languages []string) string {
	if language == languages[0] {
		return path.Join(headers.Embed, demo, "index.html")
	}
	return path.Join(headers.Embed, language, demo, "index.html")
}

// keeper takes a release out of a site.
type keeper struct {
	site   *output.Tree
	prefix string
	files  *output.Tree
}

// page takes a demo's own page. Its addresses become relative, so that the release works below any; those of the book's other pages lead to the
// later site. It says that it is of a release; of which one and of when, its address and the later site's index tell.
func (k *keeper) page(name string) (demo, engine string, err error) {
	data, _ := k.site.Get(name)
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return "", "", err
	}
	up := strings.Repeat("../", strings.Count(name, "/"))
	var gone []*html.Node
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if useless(n) {
			gone = append(gone, n)
		}
		if n.Data == "html" { // a release is in nobody's list of pages to keep
			n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "data-worker" || a.Key == "data-base" })
		}
		if n.Data == "kubewalk-demo" {
			demo, engine = dom.Attribute(n, "data-demo"), dom.Attribute(n, "data-engine")
			n.Attr = append(n.Attr, html.Attribute{Key: "data-release"})
		}
		for i, a := range n.Attr {
			switch rest, ok := strings.CutPrefix(a.Val, k.prefix+"/"); {
			case ok && n.Data == "a" && a.Key == "href":
				n.Attr[i].Val = up + "../../" + rest
			case ok && k.isAddress(a.Key, rest):
				n.Attr[i].Val = up + rest
			}
		}
	}
	if demo == "" {
		return "", "", fmt.Errorf("page has no demo")
	}
	for _, n := range gone {
		n.Parent.RemoveChild(n)
	}
	var out bytes.Buffer
	if err := html.Render(&out, root); err != nil {
		return "", "", err
	}
	k.files.Put(name, out.Bytes())
	return demo, engine, nil
}

// isAddress tells addresses from titles: of a file of the site, or of a folder that a release has.
func (k *keeper) isAddress(key, rest string) bool {
	name, _, _ := strings.Cut(rest, "?")
	top, _, inFolder := strings.Cut(name, "/")
	known := k.site.Has(name) || inFolder && strings.HasSuffix(name, "/") && slices.Contains(folders, top)
	return known && (key == "href" || key == "src" || strings.HasPrefix(key, "data-"))
}

// useless is what a page has for search engines, messengers and readers without script.
func useless(n *html.Node) bool {
	switch n.Data {
	case "img":
		return true
	case "meta":
		return dom.Has(n, "property") || strings.HasPrefix(dom.Attribute(n, "name"), "twitter:")
	case "link":
		return !slices.Contains([]string{"stylesheet", "icon"}, dom.Attribute(n, "rel"))
	}
	return false
}

// demos takes what their players fetch, and the code that they name.
func (k *keeper) demos(names []string) error {
	sources := map[string]bool{}
	for _, name := range k.site.Paths() {
		top, rest, _ := strings.Cut(name, "/")
		demo, _, _ := strings.Cut(rest, "/")
		if top != headers.Demos || path.Ext(name) == ".svg" || !slices.Contains(names, demo) {
			continue
		}
		data, _ := k.site.Get(name)
		k.files.Put(name, data)
		text := data
		if path.Ext(name) == compressed.Ext {
			var err error
			if text, err = compressed.Gunzip(data); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		for _, file := range source.Named(text) {
			sources[file] = true
		}
	}
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		if data, ok := k.site.Get(file); ok {
			k.files.Put(file, data)
		}
	}
	return nil
}

// assets takes those whose names occur in what was taken. Their names have a hash, so nothing else is called so.
func (k *keeper) assets() {
	left := map[string]string{}
	for _, name := range k.site.Paths() {
		if strings.HasPrefix(name, headers.Assets+"/") {
			left[name] = path.Base(name)
		}
	}
	waiting := k.files.Paths()
	for len(waiting) > 0 {
		name := waiting[0]
		waiting = waiting[1:]
		if !slices.Contains([]string{".html", ".js", ".css"}, path.Ext(name)) {
			continue
		}
		data, _ := k.files.Get(name)
		for _, asset := range slices.Sorted(maps.Keys(left)) {
			if bytes.Contains(data, []byte(left[asset])) {
				found, _ := k.site.Get(asset)
				k.files.Put(asset, found)
				delete(left, asset)
				waiting = append(waiting, asset)
			}
		}
	}
}

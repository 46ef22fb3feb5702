// Package singlefile turns a demo's own page into one file that holds everything: style, scripts, the recording,
// the pictures and the control plane. It opens anywhere: from a disk, as an attachment, in a hall without a network.
//
// A page that is a file may load nothing and has no origin. So the modules become one, the style sheets stand
// in the page, pictures are data addresses, and a few lines (fetch.js) answer what the player fetches. Its worker is
// made of text, as in a sandbox (site/widgets/runs/engine.ts). The page's policy allows nothing but that.
package singlefile

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"golang.org/x/net/html"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/source"
	"kubewalk/generator/dom"
	"kubewalk/generator/render/standalone"
)

//go:embed fetch.js
var fetchScript string

// Page makes one file of a page in a finished site whose addresses begin with prefix. base is the address at which
// the site is, for links that lead there; without it these are plain text.
func Page(site *output.Tree, name, prefix, base string) ([]byte, error) {
	data, ok := site.Get(name)
	if !ok {
		return nil, fmt.Errorf("the site has no page %s", name)
	}
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &file{site: site, prefix: prefix, base: strings.TrimSuffix(base, "/"), files: map[string]string{}}
	if err := f.take(root); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var out bytes.Buffer
	err = html.Render(&out, root)
	return out.Bytes(), err
}

// file is a page that takes in what it needs.
type file struct {
	site         *output.Tree
	prefix, base string
	files        map[string]string // by the end of the address: base64
	hashes       []string          // of scripts
	sheets       []string          // of style sheets
	fonts        bool              // style sheets have some in them
}

// get is what the site has at an address that a page names, without its query.
func (f *file) get(address string) (name string, data []byte, ok bool) {
	address, _, _ = strings.Cut(address, "?")
	name, ok = strings.CutPrefix(address, f.prefix+"/")
	if !ok {
		return "", nil, false
	}
	data, ok = f.site.Get(name)
	return name, data, ok
}

// hold puts a file of the site into the page.
func (f *file) hold(name string, data []byte) {
	f.files[f.prefix+"/"+name] = base64.StdEncoding.EncodeToString(data)
}

func (f *file) take(root *html.Node) error {
	var head, body, demo *html.Node
	var gone []*html.Node
	modules := []string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "head":
			head = n
		case "body":
			body = n
		case "kubewalk-demo":
			demo = n
		case "script":
			src := dom.Attribute(n, "src")
			name, data, ok := f.get(src)
			if !ok {
				gone = append(gone, n)
				continue
			}
			if dom.Attribute(n, "type") == "module" {
				modules = append(modules, name)
				gone = append(gone, n)
				continue
			}
			f.script(n, string(data))
		case "link":
			_, data, ok := f.get(dom.Attribute(n, "href"))
			switch rel := dom.Attribute(n, "rel"); {
			case rel == "stylesheet" && ok:
				f.style(n, string(data))
			case rel == "icon" && ok:
				set(n, "href", dataAddress(dom.Attribute(n, "href"), data))
			default:
				gone = append(gone, n)
			}
		case "meta":
			if dom.Attribute(n, "http-equiv") != "" || dom.Has(n, "charset") { // both stand at the beginning
				gone = append(gone, n)
			}
		case "img":
			address, part, _ := strings.Cut(dom.Attribute(n, "src"), "#")
			if _, data, ok := f.get(address); ok {
				set(n, "src", dataAddress(address, standalone.Only(data, part)))
			}
		case "a":
			f.link(n)
		}
	}
	if demo == nil {
		return fmt.Errorf("it holds no demo")
	}
	for _, n := range gone {
		n.Parent.RemoveChild(n)
	}
	if err := f.demo(demo); err != nil {
		return err
	}
	for _, name := range modules {
		code, err := f.bundle(name)
		if err != nil {
			return err
		}
		script := &html.Node{Type: html.ElementNode, Data: "script"}
		f.script(script, code)
		script.Attr = []html.Attribute{{Key: "type", Val: "module"}} // some parts wait for others before they go on
		body.AppendChild(script)
	}
	list, err := json.Marshal(f.files)
	if err != nil {
		return err
	}
	files := &html.Node{Type: html.ElementNode, Data: "script", Attr: []html.Attribute{{Key: "type", Val: "application/json"}, {Key: "id", Val: "kubewalk-files"}}}
	files.AppendChild(&html.Node{Type: html.TextNode, Data: string(list)}) // base64 and addresses: no tag can be in it
	body.AppendChild(files)
	fetch := &html.Node{Type: html.ElementNode, Data: "script"}
	f.script(fetch, fetchScript)
	head.InsertBefore(fetch, head.FirstChild)
	policy := &html.Node{Type: html.ElementNode, Data: "meta", Attr: []html.Attribute{
		{Key: "http-equiv", Val: "Content-Security-Policy"}, {Key: "content", Val: f.policy()}}}
	head.InsertBefore(policy, head.FirstChild)
	charset := &html.Node{Type: html.ElementNode, Data: "meta", Attr: []html.Attribute{{Key: "charset", Val: "utf-8"}}} // within the first kilobyte
	head.InsertBefore(charset, head.FirstChild)
	return nil
}

// policy lets the page run what is in it, and reach nothing.
func (f *file) policy() string {
	return strings.Join(append([]string{
		"default-src 'none'",
		"script-src 'wasm-unsafe-eval' blob: " + strings.Join(f.hashes, " "),
		"style-src " + strings.Join(f.sheets, " "),
		"img-src data:" + map[bool]string{true: "; font-src data:"}[f.fonts],
		"connect-src blob:",
		"worker-src blob:",
		"base-uri 'none'",
		"form-action 'none'",
	}, headers.TrustedTypes(headers.WorkerScripts)...), "; ")
}

// demo takes in what the element names and its player fetches.
func (f *file) demo(n *html.Node) error {
	for _, key := range []string{"data-phrases", "data-worker", "data-wasm"} {
		name, data, ok := f.get(dom.Attribute(n, key))
		if !ok {
			return fmt.Errorf("the site has nothing at %s=%q", key, dom.Attribute(n, key))
		}
		f.hold(name, data)
	}
	folder, ok := strings.CutPrefix(dom.Attribute(n, "data-src"), f.prefix+"/")
	if !ok {
		return fmt.Errorf("data-src=%q is not of the site", dom.Attribute(n, "data-src"))
	}
	sources := map[string]bool{}
	for _, name := range f.site.Paths() {
		if !strings.HasPrefix(name, folder) || path.Ext(name) == ".svg" { // stills are in the page
			continue
		}
		data, _ := f.site.Get(name)
		f.hold(name, data)
		plain := data
		if path.Ext(name) == ".gz" {
			var err error
			if plain, err = compressed.Gunzip(data); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		for _, file := range source.Named(plain) {
			sources[file] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) { // the code behind its arrows
		if data, ok := f.site.Get(name); ok {
			f.hold(name, data)
		}
	}
	return nil
}

// link leads to the site, where that is known.
func (f *file) link(n *html.Node) {
	href := dom.Attribute(n, "href")
	if !strings.HasPrefix(href, "/") {
		return
	}
	if f.base != "" {
		set(n, "href", f.base+strings.TrimPrefix(href, f.prefix))
		return
	}
	n.Data, n.DataAtom, n.Attr = "span", 0, nil
}

func (f *file) script(n *html.Node, code string) {
	code = closing.ReplaceAllString(code, `<\$1`)
	f.hashes = append(f.hashes, hash(code))
	fill(n, "script", code, nil)
}

func (f *file) style(n *html.Node, css string) {
	css = Addresses(css, func(address string) string {
		data, ok := f.site.Get(path.Join(headers.Assets, address)) // beside the style sheet
		if !ok || address == "" {
			return address
		}
		f.fonts = true
		return dataAddress(address, data)
	})
	f.sheets = append(f.sheets, hash(css))
	fill(n, "style", css, []html.Attribute{{Key: "data-href", Val: dom.Attribute(n, "href")}})
}

// addresses are those that a style sheet of the site names, as the build writes them.
var addresses = regexp.MustCompile(`url\((?:"([^"]*)"|'([^']*)'|([^)"']*))\)`)

// Addresses is a style sheet of the site with other addresses.
func Addresses(css string, to func(address string) string) string {
	return addresses.ReplaceAllStringFunc(css, func(whole string) string {
		m := addresses.FindStringSubmatch(whole)
		address := m[1] + m[2] + m[3]
		if other := to(address); other != address {
			return `url("` + other + `")`
		}
		return whole
	})
}

// closing is what would end a script, or begin a comment in it; in a string or an expression a backslash changes nothing.
var closing = regexp.MustCompile(`(?i)<(/script|!--)`)

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func fill(n *html.Node, name, text string, attributes []html.Attribute) {
	n.Data, n.DataAtom, n.Attr = name, 0, attributes
	n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
}

func set(n *html.Node, key, value string) {
	for i, a := range n.Attr {
		if a.Key == key {
			n.Attr[i].Val = value
		}
	}
}

func dataAddress(address string, data []byte) string {
	address, _, _ = strings.Cut(address, "?")
	kind, _, _ := strings.Cut(mime.TypeByExtension(path.Ext(address)), ";")
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// bundle makes one script of a module of the site and of all that it imports.
func (f *file) bundle(entry string) (string, error) {
	tree := api.Plugin{Name: "site", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			name := args.Path
			if args.Kind != api.ResolveEntryPoint {
				name = path.Join(path.Dir(args.Importer), args.Path)
			}
			if args.Kind == api.ResolveJSDynamicImport && (strings.HasPrefix(path.Base(name), "video-") || strings.HasPrefix(path.Base(name), "editor-")) {
				// A single file offers no videos (site/widgets/panels/share.ts) and no editor (terminal.ts).
				return api.OnResolveResult{Path: args.Path, External: true}, nil
			}
			if !f.site.Has(name) {
				return api.OnResolveResult{}, fmt.Errorf("the site has no %s", name)
			}
			return api.OnResolveResult{Path: name, Namespace: "site"}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "site"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			data, _ := f.site.Get(args.Path)
			text := string(data)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		})
	}}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{entry}, Bundle: true, Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LogLevel: api.LogLevelSilent, Plugins: []api.Plugin{tree},
	})
	if len(result.Errors) > 0 {
		return "", fmt.Errorf("%s: %s", entry, result.Errors[0].Text)
	}
	return string(result.OutputFiles[0].Contents), nil
}

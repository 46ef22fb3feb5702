// Package edition makes a whole site of a book: it loads the content, runs the
// demos, bundles the assets, writes every page into a tree and audits it.
//
// It knows the order of the steps and nothing of how one is done. What takes
// long and stays the same between builds of one process is kept in Kept.
package edition

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"kubewalk/generator/assets"
	"kubewalk/generator/audit"
	"kubewalk/generator/content"
	"kubewalk/generator/demos"
	"kubewalk/generator/headers"
	"kubewalk/generator/markdown"
	"kubewalk/generator/output"
	"kubewalk/generator/problem"
	"kubewalk/generator/source"
	"kubewalk/generator/upstream"
	"kubewalk/site/pages"
)

// Options say what to build.
type Options struct {
	Root    string // of the project
	Content string // folder of the book
	Base    string // address at which the site will be; "" when unknown
	Dev     bool   // for the development server, which may show a book that is not translated yet

	Demos   demos.Make
	Phrases func(language string) ([]byte, error) // the event log's sentences, as JSON
	Assets  func(*output.Tree, assets.Options) (*assets.Set, error)
}

// Kept is what builds of one process share. The zero value is ready to use.
type Kept struct {
	demos   demos.Cache
	sources source.Pages
}

// edition is one build under way.
type edition struct {
	options   Options
	tree      *output.Tree
	book      *content.Book
	site      *pages.Site
	documents map[string]*markdown.Document // by file below the content folder
	images    map[string]string             // address by file
	demos     map[string]*demos.Demo
	demoNames []string
	problems  problem.List
}

// Build makes the site. The error is all that is wrong, at once, as problem.Errors.
func Build(ctx context.Context, o Options, kept *Kept) (*output.Tree, error) {
	e := &edition{
		options: o, tree: output.NewTree(), documents: map[string]*markdown.Document{},
		images: map[string]string{}, demos: map[string]*demos.Demo{},
	}
	base, err := url.Parse(strings.TrimSuffix(o.Base, "/"))
	if err != nil || o.Base != "" && (base.Host == "" || base.Scheme != "http" && base.Scheme != "https") {
		return nil, problem.Problem{Message: fmt.Sprintf("base URL %q is not an address", o.Base), Cure: "as in --base-url https://example.org/book"}
	}
	e.site = &pages.Site{Base: base.String(), Prefix: base.Path, Dev: o.Dev, Kubernetes: upstream.Version}

	if e.book, err = content.Load(o.Content); err != nil {
		e.problems.AddError(err)
		if len(e.book.Site.Languages) == 0 {
			return nil, e.problems.Err()
		}
	}
	if !o.Dev {
		for _, p := range e.book.Untranslated {
			e.problems.Add(p)
		}
	}
	e.checkLanguages()
	var steps = []func(*Kept) error{e.makeAssets, e.makeDemos, e.makeSources, e.makeImages}
	for _, step := range steps {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e.problems.AddError(step(kept))
	}
	e.writePages()
	if err := e.problems.Err(); err != nil {
		return nil, err
	}
	e.writeForMachines()
	rules := headers.For(e.tree.Paths())
	e.tree.Put(output.MarkerFile, []byte(output.Marker+rules.String()))
	if err := audit.Check(e.tree, e.site.Prefix); err != nil {
		return nil, err
	}
	return e.tree, nil
}

func (e *edition) checkLanguages() {
	for _, code := range e.book.Site.Codes() {
		if _, ok := pages.WordsOf(code); !ok {
			e.problems.Add(problem.Problem{File: e.options.Content + "/site.yaml", Message: fmt.Sprintf("pages do not speak %q", code),
				Cure: "add its words in site/pages/words.go and generator/markdown/words.go; " + problem.DidYouMean(code, pages.Spoken())})
		}
	}
}

func (e *edition) makeAssets(*Kept) error {
	set, err := e.options.Assets(e.tree, assets.Options{Root: e.options.Root, Dev: e.options.Dev})
	if err != nil {
		return err
	}
	link := func(path string) string { return e.site.Link("/" + path) }
	a := pages.Assets{
		Theme: link(set.Theme), Page: link(set.Page), Worker: link(set.Worker), Wasm: link(set.Wasm),
		WasmExec: link(set.WasmExec), Icon: link(set.Icon), Phrases: map[string]string{}, Source: link(source.Folder + "/"),
	}
	for _, style := range set.Styles {
		a.Styles = append(a.Styles, link(style))
	}
	for _, code := range e.book.Site.Codes() {
		data, err := e.options.Phrases(code)
		if err != nil {
			return err
		}
		a.Phrases[code] = link(e.tree.PutHashed(headers.Assets+"/phrases-"+code+".json", data))
	}
	e.site.Assets = a
	return nil
}

func (e *edition) makeDemos(kept *Kept) error {
	made, names, err := demos.Load(e.options.Content, e.book.Site.Codes(), e.options.Demos, &kept.demos)
	e.demoNames = names
	for _, d := range made {
		e.demos[d.Name] = d
		for _, name := range d.FileNames() {
			e.tree.Put("demos/"+d.Name+"/"+name, d.Files[name])
		}
	}
	return err
}

func (e *edition) makeSources(kept *Kept) error {
	return kept.sources.Put(e.tree, e.options.Root, "playground")
}

package sitebuild

import (
	"path/filepath"
	"regexp"
	"slices"

	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/source"
	"kubewalk/generator/format/reveal"
	"kubewalk/site/pages"
)

func (b *build) makeAssets() error {
	set, err := b.bundle()
	if err != nil {
		return err
	}
	if !b.hasDemos() {
		b.tree.Remove(set.Wasm, set.Worker, set.Gone)
	}
	if set.CEL.Wasm != "" && !b.needsCEL() {
		b.tree.Remove(set.CEL.Wasm)
	}
	link := func(path string) string { return b.site.Link("/" + path) }
	a := pages.Assets{
		Theme: link(set.Theme), Frame: link(set.Frame), Offline: link(set.Offline), Search: link(set.Search), Found: link(set.Found), Tabs: link(set.Tabs),
		Blocks: link(set.Blocks), Copy: link(set.Copy), Worlds: link(set.Worlds), Player: link(set.Player), Parts: link(set.Parts), Front: link(set.Front),
		Forms: link(set.Forms), Listing: link(set.Listing), Drawing: link(set.Drawing), Meetup: link(set.Meetup), Posts: link(set.Posts),
		Walk: link(set.Walk), Meetups: link(set.Meetups),
		Links: link(set.Links), Talk: link(set.Talk), Slides: link(set.Slides), Page: link(set.Page), Worker: link(set.Worker), Wasm: link(set.Wasm), Size: set.Size,
		WasmCEL: link(set.CEL.Wasm), SizeCEL: set.CEL.Size,
		Icon: link(set.Icon), Phrases: map[string]string{}, Source: link(source.Folder + "/"),
	}
	if b.hasDemos() {
		a.Gone = link(set.Gone)
	}
	for _, style := range set.Book {
		a.Book = append(a.Book, link(style))
	}
	for _, style := range set.Styles {
		a.Styles = append(a.Styles, link(style))
	}
	for _, style := range set.Away {
		a.Away = append(a.Away, link(style))
	}
	b.stillStyle, b.keeper, b.wasmHash = set.Still, set.Keeper, set.Hash
	if b.hasDemos() && !b.options.Portable {
		b.tree.Put(headers.EmbedScript, set.Embed)
	}
	if len(b.book.Talks) > 0 {
		a.Deck = link(b.tree.PutHashed(headers.Assets+"/reveal.js", reveal.Script))
		a.Decked = link(b.tree.PutHashed(headers.Assets+"/reveal.css", reveal.Style))
	} else {
		b.tree.Remove(set.Talk, set.Slides)
	}
	if len(b.book.Site.Links) == 0 {
		b.tree.Remove(set.Links)
	}
	for _, code := range b.book.Site.Codes() {
		data, err := b.sentences(code)
		if err != nil {
			return err
		}
		a.Phrases[code] = link(b.tree.PutHashed(headers.Assets+"/phrases-"+code+".json", data))
	}
	b.putWords(&a)
	err = b.identify(&a)
	b.site.Assets = a
	return err
}

// bundle makes the assets, which stay the same until something outside the content
// is saved.
func (b *build) bundle() (*assets.Set, error) {
	if kept := b.cache.assets; kept != nil && (kept.set.CEL.Wasm != "" || !b.needsCEL()) {
		b.tree.Add(kept.tree)
		return kept.set, nil
	}
	made := &bundled{tree: output.NewTree()}
	var err error
	if made.set, err = b.options.Assets(made.tree, assets.Options{Root: b.options.Root, Dev: b.options.Dev, Bare: b.options.Bare, CEL: b.needsCEL()}); err != nil {
		return nil, err
	}
	b.cache.assets = made
	b.tree.Add(made.tree)
	return made.set, nil
}

func (b *build) makeDemos() error {
	made, pending, names, err := demos.Load(b.options.Content, b.demoLanguages(), b.options.Demos, &b.cache.demos)
	b.demoNames, b.pending = names, pending
	for _, d := range made {
		b.demos[d.Name] = d
		for _, name := range d.FileNames() {
			b.tree.Put("demos/"+d.Name+"/"+name, d.Files[name])
		}
	}
	b.cache.forgetDemos(b.demos)
	return err
}

// hasDemos tells whether the book has some: without, nothing needs the control plane
// or its sources.
func (b *build) hasDemos() bool {
	files, _ := filepath.Glob(filepath.Join(b.options.Content, demos.Folder, "*.yaml"))
	return len(files) > 0
}

var celLine = regexp.MustCompile(`\bcel["']?\s*:\s*true\b`)

// needsCEL tells whether the book may have a demo whose cluster evaluates CEL: for those there is a control plane of its own.
func (b *build) needsCEL() bool {
	files, _ := filepath.Glob(filepath.Join(b.options.Content, demos.Folder, "*.yaml"))
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := regularfile.Read(b.options.Content, file) // what is none is told of where demos are read
		return err == nil && celLine.Match(text)
	})
}

func (b *build) makeSources() error {
	if !b.hasDemos() {
		return nil
	}
	if b.options.Sources != nil {
		return b.options.Sources(b.tree)
	}
	return b.cache.sources.Put(b.tree, b.options.Root, "playground")
}

package edition

import (
	"path/filepath"

	"kubewalk/generator/assets"
	"kubewalk/generator/demos"
	"kubewalk/generator/headers"
	"kubewalk/generator/output"
	"kubewalk/generator/source"
	"kubewalk/site/pages"
)

func (e *edition) makeAssets() error {
	set, err := e.bundle()
	if err != nil {
		return err
	}
	if !e.hasDemos() {
		e.tree.Remove(set.Wasm, set.WasmExec)
	}
	link := func(path string) string { return e.site.Link("/" + path) }
	a := pages.Assets{
		Theme: link(set.Theme), Frame: link(set.Frame), Offline: link(set.Offline), Search: link(set.Search), Found: link(set.Found), Tabs: link(set.Tabs),
		Blocks: link(set.Blocks), Copy: link(set.Copy), Worlds: link(set.Worlds), Player: link(set.Player), Parts: link(set.Parts), Front: link(set.Front),
		Forms: link(set.Forms), Listing: link(set.Listing), Drawing: link(set.Drawing), Meetup: link(set.Meetup), Meetups: link(set.Meetups),
		Page: link(set.Page), Worker: link(set.Worker), Wasm: link(set.Wasm), Size: set.Size,
		WasmExec: link(set.WasmExec), Icon: link(set.Icon), Phrases: map[string]string{}, Source: link(source.Folder + "/"),
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
	e.stillStyle, e.keeper = set.Still, set.Keeper
	for _, code := range e.book.Site.Codes() {
		data, err := e.sentences(code)
		if err != nil {
			return err
		}
		a.Phrases[code] = link(e.tree.PutHashed(headers.Assets+"/phrases-"+code+".json", data))
	}
	e.putWords(&a)
	err = e.identify(&a)
	e.site.Assets = a
	return err
}

// bundle makes the assets, which stay the same until something outside the content
// is saved.
func (e *edition) bundle() (*assets.Set, error) {
	if kept := e.kept.assets; kept != nil {
		e.tree.Add(kept.tree)
		return kept.set, nil
	}
	made := &bundled{tree: output.NewTree()}
	var err error
	if made.set, err = e.options.Assets(made.tree, assets.Options{Root: e.options.Root, Dev: e.options.Dev}); err != nil {
		return nil, err
	}
	e.kept.assets = made
	e.tree.Add(made.tree)
	return made.set, nil
}

func (e *edition) makeDemos() error {
	made, names, err := demos.Load(e.options.Content, e.demoLanguages(), e.options.Demos, &e.kept.demos)
	e.demoNames = names
	for _, d := range made {
		e.demos[d.Name] = d
		for _, name := range d.FileNames() {
			e.tree.Put("demos/"+d.Name+"/"+name, d.Files[name])
		}
	}
	e.kept.forgetDemos(e.demos)
	return err
}

// hasDemos tells whether the book has some: without, nothing needs the control plane
// or its sources.
func (e *edition) hasDemos() bool {
	files, _ := filepath.Glob(filepath.Join(e.options.Content, demos.Folder, "*.yaml"))
	return len(files) > 0
}

func (e *edition) makeSources() error {
	if !e.hasDemos() {
		return nil
	}
	if e.options.Sources != nil {
		return e.options.Sources(e.tree)
	}
	return e.kept.sources.Put(e.tree, e.options.Root, "playground")
}

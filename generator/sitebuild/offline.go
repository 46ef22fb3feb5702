package sitebuild

import (
	"encoding/json"
	"strings"

	"github.com/a-h/templ"

	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/offline"
	"kubewalk/site/pages"
)

// offer says where browsers find what they need to keep the book. The development
// server offers nothing: an author's own browser would keep what is being written. A folder is offline anyway.
func (b *build) offer() {
	if b.options.Dev || b.options.Portable || !b.book.Site.KeepsOffline() {
		return
	}
	o := &pages.Installable{Worker: b.site.Link("/" + offline.Worker), Manifests: map[string]string{}, Pages: map[string]string{}}
	for _, code := range b.book.Site.Codes() {
		o.Manifests[code] = b.site.Link("/" + code + "/" + offline.ManifestFile)
		o.Pages[code] = b.site.Link("/" + code + "/" + offline.Folder + "/")
	}
	if offline.Drawable(b.icon()) == nil {
		o.Apple = b.site.Link("/" + offline.Images + "/" + offline.Apple)
	}
	b.site.Offline = o
}

// icon is the book's, as SVG.
func (b *build) icon() []byte {
	data, _ := b.tree.Get(strings.TrimPrefix(b.site.Assets.Icon, b.site.Link("/")))
	return data
}

// offlinePages are those about reading without a connection.
func (b *build) offlinePages() []drawing {
	if b.site.Offline == nil {
		return nil
	}
	var out []drawing
	for _, language := range b.book.Site.Codes() {
		page := &pages.Offline{Page: b.bare(language), Says: pages.OfflineWordsOf(language)}
		page.Path, page.Title, page.Description = "/"+language+"/"+offline.Folder+"/", page.Says.Title, page.Says.Description
		page.NoIndex, page.Navigation = true, b.navigation[language]
		for _, l := range b.book.Site.Languages {
			page.Versions = append(page.Versions, pages.Version{Language: l.Code, Name: l.Name, Path: "/" + l.Code + "/" + offline.Folder + "/"})
		}
		out = append(out, drawing{name: fileOf(page.Path), value: page, template: func() templ.Component { return pages.OfflinePage(page) }})
	}
	return out
}

// writeApp writes what the book is installed with.
func (b *build) writeApp() error {
	o := b.site.Offline
	if o == nil {
		return nil
	}
	folder := ""
	if o.Apple != "" {
		icons, err := offline.Icons(b.icon())
		if err != nil {
			return err
		}
		for _, i := range icons {
			b.tree.Put(offline.Images+"/"+i.Name, i.PNG)
		}
		folder = b.site.Link("/" + offline.Images + "/")
	}
	for _, code := range b.book.Site.Codes() {
		app := offline.App{
			Language: code, Name: b.book.Site.Title[code], Description: b.book.Site.Description[code],
			Start: b.site.Link("/" + code + "/"), Scope: b.site.Link("/"),
			SVG: b.site.Assets.Icon, Folder: folder, Background: pages.Surface,
		}
		b.tree.Put(code+"/"+offline.ManifestFile, app.Manifest())
	}
	return nil
}

// writeSpeculation says what a browser may fetch ahead: pages of the site, once a
// reader is about to open them.
func (b *build) writeSpeculation() error {
	if b.options.Dev || b.options.Portable {
		return nil // a page that is being written is not to be shown as it was
	}
	rules, err := json.Marshal(map[string]any{"prefetch": []any{map[string]any{
		"where":     map[string]any{"href_matches": b.site.Link("/*/")},
		"eagerness": "moderate",
	}}})
	if err == nil {
		b.tree.PutHashed(headers.Speculation, rules)
	}
	return err
}

// writeOffline writes the service worker, which has to know all files.
func (b *build) writeOffline() error {
	if b.site.Offline == nil {
		return nil
	}
	site := offline.Site{Prefix: b.site.Prefix, Languages: b.book.Site.Codes(), Script: b.keeper, Versions: map[string]string{}}
	for name, d := range b.demos {
		site.Versions[name] = b.version(d)
	}
	return offline.Put(b.tree, site)
}

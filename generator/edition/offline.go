package edition

import (
	"encoding/json"
	"strings"

	"github.com/a-h/templ"

	"kubewalk/generator/headers"
	"kubewalk/generator/offline"
	"kubewalk/site/pages"
)

// offer says where browsers find what they need to keep the book. The development
// server offers nothing: an author's own browser would keep what is being written. A folder is offline anyway.
func (e *edition) offer() {
	if e.options.Dev || e.options.Portable || !e.book.Site.KeepsOffline() {
		return
	}
	o := &pages.Installable{Worker: e.site.Link("/" + offline.Worker), Manifests: map[string]string{}, Pages: map[string]string{}}
	for _, code := range e.book.Site.Codes() {
		o.Manifests[code] = e.site.Link("/" + code + "/" + offline.ManifestFile)
		o.Pages[code] = e.site.Link("/" + code + "/" + offline.Folder + "/")
	}
	if offline.Drawable(e.icon()) == nil {
		o.Apple = e.site.Link("/" + offline.Images + "/" + offline.Apple)
	}
	e.site.Offline = o
}

// icon is the book's, as SVG.
func (e *edition) icon() []byte {
	data, _ := e.tree.Get(strings.TrimPrefix(e.site.Assets.Icon, e.site.Link("/")))
	return data
}

// offlinePages are those about reading without a connection.
func (e *edition) offlinePages() []drawing {
	if e.site.Offline == nil {
		return nil
	}
	var out []drawing
	for _, language := range e.book.Site.Codes() {
		page := &pages.Offline{Page: e.bare(language), Says: pages.OfflineWordsOf(language)}
		page.Path, page.Title, page.Description = "/"+language+"/"+offline.Folder+"/", page.Says.Title, page.Says.Description
		page.NoIndex, page.Navigation = true, e.navigation[language]
		for _, l := range e.book.Site.Languages {
			page.Versions = append(page.Versions, pages.Version{Language: l.Code, Name: l.Name, Path: "/" + l.Code + "/" + offline.Folder + "/"})
		}
		out = append(out, drawing{name: fileOf(page.Path), value: page, template: func() templ.Component { return pages.OfflinePage(page) }})
	}
	return out
}

// writeApp writes what the book is installed with.
func (e *edition) writeApp() error {
	o := e.site.Offline
	if o == nil {
		return nil
	}
	folder := ""
	if o.Apple != "" {
		icons, err := offline.Icons(e.icon())
		if err != nil {
			return err
		}
		for _, i := range icons {
			e.tree.Put(offline.Images+"/"+i.Name, i.PNG)
		}
		folder = e.site.Link("/" + offline.Images + "/")
	}
	for _, code := range e.book.Site.Codes() {
		app := offline.App{
			Language: code, Name: e.book.Site.Title[code], Description: e.book.Site.Description[code],
			Start: e.site.Link("/" + code + "/"), Scope: e.site.Link("/"),
			SVG: e.site.Assets.Icon, Folder: folder, Background: pages.Surface,
		}
		e.tree.Put(code+"/"+offline.ManifestFile, app.Manifest())
	}
	return nil
}

// writeSpeculation says what a browser may fetch ahead: pages of the site, once a
// reader is about to open them.
func (e *edition) writeSpeculation() error {
	if e.options.Dev || e.options.Portable {
		return nil // a page that is being written is not to be shown as it was
	}
	rules, err := json.Marshal(map[string]any{"prefetch": []any{map[string]any{
		"where":     map[string]any{"href_matches": e.site.Link("/*/")},
		"eagerness": "moderate",
	}}})
	if err == nil {
		e.tree.PutHashed(headers.Speculation, rules)
	}
	return err
}

// writeOffline writes the service worker, which has to know all files.
func (e *edition) writeOffline() error {
	if e.site.Offline == nil {
		return nil
	}
	site := offline.Site{Prefix: e.site.Prefix, Languages: e.book.Site.Codes(), Script: e.keeper, Versions: map[string]string{}}
	for name, d := range e.demos {
		site.Versions[name] = e.version(d)
	}
	return offline.Put(e.tree, site)
}

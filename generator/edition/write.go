package edition

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"

	"github.com/a-h/templ"

	"kubewalk/generator/content"
	"kubewalk/generator/headers"
	"kubewalk/generator/markdown"
	"kubewalk/site/pages"
)

func (e *edition) html(c templ.Component) string {
	var out bytes.Buffer
	if err := c.Render(context.Background(), &out); err != nil {
		panic(fmt.Sprintf("edition: component: %v", err)) // a buffer takes everything
	}
	return out.String()
}

// put writes a page at a path that ends in a slash.
func (e *edition) put(path string, c templ.Component) {
	e.tree.Put((path + "index.html")[1:], []byte(e.html(c)+"\n"))
}

func (e *edition) writePages() {
	for _, c := range e.book.Pages() {
		d := markdown.Parse(c)
		e.documents[d.File()] = d
	}
	html := map[*content.Chapter]string{}
	for _, c := range e.book.Pages() {
		text, err := e.document(c).Render(e)
		e.problems.AddError(err)
		html[c] = text
	}
	e.compareExercises()
	if e.problems.Len() > 0 {
		return
	}
	var homes []*pages.Home
	for _, language := range e.book.Site.Codes() {
		home := &pages.Home{Page: e.page(e.book.Homes[language]), HTML: html[e.book.Homes[language]]}
		homes = append(homes, home)
		chapters := e.book.In(language)
		for _, c := range chapters {
			home.Exercises = append(home.Exercises, e.exercisesOf(c)...)
		}
		home.Scripts = home.Scripts || len(home.Exercises) > 0
		e.put(home.Path, pages.HomePage(home))
		for i, c := range chapters {
			page := &pages.Chapter{Page: e.page(c), Part: e.partTitle(c), HTML: html[c], Exercises: e.exercisesOf(c)}
			if i > 0 {
				page.Previous = entry(chapters[i-1])
			}
			if i+1 < len(chapters) {
				page.Next = entry(chapters[i+1])
			}
			e.put(page.Path, pages.ChapterPage(page))
		}
		e.writeEmbeds(language)
	}
	e.writeFront(homes)
}

func (e *edition) document(c *content.Chapter) *markdown.Document {
	for _, d := range e.documents {
		if d.Chapter == c {
			return d
		}
	}
	panic("edition: chapter " + c.File + " was not parsed")
}

// page is what a chapter's page has in common with others.
func (e *edition) page(c *content.Chapter) pages.Page {
	p := e.bare(c.Language)
	p.Path, p.Title, p.Description = c.Path(), c.Title, c.Description
	for _, l := range e.book.Site.Languages {
		if other := e.book.Find(l.Code, c.Key()); other != nil {
			p.Versions = append(p.Versions, pages.Version{Language: l.Code, Name: l.Name, Path: other.Path()})
		}
	}
	for _, part := range e.book.Site.Parts {
		shown := pages.Part{Title: part.Title[c.Language]}
		for _, other := range e.book.In(c.Language) {
			if other.Part == part.Name {
				entry := entry(other)
				entry.Exercises = e.exercisesOf(other)
				shown.Chapters = append(shown.Chapters, *entry)
			}
		}
		if len(shown.Chapters) > 0 {
			p.Parts = append(p.Parts, shown)
		}
	}
	d := e.document(c)
	p.Scripts = len(d.Demos) > 0
	for _, h := range d.Headings {
		p.Headings = append(p.Headings, pages.Heading(h))
	}
	return p
}

// bare is a page in a language that is no chapter.
func (e *edition) bare(language string) pages.Page {
	words, _ := pages.WordsOf(language)
	return pages.Page{Site: e.site, Words: words, Language: language, BookTitle: e.book.Site.Title[language]}
}

func (e *edition) partTitle(c *content.Chapter) string {
	for _, p := range e.book.Site.Parts {
		if p.Name == c.Part {
			return p.Title[c.Language]
		}
	}
	return ""
}

func entry(c *content.Chapter) *pages.Entry {
	return &pages.Entry{Title: c.Title, Description: c.Description, Path: c.Path()}
}

// writeEmbeds writes each demo alone. They are for other pages to frame, so search
// engines are led to the chapters instead.
func (e *edition) writeEmbeds(language string) {
	for _, name := range e.demoNames {
		demo := e.demoView(e.demos[name], language)
		demo.Alone = true
		page := &pages.Embed{Page: e.bare(language), Demo: demo}
		page.Path, page.Title, page.Description = demo.Embed, demo.Title, e.book.Site.Description[language]
		page.Scripts, page.NoIndex = true, true
		for _, c := range e.book.In(language) {
			for _, shown := range e.document(c).Demos {
				if shown == name && page.Chapter == nil {
					page.Chapter = entry(c)
				}
			}
		}
		e.put(page.Path, pages.EmbedPage(page))
	}
}

// writeFront writes the pages that belong to no language.
func (e *edition) writeFront(homes []*pages.Home) {
	first := homes[0].Language
	root := e.bare(first)
	root.Path, root.Title, root.Description = "/", root.BookTitle, e.book.Site.Description[first]
	root.Versions = homes[0].Versions
	e.put("/", pages.LandingPage(&root, homes))

	missing := e.bare(first)
	missing.Path, missing.Title, missing.Description = "/404.html", missing.Words.NotFound, e.book.Site.Description[first]
	missing.NoIndex, missing.Policy = true, headers.MetaPolicy
	e.tree.Put("404.html", []byte(e.html(pages.NotFoundPage(&missing, homes))+"\n"))
}

// writeForMachines writes what search engines read. A sitemap holds whole
// addresses, so there is none while the base is unknown.
func (e *edition) writeForMachines() {
	robots := "User-agent: *\nAllow: /\n"
	if e.site.Base != "" {
		robots += "Sitemap: " + e.site.Absolute("/sitemap.xml") + "\n"
		e.tree.Put("sitemap.xml", e.sitemap())
	}
	e.tree.Put("robots.txt", []byte(robots))
}

func (e *edition) sitemap() []byte {
	var out bytes.Buffer
	escape := func(s string) string {
		var b bytes.Buffer
		_ = xml.EscapeText(&b, []byte(s))
		return b.String()
	}
	out.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n")
	for _, c := range e.book.Pages() {
		fmt.Fprintf(&out, "<url><loc>%s</loc>", escape(e.site.Absolute(c.Path())))
		for _, code := range e.book.Site.Codes() {
			if other := e.book.Find(code, c.Key()); other != nil {
				fmt.Fprintf(&out, `<xhtml:link rel="alternate" hreflang="%s" href="%s"/>`, code, escape(e.site.Absolute(other.Path())))
			}
		}
		out.WriteString("</url>\n")
	}
	out.WriteString("</urlset>\n")
	return out.Bytes()
}

package edition

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"kubewalk/generator/content"
	"kubewalk/generator/headers"
	"kubewalk/generator/plain"
	"kubewalk/playground/demo/scene"
	"kubewalk/site/pages"
)

// bare is a page in a language that is no chapter.
func (e *edition) bare(language string) pages.Page {
	words := e.wordsOf(language)
	return pages.Page{Site: e.site, Words: words, Language: language, BookTitle: e.book.Site.Title[language], Feeds: e.feedsOf(language),
		Book: e.bookLink(language)}
}

// common is what a chapter's page has in common with a home page.
func (e *edition) common(c *content.Chapter) pages.Page {
	p := e.bare(c.Language)
	p.Path, p.Title, p.Description = c.Path(), c.Title, c.Description
	p.Plain = c.Path() + plain.File
	p.Card = e.cardOf(c)
	p.Notices, p.TextLanguage = e.notices(c), c.TextLanguage()
	for _, l := range e.book.Site.Languages {
		if other := e.book.Find(l.Code, c.Key()); other != nil {
			p.Versions = append(p.Versions, pages.Version{Language: l.Code, Name: l.Name, Path: other.Path(), Untranslated: other.Original != nil})
		}
	}
	p.Navigation = e.navigation[c.Language]
	d := e.page(c).Document
	p.Tabs, p.Blocks, p.Worlds, p.Forms, p.Terms = d.Tabs, d.Details, d.Worlds, e.page(c).forms, e.terms(c.Language, d.Terms)
	if g := e.book.Glossaries[c.Language]; g != nil {
		p.Glossary = entry(g)
	}
	p.Scripts, p.Listings, p.Drawings = len(d.Demos) > 0 || d.Worlds, d.Listings, d.Drawings
	if own := e.page(c); own.meetup != nil || own.years != nil {
		p.Meetups, p.Calendar = true, calendarPath(c)
		for _, y := range own.years {
			p.ToCome = p.ToCome || slices.ContainsFunc(y.Meetups, func(m pages.Meetup) bool { return m.When.MayCome() })
		}
		if own.meetup != nil {
			p.ToCome = own.meetup.When.MayCome()
			event := e.event(own)
			if p.Card != nil {
				event.Image = p.Card.URL
			}
			p.Event = event.JSON()
			p.Headings = append(p.Headings, pages.Heading{Level: 2, ID: pages.ProgrammeAnchor, Text: p.Words.Programme})
		}
	}
	for _, h := range d.Headings {
		p.Headings = append(p.Headings, pages.Heading(h))
	}
	return p
}

func (e *edition) home(language string) *pages.Home {
	c := e.book.Homes[language]
	home := &pages.Home{Page: e.common(c), HTML: e.page(c).Text}
	for _, c := range e.book.In(language) {
		home.Exercises = append(home.Exercises, e.page(c).exercises...)
	}
	home.Scripts = home.Scripts || len(home.Exercises) > 0
	return home
}

// chapter is the page of one of a language's chapters.
func (e *edition) chapter(chapters []*content.Chapter, i int) *pages.Chapter {
	c := chapters[i]
	p := e.page(c)
	page := &pages.Chapter{Page: e.common(c), Part: e.part(c), HTML: p.Text, Exercises: p.exercises}
	e.around(page, c)
	if i > 0 {
		page.Previous = entry(chapters[i-1])
	}
	if i+1 < len(chapters) {
		page.Next = entry(chapters[i+1])
	}
	return page
}

// embeds are each demo alone. They are for other pages to frame, so search
// engines are led to the chapters instead.
func (e *edition) embeds(language string) []*pages.Embed {
	shownBy := map[string]*content.Chapter{} // the first chapter that does
	for _, c := range slices.Backward(e.book.In(language)) {
		for _, name := range e.page(c).Document.Demos {
			shownBy[name] = c
		}
	}
	var out []*pages.Embed
	for _, name := range e.demoNames {
		demo := e.demoView(e.demos[name], language)
		demo.Alone = true
		page := &pages.Embed{Page: e.bare(language), Demo: demo}
		page.Path, page.Title, page.Description = demo.Embed, demo.Title, e.book.Site.Description[language]
		page.Scripts, page.Player, page.NoIndex = true, true, true
		if made := e.demos[name]; made != nil {
			page.Card = e.card(page.BookTitle, "", demo.Title, "", telling(made, language, scene.Wide), true)
		}
		if c := shownBy[name]; c != nil {
			page.Chapter = entry(c)
		}
		out = append(out, page)
	}
	return out
}

// front are the pages that belong to no language.
func (e *edition) front(homes []*pages.Home) []drawing {
	first := homes[0].Language
	root := e.bare(first)
	root.Path, root.Title, root.Description = "/", root.BookTitle, e.book.Site.Description[first]
	root.Versions = homes[0].Versions

	missing := e.bare(first)
	missing.Path, missing.Title, missing.Description = "/404.html", missing.Words.NotFound, e.book.Site.Description[first]
	missing.NoIndex, missing.Policy = true, headers.MetaPolicy

	type value struct {
		page  *pages.Page
		homes []*pages.Home
	}
	return []drawing{
		{name: "index.html", value: value{&root, homes}, template: func() templ.Component { return pages.LandingPage(&root, homes) }},
		{name: "404.html", value: value{&missing, homes}, template: func() templ.Component { return pages.NotFoundPage(&missing, homes) }},
	}
}

// forms are what of a text's HTML site/styles/forms.css is for.
var forms = []string{`class="tabs`, `class="steps`, `class="details`, `class="cards`, `class="figure`, `class="task`, "<dl"}

func hasForms(text string) bool {
	return slices.ContainsFunc(forms, func(mark string) bool { return strings.Contains(text, mark) })
}

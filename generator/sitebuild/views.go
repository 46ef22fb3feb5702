package sitebuild

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"kubewalk/generator/book/content"
	"kubewalk/generator/format/plain"
	"kubewalk/generator/render/markdown"
	"kubewalk/playground/demo/scene"
	"kubewalk/site/pages"
)

// bare is a page in a language that is no chapter.
func (b *build) bare(language string) pages.Page {
	words := b.wordsOf(language)
	return pages.Page{Site: b.site, Words: words, Language: language, BookTitle: b.book.Site.Title[language], Feeds: b.feedsOf(language),
		Book: b.bookLink(language)}
}

// common is what a chapter's page has in common with a home page.
func (b *build) common(c *content.Chapter) pages.Page {
	p := b.bare(c.Language)
	p.Path, p.Title, p.Description = c.Path(), c.Title, c.Description
	p.Plain = c.Path() + plain.File
	p.Card = b.cardOf(c)
	p.Notices, p.TextLanguage = b.notices(c), c.TextLanguage()
	for _, l := range b.book.Site.Languages {
		if other := b.book.Find(l.Code, c.Key()); other != nil {
			p.Versions = append(p.Versions, pages.Version{Language: l.Code, Name: l.Name, Path: other.Path(), Untranslated: other.Original != nil})
		}
	}
	p.Navigation = b.navigation[c.Language]
	d := b.page(c).Document
	p.Tabs, p.Blocks, p.Worlds, p.Forms, p.Terms = d.Tabs, d.Details, d.Worlds, b.page(c).forms, b.terms(c.Language, d.Terms)
	if g := b.book.Glossaries[c.Language]; g != nil {
		p.Glossary = entry(g)
	}
	p.Scripts, p.Listings, p.Drawings = len(d.Demos) > 0 || d.Worlds, d.Listings, d.Drawings
	p.Walk, p.Near = slices.ContainsFunc(d.Demos, b.Beside), d.Opening != "" && b.Beside(d.Opening)
	if own := b.page(c); own.post != nil || b.book.HasPosts(c.Lists) {
		p.Posts, p.Schema = true, b.posting(own, p.Card)
	} else if own.meetup != nil || own.years != nil {
		p.Meetups, p.Calendar = true, calendarPath(c)
		for _, y := range own.years {
			p.ToCome = p.ToCome || slices.ContainsFunc(y.Meetups, func(m pages.Meetup) bool { return m.When.MayCome() })
		}
		if own.meetup != nil {
			p.ToCome = own.meetup.When.MayCome()
			event := b.event(own)
			if p.Card != nil {
				event.Image = p.Card.URL
			}
			p.Schema = event.JSON()
			p.Headings = append(p.Headings, pages.Heading{Level: 2, ID: pages.ProgrammeAnchor, Text: p.Words.Programme})
		}
	}
	for _, h := range d.Headings {
		p.Headings = append(p.Headings, pages.Heading(h))
	}
	return p
}

func (b *build) home(language string) *pages.Home {
	c := b.book.Homes[language]
	home := &pages.Home{Page: b.common(c), HTML: b.page(c).Text, Embeds: strings.TrimSuffix(b.embedPath("", language), "/")}
	for _, c := range b.book.In(language) {
		home.Exercises = append(home.Exercises, b.page(c).exercises...)
	}
	home.Scripts = home.Scripts || len(home.Exercises) > 0
	return home
}

// chapter is the page of one of a language's chapters.
func (b *build) chapter(chapters []*content.Chapter, i int) *pages.Chapter {
	c := chapters[i]
	p := b.page(c)
	page := &pages.Chapter{Page: b.common(c), Part: b.part(c), HTML: p.Text, Exercises: p.exercises}
	b.around(page, c)
	page.Comments = true
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
func (b *build) embeds(language string) []*pages.Embed {
	shownBy := map[string]*content.Chapter{} // the first chapter that does
	for _, c := range slices.Backward(slices.Concat(b.book.In(language), b.postsIn(language))) {
		for _, name := range b.page(c).Document.Demos {
			shownBy[name] = c
		}
	}
	var out []*pages.Embed
	for _, name := range b.demoNames {
		if slices.Contains(b.pending, name) {
			page := &pages.Embed{Page: b.bare(language), Pending: markdown.DemoAnchor(name)}
			page.Path, page.Title, page.Description = b.embedPath(name, language), name, b.book.Site.Description[language]
			page.NoIndex = true
			out = append(out, page)
			continue
		}
		demo := b.demoView(b.demos[name], language)
		demo.Alone = true
		page := &pages.Embed{Page: b.bare(language), Demo: demo}
		page.Path, page.Title, page.Description = demo.Embed, demo.Title, b.book.Site.Description[language]
		page.Scripts, page.Player, page.NoIndex = true, true, true
		if made := b.demos[name]; made != nil {
			page.Card = b.card(page.BookTitle, "", demo.Title, "", telling(made, language, scene.Wide), true)
		}
		if c := shownBy[name]; c != nil {
			page.Chapter = entry(c)
		}
		b.putOEmbed(page)
		out = append(out, page)
	}
	return out
}

// front are the pages that belong to no language.
func (b *build) front(homes []*pages.Home) []drawing {
	first := homes[0].Language
	root := b.bare(first)
	root.Path, root.Title, root.Description = "/", root.BookTitle, b.book.Site.Description[first]
	root.Versions = homes[0].Versions

	missing := b.bare(first)
	missing.Path, missing.Title, missing.Description = "/404.html", missing.Words.NotFound, b.book.Site.Description[first]
	missing.NoIndex, missing.Policy = true, b.allowed().Policy()

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

package edition

import (
	"fmt"
	"time"

	"kubewalk/generator/content"
	"kubewalk/generator/volume"
	"kubewalk/site/pages"
)

// bookPath is where the whole book is on one page.
func bookPath(language string) string { return "/" + language + "/book/" }

// mostChapters is how many a book may have to be one page. A browser takes about
// a minute for a page of this length; nobody prints a longer one.
const mostChapters = 500

// bound tells whether a language's book is there as one page.
func (e *edition) bound(language string) bool {
	n := len(e.book.In(language))
	return n > 0 && n <= mostChapters
}

// bookLink is the path of that page; "" when there is none.
func (e *edition) bookLink(language string) string {
	if !e.bound(language) {
		return ""
	}
	return bookPath(language)
}

// bookOf is the page that holds the whole book: its chapters, bound together.
func (e *edition) bookOf(language string) *pages.Book {
	home := e.book.Homes[language]
	chapters := e.book.In(language)
	paths := []string{home.Path()}
	for _, c := range chapters {
		paths = append(paths, c.Path())
	}
	for _, part := range e.book.Site.Parts {
		if list := e.book.ListOf(language, part.Name); list != nil {
			paths = append(paths, list.Path())
		}
	}
	glossary := e.book.Glossaries[language]
	if glossary != nil {
		paths = append(paths, glossary.Path())
	}
	bound := volume.OnePage(e.site.Base, e.site.Prefix, paths)
	bind := func(path, text string, lower int) string {
		root := bound.Bind(volume.Chapter{Path: path, HTML: text})
		volume.Still(root)
		volume.Lower(root, lower)
		return volume.String(root)
	}
	b := &pages.Book{Page: e.bare(language), Address: e.site.Absolute(home.Path())}
	b.Path, b.Title, b.Description, b.NoIndex = bookPath(language), b.Words.Print, e.book.Site.Description[language], true
	b.Tabs, b.Blocks = false, false
	for _, c := range chapters {
		b.Listings = b.Listings || e.page(c).Document.Listings
		b.Drawings = b.Drawings || e.page(c).Document.Drawings
	}
	b.Edition = fmt.Sprintf("Kubernetes %s", e.site.Kubernetes)
	if at := e.lastChange(language); !at.IsZero() {
		b.Edition = at.Format(b.Words.Date) + " · " + b.Edition
	}
	b.Opening = bind(home.Path(), e.page(home).Text, 1)
	for _, part := range e.book.Site.Parts {
		shown := pages.BookPart{Anchor: "part." + part.Name, Title: part.Title[language]}
		for _, c := range e.bookPart(language, part.Name) {
			if own := e.page(c); own.meetup != nil || own.years != nil {
				b.Meetups = true
				b.ToCome = b.ToCome || own.meetup != nil && own.meetup.When.MayCome()
			}
			shown.Chapters = append(shown.Chapters, pages.BookChapter{
				Anchor: volume.Anchor(c.Path()), Title: c.Title, Description: c.Description, HTML: bind(c.Path(), e.page(c).Text, 2),
			})
		}
		if len(shown.Chapters) > 0 {
			b.Parts = append(b.Parts, shown)
		}
	}
	if glossary != nil {
		b.Parts = append(b.Parts, pages.BookPart{Anchor: "part.appendix", Title: b.Words.Appendix, Chapters: []pages.BookChapter{{
			Anchor: volume.Anchor(glossary.Path()), Title: glossary.Title, Description: glossary.Description,
			HTML: bind(glossary.Path(), e.page(glossary).Text, 2),
		}}})
	}
	return b
}

// bookPart are the pages of a part in the bound book: its chapters, and behind them the
// list of its meetups.
func (e *edition) bookPart(language, part string) (out []*content.Chapter) {
	for _, c := range e.book.In(language) {
		if c.Part == part {
			out = append(out, c)
		}
	}
	if list := e.book.ListOf(language, part); list != nil {
		out = append(out, list)
	}
	return out
}

// lastChange is when a language's book was last changed; zero when nobody knows.
func (e *edition) lastChange(language string) (last time.Time) {
	for _, p := range e.pages {
		if at := e.changed(p.Chapter); p.Chapter.Language == language && at.After(last) {
			last = at
		}
	}
	return last
}

// writeBooks writes each language's whole book on one page.
func (e *edition) writeBooks() error {
	for _, language := range e.book.Site.Codes() {
		if e.bound(language) {
			e.putWhenAsked(fileOf(bookPath(language)), func() []byte {
				return []byte(htmlOf(pages.BookPage(e.bookOf(language))) + "\n")
			})
		}
	}
	return nil
}

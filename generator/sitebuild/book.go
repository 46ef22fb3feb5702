package sitebuild

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/generator/book/content"
	"kubewalk/generator/format/singlepage"
	"kubewalk/site/pages"
)

// bookPath is where the whole book is on one page.
func bookPath(language string) string { return "/" + language + "/book/" }

// mostChapters is how many a book may have to be one page. A browser takes about
// a minute for a page of this length; nobody prints a longer one.
const mostChapters = 500

// bound tells whether a language's book is there as one page.
func (b *build) bound(language string) bool {
	n := len(b.book.In(language))
	return n > 0 && n <= mostChapters
}

// bookLink is the path of that page; "" when there is none.
func (b *build) bookLink(language string) string {
	if !b.bound(language) {
		return ""
	}
	return bookPath(language)
}

// bookOf is the page that holds the whole book: its chapters, bound together.
func (b *build) bookOf(language string) *pages.Book {
	home := b.book.Homes[language]
	chapters := b.book.In(language)
	paths := []string{home.Path()}
	for _, c := range chapters {
		paths = append(paths, c.Path())
	}
	for _, part := range b.book.Site.AllParts() {
		if list := b.book.ListOf(language, part.Name); list != nil && !part.Posts {
			paths = append(paths, list.Path())
		}
	}
	glossary := b.book.Glossaries[language]
	if glossary != nil {
		paths = append(paths, glossary.Path())
	}
	bound := singlepage.OnePage(b.site.Base, b.site.Prefix, paths)
	bind := func(path, text string, lower int) string {
		root := bound.Bind(singlepage.Chapter{Path: path, HTML: text})
		singlepage.Still(root)
		singlepage.Lower(root, lower)
		return singlepage.String(root)
	}
	page := &pages.Book{Page: b.bare(language), Address: b.site.Absolute(home.Path())}
	page.Path, page.Title, page.Description, page.NoIndex = bookPath(language), page.Words.Print, b.book.Site.Description[language], true
	page.Tabs, page.Blocks = false, false
	for _, c := range chapters {
		page.Listings = page.Listings || b.page(c).Document.Listings
		page.Walk = page.Walk || slices.ContainsFunc(b.page(c).Document.Demos, b.Beside)
		page.Drawings = page.Drawings || b.page(c).Document.Drawings
	}
	page.Edition = fmt.Sprintf("Kubernetes %s", b.site.Kubernetes)
	if at := b.lastChange(language); !at.IsZero() {
		page.Edition = at.Format(page.Words.Date) + " · " + page.Edition
	}
	page.Opening = bind(home.Path(), b.page(home).Text, 1)
	for _, part := range b.book.Site.AllParts() {
		shown, level := pages.BookPart{Anchor: "part." + strings.ReplaceAll(part.Name, "/", "."), Title: part.Title[language]}, 2
		within := strings.Contains(part.Name, "/")
		if within {
			level = 3
		}
		for _, c := range b.bookPart(language, part.Name) {
			if own := b.page(c); own.meetup != nil || own.years != nil {
				page.Meetups = true
				page.ToCome = page.ToCome || own.meetup != nil && own.meetup.When.MayCome()
			}
			shown.Chapters = append(shown.Chapters, pages.BookChapter{
				Anchor: singlepage.Anchor(c.Path()), Title: c.Title, Description: c.Description, HTML: bind(c.Path(), b.page(c).Text, level),
			})
		}
		if within {
			if above := &page.Parts[len(page.Parts)-1]; len(shown.Chapters) > 0 {
				above.Parts = append(above.Parts, shown)
			}
		} else {
			page.Parts = append(page.Parts, shown)
		}
	}
	page.Parts = slices.DeleteFunc(page.Parts, func(p pages.BookPart) bool { return len(p.Chapters)+len(p.Parts) == 0 })
	if glossary != nil {
		page.Parts = append(page.Parts, pages.BookPart{Anchor: "part.appendix", Title: page.Words.Appendix, Chapters: []pages.BookChapter{{
			Anchor: singlepage.Anchor(glossary.Path()), Title: glossary.Title, Description: glossary.Description, HTML: bind(glossary.Path(), b.page(glossary).Text, 2),
		}}})
	}
	return page
}

// bookPart are the pages of a part in the bound book: its chapters, and behind them the
// list of its meetups.
func (b *build) bookPart(language, part string) (out []*content.Chapter) {
	for _, c := range b.book.In(language) {
		if c.Part == part {
			out = append(out, c)
		}
	}
	if list := b.book.ListOf(language, part); list != nil && b.listsMeetups(list) {
		out = append(out, list)
	}
	return out
}

// lastChange is when a language's book was last changed; zero when nobody knows.
func (b *build) lastChange(language string) (last time.Time) {
	for _, p := range b.pages {
		if at := b.changed(p.Chapter); p.Chapter.Language == language && at.After(last) {
			last = at
		}
	}
	return last
}

// writeBooks writes each language's whole book on one page.
func (b *build) writeBooks() error {
	for _, language := range b.book.Site.Codes() {
		if b.bound(language) {
			b.putWhenAsked(fileOf(bookPath(language)), func() []byte {
				return []byte(htmlOf(pages.BookPage(b.bookOf(language))) + "\n")
			})
		}
	}
	return nil
}

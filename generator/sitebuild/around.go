package sitebuild

import (
	"net/url"
	"strings"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/history"
	"kubewalk/generator/render/markdown"
	"kubewalk/generator/render/reading"
	"kubewalk/site/pages"
)

// readHistory asks git when files were changed. An author who writes has the
// answer of the server's start: a save changes nothing that was committed. Where git
// fails there are no dates, which are for show.
func (b *build) readHistory() error {
	if !b.options.Dev || b.cache.history == nil {
		files, err := history.Of(b.options.Content)
		if err != nil {
			files = history.Files{}
		}
		b.cache.history = &files
	}
	b.history = *b.cache.history
	return nil
}

// around fills in what stands around a chapter's text.
func (b *build) around(page *pages.Chapter, c *content.Chapter) {
	p := b.page(c)
	if c.Original == nil && !b.options.Dev { // it is for search engines
		page.Place = page.Trail()
	}
	page.Minutes = p.minutes
	if c.Lists != "" {
		return // it has no file, and nobody reads it through
	}
	file := p.Document.File()
	if c == b.book.Glossaries[c.Language] {
		file = content.GlossaryFile
	}
	if change, ok := b.history.Last(file); ok {
		page.Changed = change.Time
	}
	if template := b.book.Site.Edit; template != "" {
		page.Edit = strings.ReplaceAll(template, "{file}", (&url.URL{Path: file}).EscapedPath())
	}
}

// minutes is how long a document takes to read, without its demos.
func minutes(d *markdown.Document) int {
	var texts, code []string
	for _, s := range d.Sections(nil) {
		texts = append(texts, s.Title, s.Text)
		code = append(code, s.Code...)
	}
	return reading.Minutes(texts, code)
}

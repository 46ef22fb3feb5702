package edition

import (
	"kubewalk/generator/content"
	"kubewalk/site/pages"
)

// glossary is the page of a language's glossary: a chapter outside of all parts.
func (e *edition) glossary(c *content.Chapter) *pages.Chapter {
	page := &pages.Chapter{Page: e.common(c), HTML: e.page(c).Text}
	e.around(page, c)
	page.Minutes = 0 // nobody reads it through
	return page
}

// terms are what the glossary says of those that a text names.
func (e *edition) terms(language string, ids []string) (out []pages.Term) {
	g := e.book.Glossaries[language]
	if g == nil {
		return nil
	}
	d := e.page(g).Document
	for _, id := range ids {
		name, text := d.Gist(id)
		out = append(out, pages.Term{ID: id, Name: name, Text: text})
	}
	return out
}

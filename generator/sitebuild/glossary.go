package sitebuild

import (
	"kubewalk/generator/book/content"
	"kubewalk/site/pages"
)

// outside is a page outside of all parts.
func (b *build) outside(c *content.Chapter) *pages.Chapter {
	p := b.page(c)
	page := &pages.Chapter{Page: b.common(c), HTML: p.Text, Exercises: p.exercises}
	b.around(page, c)
	page.Minutes = 0 // it is looked up, not read on
	return page
}

// glossary is the page of a language's glossary: a chapter outside of all parts.
func (b *build) glossary(c *content.Chapter) *pages.Chapter {
	page := &pages.Chapter{Page: b.common(c), HTML: b.page(c).Text}
	b.around(page, c)
	page.Minutes = 0 // nobody reads it through
	return page
}

// terms are what the glossary says of those that a text names.
func (b *build) terms(language string, ids []string) (out []pages.Term) {
	g := b.book.Glossaries[language]
	if g == nil {
		return nil
	}
	d := b.page(g).Document
	for _, id := range ids {
		name, text := d.Gist(id)
		out = append(out, pages.Term{ID: id, Name: name, Text: text})
	}
	return out
}

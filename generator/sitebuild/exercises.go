package sitebuild

import (
	"kubewalk/generator/book/content"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/markdown"
)

// compareTranslations demands that a chapter shows, proves and asks the same in
// every language, under the same addresses. A draft may be behind, a page without
// a translation has nothing of its own, and one that is wrong is mended first. As one
// language is written before the other, it warns until the book is to be complete.
func (b *build) compareTranslations() {
	written := func(c *content.Chapter) bool {
		return c != nil && !c.Draft && c.Original == nil && b.cache.texts[c] != nil
	}
	first := b.book.Site.Languages[0].Code
	for _, p := range b.pages {
		c := b.book.Find(first, p.Chapter.Key())
		if c != p.Chapter && written(c) && written(p.Chapter) && p.Chapter != b.book.Glossaries[p.Chapter.Language] {
			for _, wrong := range problem.Of(markdown.Compare(b.page(c).Document, p.Document)) {
				b.warnOfTranslation(wrong)
			}
		}
	}
}

// exercisesOf are a chapter's exercises as pages remember them: "DEMO/ID.VERSION".
func (b *build) exercisesOf(d *markdown.Document) (out []string) {
	for _, x := range d.Exercises {
		if made := b.demos[x.Demo]; made != nil {
			for _, known := range made.Exercises {
				if known.ID == x.ID {
					out = append(out, x.Name()+"."+known.Version)
				}
			}
		}
	}
	return out
}

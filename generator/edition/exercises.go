package edition

import (
	"kubewalk/generator/content"
	"kubewalk/generator/markdown"
)

// compareTranslations demands that a chapter shows, proves and asks the same in
// every language, under the same addresses. A draft may be behind, and a page
// without a translation has nothing of its own.
func (e *edition) compareTranslations() {
	written := func(c *content.Chapter) bool { return c != nil && !c.Draft && c.Original == nil }
	first := e.book.Site.Languages[0].Code
	for _, p := range e.pages {
		c := e.book.Find(first, p.Chapter.Key())
		if c != p.Chapter && written(c) && written(p.Chapter) && p.Chapter != e.book.Glossaries[p.Chapter.Language] {
			e.problems.AddError(markdown.Compare(e.page(c).Document, p.Document))
		}
	}
}

// exercisesOf are a chapter's exercises as pages remember them: "DEMO/ID.VERSION".
func (e *edition) exercisesOf(d *markdown.Document) (out []string) {
	for _, x := range d.Exercises {
		if made := e.demos[x.Demo]; made != nil {
			for _, known := range made.Exercises {
				if known.ID == x.ID {
					out = append(out, x.Name()+"."+known.Version)
				}
			}
		}
	}
	return out
}

package edition

import (
	"kubewalk/generator/content"
	"kubewalk/generator/markdown"
	"kubewalk/generator/problem"
)

// compareTranslations demands that a chapter shows, proves and asks the same in
// every language, under the same addresses. A draft may be behind, a page without
// a translation has nothing of its own, and one that is wrong is mended first. Who
// writes is only warned: one language is written before the other.
func (e *edition) compareTranslations() {
	written := func(c *content.Chapter) bool {
		return c != nil && !c.Draft && c.Original == nil && e.kept.texts[c] != nil
	}
	tell := e.problems.Add
	if e.options.Dev {
		tell = e.warn
	}
	first := e.book.Site.Languages[0].Code
	for _, p := range e.pages {
		c := e.book.Find(first, p.Chapter.Key())
		if c != p.Chapter && written(c) && written(p.Chapter) && p.Chapter != e.book.Glossaries[p.Chapter.Language] {
			for _, wrong := range problem.Of(markdown.Compare(e.page(c).Document, p.Document)) {
				tell(wrong)
			}
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

package sitebuild

import (
	"slices"

	"kubewalk/generator/render/markdown"
)

// parse reads all chapters. Those whose files are as they were are kept.
func (b *build) parse() error {
	atOnce(len(b.pages), func(i int) {
		p := b.pages[i]
		if p.Chapter.Original != nil {
			return // it has no text of its own
		}
		if kept := b.cache.texts[p.Chapter]; kept != nil {
			p.Document, p.facing, p.minutes = kept.document, kept.facing, kept.minutes
		} else {
			p.parse()
		}
	})
	b.borrow()
	b.parseTalks()
	for _, p := range slices.Concat(b.pages, b.talks) {
		b.byFile[p.Document.File()] = p
	}
	return nil
}

func (p *Page) parse() {
	p.Document = markdown.Parse(p.Chapter)
	p.facing, p.minutes = facing(p.Document), minutes(p.Document)
}

// render makes the chapters' texts. Those that would come out as before are kept.
func (b *build) render() {
	b.keepSite()
	// A document is rendered once: what has to be rendered again is parsed again first.
	stale := make([]bool, len(b.pages))
	atOnce(len(b.pages), func(i int) {
		kept := b.cache.texts[b.pages[i].Chapter]
		stale[i] = kept != nil && !kept.holds(b)
	})
	atOnce(len(b.pages), func(i int) {
		if stale[i] {
			b.pages[i].parse()
		}
	})
	b.borrow()
	texts, errs := make([]*text, len(b.pages)), make([]error, len(b.pages))
	atOnce(len(b.pages), func(i int) {
		p := b.pages[i]
		if p.Chapter.Original != nil {
			return
		}
		if kept := b.cache.texts[p.Chapter]; kept != nil && !stale[i] {
			texts[i] = kept
		} else {
			r := &reader{build: b, seen: map[lookup]any{}}
			html, err := p.Document.Render(r)
			if !b.options.Dev {
				p.sections = b.sectionsOf(p)
			}
			if errs[i] = err; err == nil {
				texts[i] = &text{document: p.Document, facing: p.facing, minutes: p.minutes, html: html, forms: hasForms(html), sections: p.sections,
					seen: r.seen}
			}
		}
		if texts[i] != nil {
			p.Text, p.forms, p.sections = texts[i].html, texts[i].forms, texts[i].sections
		}
	})
	b.borrowTexts()
	b.cache.included = b.included()
	if !b.options.Dev { // nobody builds again
		for _, p := range b.pages {
			if p.Chapter.Original != nil {
				p.sections = b.page(p.Chapter.Original).sections
			} else if p.Chapter != b.book.Glossaries[p.Chapter.Language] { // whose entries are read later
				p.Document.Forget()
			}
		}
	}
	clear(b.cache.texts)
	for i, p := range b.pages {
		b.problems.AddError(errs[i])
		if texts[i] != nil {
			b.cache.texts[p.Chapter] = texts[i]
			for _, w := range texts[i].document.Warnings {
				b.warn(w)
			}
		}
		p.exercises = b.exercisesOf(p.Document)
	}
}

package edition

import (
	"kubewalk/generator/markdown"
)

// parse reads all chapters. Those whose files are as they were are kept.
func (e *edition) parse() error {
	atOnce(len(e.pages), func(i int) {
		p := e.pages[i]
		if p.Chapter.Original != nil {
			return // it has no text of its own
		}
		if kept := e.kept.texts[p.Chapter]; kept != nil {
			p.Document, p.facing, p.minutes = kept.document, kept.facing, kept.minutes
		} else {
			p.parse()
		}
	})
	e.borrow()
	for _, p := range e.pages {
		e.byFile[p.Document.File()] = p
	}
	return nil
}

func (p *Page) parse() {
	p.Document = markdown.Parse(p.Chapter)
	p.facing, p.minutes = facing(p.Document), minutes(p.Document)
}

// render makes the chapters' texts. Those that would come out as before are kept.
func (e *edition) render() {
	e.keepSite()
	// A document is rendered once: what has to be rendered again is parsed again first.
	stale := make([]bool, len(e.pages))
	atOnce(len(e.pages), func(i int) {
		kept := e.kept.texts[e.pages[i].Chapter]
		stale[i] = kept != nil && !kept.holds(e)
	})
	atOnce(len(e.pages), func(i int) {
		if stale[i] {
			e.pages[i].parse()
		}
	})
	e.borrow()
	texts, errs := make([]*text, len(e.pages)), make([]error, len(e.pages))
	atOnce(len(e.pages), func(i int) {
		p := e.pages[i]
		if p.Chapter.Original != nil {
			return
		}
		if kept := e.kept.texts[p.Chapter]; kept != nil && !stale[i] {
			texts[i] = kept
		} else {
			r := &reader{edition: e, seen: map[lookup]any{}}
			html, err := p.Document.Render(r)
			if !e.options.Dev {
				p.sections = e.sectionsOf(p)
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
	e.borrowTexts()
	e.kept.included = e.included()
	if !e.options.Dev { // nobody builds again
		for _, p := range e.pages {
			if p.Chapter.Original != nil {
				p.sections = e.page(p.Chapter.Original).sections
			} else if p.Chapter != e.book.Glossaries[p.Chapter.Language] { // whose entries are read later
				p.Document.Forget()
			}
		}
	}
	clear(e.kept.texts)
	for i, p := range e.pages {
		e.problems.AddError(errs[i])
		if texts[i] != nil {
			e.kept.texts[p.Chapter] = texts[i]
		}
		p.exercises = e.exercisesOf(p.Document)
	}
}

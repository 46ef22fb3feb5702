package sitebuild

import (
	"fmt"
	"slices"

	"github.com/a-h/templ"

	"kubewalk/generator/book/content"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/render/markdown"
	"kubewalk/playground/demo/scene"
	"kubewalk/site/pages"
)

// A talk's page is looked up as a chapter is, and stands in no list: not in the contents, the search, the bound book or the feeds.

var _ markdown.Stage = (*build)(nil)

func (b *build) parseTalks() {
	b.talks = make([]*Page, len(b.book.Talks))
	atOnce(len(b.talks), func(i int) {
		b.talks[i] = &Page{Chapter: b.book.Talks[i]}
		b.talks[i].parse()
	})
}

func (b *build) renderTalks() {
	errs := make([]error, len(b.talks))
	atOnce(len(b.talks), func(i int) { b.talks[i].Text, errs[i] = b.talks[i].Document.Render(b) })
	for _, err := range errs {
		b.problems.AddError(err)
	}
}

// talkPages are the talks, each a deck and a text.
func (b *build) talkPages() []drawing {
	var out []drawing
	for _, p := range b.talks {
		c := p.Chapter
		page := &pages.Deck{Page: b.bare(c.Language), Name: c.Name, HTML: p.Text, Home: b.book.Homes[c.Language].Path(), Minutes: c.Minutes}
		page.Path, page.Title, page.Description = c.Path(), c.Title, c.Description
		page.TextLanguage = c.Language
		for _, l := range b.book.Site.Languages {
			if other := b.book.TalkIn(l.Code, c.Name); other != nil {
				page.Versions = append(page.Versions, pages.Version{Language: l.Code, Name: l.Name, Path: other.Path()})
			}
		}
		out = append(out, drawing{name: fileOf(page.Path), value: page, template: func() templ.Component { return pages.TalkPage(page) }})
	}
	return out
}

// OnSlide is a demo's element, or the picture of one of its moments. While a demo is being recorded, a slide says so.
func (b *build) OnSlide(o markdown.OnSlide, language string) string {
	made, ok := b.demos[o.Demo]
	if !ok {
		if slices.Contains(b.pending, o.Demo) {
			return b.pendingDemo(o.Demo, language)
		}
		return "" // its problems are already told
	}
	start := max(0, slices.IndexFunc(made.Marks, func(mark demos.Still) bool { return mark.ID == o.Start }))
	view := pages.SlideDemo{Words: b.wordsOf(language), Title: made.Title[language], Address: b.site.Link(b.embedPath(o.Demo, language)),
		Start: o.Start, End: o.End, Controls: o.Controls, Speed: o.Speed, Sync: fmt.Sprintf("slide-%d", o.Slide)}
	if view.Controls == "" {
		view.Controls = "play"
	}
	if len(made.Marks) > 0 {
		mark := made.Marks[start]
		view.Picture, view.Caption = b.stills[still{o.Demo, mark.ID, language}][scene.Wide], mark.Caption[language]
	}
	if o.IsPicture {
		return htmlOf(pages.MomentOnSlide(&view))
	}
	return htmlOf(pages.DemoOnSlide(&view))
}

// Moments are a demo's, in order.
func (b *build) Moments(demo string) []string {
	made, ok := b.demos[demo]
	if !ok {
		return nil
	}
	out := []string{}
	for _, mark := range made.Marks {
		out = append(out, mark.ID)
	}
	return out
}

// TalkPage is where a talk's page is in a finished site.
func TalkPage(language, name string) string {
	c := &content.Chapter{Language: language, Part: content.TalksFolder, Name: name}
	return fileOf(c.Path())
}

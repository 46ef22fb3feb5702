package sitebuild

import (
	"slices"
	"strings"

	"kubewalk/generator/format/plain"
	"kubewalk/site/pages"
)

// plainSite says where the pages are that exist as Markdown.
func (b *build) plainSite() plain.Site {
	site := plain.Site{Base: b.site.Base, Prefix: b.site.Prefix, Pages: make(map[string]bool, len(b.pages))}
	for _, p := range b.pages {
		site.Pages[p.Chapter.Path()] = true
	}
	return site
}

// writePlain writes every page as Markdown, and the two lists of them: llms.txt, and
// llms-full.txt with the whole book in its first language. An author who writes
// gets them when they are asked for.
func (b *build) writePlain() error {
	site := b.plainSite()
	texts := make([]func() []byte, len(b.pages))
	for i, p := range b.pages {
		texts[i] = func() []byte { return []byte(plain.Markdown(b.plainPage(p), site, teller{b})) }
	}
	if !b.options.Dev {
		atOnce(len(b.pages), func(i int) {
			text := texts[i]()
			texts[i] = func() []byte { return text }
		})
	}
	for i, p := range b.pages {
		b.putWhenAsked((p.Chapter.Path() + plain.File)[1:], texts[i])
	}
	first := b.book.Site.Languages[0].Code
	b.tree.Put("llms.txt", []byte(b.llms(first)))
	b.putWhenAsked("llms-full.txt", func() []byte {
		var all [][]byte
		for i, p := range b.pages {
			if p.Chapter.Language == first && p.Chapter.Tag == "" {
				all = append(all, texts[i]())
			}
		}
		return plain.Full(b.book.Site.Title[first], b.book.Site.Description[first], all)
	})
	return nil
}

// putWhenAsked puts a file into the tree; in the development server it is made when
// somebody asks for it.
func (b *build) putWhenAsked(name string, text func() []byte) {
	if b.options.Dev {
		b.tree.PutLater(name, text)
	} else {
		b.tree.Put(name, text())
	}
}

func (b *build) plainPage(p *Page) plain.Page {
	c := p.Chapter
	text := p.Text
	if p.post != nil {
		words := b.wordsOf(c.Language)
		text = htmlOf(pages.Byline(p.post, &words, 0)) + text
	}
	return plain.Page{Path: c.Path(), Title: c.Title, Description: c.Description, Language: c.Language, HTML: text}
}

// llms is llms.txt: the parts in the first language, then what may be left out, the
// same in others.
func (b *build) llms(first string) string {
	words := plain.WordsOf(first)
	index := plain.Index{Title: b.book.Site.Title[first], Description: b.book.Site.Description[first], Notes: []string{words.About}}
	link := func(p *Page) plain.Link {
		title := p.Chapter.Title
		if p.Chapter.Name == "" {
			title = plain.WordsOf(p.Chapter.Language).Home
		}
		address := p.Chapter.Path() + plain.File
		if b.site.Base != "" {
			address = b.site.Base + address
		} else {
			address = strings.TrimPrefix(address, "/") // llms.txt is at the root
		}
		return plain.Link{Title: title, URL: address, Description: p.Chapter.Description}
	}
	about, others := plain.Part{Title: words.Home}, plain.Part{Title: plain.Optional}
	byPart := map[string][]plain.Link{}
	for _, p := range b.pages {
		switch c := p.Chapter; {
		case c.Tag != "": // it has nothing that the list has not
		case c.Language != first:
			others.Links = append(others.Links, link(p))
		case c.Name == "":
			about.Links = append(about.Links, link(p))
		case slices.Contains(b.book.Outside, c):
			about.Links = append(about.Links, link(p))
		case c.Lists != "":
			byPart[c.Lists] = append(byPart[c.Lists], link(p))
		default:
			byPart[c.Part] = append(byPart[c.Part], link(p))
		}
	}
	index.Parts = append(index.Parts, about)
	for _, part := range b.book.Site.AllParts() {
		index.Parts = append(index.Parts, plain.Part{Title: b.book.Site.PartTitle(part.Name, first), Links: byPart[part.Name]})
	}
	index.Parts = append(index.Parts, others)
	return plain.LLMs(index)
}

// teller tells demos in words.
type teller struct{ *build }

func (t teller) Demo(name, language string) string {
	made := t.demos[name]
	if made == nil {
		return ""
	}
	view := t.demoView(made, language)
	out := plain.Demo{Title: view.Title, Words: plain.WordsOf(language), URL: t.site.Absolute(view.Embed), Controls: view.Controls}
	for _, still := range view.Stills {
		out.Marks = append(out.Marks, plain.Mark{At: still.At, Caption: still.Caption})
	}
	return out.Markdown()
}

func (t teller) Exercise(demo, id, language string) string {
	made := t.demos[demo]
	if made == nil {
		return ""
	}
	for _, x := range made.Exercises {
		if x.ID != id {
			continue
		}
		view := t.exerciseView(made, &x, language)
		out := plain.Exercise{Words: plain.WordsOf(language), Task: view.Task, Goal: view.Goal, Hints: view.Hints}
		for _, o := range view.Options {
			out.Options = append(out.Options, plain.Option(o))
		}
		for _, l := range view.Answer {
			out.Answer = append(out.Answer, plain.Line(l))
		}
		return out.Markdown()
	}
	return ""
}

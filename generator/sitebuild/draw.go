package sitebuild

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"kubewalk/generator/book/content"
	"kubewalk/generator/build/headers"
	"kubewalk/site/pages"
)

// drawing is a page that is to be made: its path in the tree, the value that it
// shows, and the template for it.
type drawing struct {
	name     string
	value    any
	template func() templ.Component
	list     *pages.Navigation // that it holds; may be nil
}

// draw makes all pages, several at once. A page whose value is that of the last build
// is that of the last build.
func (b *build) draw() {
	b.navigate()
	b.findFeeds()
	var all []drawing
	var homes []*pages.Home
	for _, language := range b.book.Site.Codes() {
		home := b.home(language)
		homes = append(homes, home)
		all = append(all, drawing{name: fileOf(home.Path), value: home, template: func() templ.Component { return pages.HomePage(home) }})
		chapters := b.book.In(language)
		views := make([]*pages.Chapter, len(chapters))
		atOnce(len(chapters), func(i int) { views[i] = b.chapter(chapters, i) })
		for _, page := range views {
			all = append(all, drawing{name: fileOf(page.Path), value: page, template: func() templ.Component { return pages.ChapterPage(page) },
				list: page.Navigation})
		}
		var others []*pages.Chapter
		for _, list := range b.book.ListsIn(language) {
			if b.listsMeetups(list) {
				others = append(others, b.meetupList(list))
			} else {
				others = append(others, b.postList(list))
			}
		}
		others = append(others, b.posts(language)...)
		for _, c := range b.book.OutsideIn(language) {
			others = append(others, b.outside(c))
		}
		for _, page := range others {
			all = append(all, drawing{name: fileOf(page.Path), value: page, template: func() templ.Component { return pages.ChapterPage(page) },
				list: page.Navigation})
		}
		if g := b.book.Glossaries[language]; g != nil {
			page := b.glossary(g)
			all = append(all, drawing{name: fileOf(page.Path), value: page, template: func() templ.Component { return pages.ChapterPage(page) },
				list: page.Navigation})
		}
		for _, embed := range b.embeds(language) {
			all = append(all, drawing{name: fileOf(embed.Path), value: embed, template: func() templ.Component { return pages.EmbedPage(embed) }})
		}
	}
	all = append(all, b.talkPages()...)
	all = append(all, b.searchPages()...)
	all = append(all, b.front(homes)...)
	all = append(all, b.offlinePages()...)
	all = append(all, b.sourcePages()...)

	made := make([]drawn, len(all))
	atOnce(len(all), func(i int) {
		d := all[i]
		if last, ok := b.cache.drawn[d.name]; ok && reflect.DeepEqual(last.value, d.value) {
			made[i] = last
		} else {
			made[i] = drawn{d.value, b.pieces(&d)}
		}
		b.tree.PutPieces(d.name, made[i].pieces)
	})
	b.cache.drawn = make(map[string]drawn, len(all))
	for i, d := range all {
		b.cache.drawn[d.name] = made[i]
	}
}

// fileOf is where a page whose path ends in a slash is in the tree.
func fileOf(path string) string { return (path + "index.html")[1:] }

func htmlOf(c templ.Component) (html string) {
	withHTML(c, func(page []byte) { html = string(page) })
	return html
}

// pieces is a page with a line end. What all pages hold is there once.
func (b *build) pieces(d *drawing) (pieces [][]byte) {
	withHTML(d.template(), func(page []byte) {
		page = append(page, '\n')
		if d.list != nil {
			pieces = d.list.Share(page, "/"+strings.TrimSuffix(d.name, "index.html"))
		} else {
			pieces = [][]byte{bytes.Clone(page)}
		}
	})
	return pieces
}

// buffers are for one page after the other: most of a page's time would go into
// making room for it.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// withHTML lends what a component makes to do.
func withHTML(c templ.Component, do func(html []byte)) {
	out := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(out)
	out.Reset()
	if err := c.Render(context.Background(), out); err != nil {
		panic(fmt.Sprintf("sitebuild: component: %v", err)) // a buffer takes everything
	}
	do(out.Bytes())
}

// navigate makes what all pages of a language list. A list that is as it was in
// the last build is the same one, so that values with it compare at once.
func (b *build) navigate() {
	b.navigation = map[string]*pages.Navigation{}
	for _, language := range b.book.Site.Codes() {
		byPart := map[string][]pages.Entry{}
		for _, c := range b.book.In(language) {
			entry := entry(c)
			if c.Draft {
				entry.Draft = b.wordsOf(language).IsDraft
			}
			entry.Exercises = b.page(c).exercises
			byPart[c.Part] = append(byPart[c.Part], *entry)
		}
		within := map[string][]string{}
		for _, part := range b.postParts(language) {
			byPart[part], within[part] = b.newest(language, part)
		}
		var parts []pages.Part
		for _, part := range b.book.Site.AllParts() {
			if list := b.book.ListOf(language, part.Name); list != nil {
				listed := *entry(list)
				if part.Posts {
					listed.Title = b.wordsOf(language).AllPosts
				}
				byPart[part.Name] = append(byPart[part.Name], listed)
			}
			shown := pages.Part{Name: part.Name, Title: part.Title[language], Posts: part.Posts, Chapters: byPart[part.Name], Within: within[part.Name]}
			if strings.Contains(part.Name, "/") {
				if above := &parts[len(parts)-1]; len(shown.Chapters) > 0 {
					above.Parts = append(above.Parts, shown)
				}
			} else {
				parts = append(parts, shown)
			}
		}
		parts = slices.DeleteFunc(parts, func(p pages.Part) bool { return len(p.Chapters)+len(p.Parts) == 0 })
		list := b.cache.navigation[language]
		if list == nil || !list.Is(b.site, parts) {
			list = pages.NewNavigation(b.site, parts)
		}
		if rest := list.Rest(); rest != nil {
			list.List = b.site.Link("/" + b.tree.PutHashed(headers.Assets+"/contents-"+language+".json", rest))
		}
		b.navigation[language] = list
	}
	b.cache.navigation = b.navigation
}

func entry(c *content.Chapter) *pages.Entry {
	out := &pages.Entry{Title: c.Title, Description: c.Description, Path: c.Path()}
	if c.Original != nil {
		out.Language = c.Original.Language
	}
	return out
}

func (b *build) part(c *content.Chapter) pages.Part { return b.partNamed(c.Part, c.Language) }

func (b *build) partNamed(name, language string) pages.Part {
	for _, p := range b.book.Site.Parts { // for each chapter, at every save: no list is made of them
		if p.Name == name {
			return pages.Part{Name: name, Title: p.Title[language]}
		}
		for _, q := range p.Parts {
			if len(name) > len(p.Name) && p.Name+"/"+q.Name == name {
				return pages.Part{Name: name, Title: q.Title[language], Above: &pages.Part{Name: p.Name, Title: p.Title[language]}}
			}
		}
	}
	return pages.Part{}
}

package sitebuild

import (
	"encoding/xml"
	"slices"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/render/markdown"
	"kubewalk/generator/search"
	"kubewalk/site/pages"
)

// writeSearch writes the index of each language. An author who writes gets one in
// whole files, made when they search.
func (b *build) writeSearch() error {
	codes := b.book.Site.Codes()
	atOnce(len(codes), func(i int) {
		language := codes[i]
		manifest := pages.SearchIndex(language)[1:]
		if b.options.Dev {
			files := sync.OnceValue(func() search.Files { return b.index(language).Whole(language + "/") })
			b.tree.PutLater(manifest, func() []byte { return compressed.Gzip(files().Manifest) })
			for i, name := range search.WholeNames {
				b.tree.PutLater("search/"+language+"/"+name+compressed.Ext, func() []byte { return compressed.Gzip(files().Shards[i].Data) })
			}
			return
		}
		files := b.index(language).Files(language, "../"+headers.Assets+"/")
		b.tree.Put(manifest, compressed.Gzip(files.Manifest))
		shards := make([][]byte, len(files.Shards))
		atOnce(len(shards), func(i int) { shards[i] = compressed.Gzip(files.Shards[i].Data) })
		for i, f := range files.Shards {
			b.tree.Put(headers.Assets+"/"+f.Name+compressed.Ext, shards[i])
		}
	})
	for _, language := range codes {
		if b.site.Base != "" {
			b.tree.Put(language+"/opensearch.xml", b.openSearch(language))
		}
	}
	return nil
}

// index is of all pages of a language.
func (b *build) index(language string) *search.Index {
	all := make([]search.Page, len(b.pages))
	atOnce(len(b.pages), func(i int) {
		c := b.pages[i].Chapter
		if c.Language != language || c.Tag != "" { // a tag's page would stand before what is said about it
			return
		}
		all[i] = search.Page{URL: b.site.Link(c.Path()), Title: c.Title, Description: c.Description, Part: b.book.Site.PartTitle(c.Part, language)}
		sections := b.pages[i].sections
		if sections == nil {
			sections = b.sectionsOf(b.pages[i])
		}
		for _, s := range b.pages[i].withLists(sections) {
			all[i].Sections = append(all[i].Sections, search.Section(s))
		}
	})
	x := new(search.Index)
	for i := range all {
		if all[i].URL != "" {
			x.Add(all[i])
		}
	}
	for _, n := range b.book.Names(language) {
		x.Name(n[0], n[1])
	}
	x.NameKinds()
	for _, s := range b.book.Subjects(language) {
		x.About(s[0], b.site.Link(s[1]))
	}
	return x
}

func (b *build) sectionsOf(p *Page) []markdown.Section {
	return p.Document.Sections(func(demo, id string) string { return b.told(demo, id, p.Chapter.Language) })
}

// told is a demo in words: its title and captions; or an exercise: its task.
func (b *build) told(demo, id, language string) string {
	made := b.demos[demo]
	if made == nil {
		return ""
	}
	if id != "" {
		for _, x := range made.Exercises {
			if x.ID == id {
				return x.Task[language]
			}
		}
		return ""
	}
	lines := []string{made.Title[language]}
	for _, m := range made.Marks {
		lines = append(lines, m.Caption[language])
	}
	return strings.Join(lines, "\n")
}

// searchPages are the pages of the search.
func (b *build) searchPages() (out []drawing) {
	for _, language := range b.book.Site.Codes() {
		s := &pages.Searching{Page: b.bare(language)}
		s.Path, s.Title, s.Description, s.NoIndex = pages.SearchPath(language), s.Words.Search, b.book.Site.Description[language], true
		for _, l := range b.book.Site.Languages {
			s.Versions = append(s.Versions, pages.Version{Language: l.Code, Name: l.Name, Path: pages.SearchPath(l.Code)})
		}
		out = append(out, drawing{name: fileOf(s.Path), value: s, template: func() templ.Component { return pages.SearchPage(s) }})
	}
	return out
}

// openSearch tells browsers how to search the book, as https://developer.mozilla.org/docs/Web/XML/Guides/OpenSearch has it.
func (b *build) openSearch(language string) []byte {
	type url struct {
		Type     string `xml:"type,attr"`
		Template string `xml:"template,attr"`
	}
	title := b.book.Site.Title[language]
	data, err := xml.MarshalIndent(struct {
		XMLName       xml.Name `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
		ShortName     string
		Description   string
		Language      string
		InputEncoding string
		URL           url `xml:"Url"`
	}{
		ShortName: shorten(title, 16), Description: b.book.Site.Description[language], Language: language, InputEncoding: "UTF-8",
		URL: url{"text/html", b.site.Absolute(pages.SearchPath(language)) + "?q={searchTerms}"},
	}, "", "  ")
	if err != nil {
		panic("sitebuild: " + err.Error()) // plain values can be written
	}
	return slices.Concat([]byte(xml.Header), data, []byte("\n"))
}

// shorten keeps a name within what a format allows.
func shorten(name string, most int) string {
	if runes := []rune(name); len(runes) > most {
		return strings.TrimSpace(string(runes[:most]))
	}
	return name
}

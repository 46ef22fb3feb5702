package edition

import (
	"encoding/xml"
	"slices"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"kubewalk/generator/headers"
	"kubewalk/generator/markdown"
	"kubewalk/generator/search"
	"kubewalk/site/pages"
)

// writeSearch writes the index of each language. An author who writes gets one in
// whole files, made when they search.
func (e *edition) writeSearch() error {
	codes := e.book.Site.Codes()
	atOnce(len(codes), func(i int) {
		language := codes[i]
		manifest := pages.SearchIndex(language)[1:]
		if e.options.Dev {
			files := sync.OnceValue(func() search.Files { return e.index(language).Whole(language + "/") })
			e.tree.PutLater(manifest, func() []byte { return files().Manifest })
			for i, name := range search.WholeNames {
				e.tree.PutLater("search/"+language+"/"+name, func() []byte { return files().Shards[i].Data })
			}
			return
		}
		files := e.index(language).Files(language, "../"+headers.Assets+"/")
		e.tree.Put(manifest, files.Manifest)
		for _, f := range files.Shards {
			e.tree.Put(headers.Assets+"/"+f.Name, f.Data)
		}
	})
	for _, language := range codes {
		if e.site.Base != "" {
			e.tree.Put(language+"/opensearch.xml", e.openSearch(language))
		}
	}
	return nil
}

// index is of all pages of a language.
func (e *edition) index(language string) *search.Index {
	all := make([]search.Page, len(e.pages))
	atOnce(len(e.pages), func(i int) {
		c := e.pages[i].Chapter
		if c.Language != language {
			return
		}
		all[i] = search.Page{URL: e.site.Link(c.Path()), Title: c.Title, Description: c.Description, Part: e.part(c).Title}
		sections := e.pages[i].sections
		if sections == nil {
			sections = e.sectionsOf(e.pages[i])
		}
		for _, s := range e.pages[i].withMeetups(sections) {
			all[i].Sections = append(all[i].Sections, search.Section(s))
		}
	})
	x := new(search.Index)
	for i := range all {
		if all[i].URL != "" {
			x.Add(all[i])
		}
	}
	for _, n := range e.book.Names(language) {
		x.Name(n[0], n[1])
	}
	x.NameKinds()
	return x
}

func (e *edition) sectionsOf(p *Page) []markdown.Section {
	return p.Document.Sections(func(demo, id string) string { return e.told(demo, id, p.Chapter.Language) })
}

// told is a demo in words: its title and captions; or an exercise: its task.
func (e *edition) told(demo, id, language string) string {
	made := e.demos[demo]
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
func (e *edition) searchPages() (out []drawing) {
	for _, language := range e.book.Site.Codes() {
		s := &pages.Searching{Page: e.bare(language)}
		s.Path, s.Title, s.Description, s.NoIndex = pages.SearchPath(language), s.Words.Search, e.book.Site.Description[language], true
		for _, l := range e.book.Site.Languages {
			s.Versions = append(s.Versions, pages.Version{Language: l.Code, Name: l.Name, Path: pages.SearchPath(l.Code)})
		}
		out = append(out, drawing{name: fileOf(s.Path), value: s, template: func() templ.Component { return pages.SearchPage(s) }})
	}
	return out
}

// openSearch tells browsers how to search the book, as https://developer.mozilla.org/docs/Web/XML/Guides/OpenSearch has it.
func (e *edition) openSearch(language string) []byte {
	type url struct {
		Type     string `xml:"type,attr"`
		Template string `xml:"template,attr"`
	}
	title := e.book.Site.Title[language]
	data, err := xml.MarshalIndent(struct {
		XMLName       xml.Name `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
		ShortName     string
		Description   string
		Language      string
		InputEncoding string
		URL           url `xml:"Url"`
	}{
		ShortName: shorten(title, 16), Description: e.book.Site.Description[language], Language: language, InputEncoding: "UTF-8",
		URL: url{"text/html", e.site.Absolute(pages.SearchPath(language)) + "?q={searchTerms}"},
	}, "", "  ")
	if err != nil {
		panic("edition: " + err.Error()) // plain values can be written
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

package sitebuild

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/generator/book/content"
	"kubewalk/generator/build/redirects"
	"kubewalk/generator/problem"
	"kubewalk/site/pages"
)

// writeRedirects writes the rules of site.yaml, and the aliases of chapters.
func (b *build) writeRedirects() error {
	var rules []redirects.Rule
	for _, from := range slices.Sorted(maps.Keys(b.book.Site.Redirects)) {
		path := "redirects[" + from + "]"
		rules = append(rules, redirects.Rule{From: from, To: b.book.Site.Redirects[from], Wrong: func(atFrom bool, message, cure string) problem.Problem {
			if atFrom {
				return b.book.AtKey(path, message, cure)
			}
			return b.book.At(path, message, cure)
		}})
	}
	for _, p := range b.pages {
		for i, from := range p.Chapter.Aliases {
			rules = append(rules, redirects.Rule{From: from, To: p.Chapter.Path(), Wrong: func(_ bool, message, cure string) problem.Problem {
				return p.Chapter.At(fmt.Sprintf("aliases[%d]", i), message, cure)
			}})
		}
	}
	site := &destinations{b, b.tree.Paths()}
	rules, err := redirects.Check(rules, site)
	if err != nil || len(rules) == 0 {
		return err
	}
	b.tree.Put(redirects.File, []byte(redirects.Format(rules, b.site.Link)))
	for _, r := range redirects.Exact(rules, site) {
		b.tree.Put(r.Page(), []byte(htmlOf(pages.MovedPage(b.moved(r)))+"\n"))
	}
	return nil
}

// moved is the page at an old address, in the language of the new one.
func (b *build) moved(r redirects.Rule) *pages.Moved {
	language := b.book.Site.Languages[0].Code
	for _, code := range b.book.Site.Codes() {
		if strings.HasPrefix(r.To, "/"+code+"/") {
			language = code
		}
	}
	m := &pages.Moved{Page: b.bare(language), To: r.To, Whole: r.To}
	if strings.HasPrefix(r.To, "/") {
		page, _, _ := strings.Cut(r.To, "#")
		m.To, m.Whole = b.site.Link(r.To), b.site.Absolute(page)
	}
	m.Path, m.Title, m.Description = r.From, m.Words.Moved, m.Words.Moved
	return m
}

// destinations is the build as redirects see it.
type destinations struct {
	*build
	paths []string // of all files, sorted
}

func (d *destinations) Has(path string) bool {
	name := strings.TrimPrefix(path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	return d.tree.Has(name)
}

func (d *destinations) chapter(path string) *content.Chapter {
	for _, p := range d.pages {
		if p.Chapter.Path() == path {
			return p.Chapter
		}
	}
	return nil
}

func (d *destinations) Anchors(path string) ([]string, bool) {
	if c := d.chapter(path); c != nil {
		return d.page(c).Document.Anchors(), true
	}
	return nil, false
}

func (d *destinations) Pages() []string {
	out := make([]string, len(d.pages))
	for i, p := range d.pages {
		out[i] = p.Chapter.Path()
	}
	return out
}

func (d *destinations) Below(folder string) (out []string) {
	for _, name := range d.paths {
		path := "/" + name
		if strings.HasPrefix(path, folder) && !strings.HasPrefix(name, "_") {
			out = append(out, strings.TrimSuffix(path, "index.html"))
		}
	}
	return out
}

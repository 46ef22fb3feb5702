package content

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/book/schema"
	"kubewalk/generator/problem"
)

// Glossary is content/glossary.yaml: what the book's terms mean, in all its
// languages. A book may have none.
type Glossary struct {
	Terms map[string]Term `yaml:"terms" check:"required" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" cure:"use lower-case letters, digits and single hyphens: it is the term's address" doc:"The terms by id: [text](term:id) in a chapter leads to one."`

	document *schema.Document
	broken   bool // it has problems: its page holds the ids, which chapters may still name
}

// Term is one of them.
type Term struct {
	Term       Text                `yaml:"term" check:"required" doc:"The term in each language, as you write it in a sentence."`
	Reading    Text                `yaml:"reading" doc:"Its reading in kana, which is used to sort Japanese terms."`
	Also       map[string][]string `yaml:"also" doc:"Other words for it, by language: the glossary shows them, and searches understand them."`
	Asked      map[string][]string `yaml:"asked" doc:"What readers search for when they mean it, by language: searches understand it, but it is not shown."`
	Definition Text                `yaml:"definition" check:"required" doc:"What it means, in a sentence or two: one paragraph of Markdown in each language."`
	Chapter    string              `yaml:"chapter" doc:"Where the book explains it: a chapter's file below the language's folder, loop/replicaset.md#anchor."`
	Upstream   string              `yaml:"upstream" pattern:"^https://" cure:"write an address that begins with https://" doc:"Where its official documentation explains it."`
	See        []string            `yaml:"see" doc:"Ids of related terms."`
}

// GlossaryFile is in the content folder; the page made of it is GlossaryName.
const (
	GlossaryFile = "glossary.yaml"
	GlossaryName = "glossary"
)

// loadGlossary reads the file and makes a page of it in each language.
func (b *Book) loadGlossary(problems *problem.List) {
	file := filepath.ToSlash(filepath.Join(b.Dir, GlossaryFile))
	text, err := regularfile.Text(b.Dir, file)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			problems.AddError(err)
		}
		return
	}
	g := b.cache.glossary
	if g == nil || g.document.File != file || !bytes.Equal(g.document.Text, text) {
		g = &Glossary{document: &schema.Document{File: file, Text: text}}
		var own problem.List
		own.AddError(g.document.Decode(g))
		if own.Len() == 0 {
			g.check(&b.Site, &own)
		}
		problems.AddError(own.Err())
		g.broken = own.Len() > 0
		if b.cache.glossary = nil; !g.broken && !b.unsure {
			b.cache.glossary = g
		}
	}
	b.glossary = g
	b.checkGlossaryPage(problems)
	b.Glossaries = map[string]*Chapter{}
	for _, l := range b.Site.Languages {
		b.Glossaries[l.Code] = b.cache.glossaryPage(b, g, l.Code)
	}
}

// glossaryPage is a glossary's page, and what it was made of.
type glossaryPage struct {
	of     *Glossary
	titles []string // of the chapters that it leads to
	page   *Chapter
}

// glossaryPage makes a page, or returns that of the last time, if it is the same.
func (c *Cache) glossaryPage(b *Book, g *Glossary, code string) *Chapter {
	c.mu.Lock()
	known := c.glossaries[code]
	c.mu.Unlock()
	fresh := glossaryPage{of: g, titles: g.titles(b, code), page: known.page}
	if known.of != g || !slices.Equal(known.titles, fresh.titles) {
		fresh.page = g.chapter(b, code)
		if known.page != nil && string(known.page.Source) == string(fresh.page.Source) && slices.Equal(known.page.places, fresh.page.places) {
			fresh.page = known.page
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.glossaries == nil {
		c.glossaries = map[string]glossaryPage{}
	}
	c.glossaries[code] = fresh
	return fresh.page
}

// block is a line that begins something else than a paragraph's text.
var block = regexp.MustCompile("(?m)^[ \t]*(#{1,6}[ \t]|[-*+>][ \t]|[0-9]+[.)][ \t]|:::|```|~~~|\\[\\^|\\||$)")

// check says what the schema cannot. Links in definitions are checked as those of chapters.
func (g *Glossary) check(site *Site, out *problem.List) {
	ids := slices.Sorted(maps.Keys(g.Terms))
	for _, id := range ids {
		t, path := g.Terms[id], "terms["+id+"]"
		site.complete(g.document, path+".term", fmt.Sprintf("term of %q", id), t.Term, out)
		site.complete(g.document, path+".definition", fmt.Sprintf("definition of %q", id), t.Definition, out)
		for _, code := range slices.Sorted(maps.Keys(t.Definition)) {
			if block.MatchString(strings.TrimSpace(t.Definition[code])) {
				out.Add(g.document.At(path+".definition["+code+"]", fmt.Sprintf("definition of %q is more than one paragraph", id),
					"write a sentence or two; lists, headings and the rest belong into a chapter"))
			}
		}
		if term := t.Term["ja"]; t.Reading["ja"] == "" && strings.ContainsFunc(term, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			out.Add(g.document.At(path+".term", fmt.Sprintf("term %q has no reading, by which it would be sorted", term), "add reading: {ja: …} in kana"))
		}
		for key, words := range map[string]map[string][]string{"also": t.Also, "asked": t.Asked} {
			for code := range words {
				if !site.Has(code) {
					out.Add(g.document.AtKey(path+"."+key+"["+code+"]", fmt.Sprintf("%q is not a language of the book", code),
						problem.DidYouMean(code, site.Codes())))
				}
			}
		}
		for i, other := range t.See {
			if other == id {
				out.Add(g.document.At(fmt.Sprintf("%s.see[%d]", path, i), fmt.Sprintf("term %q leads to itself", id), "remove it"))
			} else if _, ok := g.Terms[other]; !ok {
				out.Add(g.document.At(fmt.Sprintf("%s.see[%d]", path, i), fmt.Sprintf("unknown term %q", other), problem.DidYouMean(other, ids)))
			}
		}
	}
	g.checkNames(site, out)
}

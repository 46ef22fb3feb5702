// Package search makes what the site's search reads: an index of all pages of a
// language, in files so small that a question loads a few of them, and nothing
// is loaded before somebody asks.
//
//   - A manifest names the parts of the book, how many sections each page has,
//     and the first term of each file of terms.
//   - Files of terms hold, in order, each term with the sections in which it
//     stands and how much it weighs there.
//   - Files of texts hold pages in the book's order: addresses, titles, and the
//     words around what was found.
//
// The search itself runs in the page (site/search). It counts in whole numbers,
// so it ranks alike everywhere; the tests hold it to another one in Go, and both
// to the questions of testdata/golden.yaml.
package search

import (
	"math"
	"path"
	"strings"
)

// Page is a page that can be found.
type Page struct {
	URL         string // as pages link to it
	Title       string
	Description string
	Part        string    // title of its part; "" for a page outside any
	Sections    []Section // the first is what stands before the first heading
}

// Section is a part of a page that has an address of its own.
type Section struct {
	Anchor string // "" for the first
	Level  int
	Title  string

	Text  string
	Names []string // what is `code` in the text
	Code  []string // blocks of code
}

// What a term weighs in a section is BM25F: how often it stands in each field,
// times the field's weight, saturated. Text counts less in a long section. The
// means are constants, so that a page weighs the same whatever others there are.
const (
	weightTitle   = 12.0
	weightHeading = 9.0
	weightAnchor  = 4.0 // the author's own word for the section
	weightName    = 1.0 // besides that of the text it stands in
	weightText    = 1.0
	weightCode    = 0.4

	meanTerms  = 150 // of a section's text
	shortening = 0.4 // b of BM25
	saturation = 4.0 // k1 of BM25

	// heaviest is the most that a term can weigh: five bits, so that a posting is
	// a small number.
	heaviest = 31
)

// Index takes the pages of one language, in the book's order.
type Index struct {
	pages []Page             // with what a file of texts needs
	ids   map[string]int32   // by term
	words map[string][]int32 // terms of a word as it is written, since most come again
	terms []entry
	names map[string]string // by what is asked
	about [][2]string       // names, and the addresses of the pages that explain them
	count int               // sections so far

	// Of the section under way.
	found  []int32 // its terms
	length int
}

// entry is a term with its postings: how far the section is from the one
// before, times 32, plus the weight.
type entry struct {
	term     string
	postings []uint32
	last     int32 // section of the last posting

	// Of the section under way.
	seen        int32 // its number, plus one
	text, fixed float32
}

// Add takes a page.
func (x *Index) Add(p Page) {
	if x.ids == nil {
		x.ids, x.words = map[string]int32{}, map[string][]int32{}
	}
	x.pages = append(x.pages, p)
	for i := range p.Sections {
		s := &p.Sections[i]
		x.found, x.length = x.found[:0], 0
		if i == 0 {
			x.fixed(p.Title, weightTitle)
			x.fixed(path.Base(p.URL), weightAnchor)
			x.text(p.Description, weightText)
		}
		x.fixed(s.Title, weightHeading)
		x.fixed(s.Anchor, weightAnchor)
		for _, name := range s.Names {
			x.fixed(name, weightName)
		}
		x.text(s.Text, weightText)
		for _, code := range s.Code {
			x.text(code, weightCode)
		}
		x.endSection()
	}
}

func (x *Index) fixed(text string, weight float32) {
	x.each(text, func(e *entry) { e.fixed += weight })
}

func (x *Index) text(text string, weight float32) {
	x.each(text, func(e *entry) {
		x.length++
		e.text += weight
	})
}

// each calls count for each term of a text.
func (x *Index) each(text string, count func(*entry)) {
	for p := range pieces(fold(text)) {
		if p.japanese {
			p.terms(func(term string) { count(x.entry(x.id(term))) })
			continue
		}
		ids, ok := x.words[p.text]
		if !ok {
			p.terms(func(term string) { ids = append(ids, x.id(term)) })
			x.words[strings.Clone(p.text)] = ids
		}
		for _, id := range ids {
			count(x.entry(id))
		}
	}
}

// id is a term's number.
func (x *Index) id(term string) int32 {
	id, ok := x.ids[term]
	if !ok {
		id = int32(len(x.terms))
		term = strings.Clone(term) // and not the text that it is cut from
		x.ids[term] = id
		x.terms = append(x.terms, entry{term: term})
	}
	return id
}

// entry is a term's, ready for the section under way.
func (x *Index) entry(id int32) *entry {
	e := &x.terms[id]
	if here := int32(x.count + 1); e.seen != here {
		e.seen, e.text, e.fixed = here, 0, 0
		x.found = append(x.found, id)
	}
	return e
}

func (x *Index) endSection() {
	shorter := float32(1 - shortening + shortening*float64(x.length)/meanTerms)
	for _, id := range x.found {
		e := &x.terms[id]
		count := e.fixed + e.text/shorter
		weight := uint32(math.Ceil(float64(heaviest * (count / (count + saturation)))))
		e.postings = append(e.postings, uint32(int32(x.count)-e.last)<<5|weight)
		e.last = int32(x.count)
	}
	x.count++
}

// rarity is 100 times a term's IDF: what it tells about the sections it is in.
func (x *Index) rarity(e *entry) int {
	all, with := float64(x.count), float64(len(e.postings))
	return int(math.Round(100 * math.Log(1+(all-with+0.5)/(with+0.5))))
}

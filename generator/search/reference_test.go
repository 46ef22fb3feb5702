package search

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// reference is the search of site/search/engine.ts and query.ts once more, in
// Go and without haste: it has everything at hand. Both have to find the same, in
// the same order, with the same scores.
type reference struct {
	manifest manifest
	terms    [][]listed
	pages    []read
}

type listed struct {
	term     string
	rarity   int
	postings []int
}

type read struct {
	url, title string
	sections   []readSection
}

type readSection struct {
	anchor, heading string
	text            string // all that is in it, with the heading
}

func load(t testing.TB, folder, language string) *reference {
	t.Helper()
	file := func(name string, into any) {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	r := new(reference)
	file(language+".json", &r.manifest)
	for i := range r.manifest.Terms {
		var rows [][]any
		file(fmt.Sprintf("%st%d.json", r.manifest.Folder, i), &rows)
		var terms []listed
		for _, row := range rows {
			l := listed{term: row[0].(string), rarity: int(row[1].(float64))}
			for _, p := range row[2:] {
				l.postings = append(l.postings, int(p.(float64)))
			}
			terms = append(terms, l)
		}
		if terms[0].term != r.manifest.Terms[i] {
			t.Fatalf("file %d begins with %q, the manifest says %q", i, terms[0].term, r.manifest.Terms[i])
		}
		r.terms = append(r.terms, terms)
	}
	for i, count := range r.manifest.Texts {
		var rows [][]any
		file(fmt.Sprintf("%sp%d.json", r.manifest.Folder, i), &rows)
		if len(rows) != count {
			t.Fatalf("file %d has %d pages, the manifest says %d", i, len(rows), count)
		}
		for _, row := range rows {
			p := read{url: row[0].(string), title: row[1].(string)}
			for _, s := range row[2:] {
				s := s.([]any)
				p.sections = append(p.sections, readSection{s[0].(string), s[2].(string), s[2].(string) + "\n" + s[3].(string) + "\n" + s[4].(string)})
			}
			r.pages = append(r.pages, p)
		}
	}
	return r
}

type values struct {
	rarity   int
	sections map[int]int
}

func (r *reference) files(root, term string) (out [][]listed) {
	holds := func(t string) int {
		i, exact := slices.BinarySearch(r.manifest.Terms, t)
		if exact {
			return i
		}
		return max(0, i-1)
	}
	if len(r.manifest.Terms) == 0 {
		return nil
	}
	from, to := holds(root), holds(root+"\uffff")
	if to-from > 2 {
		from = max(from, min(holds(term), to-2))
	}
	return r.terms[from : min(to, from+2)+1]
}

func (r *reference) term(term string, w *asked, open bool) values {
	root := w.rangeOf(term)
	out := values{sections: map[int]int{}}
	good, any := math.MaxInt, math.MaxInt
	for _, file := range r.files(root, term) {
		for _, l := range file {
			if !strings.HasPrefix(l.term, root) {
				continue
			}
			fits := w.fit(l.term, term, open)
			if fits == 0 {
				continue
			}
			any = min(any, l.rarity)
			if fits >= 90 {
				good = min(good, l.rarity)
			}
			section := 0
			for _, p := range l.postings {
				section += p >> 5
				out.sections[section] = max(out.sections[section], (p&31)*fits)
			}
		}
	}
	if out.rarity = good; good == math.MaxInt {
		out.rarity = any
	}
	if len(out.sections) == 0 {
		out.rarity = 0
	}
	return out
}

func covered(scores []int, words []*asked, total int) int {
	sum := 0
	for i, s := range scores {
		if s > 0 {
			sum += words[i].rarity
		}
	}
	return 100 * sum / total
}

func scoreOf(scores []int, words []*asked, total int) int {
	sum, c := 0, covered(scores, words, total)
	for _, s := range scores {
		sum += s
	}
	return sum * (2000 + 8*(c*c/10)) / 10000
}

func (r *reference) search(question, here string) answer {
	out := answer{Found: []string{}, Instead: []string{}}
	all := parse(question)
	others := r.renamed(all)
	explains := r.explains(all, others)
	for _, w := range all {
		slips := !slices.ContainsFunc(others, func(o renaming) bool { return slices.Contains(o.words, w) })
		out.Instead = append(out.Instead, r.lookUp(w, slips)...)
	}
	for _, o := range others {
		out.Instead = append(out.Instead, r.rename(o)...)
	}
	var words []*asked
	for _, w := range all {
		if len(w.sections) > 0 {
			words = append(words, w)
		}
	}
	total := 0
	for _, w := range words {
		total += w.rarity
	}
	if total == 0 {
		return out
	}
	type candidate struct {
		page, score, covered int
		outside              bool    // of any part
		sections             [][]int // index, score, then the words' scores
	}
	var candidates []candidate
	partHere, longest := -1, 0
	for i, p := range r.manifest.Parts {
		if prefix := p[1].(string); strings.HasPrefix(here, prefix) && len(prefix) > longest {
			partHere, longest = i, len(prefix)
		}
	}
	first := 0
	for page, count := range r.manifest.Pages {
		best := make([]int, len(words))
		c := candidate{page: page}
		for s := first; s < first+count; s++ {
			row := make([]int, len(words))
			for i, w := range words {
				row[i] = w.sections[s]
				best[i] = max(best[i], row[i])
			}
			if slices.ContainsFunc(words, func(w *asked) bool { _, ok := w.sections[s]; return ok }) {
				c.sections = append(c.sections, append([]int{s - first, scoreOf(row, words, total)}, row...))
			}
		}
		first += count
		if len(c.sections) == 0 {
			continue
		}
		slices.SortFunc(c.sections, func(a, b []int) int { return cmp.Or(b[1]-a[1], a[0]-b[0]) })
		c.score = c.sections[0][1] + scoreOf(best, words, total)/2
		part, end := 0, 0
		for i, p := range r.manifest.Parts {
			if part = i; page < end+int(p[2].(float64)) {
				break
			}
			end += int(p[2].(float64))
		}
		if part == partHere {
			c.score += c.score * 8 / 100
		}
		if page == explains {
			c.score *= 2
		}
		if c.outside = r.manifest.Parts[part][0] == ""; c.outside {
			c.score = c.score * 6 / 10
		}
		c.covered = covered(best, words, total)
		c.sections = c.sections[:min(4, len(c.sections))]
		candidates = append(candidates, c)
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Or(b.score-a.score, a.page-b.page) })
	most := 0
	for _, c := range candidates {
		most = max(most, c.covered)
	}
	top := candidates[0].score
	candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return 2*c.covered < most || 8*c.score < top })
	candidates = candidates[:min(8, len(candidates))]

	phrase := phraseOf(question)
	for _, pair := range out.Instead {
		from, to, _ := strings.Cut(pair, "\t")
		phrase = strings.Replace(phrase, from, phraseOf(to), 1)
	}
	several := len(all) > 1 || slices.ContainsFunc(words, func(w *asked) bool { return w.japanese })
	type hit struct{ index, score int }
	type result struct {
		page, score int
		hits        []hit
	}
	var results []result
	for _, c := range candidates {
		page := r.pages[c.page]
		var hits []hit
		best := 0
		for _, row := range c.sections {
			s := page.sections[row[0]]
			heading, text := phraseOf(s.heading), phraseOf(s.text)
			if row[0] == 0 {
				heading = phraseOf(page.title)
			}
			scores := slices.Clone(row[2:])
			for i, w := range words {
				apart := func(w *asked) bool {
					name := phraseOf(w.text)
					return w.japanese && w.loose == "" && !strings.Contains(text, name) && !strings.Contains(heading, name)
				}
				if apart(w) && !slices.ContainsFunc(w.others, func(o *asked) bool { return !apart(o) }) {
					scores[i] /= 5
				}
			}
			score := scoreOf(scores, words, total)
			switch {
			case heading == phrase:
				score *= 2
			case utf8.RuneCountInString(phrase) > 2 && strings.Contains(heading, phrase):
				score = score * 3 / 2
			case several && strings.Contains(text, phrase):
				score = score * 14 / 10
			}
			best = max(best, score)
			hits = append(hits, hit{row[0], score})
		}
		gain := best - c.sections[0][1]
		if c.outside {
			gain = gain * 6 / 10
		}
		score := max(0, c.score+gain)
		switch name := phraseOf(page.title); {
		case name == phrase:
			score *= 2
		case utf8.RuneCountInString(phrase) > 2 && strings.Contains(name, phrase):
			score = score * 14 / 10
		}
		if page.url == here {
			score = score * 13 / 10
		}
		slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(b.score-a.score, a.index-b.index) })
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.score == 0 || 10*h.score < 4*best })
		results = append(results, result{c.page, score, hits[:min(3, len(hits))]})
	}
	slices.SortFunc(results, func(a, b result) int { return cmp.Or(b.score-a.score, a.page-b.page) })
	for _, res := range results {
		for _, h := range res.hits {
			address := r.pages[res.page].url
			if anchor := r.pages[res.page].sections[h.index].anchor; anchor != "" {
				address += "#" + anchor
			}
			out.Found = append(out.Found, fmt.Sprintf("%s %d %d", address, res.score, h.score))
		}
	}
	return out
}

// explains is the page about what is asked for as a whole, or -1.
func (r *reference) explains(words []*asked, others []renaming) int {
	name := nameOf(words)
	if len(others) > 0 && len(others[0].words) == len(words) {
		name = nameOf(parse(others[0].name))
	}
	page := -1
	for _, a := range r.manifest.About {
		if nameOf(parse(a[0].(string))) == name {
			page = int(a[1].(float64))
		}
	}
	return page
}

// TestThePageRanksAsTheReference: the page's search, under Node, and the one above
// give the same answers to the golden questions and to others made of the
// book's own words, whole, half-typed and with slips.
func TestThePageRanksAsTheReference(t *testing.T) {
	folder := write(t, theBook(t))
	references := map[string]*reference{}
	questions, _ := goldenQuestions(t)
	random := rand.New(rand.NewPCG(7, 7))
	for _, language := range []string{"en", "ja"} {
		r := load(t, folder, language)
		references[language] = r
		for range 150 {
			page := r.pages[random.IntN(len(r.pages))]
			runes := []rune(page.sections[random.IntN(len(page.sections))].text)
			if len(runes) < 60 {
				continue
			}
			from := random.IntN(len(runes) - 50)
			text := runes[from : from+2+random.IntN(40)]
			if random.IntN(3) == 0 {
				i := random.IntN(len(text) - 1)
				text[i], text[i+1] = text[i+1], text[i]
			}
			here := ""
			if random.IntN(2) == 0 {
				here = r.pages[random.IntN(len(r.pages))].url
			}
			questions = append(questions, question{language, strings.Join(strings.Fields(string(text)), " "), here})
		}
	}
	different := 0
	for i, got := range ask(t, folder, questions) {
		q := questions[i]
		want := references[q.Language].search(q.Question, q.Here)
		if !slices.Equal(got.Found, want.Found) || !slices.Equal(got.Instead, want.Instead) {
			if different++; different <= 3 {
				t.Errorf("%s %q on %q\n the page:      %q %q\n the reference: %q %q", q.Language, q.Question, q.Here, got.Found, got.Instead, want.Found,
					want.Instead)
			}
		}
	}
	if different > 0 {
		t.Errorf("%d of %d answers differ: change engine.ts and reference_test.go together", different, len(questions))
	}
}

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
	"unicode"
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

type asked struct {
	text           string
	terms          []string
	whole, loose   string
	open, japanese bool
	rarity         int
	partly         bool
	sections       map[int]int
	others         []*asked
}

func phraseOf(text string) string {
	return strings.Join(strings.Fields(lower(string(japanese(fold(text))))), " ")
}

func parse(question string) []*asked {
	text := fold(question)
	var words []*asked
	from := 0
	for p := range pieces(text) {
		at := from + strings.Index(text[from:], p.text)
		from = at + len(p.text)
		open := from == len(text)
		if p.japanese {
			words = append(words, runsOf(p.text, open)...)
			continue
		}
		w := split(p.text)
		word := &asked{text: lower(p.text), open: open}
		for _, part := range w.parts {
			if !stopWords[part] {
				word.terms = append(word.terms, part)
			}
		}
		if len(w.joined) > 0 {
			word.whole = w.joined[len(w.joined)-1]
		}
		if len(word.terms) == 0 {
			if word.whole == "" {
				continue
			}
			word.terms = []string{word.whole}
		}
		words = append(words, word)
	}
	telling := slices.DeleteFunc(slices.Clone(words), func(w *asked) bool { return !w.japanese && askingWords[w.text] })
	if len(telling) > 0 {
		return telling
	}
	return words
}

func runsOf(run string, open bool) (out []*asked) {
	runes := japanese(run)
	script := func(r rune) int {
		switch {
		case isKatakana(r):
			return 1
		case unicode.Is(unicode.Hiragana, r):
			return 2
		}
		return 0
	}
	for i := 0; i < len(runes); {
		start := i
		for i < len(runes) && script(runes[i]) == script(runes[start]) {
			i++
		}
		if script(runes[start]) == 2 && i-start < len(runes) {
			continue
		}
		w := &asked{text: string(runes[start:i]), open: open, japanese: true}
		if i-start > 1 {
			for j := start + 1; j < i; j++ {
				w.terms = append(w.terms, string(runes[j-1:j+1]))
			}
		} else {
			w.terms, w.loose = []string{string(runes[start:min(i+1, len(runes))])}, w.text
		}
		out = append(out, w)
	}
	return out
}

func (w *asked) rangeOf(term string) string {
	if w.loose != "" {
		return w.loose
	}
	root := stem(term)
	if len(root) > 3 {
		root = strings.TrimSuffix(root, "i")
	}
	n := 0
	for n < len(root) && n < len(term) && root[n] == term[n] {
		n++
	}
	return term[:n]
}

func (w *asked) fit(found, term string, open bool) int {
	switch length := utf8.RuneCountInString(term); {
	case found == term:
		return 100
	case w.loose != "":
		return 60
	case stem(found) == stem(term):
		return 90
	case !open || w.japanese || length < 2 || !strings.HasPrefix(found, term):
		return 0
	default:
		return max(30, 66-4*(utf8.RuneCountInString(found)-length))
	}
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

// nameOf, renamed and rename are those of query.ts and engine.ts.
func nameOf(words []*asked) string {
	var out []string
	for _, w := range words {
		if w.japanese {
			out = append(out, lower(w.text))
			continue
		}
		for _, t := range w.terms {
			out = append(out, stem(t))
		}
	}
	return strings.Join(out, " ")
}

type renaming struct {
	words []*asked
	name  string
}

func (r *reference) renamed(words []*asked) (out []renaming) {
	names := map[string]string{}
	var order []string
	for _, n := range r.manifest.Names {
		words := parse(n[0])
		if len(words) == 0 || slices.ContainsFunc(words, func(w *asked) bool { return w.loose != "" }) {
			continue
		}
		key := nameOf(words)
		if _, ok := names[key]; !ok {
			order = append(order, key)
		}
		names[key] = n[1]
	}
	for i := 0; i < len(words); i++ {
		for n := min(4, len(words)-i); n > 0; n-- {
			some := words[i : i+n]
			name, ok := names[nameOf(some)]
			if !ok && n == 1 && some[0].japanese && some[0].loose == "" {
				best := ""
				for _, key := range order {
					runes := []rune(key)
					plain := !slices.ContainsFunc(runes, func(r rune) bool { return !isKatakana(r) && !unicode.Is(unicode.Han, r) })
					if len(runes) > len([]rune(best)) && len(runes) > 1 && plain && strings.Contains(lower(some[0].text), key) {
						best = key
					}
				}
				name, ok = names[best]
			}
			if !ok {
				continue
			}
			out = append(out, renaming{some, name})
			i += n - 1
			break
		}
	}
	return out
}

func (r *reference) rename(o renaming) (instead []string) {
	others := parse(o.name)
	sections := map[int]int{}
	rarity := 0
	for _, w := range others {
		w.open = false
		r.lookUp(w, false)
		rarity = max(rarity, w.rarity)
	}
	for s := range others[0].sections {
		sum, all := 0, true
		for _, w := range others {
			score, ok := w.sections[s]
			all = all && ok && !w.partly
			sum += score
		}
		if all {
			sections[s] = sum / len(others)
		}
	}
	if len(sections) == 0 {
		return nil
	}
	unknown := !slices.ContainsFunc(o.words, func(w *asked) bool { return !w.partly && len(w.sections) > 0 })
	if unknown {
		var said []string
		for _, w := range o.words {
			said = append(said, w.text)
		}
		instead = []string{strings.Join(said, " ") + "\t" + o.name}
	}
	for _, w := range o.words {
		if unknown {
			w.sections, w.rarity = map[int]int{}, 0
		}
		w.others, w.rarity = others, max(w.rarity, rarity)
		for s, score := range sections {
			if !unknown {
				score /= 2
			}
			w.sections[s] = max(w.sections[s], score)
		}
	}
	return instead
}

func (r *reference) lookUp(w *asked, slips bool) (instead []string) {
	whole := values{}
	if w.whole != "" {
		whole = r.term(w.whole, w, w.open)
	}
	var lists []values
	for i, t := range w.terms {
		lists = append(lists, r.term(t, w, w.open && i == len(w.terms)-1))
	}
	if slips && !w.japanese && len(whole.sections) == 0 {
		for i, t := range w.terms {
			if len(lists[i].sections) > 0 || utf8.RuneCountInString(t) < 4 {
				continue
			}
			if near := r.nearest(t); near != "" {
				instead = append(instead, t+"\t"+near)
				w.terms[i] = near
				lists[i] = r.term(near, w, false)
			}
		}
	}
	counts, sums := map[int]int{}, map[int]int{}
	for _, l := range lists {
		w.rarity = max(w.rarity, l.rarity)
		for s, v := range l.sections {
			counts[s]++
			sums[s] += v
		}
	}
	n := len(lists)
	needs := []int{n}
	if n > 1 {
		needs = append(needs, (n+1)/2)
	}
	w.sections = map[int]int{}
	for _, need := range needs {
		if len(w.sections) > 0 {
			break
		}
		w.partly = need < n
		for s, count := range counts {
			if count < need {
				continue
			}
			score := sums[s] * w.rarity / n
			if w.whole != "" {
				score = score * 7 / 10
			}
			if need < n {
				score = score * count / (2 * n)
			}
			w.sections[s] = score
		}
	}
	if len(whole.sections) > 0 {
		w.partly = false
		w.rarity = max(w.rarity, whole.rarity)
		for s, v := range whole.sections {
			w.sections[s] = max(w.sections[s], v*whole.rarity)
		}
	}
	return instead
}

func (r *reference) nearest(term string) string {
	runes := []rune(term)
	swapped := string(append([]rune{runes[1], runes[0]}, runes[2:]...))
	starts := []string{string(runes[:2]), string([]rune(swapped)[:2]), string(runes[1:3])}
	best := listed{rarity: math.MaxInt}
	for _, start := range starts {
		at := start
		if strings.HasPrefix(term, start) {
			at = term
		}
		for _, file := range r.files(start, at) {
			for _, l := range file {
				letters := !strings.ContainsFunc(l.term, func(r rune) bool { return !unicode.IsLetter(r) })
				if letters && oneSlip([]rune(term), []rune(l.term)) && (l.rarity < best.rarity || l.rarity == best.rarity && l.term < best.term) {
					best = l
				}
			}
		}
	}
	return best.term
}

func oneSlip(a, b []rune) bool {
	if len(a)-len(b) > 1 || len(b)-len(a) > 1 || slices.Equal(a, b) {
		return false
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	tail := func(r []rune) []rune { return r[min(1, len(r)):] }
	return slices.Equal(tail(a), b) || slices.Equal(a, tail(b)) || slices.Equal(tail(a), tail(b)) ||
		len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && slices.Equal(a[2:], b[2:])
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
				t.Errorf("%s %q on %q\n the page:      %q %q\n the reference: %q %q", q.Language, q.Question, q.Here, got.Found, got.Instead, want.Found, want.Instead)
			}
		}
	}
	if different > 0 {
		t.Errorf("%d of %d answers differ: change engine.ts and reference_test.go together", different, len(questions))
	}
}

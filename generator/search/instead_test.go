package search

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

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

// renaming is a question with some of its words by the name that the book has for them.
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

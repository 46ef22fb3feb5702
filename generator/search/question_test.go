package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// asked is a word or a run of a question, as query.ts reads it.
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

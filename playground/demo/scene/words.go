package scene

import (
	"strconv"
	"strings"

	"kubewalk/playground/demo/phrase"
)

// words is a text that may stand in a box: a phrase and what fills it, or, if
// there is no key, a text that is the same in all languages.
type words struct{ key, args, text string }

func plain(text string) words { return words{text: text} }

// said is a phrase of package phrase.
func said(key string, args ...string) words {
	return words{key: key, args: strings.Join(args, "|")}
}

// fill replaces {1}, {2} … of a template by the parts of args.
func fill(template, args string) string {
	if args == "" {
		return template
	}
	named := map[string]string{}
	for i, a := range strings.Split(args, "|") {
		named[strconv.Itoa(i+1)] = a
	}
	return phrase.Fill(template, named)
}

// width is how many units a text needs in the language in which it is longest.
func (w words) width(font int) int {
	if w.key == "" {
		return (textWidth(w.text, font) + 9) / 10
	}
	widest := 0
	for _, lang := range phrase.Languages() {
		widest = max(widest, textWidth(fill(phrase.Word(lang, w.key), w.args), font))
	}
	return (widest + 9) / 10
}

// first is the first of some texts that needs no more than so many units; none
// when all need more.
func first(units, font int, of ...words) words {
	for _, w := range of {
		if w.width(font) <= units {
			return w
		}
	}
	return words{}
}

func (s *Shape) setTitle(w words) {
	s.Title, s.Word = w.text, w.key
	if w.args != "" {
		s.Args = w.args
	}
}

func (s *Shape) setDetail(w words) {
	s.Detail, s.DetailWord = w.text, w.key
	if w.args != "" {
		s.Args = w.args
	}
}

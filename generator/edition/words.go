package edition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/generator/problem"
	"kubewalk/site/pages"
)

// wordsOf are the pages' words in a language: the theme's, or the book's own, or
// English ones.
func (e *edition) wordsOf(language string) pages.Words {
	words, ok := pages.WordsOf(language)
	if own := e.book.Words[language]; !ok && own != nil {
		return pages.Translated(own.Table)
	}
	return words
}

// checkLanguages tells of words that are missing in a language, or wrong.
func (e *edition) checkLanguages() {
	names := pages.WordNames()
	for _, code := range e.book.Site.Codes() {
		own := e.book.Words[code]
		if _, ok := pages.WordsOf(code); ok {
			continue
		}
		if own == nil {
			e.warn(e.book.At("languages", fmt.Sprintf("pages do not speak %q", code),
				fmt.Sprintf("their own words are in English until there is %s; `kubewalk new words %s` begins it", e.book.WordsOf(code), code)))
			continue
		}
		var missing []string
		for _, name := range names {
			if own.Table[name] == "" {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			e.warn(problem.Problem{File: e.book.WordsOf(code), Message: fmt.Sprintf("%d of %d words are missing: %s", len(missing), len(names), strings.Join(missing, ", ")),
				Cure: "they are in English until then"})
		}
		for _, name := range slices.Sorted(maps.Keys(own.Table)) {
			switch word := own.Table[name]; {
			case !slices.Contains(names, name):
				e.problems.Add(own.At(name, fmt.Sprintf("unknown word %q", name), problem.DidYouMean(name, names)))
			case word != "" && pages.Verbs(word) != pages.Verbs(pages.Word(name)):
				e.problems.Add(own.At(name, fmt.Sprintf("word %q does not hold what is put into it", name), fmt.Sprintf("keep what begins with %%, as in %q", pages.Word(name))))
			}
		}
	}
}

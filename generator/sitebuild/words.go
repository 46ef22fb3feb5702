package sitebuild

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/generator/book/i18n"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/problem"
	"kubewalk/site/pages"
)

// wordsOf are the pages' words in a language: the theme's, or the book's own, or
// English ones.
func (b *build) wordsOf(language string) pages.Words {
	words, ok := pages.WordsOf(language)
	if own := b.book.Words[language]; !ok && own != nil {
		return pages.Translated(own.Table)
	}
	return words
}

// ownWords are what a book has translated of the theme's words; nil in a language
// that the theme speaks.
func (b *build) ownWords(language string) map[string]string {
	if _, ok := pages.WordsOf(language); ok || b.book.Words[language] == nil {
		return nil
	}
	return b.book.Words[language].Table
}

// putWords puts the scripts' words into the tree in the languages that the book has
// translated them to.
func (b *build) putWords(a *pages.Assets) {
	a.Words = map[string]string{}
	for _, code := range b.book.Site.Codes() {
		if own := b.ownWords(code); own != nil {
			a.Words[code] = b.site.Link("/" + b.tree.PutHashed(headers.Assets+"/words-"+code+".json", i18n.Scripts(own)))
		}
	}
}

// sentences are the event log's in a language.
func (b *build) sentences(language string) ([]byte, error) {
	data, err := b.options.Phrases(language)
	if own := b.ownWords(language); err == nil && own != nil {
		return i18n.Sentences(data, own)
	}
	return data, err
}

// demoLanguages are those that the demos' texts are in.
func (b *build) demoLanguages() demos.Languages {
	in := demos.Languages{Codes: b.book.Site.Codes(), Sentences: map[string]map[string]string{}}
	for _, code := range in.Codes {
		if own := b.ownWords(code); own != nil {
			in.Sentences[code] = i18n.OwnSentences(own)
		}
	}
	return in
}

// mostMissing is how many missing words are named.
const mostMissing = 5

// checkLanguages tells of words that are missing in a language, or wrong.
func (b *build) checkLanguages() {
	for _, code := range b.book.Site.Codes() {
		if _, ok := pages.WordsOf(code); ok {
			continue
		}
		own := b.book.Words[code]
		if own == nil {
			b.warn(b.book.At("languages", fmt.Sprintf("the site's own words are not available in %q", code),
				fmt.Sprintf("they are in English until there is %s; `kubewalk new words %s` creates it", b.book.WordsOf(code), code)))
			continue
		}
		if missing := i18n.Missing(own.Table); len(missing) > 0 {
			shown := strings.Join(missing[:min(len(missing), mostMissing)], ", ")
			if more := len(missing) - mostMissing; more > 0 {
				shown += fmt.Sprintf(" and %d more", more)
			}
			b.warn(problem.Problem{File: b.book.WordsOf(code), Message: fmt.Sprintf("%d of %d words are missing: %s", len(missing), len(i18n.Words()), shown),
				Cure: fmt.Sprintf("they are in English until then; `kubewalk new words %s` adds them", code)})
		}
		for _, name := range slices.Sorted(maps.Keys(own.Table)) {
			if message, cure := i18n.Check(name, own.Table[name]); message != "" {
				b.problems.Add(own.At(name, message, cure))
			}
		}
	}
}

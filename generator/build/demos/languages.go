package demos

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/demo/phrase"
)

// Languages are those that a demo's texts have to be in.
type Languages struct {
	Codes []string
	// Sentences are what a book has translated of package phrase's, by language and
	// key; the others are in English there.
	Sentences map[string]map[string]string
}

// word is the template of a key.
func (l Languages) word(lang, key string) string {
	if own := l.Sentences[lang][key]; own != "" {
		return own
	}
	return phrase.Word(lang, key)
}

// say fills the template of a key.
func (l Languages) say(lang, key string, args map[string]string) string {
	if own := l.Sentences[lang][key]; own != "" {
		return phrase.Fill(own, args)
	}
	return phrase.Say(lang, key, args)
}

// key changes with all that it holds.
func (l Languages) key() string {
	hash := sha256.New()
	for _, lang := range slices.Sorted(maps.Keys(l.Sentences)) {
		for _, key := range slices.Sorted(maps.Keys(l.Sentences[lang])) {
			fmt.Fprintf(hash, "%q %q %q\n", lang, key, l.Sentences[lang][key])
		}
	}
	return strings.Join(l.Codes, " ") + "\x00" + string(hash.Sum(nil))
}

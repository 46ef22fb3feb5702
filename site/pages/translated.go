package pages

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// WordNames are the names under which a book gives the pages' words in another
// language, in their order: "notFound".
func WordNames() []string {
	t := reflect.TypeFor[Words]()
	out := make([]string, t.NumField())
	for i := range out {
		name := t.Field(i).Name
		first, size := utf8.DecodeRuneInString(name)
		out[i] = string(unicode.ToLower(first)) + name[size:]
	}
	return out
}

// Word is the English word of a name.
func Word(name string) string {
	english := words["en"]
	for i, known := range WordNames() {
		if known == name {
			return reflect.ValueOf(english).Field(i).String()
		}
	}
	return ""
}

// Verbs is how many places a word has for what is put into it ("%d").
func Verbs(word string) int { return strings.Count(strings.ReplaceAll(word, "%%", ""), "%") }

// Translated are the English words, with those of a table in their place.
func Translated(table map[string]string) Words {
	out := words["en"]
	for i, name := range WordNames() {
		if word := table[name]; word != "" {
			reflect.ValueOf(&out).Elem().Field(i).SetString(word)
		}
	}
	return out
}

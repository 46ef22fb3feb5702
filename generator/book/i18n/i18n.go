// Package i18n is what a site says by itself: its pages, the scripts in them,
// and the event log of its demos. It speaks English and Japanese; a book's file for
// another language (content/words/fr.yaml) translates it word by word, and what
// that lacks stays English.
//
// Each word has a name: "skip" is one of the pages, "player.units.event" one of the
// scripts, "phrase.queue.add" the sentence of a kind of event.
package i18n

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"kubewalk/generator/problem"
	"kubewalk/playground/demo/phrase"
	"kubewalk/site/pages"
	"kubewalk/site/words"
)

// sentence is what the names of sentences begin with.
const sentence = "phrase."

// Word is one that can be translated.
type Word struct {
	Name    string
	English string
	Group   string // what says it; a group's words stand together
}

// Words are all of them, those of the pages first.
var Words = sync.OnceValue(func() []Word {
	var out []Word
	for _, name := range pages.WordNames() {
		out = append(out, Word{name, pages.Word(name), "pages"})
	}
	for _, part := range words.Parts() {
		walk(part, words.Of(part, "en"), func(name, english string) string {
			if english != "" { // nothing is said there
				out = append(out, Word{name, english, part})
			}
			return english
		})
	}
	for _, key := range phrase.Keys("en") {
		out = append(out, Word{sentence + key, phrase.Word("en", key), "sentences of the event log, and words in the picture"})
	}
	return out
})

var byName = sync.OnceValue(func() map[string]Word {
	out := map[string]Word{}
	for _, word := range Words() {
		out[word.Name] = word
	}
	return out
})

// walk calls a function with each text of a table, in order, and puts in its place what that returns.
func walk(name string, table map[string]any, each func(name, text string) string) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		switch value := table[key].(type) {
		case string:
			table[key] = each(name+"."+key, value)
		case map[string]any:
			walk(name+"."+key, value, each)
		default:
			panic(fmt.Sprintf("i18n: %s.%s is a %T", name, key, value))
		}
	}
}

// Missing are the names of the words that a translation lacks, in order.
func Missing(own map[string]string) []string {
	var out []string
	for _, word := range Words() {
		if own[word.Name] == "" {
			out = append(out, word.Name)
		}
	}
	return out
}

// Check tells what is wrong with a word of a translation, and the cure; "" when
// nothing is.
func Check(name, text string) (message, cure string) {
	word, ok := byName()[name]
	if !ok {
		names := make([]string, 0, len(Words()))
		for _, w := range Words() {
			names = append(names, w.Name)
		}
		return fmt.Sprintf("unknown word %q", name), problem.DidYouMean(name, names)
	}
	if text == "" {
		return "", ""
	}
	if word.Group == "pages" {
		if pages.Verbs(text) != pages.Verbs(word.English) {
			return fmt.Sprintf("word %q lacks its placeholder", name), fmt.Sprintf("keep the part that begins with %%, as in %q", word.English)
		}
		return "", ""
	}
	wanted, has := phrase.Names(word.English), phrase.Names(text)
	for _, place := range has {
		if !slices.Contains(wanted, place) {
			if len(wanted) == 0 {
				return fmt.Sprintf("word %q has {%s}, but takes no placeholders", name, place), fmt.Sprintf("as in %q", word.English)
			}
			return fmt.Sprintf("word %q has {%s}, which is not one of its placeholders", name, place), problem.DidYouMean(place, wanted)
		}
	}
	for _, place := range wanted {
		if !slices.Contains(has, place) {
			return fmt.Sprintf("word %q lacks {%s}", name, place), fmt.Sprintf("it is replaced, as in %q", word.English)
		}
	}
	return "", ""
}

// Scripts is the file of the scripts' words that a page in a language loads.
func Scripts(own map[string]string) []byte {
	all := map[string]any{}
	for _, part := range words.Parts() {
		table := words.Of(part, "en")
		walk(part, table, func(name, english string) string {
			if text := own[name]; text != "" {
				return text
			}
			return english
		})
		all[part] = table
	}
	return encode(all)
}

// OwnSentences are a translation's sentences, by the keys of package phrase.
func OwnSentences(own map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range own {
		if key, ok := strings.CutPrefix(name, sentence); ok && text != "" {
			out[key] = text
		}
	}
	return out
}

// Sentences is the file of the event log's sentences in a language, made of the English one.
func Sentences(english []byte, own map[string]string) ([]byte, error) {
	all := map[string]string{}
	if err := json.Unmarshal(english, &all); err != nil {
		return nil, fmt.Errorf("sentences: %w", err)
	}
	for key, text := range OwnSentences(own) {
		if all[key] != "" {
			all[key] = text
		}
	}
	return encode(all), nil
}

func encode(value any) []byte {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("i18n: " + err.Error()) // it is texts
	}
	return []byte(out.String())
}

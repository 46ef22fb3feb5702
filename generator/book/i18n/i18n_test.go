package i18n

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/demo/phrase"
	"kubewalk/site/words"
)

// TestBothLanguagesSayTheSame: what a translation may put into a word is what both put into it.
func TestBothLanguagesSayTheSame(t *testing.T) {
	for _, part := range words.Parts() {
		japanese := map[string]string{}
		walk(part, words.Of(part, "ja"), func(name, text string) string { japanese[name] = text; return text })
		for _, word := range Words() {
			if word.Group != part {
				continue
			}
			if japanese[word.Name] == "" {
				t.Errorf("%s has no Japanese (add it to site/words/%s.json)", word.Name, part)
			}
			if message, cure := Check(word.Name, japanese[word.Name]); message != "" {
				t.Errorf("in Japanese: %s (%s)", message, cure)
			}
			delete(japanese, word.Name)
		}
		for name, text := range japanese {
			if text != "" {
				t.Errorf("%s is Japanese only", name)
			}
		}
	}
	for _, key := range phrase.Keys("ja") {
		if message, cure := Check(sentence+key, phrase.Word("ja", key)); message != "" {
			t.Errorf("in Japanese: %s (%s)", message, cure)
		}
	}
}

func TestWordsAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, word := range Words() {
		if seen[word.Name] {
			t.Errorf("two words are called %q", word.Name)
		}
		seen[word.Name] = true
	}
	for _, name := range []string{"skip", "player.play", "player.units.event", "exercise.solved", "search.none", "copy.copied", "phrase.queue.add"} {
		if !seen[name] {
			t.Errorf("%q is not among %d words", name, len(seen))
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct{ name, text, message, cure string }{
		{"player.play", "Lire", "", ""},
		{"player.play", "", "", ""},
		{"player.paly", "Lire", `unknown word "player.paly"`, `did you mean "player.play"?`},
		{"player.nothingAhead", "Rien.", `word "player.nothingAhead" lacks {n}`, `it is replaced, as in "Not in the next {n} s."`},
		{"worlds.comparing", "{a} et {bb}", `word "worlds.comparing" has {bb}, which is not one of its placeholders`, `did you mean "b"?`},
		{"player.play", "Lire {n}", `word "player.play" has {n}, but takes no placeholders`, `as in "Play"`},
		{"minutes", "lecture", `word "minutes" lacks its placeholder`, `keep the part that begins with %, as in "%d min read"`},
		{"phrase.control.range", "de {min}", `word "phrase.control.range" lacks {max}`, ""},
	} {
		message, cure := Check(test.name, test.text)
		if message != test.message || !strings.Contains(cure, test.cure) {
			t.Errorf("%s: %q says %q (%s), want %q (%s)", test.name, test.text, message, cure, test.message, test.cure)
		}
	}
}

func TestWhatIsMissingStaysEnglish(t *testing.T) {
	own := map[string]string{"player.units.event": "événement", "phrase.queue.add": "Clé {key}"}
	var scripts map[string]map[string]any
	if err := json.Unmarshal(Scripts(own), &scripts); err != nil {
		t.Fatal(err)
	}
	units := scripts["player"]["units"].(map[string]any)
	if units["event"] != "événement" || units["request"] != "API request" || scripts["search"]["search"] != "Search" {
		t.Errorf("%v", units)
	}
	if got := slices.Sorted(maps.Keys(scripts)); !slices.Equal(got, words.Parts()) {
		t.Errorf("the file has %v", got)
	}
	file, err := Sentences(phrase.Files["en"], own)
	if err != nil {
		t.Fatal(err)
	}
	var sentences map[string]string
	if err := json.Unmarshal(file, &sentences); err != nil || sentences["queue.add"] != "Clé {key}" || len(sentences) != len(phrase.Keys("en")) {
		t.Errorf("%v: %q of %d", err, sentences["queue.add"], len(sentences))
	}
	if n := len(Missing(own)); n != len(Words())-2 {
		t.Errorf("%d of %d are missing", n, len(Words()))
	}
	if again := string(Scripts(nil)); strings.Contains(again, "événement") {
		t.Error("one book's words are in another's")
	}
}

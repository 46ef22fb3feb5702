package demos

import (
	"bytes"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"

	"kubewalk/playground/phrase"
)

// What a reader may have to load for a demo, in bytes of brotli: until it plays
// for the first time, and with everything that can be opened in its recording.
// The control plane is not part of it: it comes when a reader changes something.
const (
	firstBudget = 60_000
	wholeBudget = 300_000
)

// book are the demos of the book: more tests than one look at them.
var book = sync.OnceValues(func() ([]*Demo, error) {
	made, _, err := Load("../../content", Languages{Codes: phrase.Languages()}, Run, new(Cache))
	return made, err
})

// TestBudget holds for every demo of the book, in each layout and language.
func TestBudget(t *testing.T) {
	languages := phrase.Languages()
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for _, lang := range languages {
		words = max(words, compressed(t, phrase.Files[lang]))
	}
	for _, d := range made {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel() // compressing takes longer than running
			sizes := map[string]int{}
			for name, text := range d.Files {
				sizes[name] = compressed(t, text)
			}
			for _, l := range layouts {
				frames := sizes[string(l)+".json"]
				first := frames + sizes["scenario.json"] + words
				whole := first + sizes[string(l)+".rest.json"] + sizes["details.json"] + sizes["managers.json"]
				t.Logf("%s: %d bytes until it plays, %d in all", l, first, whole)
				if frames == 0 || first > firstBudget {
					t.Errorf("%s: %d bytes until it plays, %d of them frames; the budget is %d (cure: a shorter set-up)", l, first, frames, firstBudget)
				}
				if whole > wholeBudget {
					t.Errorf("%s: %d bytes in all; the budget is %d (cure: an earlier end)", l, whole, wholeBudget)
				}
			}
		})
	}
}

func compressed(t *testing.T, text []byte) int {
	t.Helper()
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, brotli.BestCompression)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

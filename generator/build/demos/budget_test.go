package demos

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"

	"kubewalk/generator/build/compressed"
	"kubewalk/playground/demo/phrase"
)

// What a reader may have to load for a demo, in bytes as they are sent: until it plays
// for the first time, and with everything that can be opened in its recording.
// The control plane is not part of it: it comes when a reader changes something.
const (
	firstBudget = 60_000
	wholeBudget = 340_000
)

// book are the demos of the book, with their files alone: more tests than one look at
// them. DEMOS is the folder of a site that was built just now (make test builds one
// first); without it they are run here.
var book = sync.OnceValues(func() ([]*Demo, error) {
	dir := os.Getenv("DEMOS")
	if dir == "" {
		made, _, _, err := Load("../../../content", Languages{Codes: phrase.Languages()}, Run, new(Cache))
		return made, err
	}
	sources, err := filepath.Glob("../../../content/demos/*.yaml")
	if err != nil {
		return nil, err
	}
	var made []*Demo
	for _, source := range sources {
		d := &Demo{Name: nameOf(source), Files: map[string][]byte{}}
		files, err := filepath.Glob(filepath.Join(dir, d.Name, "*"+compressed.Ext))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("DEMOS=%s holds nothing of %s (cure: build the site first)", dir, d.Name)
		}
		for _, file := range files {
			if d.Files[filepath.Base(file)], err = os.ReadFile(file); err != nil {
				return nil, err
			}
		}
		made = append(made, d)
	}
	return made, nil
})

// TestBudget holds for every demo of the book, in each layout and language.
func TestBudget(t *testing.T) {
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for _, lang := range phrase.Languages() {
		words = max(words, brotlied(t, phrase.Files[lang]))
	}
	for _, d := range made {
		t.Run(d.Name, func(t *testing.T) {
			for _, what := range overBudget(t, d, words) {
				t.Error(what)
			}
		})
	}
}

// overBudget tells in which layouts a demo takes too much, besides the event log's sentences.
func overBudget(t *testing.T, d *Demo, words int) (over []string) {
	t.Helper()
	size := func(name string) int { return len(d.Files[name+compressed.Ext]) }
	for _, l := range layouts {
		frames := size(string(l) + ".json")
		first := frames + size("scenario.json") + words
		whole := first + size(string(l)+".rest.json") + size("details.json") + size("managers.json")
		t.Logf("%s: %d bytes until it plays, %d in all", l, first, whole)
		if frames == 0 || first > firstBudget {
			over = append(over, fmt.Sprintf("%s: %d bytes until it plays, %d of them frames; the budget is %d (cure: a shorter set-up)", l, first, frames,
				firstBudget))
		}
		if whole > wholeBudget {
			over = append(over, fmt.Sprintf("%s: %d bytes in all; the budget is %d (cure: an earlier end)", l, whole, wholeBudget))
		}
	}
	return over
}

// A demo without frames, or with too many bytes, is over its budget.
func TestOverBudget(t *testing.T) {
	few, first, all := make([]byte, 20), make([]byte, firstBudget), make([]byte, wholeBudget)
	for name, c := range map[string]struct {
		files map[string][]byte
		words int
		want  int // for each of two layouts
	}{
		"within":    {map[string][]byte{"wide.json.gz": few, "narrow.json.gz": few}, firstBudget - 20, 0},
		"words":     {map[string][]byte{"wide.json.gz": few, "narrow.json.gz": few}, firstBudget, 2},
		"no frames": {map[string][]byte{}, 0, 2},
		"first":     {map[string][]byte{"wide.json.gz": first, "scenario.json.gz": few[:1], "narrow.json.gz": few}, 0, 1},
		"rest":      {map[string][]byte{"wide.json.gz": few, "wide.rest.json.gz": all, "narrow.json.gz": few}, 0, 1},
		"whole":     {map[string][]byte{"wide.json.gz": few, "narrow.json.gz": few, "details.json.gz": all}, 0, 2},
	} {
		if over := overBudget(t, &Demo{Files: c.files}, c.words); len(over) != c.want {
			t.Errorf("%s: %q", name, over)
		}
	}
}

// brotlied is how many bytes of a text a host sends that compresses as well as can be.
func brotlied(t *testing.T, text []byte) int {
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

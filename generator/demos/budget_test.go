package demos

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"

	"kubewalk/playground/demo/phrase"
)

// What a reader may have to load for a demo, in bytes of brotli: until it plays
// for the first time, and with everything that can be opened in its recording.
// The control plane is not part of it: it comes when a reader changes something.
const (
	firstBudget = 60_000
	wholeBudget = 300_000
)

// book are the demos of the book, with their files alone: more tests than one look at
// them. DEMOS is the folder of a site that was built just now (make test builds one
// first); without it they are run here.
var book = sync.OnceValues(func() ([]*Demo, error) {
	dir := os.Getenv("DEMOS")
	if dir == "" {
		made, _, _, err := Load("../../content", Languages{Codes: phrase.Languages()}, Run, new(Cache))
		return made, err
	}
	sources, err := filepath.Glob("../../content/demos/*.yaml")
	if err != nil {
		return nil, err
	}
	var made []*Demo
	for _, source := range sources {
		d := &Demo{Name: nameOf(source), Files: map[string][]byte{}}
		files, err := filepath.Glob(filepath.Join(dir, d.Name, "*.json"))
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

// TestBudget holds for every demo of the book, in each layout and language. Fast compression
// takes more bytes: what is within the budgets by that needs no slow one.
func TestBudget(t *testing.T) {
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range made {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel() // compressing takes longer than running
			if over := overBudget(t, d, fast); len(over) == 0 {
				return
			}
			for _, what := range overBudget(t, d, brotli.BestCompression) {
				t.Error(what)
			}
		})
	}
}

// fast is a level of brotli that takes a tenth of the time of the best, which sites are served with.
const fast = 9

// overBudget tells in which layouts a demo takes too much, compressed at a level.
func overBudget(t *testing.T, d *Demo, level int) (over []string) {
	t.Helper()
	words := 0
	for _, lang := range phrase.Languages() {
		words = max(words, compressed(t, phrase.Files[lang], level))
	}
	sizes := map[string]int{}
	for name, text := range d.Files {
		sizes[name] = compressed(t, text, level)
	}
	for _, l := range layouts {
		frames := sizes[string(l)+".json"]
		first := frames + sizes["scenario.json"] + words
		whole := first + sizes[string(l)+".rest.json"] + sizes["details.json"] + sizes["managers.json"]
		t.Logf("%s: %d bytes until it plays, %d in all (brotli %d)", l, first, whole, level)
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

// A demo without frames, or with too many bytes that do not compress, is over its budget.
func TestOverBudget(t *testing.T) {
	noise := make([]byte, wholeBudget+1)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	frames := []byte("{}")
	for name, c := range map[string]struct {
		files map[string][]byte
		want  int // for each of two layouts
	}{
		"within":    {map[string][]byte{"wide.json": frames, "narrow.json": frames}, 0},
		"no frames": {map[string][]byte{}, 2},
		"first":     {map[string][]byte{"wide.json": noise[:firstBudget], "narrow.json": frames}, 1},
		"whole":     {map[string][]byte{"wide.json": frames, "narrow.json": frames, "details.json": noise}, 2},
	} {
		for _, level := range []int{fast, brotli.BestCompression} {
			if over := overBudget(t, &Demo{Files: c.files}, level); len(over) != c.want {
				t.Errorf("%s, level %d: %q", name, level, over)
			}
		}
	}
}

func compressed(t *testing.T, text []byte, level int) int {
	t.Helper()
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, level)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

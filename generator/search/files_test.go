package search

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSameBookSameFiles: nothing in an index comes from the order of a map.
func TestSameBookSameFiles(t *testing.T) {
	for language, x := range theBook(t) {
		a, b := x.Files(language, "../assets/"), theBook(t)[language].Files(language, "../assets/")
		same := func(f, g File) bool { return f.Name == g.Name && bytes.Equal(f.Data, g.Data) }
		if !bytes.Equal(a.Manifest, b.Manifest) || !slices.EqualFunc(a.Shards, b.Shards, same) {
			t.Errorf("%s: two indexes of one book differ", language)
		}
		if !bytes.Contains(a.Manifest, []byte(`"folder":"../assets/search/`+language+`-`)) {
			t.Errorf("%s", a.Manifest)
		}
	}
}

// TestAFileNameChangesWithWhatIsInIt: shards are cached for ever.
func TestAFileNameChangesWithWhatIsInIt(t *testing.T) {
	names := map[string]bool{}
	for _, text := range []string{"one", "two", "two words"} {
		x := new(Index)
		x.Add(Page{URL: "/en/a/b/", Title: "T", Sections: []Section{{Text: text}}})
		names[x.Files("en", "").Shards[0].Name] = true
	}
	if len(names) != 3 {
		t.Errorf("%v", names)
	}
}

// TestWholeFilesFindTheSame: the development server's index is in one piece.
func TestWholeFilesFindTheSame(t *testing.T) {
	x := theBook(t)["en"]
	folder := t.TempDir()
	whole := x.Whole("en/")
	if err := os.Mkdir(filepath.Join(folder, "en"), 0o755); err != nil {
		t.Fatal(err)
	}
	files := append([]File{{"en.json", whole.Manifest}}, whole.Shards...)
	for i, f := range files {
		if i > 0 {
			f.Name = "en/" + f.Name
		}
		if err := os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, b := load(t, folder, "en"), load(t, write(t, map[string]*Index{"en": x}), "en")
	for _, q := range []string{"work queue", "expecta", "why are pods pending", "preemtion"} {
		if got, want := a.search(q, ""), b.search(q, ""); !slices.Equal(got.Found, want.Found) || len(got.Found) == 0 {
			t.Errorf("%q: %q, in shards %q", q, got.Found, want.Found)
		}
	}
}

// TestEmptyBook: there may be nothing to find, and nothing that can be found.
func TestEmptyBook(t *testing.T) {
	for _, pages := range [][]Page{nil, {{URL: "/en/", Title: "!", Sections: []Section{{}}}}} {
		x := new(Index)
		for _, p := range pages {
			x.Add(p)
		}
		if whole := x.Whole("en/"); len(whole.Shards) != len(WholeNames) || string(whole.Shards[0].Data) != "[]" && len(pages) == 0 {
			t.Errorf("%+v", whole)
		}
		if got := load(t, write(t, map[string]*Index{"en": x}), "en").search("anything at all", ""); len(got.Found) > 0 {
			t.Errorf("found %q", got.Found)
		}
	}
}

// TestPartsAreKnownByTheirFolder: where a reader is decides what stands first.
func TestPartsAreKnownByTheirFolder(t *testing.T) {
	x := new(Index)
	for _, p := range []string{"|/b/en/", "Start|/b/en/start/a/", "Start|/b/en/start/b/", "Loop|/b/en/loop/c/"} {
		part, url, _ := strings.Cut(p, "|")
		x.Add(Page{URL: url, Title: "T", Part: part, Sections: []Section{{}}})
	}
	m, _ := x.split(termsBytes, textsBytes)
	if got, want := fmt.Sprint(m.Parts), "[[ /b/ 1] [Start /b/en/start/ 2] [Loop /b/en/loop/ 1]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

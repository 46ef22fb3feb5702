package pages

import (
	"os"
	"strings"
	"testing"
)

// TestNavigationMarksThePlace: the list is rendered once, and each page has it with
// its own place marked.
func TestNavigationMarksThePlace(t *testing.T) {
	site := &Site{Prefix: "/book"}
	parts := func(n int) []Part {
		out := []Part{{Name: "a", Title: "A & B", Chapters: []Entry{{Title: "<One>", Path: "/en/a/one/"}, {Title: "Two", Path: "/en/a/two/"}}},
			{Name: "c", Title: "C"}}
		for range n {
			out[1].Chapters = append(out[1].Chapters, Entry{Title: "x", Path: "/en/c/x/" + strings.Repeat("x", len(out[1].Chapters)) + "/"})
		}
		return out
	}
	few, many := NewNavigation(site, parts(2)), NewNavigation(site, parts(200))
	if got := text(few.On("/en/a/two/")); !strings.Contains(got, `<a href="/book/en/a/two/" aria-current="page">Two</a>`) ||
		strings.Count(got, "aria-current") != 1 ||
		strings.Count(got, "<details open>") != 2 || !strings.Contains(got, "A &amp; B") || !strings.Contains(got, "&lt;One&gt;") {
		t.Errorf("got %s", got)
	}
	if got := text(many.On("/en/a/one/")); strings.Count(got, "<details open>") != 1 || strings.Index(got, "<details open>") > strings.Index(got, "One") ||
		strings.Count(got, `aria-current="page"`) != 1 {
		t.Errorf("got %s", got)
	}
	if got := text(few.On("/en/elsewhere/")); strings.Contains(got, "aria-current") {
		t.Errorf("got %s", got)
	}
	if got := text(few.On("/en/c/x//")); strings.Count(got, `aria-current="page"`) != 1 {
		t.Errorf("got %s", got)
	}
}

// TestSurfaceIsThatOfTheStyleSheet: a browser paints around the page what the page is painted in.
func TestSurfaceIsThatOfTheStyleSheet(t *testing.T) {
	tokens, err := os.ReadFile("../styles/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	if want := "--surface: light-dark(" + Surface + ", " + surfaceDark + ");"; !strings.Contains(string(tokens), want) {
		t.Errorf("site/styles/tokens.css lacks %s: change Surface and surfaceDark, too", want)
	}
}

// TestOfflineWordsAreComplete: no language lacks a word.
func TestOfflineWordsAreComplete(t *testing.T) {
	for _, code := range []string{"en", "ja"} {
		w, ok := offlineWords[code]
		if !ok || w.Title == "" || w.Lost == "" || w.Removed == "" || !strings.Contains(w.Keep, "{mb}") || !strings.Contains(w.There, "{n}") ||
			!strings.Contains(w.Failed, "{why}") {
			t.Errorf("%s: %+v", code, w)
		}
	}
}

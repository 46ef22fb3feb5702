package sitebuild

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kubewalk/generator/build/demos"
)

// TestPagesDoNotWaitForDemos: a page says that its demo is being recorded, what leads to
// it is plain text, nothing is held against it, and later it is there.
func TestPagesDoNotWaitForDemos(t *testing.T) {
	root := t.TempDir()
	for name, text := range book {
		if name == "en/loop/scale.md" {
			text += "\n[It begins](demo:scale@first), and [3](<demo:scale count pods>) and [more](demo:scale).\n" +
				"\n```exercise\nscale/five\n```\n\n[Try it](#exercise-scale-five)\n"
		}
		full := filepath.Join(root, "content", name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "playground"), 0o755); err != nil {
		t.Fatal(err)
	}
	pending, cache := true, new(Cache)
	o := Options{
		Root: root, Content: filepath.Join(root, "content"), Dev: true, Assets: makeAssets,
		Demos: func(name, file string, text []byte, in demos.Languages) (*demos.Demo, error) {
			if pending {
				return nil, demos.ErrPending
			}
			return makeDemo(name, file, text, in)
		},
		Phrases: func(string) ([]byte, error) { return []byte(`{}`), nil },
	}
	tree, err := Build(t.Context(), o, cache)
	if err != nil {
		t.Fatal(err)
	}
	page := func(name string) string {
		text, _ := tree.Get(name)
		return string(text)
	}
	for name, wants := range map[string][]string{
		"en/loop/scale/index.html": {`id="demo-scale"`, "This demo is being recorded.", `id="exercise-scale-five"`, "It begins", ">3<"},
		"ja/loop/scale/index.html": {`id="demo-scale"`, "このデモは記録中です。"},
		"embed/scale/index.html":   {`id="demo-scale"`, "This demo is being recorded."},
	} {
		for _, want := range wants {
			if !strings.Contains(page(name), want) {
				t.Errorf("%s lacks %s:\n%s", name, want, page(name))
			}
		}
		if strings.Contains(page(name), "<kubewalk-demo") || strings.Contains(page(name), "demo-scale-first") {
			t.Errorf("%s shows a demo that is not there, or leads to its moments", name)
		}
	}
	var waiting []string
	for _, a := range cache.Awaited() {
		waiting = append(waiting, a.File)
	}
	if want := []string{"en/index.html", "en/loop/scale/index.html"}; !slices.Contains(waiting, want[0]) || !slices.Contains(waiting, want[1]) ||
		!slices.Contains(waiting, "embed/ja/scale/index.html") || slices.Contains(waiting, "en/start/tour/index.html") {
		t.Errorf("waiting: %v", waiting)
	}

	// It is there: now the claims are held against it, and are wrong.
	pending = false
	if _, err = Build(t.Context(), o, cache); err == nil || !strings.Contains(err.Error(), `demo "scale" has no exercise "five"`) {
		t.Errorf("recorded: %v", err)
	}
	file := filepath.Join(root, "content/en/loop/scale.md")
	if err := os.WriteFile(file, []byte(book["en/loop/scale.md"]), 0o644); err != nil {
		t.Fatal(err)
	}
	cache.Saved(o.Content, []string{filepath.ToSlash(file)})
	if tree, err = Build(t.Context(), o, cache); err != nil {
		t.Fatal(err)
	}
	text := page("en/loop/scale/index.html")
	if !strings.Contains(text, "<kubewalk-demo") || strings.Contains(text, "being recorded") || len(cache.Awaited()) > 0 {
		t.Errorf("recorded: %s", text)
	}
}

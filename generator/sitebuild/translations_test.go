package sitebuild

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/output"
	"kubewalk/generator/problem"
)

// library is a book on disk that is built several times.
type library struct {
	root  string
	cache Cache
	wants Options
}

func newLibrary(t *testing.T, changes map[string]string) *library {
	t.Helper()
	l := &library{root: t.TempDir()}
	for name, text := range book {
		if changes[name] != "-" {
			l.write(t, name, text)
		}
	}
	for name, text := range changes {
		if text != "-" {
			l.write(t, name, text)
		}
	}
	return l
}

func (l *library) write(t *testing.T, name, text string) {
	t.Helper()
	full := filepath.Join(l.root, "content", name)
	if text == "-" {
		if err := os.Remove(full); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	l.cache.content.Forget([]string{filepath.ToSlash(full)})
}

// options are what it is built with.
func (l *library) options() Options {
	o := l.wants
	o.Root, o.Content, o.Base = l.root, filepath.Join(l.root, "content"), "https://example.org"
	o.Demos, o.Assets = makeDemo, func(tree *output.Tree, o assets.Options) (*assets.Set, error) { return makeAssets(tree, o) }
	o.Sources = func(*output.Tree) error { return nil }
	o.Phrases = func(string) ([]byte, error) { return []byte("{}"), nil }
	return o
}

// build returns the warnings as well.
func (l *library) build(t *testing.T) (tree *output.Tree, warnings string, err error) {
	t.Helper()
	o := l.options()
	o.Warned = func(err error) { warnings = strings.ReplaceAll(err.Error(), filepath.ToSlash(l.root)+"/", "") }
	tree, err = Build(t.Context(), o, &l.cache)
	return tree, warnings, err
}

// commit commits all that is on disk, at noon of a day.
func (l *library) commit(t *testing.T, day string) {
	t.Helper()
	for _, arguments := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", day}} {
		command := exec.Command("git", append([]string{"-C", l.root}, arguments...)...)
		command.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+day+"T12:00:00Z", "GIT_COMMITTER_DATE="+day+"T12:00:00Z")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", arguments, err, out)
		}
	}
}

func page(t *testing.T, tree *output.Tree, name string) string {
	t.Helper()
	data, ok := tree.Get(name)
	if !ok {
		t.Fatalf("%s is missing; there are %v", name, tree.Paths())
	}
	return string(data)
}

func TestAMissingTranslationShowsTheOriginal(t *testing.T) {
	l := newLibrary(t, map[string]string{
		"ja/loop/scale.md": "-",
		"en/loop/scale.md": "---\ntitle: Scale\ndescription: d\norder: 1\n---\n## Why {#why}\n\n```demo\nscale\n```\n\n[Tour](../start/tour.md), [its picture](../start/tour.md#one), [here](#why).\n",
		"ja/start/tour.md": "---\ntitle: ツアー\ndescription: d\norder: 1\n---\n## 一つ {#one}\n\n[次](../loop/scale.md#why)\n",
	})
	for range 2 { // the second is built of what the first has kept
		tree, warnings, err := l.build(t)
		if err != nil {
			t.Fatal(err)
		}
		if want := `content/en/loop/scale.md: chapter loop/scale is missing in "ja"`; !strings.HasPrefix(warnings, want) {
			t.Errorf("warned %q, want %s", warnings, want)
		}
		shown := page(t, tree, "ja/loop/scale/index.html")
		for _, want := range []string{
			`<html lang="ja"`, `lang="en"`, `まだ翻訳されていません`, `<a href="/en/loop/scale/" lang="en" hreflang="en">English</a>`,
			`<link rel="canonical" href="https://example.org/en/loop/scale/">`,
			`<a href="/ja/start/tour/">Tour</a>`, `<a href="/ja/start/tour/#one">its picture</a>`, // the reader stays in their language
			`<a href="#why">here</a>`,
		} {
			if !strings.Contains(shown, want) {
				t.Errorf("the page lacks %s:\n%s", want, shown)
			}
		}
		for name, wrong := range map[string]string{
			"ja/loop/scale/index.html": `hreflang="ja" href="https://example.org/ja/loop/scale/"`,
			"en/loop/scale/index.html": `hreflang="ja" href="https://example.org/ja/loop/scale/"`,
			"sitemap.xml":              `ja/loop/scale`,
		} {
			if strings.Contains(page(t, tree, name), wrong) {
				t.Errorf("%s names the translation that is not there: %s", name, wrong)
			}
		}
		if other := page(t, tree, "ja/start/tour/index.html"); !strings.Contains(other, `href="/ja/loop/scale/#why"`) {
			t.Errorf("a chapter in that language does not lead there:\n%s", other)
		}
	}
	l.wants.Strict = true
	if _, _, err := l.build(t); err == nil || !strings.Contains(err.Error(), "is missing in") {
		t.Errorf("strict: %v", err)
	}
}

// TestADraftOfATranslationShowsTheOriginal: what `kubewalk new chapter` begins need not
// follow the original before it is translated.
func TestADraftOfATranslationShowsTheOriginal(t *testing.T) {
	l := newLibrary(t, map[string]string{
		"en/loop/scale.md": "---\ntitle: Scale\ndescription: d\norder: 1\n---\n## Why {#why}\n\n```demo\nscale\n```\n",
		"ja/loop/scale.md": "---\ntitle: Scale\ndescription: d\norder: 1\ndraft: true\n---\n\n## 何が {#why}\n",
	})
	tree, warnings, err := l.build(t)
	if err != nil {
		t.Fatal(err)
	}
	if want := `content/ja/loop/scale.md:5:8: chapter loop/scale is a draft in "ja" (translate it and remove the line draft: true; until then the page shows the text of content/en/loop/scale.md)`; warnings != want {
		t.Errorf("warned %q", warnings)
	}
	for _, want := range []string{`<html lang="ja"`, `まだ翻訳されていません`, `id="why"`, `data-demo="scale"`} {
		if shown := page(t, tree, "ja/loop/scale/index.html"); !strings.Contains(shown, want) {
			t.Errorf("the page lacks %s:\n%s", want, shown)
		}
	}
	l.wants.Drafts = true // as serve shows it
	tree, warnings, err = l.build(t)
	if err != nil || warnings != "" || !strings.Contains(page(t, tree, "ja/loop/scale/index.html"), "何が") {
		t.Errorf("with drafts: %v, %s", err, warnings)
	}
}

func TestDraftsAreLeftOut(t *testing.T) {
	draft := "---\ntitle: Tour\ndescription: d\norder: 1\ndraft: true\n---\n## One\n"
	l := newLibrary(t, map[string]string{"en/start/tour.md": draft})
	tree, warnings, err := l.build(t)
	if err != nil || warnings != "" {
		t.Fatalf("%v, %s", err, warnings)
	}
	for _, name := range []string{"en/start/tour/index.html", "ja/start/tour/index.html"} {
		if _, ok := tree.Get(name); ok {
			t.Errorf("%s was written", name)
		}
	}
	l.wants.Drafts = true
	if tree, _, err = l.build(t); err != nil || !strings.Contains(page(t, tree, "en/start/tour/index.html"), "This page is a draft") {
		t.Errorf("with drafts: %v", err)
	}
	l.wants.Drafts = false
	l.write(t, "en/loop/scale.md", "---\ntitle: Scale\ndescription: d\norder: 1\n---\n## Why {#why}\n\nSee [the tour](../start/tour.md).\n\n```demo\nscale\n```\n")
	if _, _, err = l.build(t); err == nil || !strings.Contains(err.Error(), `en/loop/scale.md:8:5: link "../start/tour.md" leads to a draft`) {
		t.Errorf("a link to a draft: %v", err)
	}
}

func TestAStaleTranslationSaysSinceWhen(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	l := newLibrary(t, nil)
	l.commit(t, "2026-01-01")
	if _, warnings, err := l.build(t); err != nil || warnings != "" {
		t.Fatalf("all of one commit: %v, %s", err, warnings)
	}
	l.write(t, "en/start/tour.md", book["en/start/tour.md"]+"\nMore.\n")
	l.commit(t, "2026-02-03")
	tree, warnings, err := l.build(t)
	if err != nil || !strings.Contains(warnings, "content/ja/start/tour.md:5:") && !strings.Contains(warnings, "content/ja/start/tour.md:") ||
		!strings.Contains(warnings, "which was changed on 2026-02-03") {
		t.Fatalf("%v, %s", err, warnings)
	}
	shown := page(t, tree, "ja/start/tour/index.html")
	if !strings.Contains(shown, `<time datetime="2026-02-03">`) || !strings.Contains(shown, `class="notice"`) {
		t.Errorf("the page does not say so:\n%s", shown)
	}
	if strings.Contains(page(t, tree, "en/start/tour/index.html"), `class="notice"`) {
		t.Error("the original says that it is stale")
	}
	for reviewed, stale := range map[string]bool{"2026-02-03": false, "2026-02-02": true, "2026-03-01": false, "0000000": true} {
		l.write(t, "ja/loop/scale.md", book["ja/loop/scale.md"]) // nothing: the same text
		l.write(t, "ja/start/tour.md", strings.Replace(book["ja/start/tour.md"], "order: 1", "order: 1\nreviewed: \""+reviewed+"\"", 1))
		// What is not committed has no date, and so is not stale: look at it as committed before.
		l.commit(t, "2026-01-02")
		_, warnings, err := l.build(t)
		if err != nil || strings.Contains(warnings, "tour.md") != stale {
			t.Errorf("reviewed %s: %v, %q", reviewed, err, warnings)
		}
	}
	l.wants.Strict = true
	l.write(t, "ja/start/tour.md", book["ja/start/tour.md"])
	l.commit(t, "2026-01-03")
	if _, _, err := l.build(t); err == nil || len(problem.Of(err)) != 1 {
		t.Errorf("strict: %v", err)
	}
}

// TestATranslationThatDiffersIsAWarning: one language is written before the other, so
// nothing stops until the book is published strictly.
func TestATranslationThatDiffersIsAWarning(t *testing.T) {
	l := newLibrary(t, map[string]string{"en/start/tour.md": book["en/start/tour.md"] + "\n#### Deep\n"})
	const want = `en/start/tour.md:10:1: heading with the anchor "deep" is missing in language "ja"`
	if _, warnings, err := l.build(t); err != nil || !strings.Contains(warnings, want) {
		t.Errorf("%v, warned %q", err, warnings)
	}
	l.wants.Strict = true
	if _, _, err := l.build(t); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("strict: %v", err)
	}
	l.wants.Strict = false
	l.write(t, "site.yaml", book["site.yaml"]+"translations: complete\n")
	if _, _, err := l.build(t); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("complete: %v", err)
	}
}

package sitebuild

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
)

// TestGlossary builds a book with a glossary, and again after a definition was changed.
func TestGlossary(t *testing.T) {
	root := t.TempDir()
	write := func(files map[string]string) {
		for name, text := range files {
			full := filepath.Join(root, "content", name)
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files := maps.Clone(book)
	files["../playground/a.go"] = "package playground\n"
	files["glossary.yaml"] = "terms:\n  pod: {term: Pod, definition: {en: \"One `container` & more.\", ja: コンテナ。}, chapter: \"loop/scale.md#why\"}\n"
	files["en/start/tour.md"] = "---\ntitle: Tour\ndescription: d\norder: 1\n---\nA [Pod](term:pod).\n\n## One {#one}\n\n:::tabs\n### A\na\n### B\nb\n:::\n"
	write(files)
	cache := new(Cache)
	build := func() (*output.Tree, error) {
		return Build(t.Context(), Options{
			Root: root, Content: filepath.Join(root, "content"), Base: "https://example.org/book", Demos: makeDemo,
			Assets: func(tree *output.Tree, o assets.Options) (*assets.Set, error) {
				set, err := makeAssets(tree, o)
				set.Tabs, set.Blocks = tree.PutHashed(headers.Assets+"/tabs.js", nil), tree.PutHashed(headers.Assets+"/blocks.js", nil)
				return set, err
			},
			Phrases: func(language string) ([]byte, error) { return []byte("{}"), nil },
		}, cache)
	}
	has := func(tree *output.Tree, name string, wants ...string) {
		t.Helper()
		data, ok := tree.Get(name)
		if !ok {
			t.Fatalf("%s is missing", name)
		}
		for _, want := range wants {
			if !bytes.Contains(data, []byte(want)) {
				t.Errorf("%s lacks %s:\n%s", name, want, data)
			}
		}
	}
	tree, err := build()
	if err != nil {
		t.Fatal(err)
	}
	has(tree, "en/start/tour/index.html", `<a href="/book/en/glossary/#pod" class="term" data-term="pod">Pod</a>`,
		`id="term-pod" popover="manual" role="tooltip"><strong>Pod</strong>  One <code>container</code> &amp; more.`, "/assets/tabs-", "/assets/blocks-")
	has(tree, "en/glossary/index.html", `<h3 id="pod">`, `href="/book/en/loop/scale/#why"`, `hreflang="ja"`)
	has(tree, "ja/glossary/index.html", "コンテナ。", "用語集")
	has(tree, "en/index.html", `href="/book/en/glossary/"`)
	has(tree, "sitemap.xml", "https://example.org/book/ja/glossary/")
	if data, _ := tree.Get("ja/start/tour/index.html"); bytes.Contains(data, []byte("blocks-")) || bytes.Contains(data, []byte("tabs-")) {
		t.Error("a page without tabs and terms loads their scripts")
	}

	write(map[string]string{"glossary.yaml": strings.Replace(files["glossary.yaml"], "& more", "and so on", 1)})
	if tree, err = build(); err != nil {
		t.Fatal(err)
	}
	has(tree, "en/start/tour/index.html", "<code>container</code> and so on.")

	write(map[string]string{"glossary.yaml": strings.Replace(files["glossary.yaml"], "#why", "#whi", 1)})
	if _, err = build(); err == nil || !strings.Contains(err.Error(), `glossary.yaml:2:85: anchor "whi" is not in`) {
		t.Errorf("got %v", err)
	}

	// A chapter without front matter has no title; the glossary's link to it is none of the author's mistakes.
	write(map[string]string{"glossary.yaml": files["glossary.yaml"], "en/loop/scale.md": "Text.\n\n## Why {#why}\n"})
	if _, err = build(); err == nil || !strings.Contains(err.Error(), "front matter is missing") || strings.Contains(err.Error(), "glossary.yaml") {
		t.Errorf("got %v", err)
	}
}

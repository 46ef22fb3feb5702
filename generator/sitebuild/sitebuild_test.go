package sitebuild

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/problem"
	"kubewalk/playground/demo/scene"
)

// book is a small book with everything in it.
var book = map[string]string{
	"site.yaml": `title: {en: Book <1>, ja: 本}
description: {en: About & more, ja: 概要}
languages: [{code: en, name: English}, {code: ja, name: 日本語}]
parts:
  - {name: start, title: {en: Start, ja: はじめに}}
  - {name: loop, title: {en: The loop, ja: ループ}}
  - {name: later, title: {en: Later, ja: あとで}}
`,
	"en/index.md":        "---\ntitle: A book\ndescription: Home\n---\nRead [the loop](loop/scale.md#why).\n\n```demo\nscale\n```\n",
	"ja/index.md":        "---\ntitle: 本\ndescription: ホーム\n---\n[ループ](loop/scale.md#why)\n\n```demo\nscale\n```\n",
	"en/start/tour.md":   "---\ntitle: \"A tour: <b>\"\ndescription: d\norder: 1\n---\n## One\n\n![A queue](queue.svg)\n",
	"ja/start/tour.md":   "---\ntitle: ツアー\ndescription: d\norder: 1\n---\n## 一つ {#one}\n",
	"en/loop/scale.md":   "---\ntitle: Scale\ndescription: \"a \\\"quote\\\"\"\norder: 1\n---\n## Why {#why}\n\n```demo\nscale\n```\n\n[mark](#demo-scale)\n",
	"ja/loop/scale.md":   "---\ntitle: スケール\ndescription: d\norder: 1\n---\n## なぜ {#why}\n\n```demo\nscale\n```\n",
	"en/start/queue.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>`,
	"demos/scale.yaml":   "x",
}

func makeDemo(name, file string, text []byte, in demos.Languages) (*demos.Demo, error) {
	if string(text) == "broken" {
		return nil, problem.Problem{File: file, Line: 4, Column: 2, Message: "claim does not hold"}
	}
	svg := map[string]map[scene.Layout]string{}
	for _, l := range in.Codes {
		svg[l] = map[scene.Layout]string{}
		for _, layout := range []scene.Layout{scene.Wide, scene.Narrow} {
			svg[l][layout] = fmt.Sprintf(`<svg viewBox="0 0 9 9" class="kw-%s"><g class="kw-layer"><g><text>%s</text></g></g></svg>`, layout, l)
		}
	}
	return &demos.Demo{
		Name: name, Title: map[string]string{"en": "Scaling <up>", "ja": "スケール"},
		Marks: []demos.Still{{ID: "first", Caption: map[string]string{"en": "It begins", "ja": "始まり"}, At: 1250 * time.Millisecond, Frame: 7, SVG: svg,
			Text: []demos.LogLine{{At: time.Second, Sentence: map[string]string{"en": "somebody <acts>", "ja": "誰かが動く"}}}}},
		Controls: []demos.Control{{Label: map[string]string{"en": "replicas", "ja": "レプリカ数"}, Range: map[string]string{"en": "0–9", "ja": "0–9"}}},
		Files:    map[string][]byte{"wide.json.gz": []byte("{}"), "narrow.json.gz": []byte("{}"), "details.json.gz": []byte("{}"), "scenario.json.gz": []byte("{}")},
	}, nil
}

func makeAssets(tree *output.Tree, o assets.Options) (*assets.Set, error) {
	put := func(name string) string { return tree.PutHashed(headers.Assets+"/"+name, []byte(name)) }
	return &assets.Set{Styles: []string{put("index.css")}, Theme: put("theme.js"), Frame: put("frame.js"), Search: put("search.js"), Found: put("search.css"),
		Links: put("links.css"), Posts: put("posts.css"),
		Page: put("index.js"), Worker: put("worker.js"),
		Wasm: put("kubewalk.wasm"), Icon: put("icon.svg")}, nil
}

func buildBook(t *testing.T, base string, changes map[string]string) (*output.Tree, error) {
	t.Helper()
	return buildFor(t, false, base, changes)
}

func buildFor(t *testing.T, dev bool, base string, changes map[string]string) (*output.Tree, error) {
	t.Helper()
	return buildIn(t, writeBook(t, changes), dev, base)
}

// writeBook writes the tests' book, with changes, into a folder of a test.
func writeBook(t *testing.T, changes map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	files := map[string]string{"../playground/a.go": "package playground\n\nfunc f() {}\n"}
	for name, text := range book {
		files[name] = text
	}
	for name, text := range changes {
		files[name] = text
	}
	for name, text := range files {
		if text == "-" {
			continue
		}
		full := filepath.Join(root, "content", name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func buildIn(t *testing.T, root string, dev bool, base string) (*output.Tree, error) {
	t.Helper()
	return Build(t.Context(), Options{
		Root: root, Content: filepath.Join(root, "content"), Base: base, Dev: dev,
		Demos: makeDemo, Assets: makeAssets,
		Phrases: func(language string) ([]byte, error) { return []byte(`{"l":"` + language + `"}`), nil },
	}, new(Cache))
}

func TestBuildWritesTheWholeSite(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"index.html", "404.html", "robots.txt", "sitemap.xml", "_headers",
		"search/en.json.gz", "search/ja.json.gz", "en/search/index.html", "ja/search/index.html",
		"en/index.html", "ja/index.html", "en/start/tour/index.html", "ja/loop/scale/index.html",
		"embed/scale/index.html", "embed/ja/scale/index.html",
		"demos/scale/wide.json.gz", "demos/scale/narrow.json.gz", "demos/scale/details.json.gz", "demos/scale/scenario.json.gz",
		"source/playground/a.go.json.gz",
	} {
		if _, ok := tree.Get(name); !ok {
			t.Errorf("%s is missing; there are %v", name, tree.Paths())
		}
	}
	for name, wants := range map[string][]string{
		"en/loop/scale/index.html": {
			`<html lang="en"`, `<title>Scale – Book &lt;1&gt;</title>`, `content="a &#34;quote&#34;"`,
			`<link rel="canonical" href="https://example.org/book/en/loop/scale/">`,
			`hreflang="ja" href="https://example.org/book/ja/loop/scale/"`,
			`<a href="/book/ja/loop/scale/" lang="ja" hreflang="ja">日本語</a>`,
			`rel="prev" href="/book/en/start/tour/"`, `aria-current="page"`, `<script type="module" src="/book/assets/index-`,
			`id="demo-scale"`, `data-src="/book/demos/scale/"`, `data-embed="/book/embed/scale/"`, `data-phrases="/book/assets/phrases-en-`,
			`src="/book/demos/scale/first-en-wide.svg?v=`, `Scaling &lt;up&gt;`, `1.250 s`, `replicas: 0–9`, `<a href="/book/en/#part.loop">The loop</a>`,
		},
		"en/start/tour/index.html":  {`A tour: &lt;b&gt;`, `rel="next" href="/book/en/loop/scale/"`, `src="/book/assets/en-start-queue-`},
		"embed/scale/index.html":    {`somebody &lt;acts&gt;`},
		"embed/ja/scale/index.html": {`<html lang="ja"`, `data-alone`, `noindex`, `href="/book/ja/loop/scale/" target="_top"`},
		"404.html": {`http-equiv="Content-Security-Policy"`, `noindex`, `このページはありません`, `data-lost="/book/ja/"`,
			`data-index="/book/search/ja.json.gz"`},
		"index.html":    {`hreflang="x-default" href="https://example.org/book/"`, `href="/book/en/"`, `href="/book/ja/"`},
		"sitemap.xml":   {`<loc>https://example.org/book/ja/start/tour/</loc>`},
		"robots.txt":    {"Sitemap: https://example.org/book/sitemap.xml"},
		"_headers":      {"/*\n  Content-Security-Policy: default-src 'none'", "/embed/*\n  Cache-Control: public, max-age=0, must-revalidate\n  Access-Control-Allow-Origin: *", "/en/*", "/ja/*"},
		"en/index.html": {`href="/book/en/loop/scale/#why"`, "The loop"},
	} {
		data, _ := tree.Get(name)
		for _, want := range wants {
			if !bytes.Contains(data, []byte(want)) {
				t.Errorf("%s lacks %s:\n%s", name, want, data)
			}
		}
	}
	if data, _ := tree.Get("en/start/tour/index.html"); bytes.Contains(data, []byte(`type="module"`)) {
		t.Error("a page without demos loads the player")
	}
	if data, _ := tree.Get("en/index.html"); bytes.Contains(data, []byte("Later")) {
		t.Error("a part without chapters is shown")
	}
}

// TestPolicyHoldsInEveryPage: nothing in any page needs unsafe-inline.
func TestPolicyHoldsInEveryPage(t *testing.T) {
	tree, err := buildBook(t, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, name := range tree.Paths() {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		pages++
		data, _ := tree.Get(name)
		root, err := html.Parse(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Data == "script" && n.FirstChild != nil || n.Data == "style" && n.Type == html.ElementNode {
				t.Errorf("%s: inline %s", name, n.Data)
			}
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s: attribute %s of %s", name, a.Key, n.Data)
				}
			}
		}
		if bytes.Contains(data, []byte("canonical")) {
			t.Errorf("%s: has an address although nobody said where the site will be", name)
		}
	}
	if pages < 10 {
		t.Errorf("only %d pages", pages)
	}
	if _, ok := tree.Get("sitemap.xml"); ok {
		t.Error("a sitemap without addresses")
	}
}

func TestEverythingThatIsWrongIsSaidAtOnce(t *testing.T) {
	_, err := buildBook(t, "", map[string]string{
		"demos/other.yaml": "broken",
		"en/loop/scale.md": "---\ntitle: Scale\ndescription: d\norder: 1\n---\n## Why {#why}\n\n```demo\nscael\n```\n\n[x](../start/tuor.md)\n\n```demo\nother\n```\n",
		"ja/start/tour.md": "-",
		"site.yaml":        book["site.yaml"] + "translations: complete\n",
	})
	if err == nil {
		t.Fatal("built")
	}
	for _, want := range []string{
		`content/demos/other.yaml:4:2: claim does not hold`,
		`content/en/loop/scale.md:9:1: unknown demo "scael" (did you mean "scale"?)`,
		`content/en/loop/scale.md:12:1: link "../start/tuor.md" does not lead to a chapter (did you mean "../start/tour.md"?)`,
		`chapter start/tour is missing in "ja"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s\n%v", want, err)
		}
	}
	if n := len(problem.Of(err)); n != 4 {
		t.Errorf("%d problems, want 4:\n%v", n, err)
	}
}

// TestAuthorsWriteOneLanguageFirst: the development server shows what a build refuses.
func TestAuthorsWriteOneLanguageFirst(t *testing.T) {
	changes := map[string]string{"ja/start/tour.md": "-", "site.yaml": book["site.yaml"] + "translations: complete\n"}
	if _, err := buildBook(t, "", changes); err == nil {
		t.Error("a book that is not translated was built")
	}
	tree, err := buildFor(t, true, "", changes)
	if err != nil {
		t.Fatal(err)
	}
	page, _ := tree.Get("en/start/tour/index.html")
	if !bytes.Contains(page, []byte("/_dev/reload.js")) || bytes.Contains(page, []byte(`hreflang="ja" href="http`)) {
		t.Errorf("the page names a translation that is not there, or does not reload:\n%s", page)
	}
}

func TestBadBase(t *testing.T) {
	for _, base := range []string{"example.org", "ftp://example.org", "://"} {
		var p problem.Problem
		if _, err := buildBook(t, base, nil); !errors.As(err, &p) || !strings.Contains(p.Cure, "--base-url") {
			t.Errorf("%s: %v", base, err)
		}
	}
}

package sitebuild

import (
	"bytes"
	"strings"
	"testing"
)

// nested is a book with parts within parts: start has a chapter of its own and two parts, of which one is empty; loop has nothing but a part.
var nested = map[string]string{
	"site.yaml": strings.NewReplacer(
		"name: start, title: {en: Start, ja: はじめに}", "name: start, title: {en: Start, ja: はじめに}, parts: [{name: empty, title: {en: Empty, ja: 空}}, {name: deep, title: {en: Deep, ja: 深い}}]",
		"name: loop, title: {en: The loop, ja: ループ}", "name: loop, title: {en: The loop, ja: ループ}, parts: [{name: inner, title: {en: Inner, ja: 内側}}]").Replace(book["site.yaml"]),
	"en/index.md":            "---\ntitle: A book\ndescription: Home\n---\nRead [it](loop/inner/scale.md#why).\n",
	"ja/index.md":            "---\ntitle: 本\ndescription: ホーム\n---\n[ループ](loop/inner/scale.md#why)\n",
	"en/start/deep/dive.md":  "---\ntitle: Dive\ndescription: d\norder: 1\n---\n## Two {#two}\n\n[up](../tour.md#one) [over](../../loop/inner/scale.md) [file](../../../static/x.txt) ![A queue](../queue.svg)\n\n### Three\n",
	"ja/start/deep/dive.md":  "---\ntitle: 潜る\ndescription: d\norder: 1\n---\n## 二つ {#two}\n",
	"en/loop/inner/scale.md": book["en/loop/scale.md"],
	"ja/loop/inner/scale.md": book["ja/loop/scale.md"],
	"en/loop/scale.md":       "-", "ja/loop/scale.md": "-",
	"static/x.txt": "x",
}

func TestPartsWithinParts(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book/", nested)
	if err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"en/start/deep/dive/index.html": {
			// In the list of chapters within the part, which is behind the part's own chapter.
			`<details open><summary>Start</summary><ul><li><a href="/book/en/start/tour/">A tour: &lt;b&gt;</a></li><li><details open><summary>Deep</summary>` +
				`<ul><li><a href="/book/en/start/deep/dive/" aria-current="page">Dive</a></li></ul></details></li></ul></details>`,
			`<li><a href="/book/en/#part.start">Start</a></li><li><a href="/book/en/#part.start.deep">Deep</a></li>`,
			`{"@context":"https://schema.org","@type":"BreadcrumbList","itemListElement":[` +
				`{"@type":"ListItem","position":1,"name":"Book \u003c1\u003e","item":"https://example.org/book/en/"},` +
				`{"@type":"ListItem","position":2,"name":"Start","item":"https://example.org/book/en/#part.start"},` +
				`{"@type":"ListItem","position":3,"name":"Deep","item":"https://example.org/book/en/#part.start.deep"},` +
				`{"@type":"ListItem","position":4,"name":"Dive"}]}`,
			`rel="prev" href="/book/en/start/tour/"`, `rel="next" href="/book/en/loop/inner/scale/"`,
			`href="/book/ja/start/deep/dive/"`, `<a href="/book/en/start/tour/#one">up</a>`, `<a href="/book/x.txt">file</a>`, `src="/book/assets/en-start-queue-`,
		},
		"ja/start/deep/dive/index.html": {`<a href="/book/ja/#part.start.deep">深い</a>`},
		"en/index.html": {`href="/book/en/loop/inner/scale/#why"`,
			`<section id="part.start"><h3>Start</h3><ol><li><a href="/book/en/start/tour/">`, `<section id="part.start.deep"><h4>Deep</h4><ol><li><a href="/book/en/start/deep/dive/">`,
			`<section id="part.loop"><h3>The loop</h3><section id="part.loop.inner"><h4>Inner</h4>`},
		"sitemap.xml":                 {`<loc>https://example.org/book/en/start/deep/dive/</loc>`},
		"llms.txt":                    {"## Start › Deep\n\n- [Dive](https://example.org/book/en/start/deep/dive/index.md): d", "## The loop › Inner\n\n- [Scale]"},
		"en/start/deep/dive/index.md": {"# Dive", "https://example.org/book/en/loop/inner/scale/"},
		"en/book/index.html":          {`<a href="#part.start.deep">Deep</a>`, `<h2 id="part.start">Start</h2>`, `<h3 id="part.start.deep">Deep</h3>`, `>Dive</h4>`, `<h5 id="start.deep.dive--two">Two `, `<h6 id="start.deep.dive--three">Three `},
		"en/offline/index.html":       {`<a href="/book/en/start/deep/dive/">Dive</a>`},
	} {
		data, _ := tree.Get(name)
		for _, want := range wants {
			if !bytes.Contains(data, []byte(want)) {
				t.Errorf("%s lacks %s:\n%s", name, want, data)
			}
		}
		if bytes.Contains(data, []byte("Empty")) {
			t.Errorf("%s shows a part without chapters", name)
		}
	}
}

// TestTranslationsWithinParts: what lacks a translation within a part is told, and shows the original.
func TestTranslationsWithinParts(t *testing.T) {
	changes := map[string]string{}
	for name, text := range nested {
		changes[name] = text
	}
	changes["ja/start/deep/dive.md"] = "-"
	changes["site.yaml"] += "translations: complete\n"
	_, err := buildBook(t, "", changes)
	if err == nil || !strings.Contains(err.Error(), "content/en/start/deep/dive.md: chapter start/deep/dive is missing in \"ja\"") ||
		!strings.Contains(err.Error(), "`kubewalk new chapter start/deep/dive` creates its outline") {
		t.Errorf("%v", err)
	}
	changes["site.yaml"] = nested["site.yaml"]
	tree, err := buildBook(t, "https://example.org/", changes)
	if err != nil {
		t.Fatal(err)
	}
	if page, _ := tree.Get("ja/start/deep/dive/index.html"); !bytes.Contains(page, []byte(`<main id="text" class="text" tabindex="-1"`)) ||
		!bytes.Contains(page, []byte(`lang="en"`)) || bytes.Contains(page, []byte("BreadcrumbList")) {
		t.Errorf("the page without a translation is\n%s", page)
	}
}

package sitebuild

import (
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/format/epub"
	"kubewalk/generator/problem"
)

const about = "---\ntitle: About us\ndescription: Who we are\naliases: [/en/who/]\n---\n\nRead [the loop](loop/scale.md#why).\n\n## Contact {#contact}\n\nZebra.\n"

// TestPagesOutsideOfParts: they are found and translated as chapters are, and are in no list of chapters.
func TestPagesOutsideOfParts(t *testing.T) {
	linked := strings.Replace(book["en/loop/scale.md"], "[mark]", "[us](../about.md#contact) [mark]", 1)
	l := newLibrary(t, map[string]string{"en/about.md": about, "en/loop/scale.md": linked})
	bound := map[string]string{}
	l.wants.Books = func(language string, book *epub.Book) error {
		for _, part := range book.Parts {
			for _, c := range part.Chapters {
				bound[language] += c.Name + " "
			}
		}
		return nil
	}
	l.commit(t, "2026-05-04")
	tree, warnings, err := l.build(t)
	if err != nil {
		t.Fatal(err)
	}
	if want := `content/en/about.md: page about is missing in "ja" (write `; !strings.Contains(warnings, want) || !strings.Contains(warnings, "kubewalk new page about") {
		t.Errorf("warnings:\n%s", warnings)
	}
	has(t, tree, map[string][]string{
		"en/about/index.html": {`<h1>About us</h1>`, `<link rel="canonical" href="https://example.org/en/about/">`, `<a href="/en/loop/scale/#why">the loop</a>`,
			`<a href="/ja/about/" lang="ja" hreflang="ja">日本語</a>`, `href="/en/about/index.md"`, `<nav id="contents"`},
		"ja/about/index.html":      {`<a href="/ja/loop/scale/#why">`, `まだ翻訳されていません`, `<link rel="canonical" href="https://example.org/en/about/">`},
		"en/about/index.md":        {"# About us\n\n> Who we are\n\nRead [the loop](https://example.org/en/loop/scale/index.md#why)."},
		"en/loop/scale/index.html": {`<a href="/en/about/#contact">us</a>`},
		"sitemap.xml":              {`<loc>https://example.org/en/about/</loc><lastmod>`},
		"llms.txt":                 {"- [About us](https://example.org/en/about/index.md): Who we are\n"},
		"en/who/index.html":        {"url=/en/about/"},
		"offline.json":             {`"/en/about/"`},
	})
	for _, name := range []string{"en/index.html", "en/book/index.html", "en/atom.xml", "en/feed.xml"} {
		if strings.Contains(page(t, tree, name), "About us") {
			t.Errorf("%s lists the page", name)
		}
	}
	if strings.Contains(bound["en"], "about") || bound["en"] == "" {
		t.Errorf("the bound book has %s", bound["en"])
	}
	shown := page(t, tree, "en/about/index.html")
	for _, mark := range []string{`rel="prev"`, `rel="next"`, `min read`, `aria-current="page"`} {
		if strings.Contains(shown, mark) {
			t.Errorf("the page has %s", mark)
		}
	}
	l.write(t, "ja/about.md", "---\ntitle: 私たち\ndescription: d\n---\n[ループ](loop/scale.md#why)\n\n## 連絡先 {#contact}\n")
	if tree, warnings, err = l.build(t); err != nil || warnings != "" {
		t.Fatalf("%v\n%s", err, warnings)
	}
	has(t, tree, map[string][]string{"ja/about/index.html": {`<h1>私たち</h1>`}, "en/about/index.html": {`hreflang="ja" href="https://example.org/ja/about/"`}})
	l.write(t, "en/about.md", strings.Replace(about, "aliases", "draft: true\naliases", 1))
	if _, _, err = l.build(t); err == nil || !strings.Contains(err.Error(), `link "../about.md#contact" leads to a draft`) {
		t.Errorf("%v", err)
	}
}

// TestSearchFindsPagesOutsideOfParts: also by what only their text has.
func TestSearchFindsPagesOutsideOfParts(t *testing.T) {
	tree, err := buildBook(t, "", map[string]string{"en/about.md": about})
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, name := range tree.Paths() {
		if strings.HasPrefix(name, "assets/search/en-") {
			text, err := compressed.Gunzip([]byte(page(t, tree, name)))
			if err != nil {
				t.Fatal(err)
			}
			all += string(text)
		}
	}
	for _, want := range []string{`"/en/about/","About us"`, `["zebra",`} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not in the index:\n%s", want, all)
		}
	}
}

func TestMistakesOutsideOfParts(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"en/about.md", "---\ntitle: A\ndescription: d\norder: 1\n---\n",
			`en/about.md:4:1: page outside of all parts has an order (remove the line, or move the file into the folder of a part)`},
		{"en/about.md", "---\ntitle: A\ndescription: d\nmeetup: {date: 2026-01-01}\n---\n", `en/about.md:4:1: page outside of all parts cannot be a meetup`},
		{"en/loop.md", about, `en/loop.md: page "loop" has the name of a part (give the file another name)`},
		{"en/search.md", about, `en/search.md: page "search" has the name of a page that the build makes (give the file another name)`},
		{"en/About Us.md", about, `en/About Us.md: file is not at en/PAGE.md (use lower-case letters, digits and single hyphens: it is part of the page's address)`},
		{"en/start/tour.md", strings.Replace(book["en/start/tour.md"], "## One", "[us](../abuot.md)\n\n## One", 1),
			`en/start/tour.md:6:1: link "../abuot.md" does not lead to a chapter (did you mean "../about.md"?)`},
	} {
		l := newLibrary(t, map[string]string{"en/about.md": about, test.file: test.text})
		_, _, err := l.build(t)
		if err == nil {
			t.Errorf("nothing is said, instead of\n%s", test.want)
			continue
		}
		said := strings.ReplaceAll(err.Error(), filepath.ToSlash(l.root)+"/content/", "")
		if !strings.Contains("\n"+said, "\n"+test.want) || len(problem.Of(err)) > 2 {
			t.Errorf("got\n%s\nwant\n%s", said, test.want)
		}
	}
}

func TestAPageAtTheGlossarysAddress(t *testing.T) {
	l := newLibrary(t, map[string]string{"en/glossary.md": about, "glossary.yaml": "terms: {key: {term: {en: key, ja: キー}, definition: {en: A key., ja: キー。}}}\n"})
	if _, _, err := l.build(t); err == nil || !strings.Contains(err.Error(), `en/glossary.md: page "glossary" has the address of the glossary, which `) {
		t.Errorf("%v", err)
	}
}

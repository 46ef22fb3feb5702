package sitebuild

import (
	"archive/zip"
	"bytes"
	"errors"
	"image/png"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/build/output"
	"kubewalk/generator/format/epub"
)

// buildCommitted builds the book from a repository in which it was committed.
func buildCommitted(t *testing.T, base string) *output.Tree {
	t.Helper()
	root := t.TempDir()
	written := maps.Clone(book)
	written["en/start/queue.svg"] = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>`
	written["en/start/tour.md"] += "\n![A view](view.jpg)\n"
	written["en/start/view.jpg"] = photograph(t)
	for name, text := range written {
		file := filepath.Join(root, "content", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "playground"), 0o755); err != nil {
		t.Fatal(err)
	}
	git := func(arguments ...string) {
		c := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"},
			arguments...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_DATE=2026-05-04T03:02:01+09:00", "GIT_COMMITTER_DATE=2026-05-04T03:02:01+09:00")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", arguments, err, out)
		}
	}
	git("init", "-q")
	git("add", "content")
	git("commit", "-q", "-m", "the book")
	tree, err := Build(t.Context(), Options{
		Root: root, Content: filepath.Join(root, "content"), Base: base, Demos: makeDemo, Assets: makeAssets,
		Phrases: func(language string) ([]byte, error) { return []byte("{}"), nil },
	}, new(Cache))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func has(t *testing.T, tree *output.Tree, files map[string][]string) {
	t.Helper()
	for name, wants := range files {
		data, ok := tree.Get(name)
		if !ok {
			t.Errorf("%s is missing", name)
		}
		for _, want := range wants {
			if !bytes.Contains(data, []byte(want)) {
				t.Errorf("%s lacks %s:\n%s", name, want, data)
			}
		}
	}
}

func TestFeedsHaveTheDatesOfCommits(t *testing.T) {
	tree := buildCommitted(t, "https://example.org/book")
	has(t, tree, map[string][]string{
		"sitemap.xml": {
			`<loc>https://example.org/book/ja/start/tour/</loc><lastmod>2026-05-03T18:02:01Z</lastmod>`,
			`hreflang="x-default" href="https://example.org/book/en/start/tour/"`,
			`<loc>https://example.org/book/</loc><xhtml:link rel="alternate" hreflang="en" href="https://example.org/book/en/"/>`,
		},
		"robots.txt": {"Sitemap: https://example.org/book/sitemap.xml"},
		"en/feed.xml": {`<title>Book &lt;1&gt;</title>`, `<guid isPermaLink="true">https://example.org/book/en/loop/scale/</guid>`,
			`<pubDate>Sun, 03 May 2026 18:02:01 GMT</pubDate>`, `<category>The loop</category>`},
		"en/atom.xml": {`<id>https://example.org/book/en/loop/scale/</id>`,
			"<published>2026-05-03T18:02:01Z</published>\n    <updated>2026-05-03T18:02:01Z</updated>"},
		"ja/atom.xml": {`xml:lang="ja"`, `href="https://example.org/book/ja/atom.xml"`},
		"ja/feed.xml": {`<language>ja</language>`, `<title>スケール</title>`},
		"en/loop/scale/index.html": {
			`<link rel="alternate" type="application/rss+xml" title="Book &lt;1&gt;" href="/book/en/feed.xml">`,
			`<link rel="alternate" type="application/atom+xml" title="Book &lt;1&gt;" href="/book/en/atom.xml">`,
			`<link rel="alternate" hreflang="x-default" href="https://example.org/book/en/loop/scale/">`,
			`<link rel="alternate" type="text/markdown" href="/book/en/loop/scale/index.md">`,
		},
		"ja/index.html": {`hreflang="x-default" href="https://example.org/book/"`},
	})
}

// TestWithoutAddressesOrDatesThereIsNoFeed: nothing is invented.
func TestWithoutAddressesOrDatesThereIsNoFeed(t *testing.T) {
	changes := map[string]string{"en/start/queue.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>`}
	for _, base := range []string{"", "https://example.org"} {
		tree, err := buildBook(t, base, changes)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := tree.Get("en/feed.xml"); ok {
			t.Errorf("%q: a feed without dates", base)
		}
		if sitemap, ok := tree.Get("sitemap.xml"); ok != (base != "") || bytes.Contains(sitemap, []byte("lastmod")) {
			t.Errorf("%q: sitemap %s", base, sitemap)
		}
		page, _ := tree.Get("en/index.html")
		if bytes.Contains(page, []byte("application/rss")) {
			t.Errorf("%q: a page leads to a feed that is not there", base)
		}
	}
}

func TestEveryPageIsThereAsMarkdown(t *testing.T) {
	tree := buildCommitted(t, "https://example.org/book")
	has(t, tree, map[string][]string{
		"en/loop/scale/index.md": {
			"# Scale\n\n> a \"quote\"\n\n## Why\n\n**Demo:** [Scaling \\<up\\>](https://example.org/book/embed/scale/)\n\n1. `1.250 s` It begins\n",
			"On the page you can change:\n\n- replicas: 0–9\n", "[mark](https://example.org/book/en/loop/scale/#demo-scale)",
		},
		"en/index.md":            {"Read [the loop](https://example.org/book/en/loop/scale/index.md#why)."},
		"ja/loop/scale/index.md": {"# スケール", "**デモ:**"},
		"llms.txt": {
			"# Book \\<1\\>\n\n> About & more\n", "## The loop\n\n- [Scale](https://example.org/book/en/loop/scale/index.md): a \"quote\"\n",
			"## Optional\n", "- [スケール](https://example.org/book/ja/loop/scale/index.md)",
		},
		"llms-full.txt": {"# Book \\<1\\>", "\n---\n\n# A tour: \\<b\\>\n", "# Scale"},
	})
	full, _ := tree.Get("llms-full.txt")
	if strings.Contains(string(full), "スケール") {
		t.Error("llms-full.txt has another language")
	}
	link := regexp.MustCompile(`type="text/markdown" href="/book/([^"]*)"`)
	linked := 0
	for _, name := range tree.Paths() {
		data, _ := tree.Get(name)
		if m := link.FindSubmatch(data); m != nil && strings.HasSuffix(name, ".html") {
			linked++
			if _, ok := tree.Get(string(m[1])); !ok || string(m[1]) != strings.TrimSuffix(name, "html")+"md" {
				t.Errorf("%s leads to %s as Markdown", name, m[1])
			}
		}
	}
	if linked < 6 {
		t.Errorf("%d pages lead to their Markdown", linked)
	}
}

// TestTheBookIsOnePage: chapters are bound, nothing in it is said twice.
func TestTheBookIsOnePage(t *testing.T) {
	tree := buildCommitted(t, "https://example.org/book")
	has(t, tree, map[string][]string{
		"en/book/index.html": {
			`<meta name="robots" content="noindex">`, `<h2 id="part.loop">The loop</h2>`, `<h3 id="loop.scale">Scale</h3>`, `<h4 id="loop.scale--why">`,
			`href="#loop.scale--why">the loop</a>`, `href="#loop.scale--demo-scale">mark</a>`, `<div class="demo" id="loop.scale--demo-scale">`, `3 May 2026`,
		},
		"en/loop/scale/index.html": {`href="/book/en/book/"`},
	})
	page, _ := tree.Get("en/book/index.html")
	if bytes.Contains(page, []byte("<kubewalk-demo")) || bytes.Contains(page, []byte("data-wasm")) {
		t.Error("a demo of the printed book would play")
	}
}

// TestPagesHaveCards: a picture for each page and demo, where others can load it.
func TestPagesHaveCards(t *testing.T) {
	tree := buildCommitted(t, "https://example.org/book")
	image := regexp.MustCompile(`property="og:image" content="https://example.org/book/(assets/card-[0-9a-f]+\.png)"`)
	cards := map[string]string{}
	for _, name := range []string{"en/index.html", "en/start/tour/index.html", "en/loop/scale/index.html", "ja/loop/scale/index.html", "embed/scale/index.html",
		"embed/ja/scale/index.html"} {
		page, _ := tree.Get(name)
		m := image.FindSubmatch(page)
		if m == nil {
			t.Errorf("%s has no card", name)
			continue
		}
		data, _ := tree.Get(string(m[1]))
		config, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || config.Width != 1200 || config.Height != 630 {
			t.Errorf("%s: %s is no card: %+v %v", name, m[1], config, err)
		}
		if other, ok := cards[string(m[1])]; ok {
			t.Errorf("%s and %s have the same card", name, other)
		}
		cards[string(m[1])] = name
	}
	has(t, tree, map[string][]string{"en/loop/scale/index.html": {`property="og:image:width" content="1200"`,
		`property="og:image:alt" content="Scale – Book &lt;1&gt;"`, `name="twitter:card" content="summary_large_image"`}})
	again := buildCommitted(t, "https://example.org/book")
	for _, name := range tree.Paths() {
		one, _ := tree.Get(name)
		other, _ := again.Get(name)
		if !bytes.Equal(one, other) {
			t.Errorf("the same book gives another %s", name)
		}
	}
	for _, name := range buildCommitted(t, "").Paths() {
		if strings.Contains(name, "card-") {
			t.Errorf("%s was drawn although nobody can be told where it is", name)
		}
	}
}

// TestBooksForReadersOfEPUB: what is handed out passes the check that release makes.
func TestBooksForReadersOfEPUB(t *testing.T) {
	root := t.TempDir()
	written := maps.Clone(book)
	written["en/start/queue.svg"] = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>`
	written["en/start/tour.md"] += "\n![A view](view.jpg)\n"
	written["en/start/view.jpg"] = photograph(t)
	for name, text := range written {
		file := filepath.Join(root, "content", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "playground"), 0o755); err != nil {
		t.Fatal(err)
	}
	books := map[string][]byte{}
	o := Options{Root: root, Content: filepath.Join(root, "content"), Demos: makeDemo, Assets: makeAssets,
		Phrases: func(string) ([]byte, error) { return []byte("{}"), nil },
		Books: func(language string, b *epub.Book) error {
			var out bytes.Buffer
			err := b.Write(&out)
			books[language] = out.Bytes()
			return errors.Join(err, epub.Check(out.Bytes()))
		}}
	if _, err := Build(t.Context(), o, new(Cache)); err == nil || !strings.Contains(err.Error(), "book has no date") {
		t.Errorf("a book without a date: %v", err)
	}
	o.Date = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	if _, err := Build(t.Context(), o, new(Cache)); err != nil {
		t.Fatal(err)
	}
	if len(books) != 2 {
		t.Fatalf("%d books", len(books))
	}
	z, err := zip.NewReader(bytes.NewReader(books["en"]), int64(len(books["en"])))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		files[f.Name] = string(text)
	}
	for name, wants := range map[string][]string{
		"EPUB/loop.scale.xhtml": {`<img src="images/demo-scale-first.svg" alt="It begins"`, `somebody &lt;acts&gt;`,
			`<a href="loop.scale.xhtml#s.demo-scale">mark</a>`, `replicas: 0–9`},
		"EPUB/home.xhtml":       {`<a href="loop.scale.xhtml#s.why">the loop</a>`},
		"EPUB/start.tour.xhtml": {`alt="A queue"`, `<img src="images/en-start-view-`, `.jpg" width="600" height="200" alt="A view"`},
		"EPUB/package.opf":      {`<meta property="dcterms:modified">2026-05-04T00:00:00Z</meta>`, `urn:uuid:`},
	} {
		for _, want := range wants {
			if !strings.Contains(files[name], want) {
				t.Errorf("%s lacks %s:\n%s", name, want, files[name])
			}
		}
	}
}

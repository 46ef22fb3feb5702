package edition

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kubewalk/generator/output"
)

// buildCommitted builds the book from a repository in which it was committed.
func buildCommitted(t *testing.T, base string) *output.Tree {
	t.Helper()
	root := t.TempDir()
	for name, text := range book {
		if name == "en/start/queue.svg" {
			text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>`
		}
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
		c := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, arguments...)...)
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
	}, new(Kept))
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
		"robots.txt":  {"Sitemap: https://example.org/book/sitemap.xml"},
		"en/feed.xml": {`<title>Book &lt;1&gt;</title>`, `<guid isPermaLink="true">https://example.org/book/en/loop/scale/</guid>`, `<pubDate>Sun, 03 May 2026 18:02:01 GMT</pubDate>`, `<category>The loop</category>`},
		"ja/feed.xml": {`<language>ja</language>`, `<title>スケール</title>`},
		"en/loop/scale/index.html": {
			`<link rel="alternate" type="application/rss+xml" title="Book &lt;1&gt;" href="/book/en/feed.xml">`,
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
			"# Scale\n\n> a \"quote\"\n\n## Why\n\n**Demo:** [Scaling \\<up\\>](https://example.org/book/embed/scale/)\n\n1. `1.250 s` It begins\n\n   - `1.000 s` somebody \\<acts\\>\n",
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

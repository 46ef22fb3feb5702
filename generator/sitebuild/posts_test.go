package sitebuild

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/format/epub"
	"kubewalk/generator/problem"
)

// blog is a part of posts: of three years, one of them without a translation.
var blog = map[string]string{
	"site.yaml": book["site.yaml"] + `  - {name: blog, title: {en: Blog, ja: ブログ}, posts: true}
authors:
  taro: {name: {en: Taro & Co, ja: 太郎}, url: "https://example.org/t"}
  zuzana: Zuzana
tags:
  internals: {en: How it works, ja: しくみ}
  release: Release
`,
	"en/blog/second.md": "---\ntitle: The <second>\ndescription: Of more.\ndate: 2025-03-09\nauthors: [zuzana, taro]\ntags: [release, internals]\n---\nSee [the first](first.md#why) and [all](../blog.md).\n\n## More {#more}\n\nText.\n",
	"ja/blog/second.md": "---\ntitle: 二つ目\ndescription: もっと。\n---\n[最初](first.md#why)と[一覧](../blog.md)。\n\n## もっと {#more}\n\n文。\n",
	"en/blog/first.md":  "---\ntitle: The first\ndescription: Of one.\ndate: 2024-02-29\ntags: [internals]\n---\nRead [the loop](../loop/scale.md).\n\n## Why {#why}\n\nText.\n",
	"ja/blog/first.md":  "---\ntitle: 最初\ndescription: 一つ。\ndate: 2024-02-29\ntags: [internals]\n---\n[ループ](../loop/scale.md)\n\n## なぜ {#why}\n\n文。\n",
	"en/blog/also.md":   "---\ntitle: Also\ndescription: On the same day.\ndate: 2025-03-09\n---\nText.\n",
	"en/blog/ahead.md":  "---\ntitle: Ahead\ndescription: Of what is to come.\ndate: 2099-12-31\nauthors: [taro]\n---\nText.\n",
	"ja/blog/ahead.md":  "---\ntitle: 先\ndescription: これから。\n---\n文。\n",
}

func TestPosts(t *testing.T) {
	l := newLibrary(t, blog)
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
	if want := `content/en/blog/also.md: post blog/also is missing in "ja" (write `; !strings.Contains(warnings, want) {
		t.Errorf("warnings:\n%s", warnings)
	}
	has(t, tree, map[string][]string{
		"en/blog/second/index.html": {
			`<p class="byline"><time datetime="2025-03-09">9 March 2025</time> · Zuzana, <a href="https://example.org/t">Taro &amp; Co</a> · 1 min read</p>`,
			`Tags: <a href="/en/blog/tags/release/">Release</a>, <a href="/en/blog/tags/internals/">How it works</a>`,
			`<li><a href="/en/blog/">Blog</a></li>`, "/assets/posts-", `<a href="/en/blog/first/#why">the first</a>`, `<a href="/en/blog/">all</a>`,
			`rel="prev" href="/en/blog/first/"><span>Older</span>`, `rel="next" href="/en/blog/also/"><span>Newer</span>`,
			`<link rel="alternate" type="application/atom+xml" title="Book &lt;1&gt; – Blog" href="/en/blog/atom.xml">`,
			`<link rel="alternate" type="application/rss+xml" title="Book &lt;1&gt; – Blog" href="/en/blog/feed.xml">`,
			`<script type="application/ld+json">{"@context":"https://schema.org","@type":"BlogPosting"`, `aria-current="page">The &lt;second&gt;`,
		},
		"ja/blog/second/index.html": {`<time datetime="2025-03-09">2025年3月9日</time> · Zuzana、<a href="https://example.org/t">太郎</a>`, "タグ: ",
			`<a href="/ja/blog/tags/internals/">しくみ</a>`, "<span>前の記事</span>"},
		"en/blog/index.html": {"<h1>Blog</h1>", `<h2 id="y2099">2099</h2>`, `<a href="/en/blog/second/">The &lt;second&gt;</a>`, `<p>Of more.</p>`,
			`<a href="/en/blog/" aria-current="page">All posts</a>`, `<a href="/en/blog/tags/internals/">How it works</a>, <a href="/en/blog/tags/release/">Release</a>`,
			`<a href="/en/blog/atom.xml" type="application/atom+xml">Atom</a>`},
		"ja/blog/index.html": {"<h1>ブログ</h1>", `<a href="/ja/blog/also/" lang="en">Also</a>`},
		"en/blog/tags/internals/index.html": {"<h1>Tag: How it works</h1>", `<a href="/en/blog/first/">The first</a>`, `<h2 id="y2025">2025</h2>`,
			`<a href="/ja/blog/tags/internals/" lang="ja" hreflang="ja">`, `<li><a href="/en/blog/">Blog</a></li>`},
		"ja/blog/tags/internals/index.html": {"<h1>タグ: しくみ</h1>", `<a href="/ja/blog/second/">二つ目</a>`},
		"en/index.html":                     {`<a href="/en/blog/">All posts</a>`, `<a href="/en/blog/second/">`, `href="/en/blog/atom.xml"`},
		"en/start/tour/index.html":          {`href="/en/blog/atom.xml"`},
		"en/blog/second/index.md":           {"9 March 2025 · Zuzana, [Taro & Co](https://example.org/t)", "Tags: [Release](https://example.org/en/blog/tags/release/index.md)"},
		"en/blog/index.md":                  {"## 2025", "[The \\<second\\>](https://example.org/en/blog/second/index.md)"},
		"llms.txt":                          {"## Blog", "- [The first](https://example.org/en/blog/first/index.md): Of one."},
		"llms-full.txt":                     {"# The first"},
		"sitemap.xml": {"<loc>https://example.org/en/blog/</loc><lastmod>", "<loc>https://example.org/en/blog/first/</loc>",
			"<loc>https://example.org/en/blog/tags/internals/</loc>"},
		"offline.json": {`"/en/blog/first/"`},
		"en/blog/atom.xml": {"<title>Book &lt;1&gt; – Blog</title>", `<link rel="alternate" type="text/html" href="https://example.org/en/blog/"/>`,
			"<published>2025-03-09T00:00:00Z</published>\n    <updated>2026-05-0", "<published>2099-12-31T00:00:00Z</published>\n    <updated>2099-12-31T00:00:00Z",
			"<author>\n      <name>Taro &amp; Co</name>\n      <uri>https://example.org/t</uri>\n    </author>", `<category term="How it works"/>`},
		"en/blog/feed.xml": {"<pubDate>Sun, 09 Mar 2025 00:00:00 GMT</pubDate>", "<category>Release</category>"},
		"ja/blog/atom.xml": {"太郎", `<category term="しくみ"/>`},
	})
	// Newest first; of one day, by name.
	for name, want := range map[string]string{
		"en/blog/index.html":                "ahead also second first",
		"ja/blog/index.html":                "ahead also second first",
		"en/blog/tags/internals/index.html": "second first",
		"en/blog/atom.xml":                  "ahead also second first",
		"ja/blog/atom.xml":                  "ahead second first",
	} {
		text := page(t, tree, name)
		if _, main, ok := strings.Cut(text, "<h2"); ok {
			text = main
		}
		var got []string
		for _, m := range regexp.MustCompile(`(?:<a href="/..|<id>https://example.org/..)/blog/([a-z]+)/[<"]`).FindAllStringSubmatch(text, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s lists %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"en/book/index.html", "en/atom.xml", "en/feed.xml"} {
		if strings.Contains(page(t, tree, name), "The first") {
			t.Errorf("%s has a post", name)
		}
	}
	if strings.Contains(bound["en"], "blog") || bound["en"] == "" {
		t.Errorf("the bound book has %s", bound["en"])
	}
	home := page(t, tree, "en/index.html")
	if strings.Contains(page(t, tree, "en/loop/scale/index.html"), "/blog/ahead/\" rel") || !strings.Contains(home, `<p class="begin"><a href="/en/start/tour/">`) {
		t.Error("posts are in the reading order")
	}
	if strings.Contains(page(t, tree, "ja/blog/also/index.html"), "ld+json") {
		t.Error("a page without a translation says that it is a posting of its own")
	}
	_, data, _ := strings.Cut(page(t, tree, "en/blog/second/index.html"), `<script type="application/ld+json">`)
	data, _, _ = strings.Cut(data, "</script>")
	var said map[string]any
	if err := json.Unmarshal([]byte(data), &said); err != nil || said["datePublished"] != "2025-03-09" || said["headline"] != "The <second>" ||
		said["author"].([]any)[1].(map[string]any)["url"] != "https://example.org/t" || len(said["keywords"].([]any)) != 2 {
		t.Errorf("%v: %s", err, data)
	}
	found := 0
	for _, name := range tree.Paths() {
		if !strings.HasPrefix(name, headers.Assets+"/search/") {
			continue
		}
		data, _ := tree.Get(name)
		text, err := compressed.Gunzip(data)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("Zuzana\nTaro & Co\nRelease\nHow it works")) || bytes.Contains(text, []byte("Zuzana\\nTaro & Co\\nRelease\\nHow it works")) {
			found++
		}
		if bytes.Contains(text, []byte("Tag: How")) {
			t.Error("the search finds a tag's page")
		}
	}
	if found != 1 {
		t.Errorf("a post's authors and tags are in %d files of the search", found)
	}
	// Nothing but the files decides.
	again := newLibrary(t, blog)
	again.commit(t, "2026-05-04")
	other, _, err := again.build(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tree.Paths() {
		one, _ := tree.Get(name)
		if two, ok := other.Get(name); !ok || !bytes.Equal(one, two) {
			t.Errorf("%s comes out otherwise the second time", name)
		}
	}
}

// TestABookWithoutPosts has nothing of them in its pages, also when a part is there for them.
func TestABookWithoutPosts(t *testing.T) {
	tree, err := buildBook(t, "https://example.org", map[string]string{"site.yaml": blog["site.yaml"]})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tree.Paths() {
		data, _ := tree.Get(name)
		if strings.Contains(name, "blog") || strings.HasSuffix(name, ".html") && (bytes.Contains(data, []byte("Blog")) || bytes.Contains(data, []byte("/posts-"))) {
			t.Errorf("%s has something of posts", name)
		}
	}
}

// TestChangesOfPosts: the lists follow while an author writes, and a draft is in none of them.
func TestChangesOfPosts(t *testing.T) {
	l := newLibrary(t, blog)
	build := func() string {
		t.Helper()
		tree, _, err := l.build(t)
		if err != nil {
			t.Fatal(err)
		}
		return page(t, tree, "en/blog/index.html")
	}
	build()
	l.write(t, "en/blog/also.md", strings.Replace(blog["en/blog/also.md"], "2025-03-09", "2023-01-01", 1))
	if _, list, found := strings.Cut(build(), `<h2 id="y2023"`); !found || !strings.Contains(list, `<a href="/en/blog/also/">Also</a>`) {
		t.Error("the list does not follow a post's day")
	}
	l.write(t, "en/blog/also.md", strings.Replace(blog["en/blog/also.md"], "date:", "draft: true\ndate:", 1))
	if list := build(); strings.Contains(list, "Also") {
		t.Error("a draft is listed")
	}
}

func TestMistakesInPosts(t *testing.T) {
	second, first := "en/blog/second.md", "ja/blog/first.md"
	for _, c := range []struct{ file, from, to, want string }{
		{second, "2025-03-09", "2025-02-29", `en/blog/second.md:4:7: date "2025-02-29" is not in the calendar (check the day and the month: a date is written YYYY-MM-DD)`},
		{second, "2025-03-09", "9.3.2025", `en/blog/second.md:4:7: date cannot be "9.3.2025" (write a day as 2026-01-31)`},
		{second, "2025-03-09", "20250309", `en/blog/second.md:4:7: date cannot be 20250309 (write it as 2025-03-09)`},
		{second, "2025-03-09", "2025", `en/blog/second.md:4:7: date cannot be 2025 (write a day as 2026-01-31)`},
		{second, "2025-03-09", "2025-03-09T10:00:00Z", `en/blog/second.md:4:7: date cannot be "2025-03-09T10:00:00Z" (write a day as 2026-01-31)`},
		{second, "date: 2025-03-09\n", "", `en/blog/second.md:6:1: post has no date (add date: 2026-01-31, the day on which it is published)`},
		{second, "zuzana,", "zuzanna,", `en/blog/second.md:5:11: unknown author "zuzanna" (did you mean "zuzana"?; authors: in site.yaml lists them)`},
		{second, "[zuzana, taro]", "taro", `en/blog/second.md:5:10: authors has to be a list, and is the text "taro" (begin each entry with a hyphen, or write [a, b])`},
		{second, "[zuzana, taro]", "[taro, taro]", `en/blog/second.md:5:17: author "taro" is listed twice (remove one)`},
		{second, "[zuzana, taro]", `[" "]`, `en/blog/second.md:5:11: author has no name (write one, or remove the entry)`},
		{second, "[release, internals]", "[relaese, internals]", `en/blog/second.md:6:8: unknown tag "relaese" (did you mean "release"?; tags: in site.yaml lists them)`},
		{second, "[release, internals]", "[Release, internals]",
			`en/blog/second.md:6:8: tags[0] cannot be "Release" (use lower-case letters, digits and single hyphens: it is part of an address; tags: in site.yaml says what readers see)`},
		{second, "date:", "order: 1\ndate:", `en/blog/second.md:4:1: post has an order (remove the line: the date says where it is)`},
		{second, "date:", "meetup: {date: 2019-09-27}\ndate:",
			"en/blog/second.md:4:1: post cannot be a meetup (write a chapter about it; `kubewalk new meetup` creates one)"},
		{first, "2024-02-29", "2024-02-28", `ja/blog/first.md:4:7: date "2024-02-28" differs from "2024-02-29" in en/blog/first.md (it is the same in every language: remove it here, or correct one)`},
		{first, "[internals]", "[release]",
			`ja/blog/first.md:5:7: tags [release] differ from [internals] in en/blog/first.md (they are the same in every language: remove them here, or correct one; tags: in site.yaml says what readers see)`},
		{"site.yaml", "{en: Taro & Co, ja: 太郎}", "{en: Taro}", `site.yaml:10:16: name of author "taro" is missing in "ja" (add ja: …)`},
		{"site.yaml", "ja: しくみ", "jp: しくみ", `site.yaml:13:14: title of tag "internals" is missing in "ja" (add ja: …)`},
		{"site.yaml", "taro:", "Taro:", `site.yaml:10:3: authors cannot have the key "Taro" (use lower-case letters, digits and single hyphens)`},
		{"site.yaml", "posts: true", "posts: yes", `site.yaml:8:53: posts of parts[3] has to be true or false, and is the text "yes" (write true)`},
		{"site.yaml", "name: blog", "name: search", `site.yaml:8:12: part "search" has posts, and /en/search/, where they are listed, is another page (give the part another name, as in blog)`},
	} {
		files := maps.Clone(blog)
		if !strings.Contains(files[c.file], c.from) {
			t.Fatalf("%s does not hold %q", c.file, c.from)
		}
		files[c.file] = strings.Replace(files[c.file], c.from, c.to, 1)
		if c.to == "name: search" {
			for _, name := range slices.Sorted(maps.Keys(blog)) {
				if moved := strings.Replace(name, "/blog/", "/search/", 1); moved != name {
					files[moved] = strings.ReplaceAll(files[name], "../blog.md", "first.md")
					delete(files, name)
				}
			}
		}
		l := newLibrary(t, files)
		_, _, err := l.build(t)
		if err == nil {
			t.Errorf("%s → %s: nothing is said", c.from, c.to)
			continue
		}
		said := strings.ReplaceAll(strings.ReplaceAll(err.Error(), l.root+"/content/", ""), "content/", "")
		if !strings.Contains("\n"+said+"\n", "\n"+c.want+"\n") {
			t.Errorf("%s → %s:\ngot  %v\nwant %s", c.from, c.to, said, c.want)
		} else if n := len(problem.Of(err)); n > 4 { // links to the list lead nowhere
			t.Errorf("%s → %s: %d problems of one mistake:\n%s", c.from, c.to, n, said)
		}
	}
}

// TestAuthorsWithoutATable are names as they stand.
func TestAuthorsWithoutATable(t *testing.T) {
	files := maps.Clone(blog)
	files["site.yaml"], _, _ = strings.Cut(blog["site.yaml"], "authors:")
	files["en/blog/second.md"] = strings.Replace(blog["en/blog/second.md"], "[zuzana, taro]", "[Zuzana B, Taro]", 1)
	files["ja/blog/second.md"] = strings.Replace(blog["ja/blog/second.md"], "---\n[", "authors: [ズザナ, 太郎]\n---\n[", 1)
	tree, err := buildBook(t, "", files)
	if err != nil {
		t.Fatal(err)
	}
	has(t, tree, map[string][]string{
		"en/blog/second/index.html": {"9 March 2025</time> · Zuzana B, Taro · ", `<a href="/en/blog/tags/release/">release</a>`},
		"ja/blog/second/index.html": {"2025年3月9日</time> · ズザナ、太郎 · "},
	})
	if _, ok := tree.Get("en/blog/atom.xml"); ok {
		t.Error("a feed without an address")
	}
}

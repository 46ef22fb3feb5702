package sitebuild

import (
	"archive/zip"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/format/epub"
)

// gathering is a chapter about a meetup in the first language, and its translation, which
// says only what is otherwise in it.
var gathering = map[string]string{
	"en/loop/first.md": `---
title: The first meetup
description: Of loops.
order: 5
meetup:
  series: Loops
  number: 1
  date: 2019-09-27T19:00
  end: 2019-09-27T21:00
  zone: Asia/Tokyo
  place: {en: "Shibuya, Tokyo", ja: 渋谷}
  host: A & B
  links: [{title: Invitation, url: "https://example.org/i?a=1&b=2"}]
  talks:
    - title: ゼロから始める <Controller>
      speakers: [Zuzana, {name: {en: Taro, ja: 太郎}, url: "https://example.org/t"}]
      language: ja
      section: "#controller"
      slides: https://example.org/slides
      chapter: loop/scale.md#why
      demo: scale
    - title: {en: In other words, ja: 言い換えると}
      language: en
---

## Controller {#controller}

Text.
`,
	"ja/loop/first.md": "---\ntitle: 最初のミートアップ\ndescription: ループのこと。\norder: 5\nmeetup:\n  host: 甲と乙\n---\n\n## コントローラー {#controller}\n\n文。\n",
	"en/loop/next.md":  "---\ntitle: The next meetup\ndescription: Of more.\norder: 6\nmeetup: {date: 2099-01-02, online: \"https://example.org/live\"}\n---\nText.\n",
}

// buildGathering builds the book with these changes as of a date, which may be zero.
func buildGathering(t *testing.T, o Options, changes ...map[string]string) (*output.Tree, error) {
	t.Helper()
	root := t.TempDir()
	files := maps.Clone(book)
	files["../playground/a.go"] = "package playground\n"
	for _, more := range append([]map[string]string{gathering}, changes...) {
		maps.Copy(files, more)
	}
	for name, text := range files {
		full := filepath.Join(root, "content", name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o.Root, o.Content, o.Demos = root, filepath.Join(root, "content"), makeDemo
	o.Assets = func(tree *output.Tree, a assets.Options) (*assets.Set, error) {
		set, err := makeAssets(tree, a)
		set.Meetup, set.Meetups = tree.PutHashed(headers.Assets+"/meetup.css", nil), tree.PutHashed(headers.Assets+"/meetups.js", nil)
		return set, err
	}
	o.Phrases = func(language string) ([]byte, error) { return []byte("{}"), nil }
	return Build(t.Context(), o, new(Cache))
}

var later = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

func TestMeetups(t *testing.T) {
	tree, err := buildGathering(t, Options{Base: "https://example.org/book", Date: later})
	if err != nil {
		t.Fatal(err)
	}
	has(t, tree, map[string][]string{
		"en/loop/first/index.html": {
			`<h2 id="meetup.programme">Programme</h2>`, `<li><a href="#meetup.programme">Programme</a></li>`, "/assets/meetup-",
			`<time datetime="2019-09-27T19:00+09:00">27 September 2019, 19:00</time>–<time datetime="2019-09-27T21:00+09:00">21:00</time>`, "(Asia/Tokyo)",
			"<dd>Loops #1</dd>", "<dd>Shibuya, Tokyo</dd>", "<dd>A &amp; B</dd>", `<a href="https://example.org/i?a=1&amp;b=2">Invitation</a>`,
			`<a href="#controller" lang="ja">ゼロから始める &lt;Controller&gt;</a>`, "(Japanese)", `Zuzana, <a href="https://example.org/t">Taro</a>`,
			`aria-label="Slides: ゼロから始める &lt;Controller&gt;"`, `<a href="/book/en/loop/scale/#why">Scale</a>`,
			`<a href="/book/en/loop/scale/#demo-scale">Scaling &lt;up&gt;</a>`,
			`<a href="/book/en/loop/first/first.ics"`, `<link rel="alternate" type="text/calendar" href="/book/en/loop/first/first.ics">`,
			`<script type="application/ld+json">{"@context":"https://schema.org","@type":"Event","name":"The first meetup"`,
			`"startDate":"2019-09-27T19:00:00+09:00"`,
		},
		"ja/loop/first/index.html": {"プログラム", "2019年9月27日 19:00", "<dd>渋谷</dd>", "<dd>甲と乙</dd>", `<a href="#controller">ゼロから始める`, "太郎", "言い換えると", "(英語)",
			`<a href="/book/ja/loop/scale/#why">スケール</a>`},
		// One without a translation is told in the reader's words, with the original's texts.
		"ja/loop/next/index.html": {`<main id="text" class="text" tabindex="-1" data-copied="リンクをコピーしました" lang="en">`, "2099年1月2日", "開催予定"},
		"en/loop/index.html": {
			"<h1>All meetups</h1>", `<h2 id="y2099">2099</h2>`, `<a href="/book/en/loop/next/">The next meetup</a>`, `<time datetime="2019-09-27T19:00+09:00">`,
			`href="/book/en/loop/loop.ics"`,
			`<a href="/book/en/#part.loop">The loop</a>`, `<a href="/book/en/loop/" aria-current="page">`, `hreflang="ja"`,
			`data-until="2099-01-03T12:00:00Z">Upcoming</span>`, "/assets/meetups-",
		},
		"ja/loop/index.html":     {"ミートアップ一覧", `<a href="/book/ja/loop/next/" lang="en">The next meetup</a>`, "最初のミートアップ"},
		"en/index.html":          {`<a href="/book/en/loop/">All meetups</a>`},
		"sitemap.xml":            {"<loc>https://example.org/book/en/loop/</loc>", `hreflang="ja" href="https://example.org/book/ja/loop/"`},
		"llms.txt":               {"[All meetups](https://example.org/book/en/loop/index.md)"},
		"en/loop/first/index.md": {"## Programme", "Zuzana, [Taro](https://example.org/t)", "[Slides](https://example.org/slides) · Chapter: [Scale]"},
		"en/loop/index.md":       {"**[The first meetup](https://example.org/book/en/loop/first/index.md)**"},
		"en/book/index.html":     {`id="loop.first--meetup.programme"`, "All meetups", "/assets/meetup-"},
		"en/loop/first/first.ics": {"UID:book/loop/first@example.org", "DTSTAMP:20260504T030201Z", "DTSTART:20190927T100000Z",
			"SUMMARY;LANGUAGE=en:The first meetup"},
		"en/loop/loop.ics": {"X-WR-CALNAME:Book <1> – The loop", "UID:book/loop/first@example.org", "DTSTART;VALUE=DATE:20990102",
			"DTEND;VALUE=DATE:20990103"},
		"en/atom.xml": {"<id>https://example.org/book/en/loop/first/</id>", "<published>2019-09-27T10:00:00Z</published>",
			"27 September 2019, 19:00 · Shibuya, Tokyo · Of loops."},
		"en/feed.xml": {"<pubDate>Fri, 27 Sep 2019 10:00:00 GMT</pubDate>"},
		"ja/atom.xml": {"最初のミートアップ"},
	})
	page, _ := tree.Get("en/loop/first/index.html")
	if bytes.Contains(page, []byte("meetup-coming")) || bytes.Contains(page, []byte("/assets/meetups-")) {
		t.Error("what is over is to come")
	}
	list, _ := tree.Get("en/loop/index.html")
	if bytes.Index(list, []byte("/loop/next/\">The next")) > bytes.LastIndex(list, []byte("/loop/first/\">The first")) {
		t.Error("the newest is not first")
	}
	for _, name := range tree.Paths() {
		if data, _ := tree.Get(name); strings.HasSuffix(name, ".html") && !strings.HasPrefix(name, "en/loop/") && !strings.HasPrefix(name, "ja/loop/") &&
			!strings.Contains(name, "/book/") &&
			(bytes.Contains(data, []byte("meetup-")) || bytes.Contains(data, []byte(`"@type":"Event"`))) {
			t.Errorf("%s has something of meetups", name)
		}
	}
	// Times of a build: nothing else decides.
	again, err := buildGathering(t, Options{Base: "https://example.org/book", Date: later})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tree.Paths() {
		one, _ := tree.Get(name)
		if other, ok := again.Get(name); !ok || !bytes.Equal(one, other) {
			t.Errorf("%s comes out otherwise the second time", name)
		}
	}
}

// TestSearchBySpeaker finds who spoke where the programme is.
func TestSearchBySpeaker(t *testing.T) {
	tree, err := buildGathering(t, Options{})
	if err != nil {
		t.Fatal(err)
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
		if bytes.Contains(text, []byte("ゼロから始める <Controller> – Zuzana, Taro")) {
			found++
		}
	}
	if found != 1 {
		t.Errorf("the speaker is in %d files of the search", found)
	}
}

// TestWhatIsToCome is what the book's last change says; without that date readers' scripts do.
func TestWhatIsToCome(t *testing.T) {
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{later, `data-until="2099-01-03T12:00:00Z">Upcoming</span>`},
		{time.Time{}, `data-until="2099-01-03T12:00:00Z" hidden>Upcoming</span>`},
	} {
		tree, err := buildGathering(t, Options{Date: c.at})
		if err != nil {
			t.Fatal(err)
		}
		has(t, tree, map[string][]string{"en/loop/next/index.html": {c.want}, "en/loop/next/next.ics": {"UID:loop/next@"}})
		if _, ok := tree.Get("en/atom.xml"); ok {
			t.Error("a feed without an address")
		}
	}
	tree, err := buildGathering(t, Options{Date: later.AddDate(100, 0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if page, _ := tree.Get("en/loop/next/index.html"); bytes.Contains(page, []byte("Upcoming")) {
		t.Error("what is over is to come")
	}
}

func TestMistakesInMeetups(t *testing.T) {
	for _, c := range []struct{ file, from, to, want string }{
		{"en", "#controller\"", "#controler\"", `en/loop/first.md:18:16: anchor "controler" is not in`},
		{"en", "loop/scale.md#why", "loop/scal.md", `en/loop/first.md:20:16: there is no chapter "loop/scal.md" (did you mean "loop/scale.md"?)`},
		{"en", "loop/scale.md#why", "scale.md#wy", `there is no chapter "scale.md#wy" (did you mean "loop/scale.md"?)`},
		{"en", "loop/scale.md#why", "loop/scale.md#wy", `en/loop/first.md:20:16: anchor "wy" is not in`},
		{"en", "demo: scale", "demo: scal", `en/loop/first.md:21:13: unknown demo "scal" (did you mean "scale"?)`},
		{"en", "2019-09-27T19:00", "2019-09-31T19:00", `en/loop/first.md:8:9: date "2019-09-31T19:00" is not in the calendar`},
		{"en", "Asia/Tokyo", "Asia/Tokio", `time zone "Asia/Tokio" is unknown (did you mean "Asia/Tokyo"?)`},
		{"ja", "host: 甲と乙", "date: 2019-09-28", `ja/loop/first.md:6:9: date "2019-09-28" differs from "2019-09-27T19:00" in`},
	} {
		name := c.file + "/loop/first.md"
		_, err := buildGathering(t, Options{}, map[string]string{name: strings.Replace(gathering[name], c.from, c.to, 1)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s → %s:\ngot  %v\nwant %s", c.from, c.to, err, c.want)
		} else if n := strings.Count(err.Error(), "\n"); n > 0 {
			t.Errorf("%s → %s: more than one problem: %v", c.from, c.to, err)
		}
	}
	for name, files := range map[string]map[string]string{
		"home page cannot be a meetup": {"en/index.md": "---\ntitle: A\ndescription: d\nmeetup: {date: 2019-09-27}\n---\nText.\n```demo\nscale\n```\n"},
		"meetup is not in":             {"ja/start/tour.md": "---\ntitle: A\ndescription: d\norder: 1\nmeetup: {host: A}\n---\n## 一つ {#one}\n"},
		`part "book" has meetups, and /en/book/, where they are listed, is another page`: {"site.yaml": strings.ReplaceAll(book["site.yaml"], "name: later",
			"name: book"),
			"en/book/x.md": "---\ntitle: A\ndescription: d\norder: 1\nmeetup: {date: 2019-09-27}\n---\nText.\n"},
	} {
		if _, err := buildGathering(t, Options{}, files); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

// TestMeetupsInEPUB holds a book with meetups to the standard's rules.
func TestMeetupsInEPUB(t *testing.T) {
	_, err := buildGathering(t, Options{Base: "https://example.org", Date: later, Books: func(language string, b *epub.Book) error {
		var out bytes.Buffer
		if err := b.Write(&out); err != nil {
			return err
		}
		z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(z.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, "loop.xhtml") }) {
			t.Errorf("%s: the list is not in the book", language)
		}
		return epub.Check(out.Bytes())
	}})
	if err != nil {
		t.Fatal(err)
	}
}

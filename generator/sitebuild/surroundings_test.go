package sitebuild

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/output"
	"kubewalk/generator/format/epub"
	"kubewalk/generator/format/portable"
	"kubewalk/generator/problem"
)

// ownSite is the small book with all that makes a site of it.
var ownSite = map[string]string{
	"site.yaml": strings.Replace(book["site.yaml"], "name: loop,", "name: loop, parts: [{name: deep, title: {en: Deeper, ja: 深く}}],", 1) + `  - {name: news, title: {en: News, ja: お知らせ}, posts: true}
authors: {us: {name: {en: Us, ja: 私たち}, url: "https://example.org/us"}}
tags: {talks: {en: Talks, ja: 発表}}
footer: {en: "© We. [Imprint](imprint.md), *no* [tracking](https://example.org/).", ja: "© 私たち。[運営者](imprint.md)"}
links:
  - {text: {en: About, ja: 概要}, to: about.md}
  - {text: {en: Manifest, ja: マニフェスト}, to: ../static/files/web.yaml}
  - {text: Code, to: "https://example.org/code"}
head:
  - {rel: me, href: "https://social.example/@us"}
  - {rel: icon, href: ../static/favicon.ico, sizes: 32x32, type: image/x-icon}
scripts:
  - {src: "https://count.example/js/script.js", data: {domain: example.org}, connect: ["https://count.example"]}
  - src: https://talk.example/client.js
    place: comments
    frames: [https://talk.example]
    styles: [https://talk.example]
    images: [https://pictures.example]
`,
	"name.svg": wordmark("#111"), "name.dark.svg": wordmark("#eee"),
	"en/about.md": about, "ja/about.md": "---\ntitle: 概要\ndescription: d\n---\n[図](../static/files/web.yaml)\n\n## 連絡先 {#contact}\n",
	"en/imprint.md": "---\ntitle: Imprint\ndescription: d\n---\nUs.\n", "ja/imprint.md": "---\ntitle: 運営者\ndescription: d\n---\n私たち。\n",
	"en/news/opened.md":     "---\ntitle: We are open\ndescription: d\ndate: 2026-01-31\nauthors: [us]\ntags: [talks]\n---\nRead [who we are](../about.md).\n",
	"ja/news/opened.md":     "---\ntitle: 開きました\ndescription: d\n---\n[私たち](../about.md)\n",
	"static/files/web.yaml": "kind: Pod\n", "static/favicon.ico": "icon", "static/fonts/own.woff2": "font",
	"en/loop/deep/dive.md": "---\ntitle: Dive\ndescription: d\norder: 1\n---\n" +
		":::cameo[*Ann*]{from=Ann page=../scale.md#why face=../../start/queue.svg}\nDown **here**.\n:::\n",
	"ja/loop/deep/dive.md": "---\ntitle: 潜る\ndescription: d\norder: 1\n---\n:::cameo[アン]{from=アン}\nこの**下**。\n:::\n",
	"blocks/cameo.yaml":    cameo, "blocks/cameo.html": cameoHTML,
	"layout/header.html":        "<p class=\"bar\"><a href=\"{{link \"loop/deep/dive.md\"}}\">{{.Kind}}</a></p>{{.Default}}",
	"layout/after-content.html": "<p class=\"after\"><img src=\"{{link \"../static/favicon.ico\"}}\" alt=\"\">{{.Part}}</p>",
	"custom.css":                "@font-face { font-family: Own; src: url(static/fonts/own.woff2) }\nbody { font-family: Own }\n",
}

// wordmark is an image of a name, 300 × 60.
func wordmark(colour string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 60" width="300" height="60"><path fill="` + colour + `" d="M0 0h300v60H0z"/></svg>`
}

// TestWordmark: an image of the book's name stands in the header in place of sign and title, and is read out as the title.
func TestWordmark(t *testing.T) {
	settings := strings.Replace(book["site.yaml"], "parts:", "wordmark: name.svg\nparts:", 1)
	for _, test := range []struct {
		files map[string]string
		want  string // of the header's link, or of the error
	}{
		{map[string]string{"site.yaml": settings, "name.svg": wordmark("#111")},
			`<a class="brand" href="/en/"><img class="wordmark" src="/assets/wordmark-\w+\.svg" width="140" height="28" alt="Book &lt;1&gt;"> </a>`},
		{map[string]string{"site.yaml": settings, "name.svg": wordmark("#111"), "name.dark.svg": wordmark("#eee")},
			`<a class="brand" href="/en/"><img class="wordmark on-light" src="/assets/wordmark-\w+\.svg" [^>]+> <img class="wordmark on-dark" src="/assets/wordmark-\w+\.svg" [^>]+> </a>`},
		{map[string]string{"site.yaml": settings}, `site.yaml:\d+:11: wordmark "name.svg" is not there \(it is looked for beside site.yaml\)`},
		{map[string]string{"site.yaml": strings.Replace(settings, "wordmark: name.svg", "wordmark: nmae.svg", 1), "name.svg": wordmark("#111")},
			`wordmark "nmae.svg" is not there \(did you mean "name.svg"\?\)`},
		{map[string]string{"site.yaml": settings, "name.svg": strings.ReplaceAll(wordmark("#111"), "300", "60")},
			`wordmark "name.svg" is 60 × 60: too narrow for a name \(cut off`},
		{map[string]string{"site.yaml": strings.Replace(settings, "wordmark:", "logo: name.svg\nwordmark:", 1), "name.svg": wordmark("#111")},
			`there are a logo and a wordmark \(keep one of them`},
		{map[string]string{"site.yaml": settings, "name.svg": "<svg"}, `name\.svg`},
	} {
		l := newLibrary(t, test.files)
		tree, _, err := l.build(t)
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			_, said, _ = strings.Cut(page(t, tree, "en/start/tour/index.html"), `<header class="banner">`)
			if strings.Contains(page(t, tree, "404.html"), `class="mark"`) {
				t.Errorf("%v: the page that is not there has the theme's sign", test.want)
			}
		}
		if !regexp.MustCompile(test.want).MatchString(said) {
			t.Errorf("%v: %.900s", test.want, said)
		}
	}
}

// ownDemo breaks a roll-out with an image of its own, and its chapters speak of the moment.
var ownDemo = map[string]string{
	"demos/scale.yaml": `title: {en: Scaling, ja: スケール}
seed: 7
cluster:
  nodes: 1
  controllers: [deployment-controller, replicaset-controller]
  images: {"shop:v2": {ready-after: 24h}}
setup: 3s
end: 30s
manifests:
  shop:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: shop}
    spec:
      selector: {matchLabels: {app: shop}}
      template:
        metadata: {labels: {app: shop}}
        spec: {containers: [{name: shop, image: "shop:v1", readinessProbe: {httpGet: {port: 80}, periodSeconds: 1}}]}
steps:
  - {id: apply, at: 1s, apply: shop}
  - {id: break, at: +8s, kubectl: set image deployment/shop shop=shop:v2}
claims:
  - {after: apply, within: 7s, count: 1, objects: {resource: pods, fields: {'status.conditions[Ready].status': 'True'}}}
  - {after: break, within: 15s, count: 1, objects: {resource: pods, fields: {spec.containers.0.image: "shop:v2", 'status.conditions[Ready].status': 'False'}}}
marks:
  - {id: first, after: break, when: {op: container.start}, caption: {en: The new version starts., ja: 新しい版が起動します。}}
controls:
  - kubectl: {examples: [rollout undo deployment/shop]}
`,
	"en/loop/scale.md": book["en/loop/scale.md"] + "\nThe new version [starts](demo:scale@first), and is never ready.\n",
	"ja/loop/scale.md": book["ja/loop/scale.md"] + "\n新しい版が[起動](demo:scale@first)しますが、準備が整いません。\n",
}

// TestASiteOfItsOwn: everything together, below a path, in two languages.
func TestASiteOfItsOwn(t *testing.T) {
	l := newLibrary(t, ownSite)
	for name, text := range ownDemo {
		l.write(t, name, text)
	}
	l.write(t, "site.yaml", strings.Replace(ownSite["site.yaml"], "scripts:\n", "scripts:\n  - {src: ../static/own.js, data: {colour: blue}}\n", 1)+
		"home: [text, contents]\nwordmark: name.svg\n")
	l.write(t, "static/own.js", "let own;\n")
	l.write(t, "static/files/talk.pdf", "%PDF-1.4\n")
	l.write(t, "en/imprint.md", ownSite["en/imprint.md"]+"\n[The talk](../static/files/talk.pdf)\n")
	l.commit(t, "2026-05-04")
	rights, bound := map[string]string{}, map[string]*epub.Book{}
	o := l.options()
	o.Base, o.Demos = "https://example.org/book", demos.Run
	o.Books = func(language string, book *epub.Book) error {
		rights[language], bound[language] = book.Rights, book
		return nil
	}
	tree, err := Build(t.Context(), o, &l.cache)
	if err != nil {
		t.Fatal(err)
	}
	has(t, tree, map[string][]string{
		"en/start/tour/index.html": {
			` v1.36.3. © We. <a href="/book/en/imprint/">Imprint</a>, <em>no</em> <a href="https://example.org/">tracking</a>. Made with Kubewalk.`,
			`<nav class="site-links" aria-label="Links"><a href="/book/en/about/">About</a><a href="/book/files/web.yaml">Manifest</a><a href="https://example.org/code">Code</a></nav>`,
			`<link rel="me" href="https://social.example/@us">`, `<link rel="icon" type="image/x-icon" sizes="32x32" href="/book/favicon.ico">`,
			`<script src="https://count.example/js/script.js" defer data-domain="example.org"></script>`,
			`<div class="comments"><script src="https://talk.example/client.js" async></script></div>`, `<img class="wordmark on-dark" src="/book/assets/wordmark-`,
		},
		"ja/start/tour/index.html": {`© 私たち。<a href="/book/ja/imprint/">運営者</a>`, `<a href="/book/ja/about/">概要</a>`},
		"ja/about/index.html":      {`<a href="/book/ja/about/" aria-current="page">概要</a>`, `<a href="/book/files/web.yaml">図</a>`},
		"en/index.html":            {`class="site-links"`, `>Imprint</a>`},
		"en/loop/scale/index.html": {`<script src="/book/own.js" defer data-colour="blue"></script>`, `<a href="#demo-scale-first" class="claim">starts</a>`, `The new version starts.`},
		"ja/loop/scale/index.html": {`<a href="#demo-scale-first" class="claim">起動</a>`, `新しい版が起動します。`},
		"en/imprint/index.html":    {`<a href="/book/files/talk.pdf">The talk</a>`},
		"files/talk.pdf":           {"%PDF"}, "own.js": {"let own;"}, "demos/scale/scenario.json.gz": nil,
		"en/news/opened/index.html": {
			`<time datetime="2026-01-31">31 January 2026</time> · <a href="https://example.org/us">Us</a>`, `<a href="/book/en/news/tags/talks/">Talks</a>`,
			`<a href="/book/en/news/">News</a>`, `<a href="/book/en/about/">who we are</a>`, `<div class="comments">`,
			`title="Book &lt;1&gt; – News" href="/book/en/news/atom.xml"`,
		},
		"en/loop/deep/dive/index.html": {
			`<p class="bar"><a href="/book/en/loop/deep/dive/">chapter</a></p><header class="banner">`, `<p class="after"><img src="/book/favicon.ico" alt="">Deeper</p>`,
			`<aside class="cameo is-glad" id="cameo-1">`, `<b title="Ann"><em>Ann</em></b> 1`, `<p>Down <strong>here</strong>.</p>`, `href="/book/en/loop/scale/#why">more</a>`,
			`<a href="/book/en/#part.loop">The loop</a></li><li><a href="/book/en/#part.loop.deep">Deeper</a>`, `"@type":"BreadcrumbList"`,
		},
		"ja/loop/deep/dive/index.html":  {`<p class="bar"><a href="/book/ja/loop/deep/dive/">`, `>深く</p>`, `<p>この<strong>下</strong>。</p>`},
		"en/news/index.html":            {`<p class="bar">`},
		"en/atom.xml":                   {"https://example.org/book/en/loop/deep/dive/"},
		"llms.txt":                      {"## The loop › Deeper"},
		"ja/news/tags/talks/index.html": {`<a href="/book/ja/news/opened/">開きました</a>`},
		"en/news/atom.xml":              {"<id>https://example.org/book/en/news/opened/</id>"},
		"404.html":                      {`script-src &#39;self&#39; &#39;wasm-unsafe-eval&#39; https://count.example https://talk.example;`},
	})
	for _, language := range []string{"en", "ja"} { // text and contents, and no link to the first chapter
		home := page(t, tree, language+"/index.html")
		if text, list := strings.Index(home, `loop/scale/#why`), strings.Index(home, `id="part.start"`); text < 0 || list < text || strings.Contains(home, `class="start"`) {
			t.Errorf("%s: the text is at %d, the list of chapters at %d", language, text, list)
		}
	}
	rules := page(t, tree, output.MarkerFile)
	for _, want := range []string{"; connect-src 'self' https://count.example; ", "; frame-src 'self' https://talk.example; ", "; style-src 'self' https://talk.example; ",
		"; img-src 'self' data: https://pictures.example; "} {
		if !strings.Contains(rules, want) {
			t.Errorf("the policy lacks %s:\n%.600s", want, rules)
		}
	}
	if strings.Contains(rules, "trusted-types") {
		t.Errorf("scripts of others are held to Trusted Types:\n%.800s", rules)
	}
	shown := page(t, tree, "en/start/tour/index.html")
	styles := regexp.MustCompile(`<link rel="stylesheet" href="/book/([^"]+)">`).FindAllStringSubmatch(shown, -1)
	last := styles[len(styles)-1][1]
	if !strings.HasPrefix(last, "assets/custom-") {
		t.Fatalf("the author's style sheet is not the last one: %v", styles)
	}
	font := regexp.MustCompile(`url\((own-[0-9a-f]{10}\.woff2)\)`).FindStringSubmatch(page(t, tree, last))
	if font == nil || page(t, tree, "assets/"+font[1]) != "font" {
		t.Errorf("no font in %s", page(t, tree, last))
	}
	for _, name := range []string{"embed/scale/index.html", "en/about/index.html", "en/book/index.html", "en/news/index.html", "en/news/tags/talks/index.html"} {
		if strings.Contains(page(t, tree, name), "talk.example") {
			t.Errorf("comments on %s", name)
		}
	}
	if strings.Contains(page(t, tree, "embed/scale/index.html"), "count.example") {
		t.Error("a demo for other sites counts their readers")
	}
	if rights["en"] != "© We. Imprint, no tracking." || rights["ja"] != "© 私たち。運営者" {
		t.Errorf("rights in the EPUB: %q", rights)
	}
	loop := bound["en"].Parts[1]
	if loop.Title != "The loop" || len(loop.Parts) != 1 || loop.Parts[0].Title != "Deeper" || loop.Parts[0].Chapters[0].Title != "Dive" {
		t.Errorf("the EPUB's part is %+v", loop)
	}
	folder, err := portable.Make(tree, "/book", func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	has(t, folder, map[string][]string{"files/web.yaml": nil, "en/imprint/index.html": nil, "assets/" + font[1]: nil, "en/start/tour/index.html": {`href="../../about/index.html"`, `href="../../loop/deep/dive/index.html"`},
		"en/loop/deep/dive/index.html": {`src="../../../../favicon.ico"`, `href="../../scale/index.html#why"`}})
	if strings.Contains(page(t, folder, "en/start/tour/index.html"), "count.example") {
		t.Error("pages in a folder load scripts from elsewhere")
	}
}

// TestABookWithoutThese has nothing of it in its pages.
func TestABookWithoutThese(t *testing.T) {
	tree, err := buildBook(t, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{"site-links", "links.css", "custom", "comments"} {
		if strings.Contains(page(t, tree, "en/start/tour/index.html"), mark) {
			t.Errorf("a page has %s", mark)
		}
	}
}

// TestTrustedTypes: a book whose scripts are all ours keeps to them, also at a path where there is nothing.
func TestTrustedTypes(t *testing.T) {
	const required = "require-trusted-types-for"
	for name, want := range map[string]bool{"web.yaml": true, "count.js": false, "lib/count.mjs": false} {
		tree, err := buildBook(t, "", map[string]string{"static/" + name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{output.MarkerFile, "404.html"} {
			if strings.Contains(page(t, tree, file), required) != want {
				t.Errorf("%s of a book with static/%s: %s is there, or is not", file, name, required)
			}
		}
	}
}

// TestHomeSections: home pages have what the book chooses, in its order, and nothing leads to what they do not have.
func TestHomeSections(t *testing.T) {
	const text, start, contents = "Read <a", `class="begin"`, `<section id="part.loop">`
	for home, want := range map[string][]string{
		"":                              {start, text, contents},
		"home: [contents, text, start]": {contents, text, start},
		"home: [text]":                  {text},
	} {
		tree, err := buildBook(t, "https://example.org/book", map[string]string{"site.yaml": book["site.yaml"] + home + "\n"})
		if err != nil {
			t.Fatal(err)
		}
		shown, at := page(t, tree, "en/index.html"), -1
		for _, section := range want {
			next := strings.Index(shown, section)
			if next <= at {
				t.Errorf("%q: %s is at %d, and what comes before it at %d", home, section, next, at)
			}
			at = next
		}
		for _, section := range []string{start, text, contents} {
			if strings.Contains(shown, section) != slices.Contains(want, section) {
				t.Errorf("%q: %s is there, or is not", home, section)
			}
		}
		crumb := `<a href="/book/en/#part.loop">The loop</a>`
		if !slices.Contains(want, contents) {
			crumb = `<a href="/book/en/">The loop</a>`
		}
		if !strings.Contains(page(t, tree, "en/loop/scale/index.html"), crumb) {
			t.Errorf("%q: a chapter lacks %s", home, crumb)
		}
	}
}

func TestSurroundingMistakes(t *testing.T) {
	for _, test := range []struct{ file, old, new, want string }{
		{"site.yaml", "[Imprint](imprint.md)", "[Imprint](imprnt.md)", `site.yaml:11:14: link "imprnt.md" does not lead to a chapter (did you mean "imprint.md"?)`},
		{"site.yaml", "*no*", "<b>no</b>", `site.yaml:11:14: HTML in a chapter (`},
		{"site.yaml", `"© 私たち。`, `"- 私たち。`, `site.yaml:11:89: footer is more than one paragraph (write a line of text; the rest belongs on a page such as about.md)`},
		{"site.yaml", "to: about.md", "to: abot.md", `site.yaml:13:37: link "abot.md" does not lead to a chapter (did you mean "about.md"?)`},
		{"site.yaml", "to: about.md", "to: about.md#contcat", `site.yaml:13:37: anchor "contcat" is not in en/about.md (did you mean "contact"?)`},
		{"site.yaml", "to: about.md", "to: /en/about/", `site.yaml:13:37: link "/en/about/" does not lead to a chapter (write it as on a home page: ` +
			`about.md, loop/x.md#why, ../static/x.pdf; or an address that begins with https://)`},
		{"site.yaml", "../static/files/web.yaml", "../static/files/wbe.yaml",
			`site.yaml:14:44: link "../static/files/wbe.yaml" leads to a file that does not exist (did you mean "../static/files/web.yaml"?)`},
		{"site.yaml", "https://example.org/code", "http://example.org/code",
			`site.yaml:15:22: link "http://example.org/code" is not an address that begins with https:// (write https://example.org/code)`},
		{"site.yaml", "{text: {en: About, ja: 概要}", "{text: {en: About}", `site.yaml:13:12: text of links[0] is missing in "ja" (add ja: …)`},
		{"site.yaml", "rel: me", "rel: stylesheet", `site.yaml:17:11: rel of head[0] "stylesheet" is unknown (known: alternate, apple-touch-icon`},
		{"site.yaml", "href: ../static/favicon.ico", "href: https://example.org/favicon.ico",
			`site.yaml:18:23: icon "https://example.org/favicon.ico" is not a static file (put it into content/static and write ../static/favicon.ico)`},
		{"site.yaml", `connect: ["https://count.example"]`, `connect: ["https://count.example/api"]`,
			`site.yaml:20:88: "https://count.example/api" is more than the origin of a site (write https://count.example)`},
		{"site.yaml", `connect: ["https://count.example"]`, `connect: ["http://count.example"]`,
			`site.yaml:20:88: "http://count.example" is not the origin of a site (write https:// and the site's name, as in https://example.org)`},
		{"site.yaml", `connect: ["https://count.example"]`, `connect: ["https://a.example; script-src *"]`, `is not the origin of a site`},
		{"site.yaml", "https://talk.example/client.js", "talk.example/client.js",
			`site.yaml:21:10: script "talk.example/client.js" is neither at an address that begins with https:// nor a static file (write https://…, or`},
		{"site.yaml", "place: comments", "place: foot", `site.yaml:22:12: place of scripts[1] "foot" is unknown (known: comments, head)`},
		{"static/x.html", "", "<title>x</title>\n <script src='https://other.example/x.js'></script>",
			`static/x.html:2:2: script "https://other.example/x.js" is not allowed by the content security policy (add to scripts: in site.yaml: - {src: "https://other.example/x.js"})`},
		{"static/x.html", "", "<script>alert(1)</script>", `static/x.html:1: inline script, which the content security policy refuses (put it into a file of its own beside this one)`},
		{"site.yaml", "links:", "home: [start, contents]\nlinks:",
			`site.yaml:12:7: home pages have no section "text" (add it: other pages may lead to its headings)`},
		{"site.yaml", "links:", "home: [text, text]\nlinks:", `site.yaml:12:14: section "text" of home pages is listed twice (remove one)`},
		{"site.yaml", "links:", "home: [txet]\nlinks:", `site.yaml:12:8: home[0] "txet" is unknown (did you mean "text"?)`},
		{"custom.css", "body {", "@import 'x.css';\nbody {", `custom.css:2:1: rule @import in a style sheet (write the rules into this file`},
		{"custom.css", "static/fonts/own.woff2", "https://fonts.example/own.woff2",
			`custom.css:1:41: style sheet loads "https://fonts.example/own.woff2", which the content security policy refuses (put a copy into content/static and write url(static/x.woff2))`},
		{"custom.css", "static/fonts/own.woff2", "static/fonts/onw.woff2",
			`custom.css:1:41: style sheet loads "static/fonts/onw.woff2", which does not exist (did you mean "static/fonts/own.woff2"?)`},
		{"custom.css", "static/fonts/own.woff2", "fonts/own.woff2", `custom.css:1:41: style sheet loads "fonts/own.woff2", which does not exist (`},
		{"custom.css", "static/fonts/own.woff2", "data:font/woff2;base64,AA==", `custom.css:1:41: style sheet loads "data:font/woff2;base64,AA==", which the content security policy refuses`},
	} {
		text := test.new
		if test.old != "" {
			if !strings.Contains(ownSite[test.file], test.old) {
				t.Fatalf("%s does not hold %q", test.file, test.old)
			}
			text = strings.Replace(ownSite[test.file], test.old, test.new, 1)
		}
		l := newLibrary(t, ownSite)
		l.write(t, test.file, text)
		_, _, err := l.build(t)
		if err == nil {
			t.Errorf("%s: nothing is said", test.want)
			continue
		}
		said := strings.ReplaceAll(err.Error(), filepath.ToSlash(l.root)+"/content/", "")
		if strings.Count(said, "home") > 1 {
			t.Errorf("one mistake is told twice:\n%s", said)
		}
		if !strings.Contains("\n"+said, test.want) || len(problem.Of(err)) > 2 {
			t.Errorf("got\n%s\nwant\n%s", said, test.want)
		}
	}
}

package sitebuild

import (
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/problem"
)

// mistake is one thing that an author gets wrong: the file, what is replaced in it
// by what ("" for the whole), and what the build says, from the place on.
type mistake struct{ file, old, new, want string }

var mistakes = []mistake{
	// site.yaml
	{"site.yaml", "parts:", "pats:", `site.yaml:4:1: unknown key "pats" (did you mean "parts"?)`},
	{"site.yaml", "{en: Book <1>, ja: 本}", "5", `site.yaml:1:8: title has to be text, and is the number 5 (write it in quotes: "5")`},
	{"site.yaml", "{en: Book <1>, ja: 本}", "[a]", `site.yaml:1:8: title has to be text, or one for each language, and is a list`},
	{"site.yaml", "{en: Book <1>, ja: 本}", "{en: Book}", `site.yaml:1:8: title is missing in "ja" (add ja: …)`},
	{"site.yaml", "{en: Book <1>, ja: 本}", "{en: Book, ja: 本, fr: Livre}",
		`site.yaml:1:26: title is given in "fr", which is not a language of the book (known: en, ja)`},
	{"site.yaml", "{en: Book <1>, ja: 本}", "", `site.yaml:1:7: title has no value (write one, or remove the key)`},
	{"site.yaml", "title: {en: Book <1>, ja: 本}\n", "", `site.yaml:7:1: title is missing (add title: …, the book's title: one text, or one for each language)`},
	{"site.yaml", "code: en", "code: EN",
		`site.yaml:3:20: code of languages[0] cannot be "EN" (use lower-case letters, digits and single hyphens: it is part of the page's address)`},
	{"site.yaml", ", name: English", "", `site.yaml:3:13: name is missing (add name: …, the language's name in itself (日本語))`},
	{"site.yaml", "code: en", "code: english", `site.yaml:3:20: language code "english" is not in BCP 47 (write en)`},
	{"site.yaml", "parts:", "analytics: {id: 1}\nparts:", `site.yaml:4:1: unknown key "analytics" (name the service's script, scripts: [{src: …}])`},
	{"site.yaml", "parts:", "offline: no\nparts:", `site.yaml:4:10: offline has to be true or false, and is the text "no" (write false)`},
	{"en/start/tour.md", "order: 1", "order: \"1\"", `en/start/tour.md:4:8: order has to be a whole number, and is the text "1" (write it without quotes: 1)`},
	{"site.yaml", "code: ja", "code: en", `site.yaml:3:47: language "en" is listed twice (remove one)`},
	{"site.yaml", "name: loop,", "name: start,", `site.yaml:6:12: part "start" is listed twice (remove one)`},
	{"site.yaml", "name: later", "name: La ter",
		`site.yaml:7:12: name of parts[2] cannot be "La ter" (use lower-case letters, digits and single hyphens: it is part of the page's address)`},
	{"site.yaml", "title: {en: Later, ja: あとで}", "titel: Later", `site.yaml:7:19: unknown key "titel" of parts[2] (did you mean "title"?)`},
	{"site.yaml", "parts:", "translations: perhaps\nparts:", `site.yaml:4:15: translations "perhaps" is unknown (known: complete, fallback)`},
	{"site.yaml", "parts:", "theme: {accent: {light: blue, dark: \"#8fb2ff\"}}\nparts:",
		`site.yaml:4:25: light of accent of theme cannot be "blue" (write it as #2450b8)`},
	{"site.yaml", "parts:", "theme: {accent: {light: \"#ffcc00\", dark: \"#8fb2ff\"}}\nparts:",
		`site.yaml:4:25: accent "#ffcc00" has a contrast of 1.39 on light pages, where text needs 4.5 (the nearest colour that has it is "#876b07")`},
	{"site.yaml", "parts:", "theme: {accent: {light: \"#2450b8\"}}\nparts:", `site.yaml:4:17: dark is missing (add dark: …, on dark pages, as #8fb2ff)`},
	{"site.yaml", "parts:", "icon: nothing.svg\nparts:", `site.yaml:4:7: icon "nothing.svg" is not there (it is looked for beside site.yaml)`},
	{"site.yaml", "parts:", "logo: logo.gif\nparts:", `site.yaml:4:7: logo cannot be "logo.gif" (name an SVG, PNG or WebP file beside site.yaml)`},
	{"site.yaml", "parts:", "madeWith: sometimes\nparts:", `site.yaml:4:11: madeWith has to be true or false, and is the text "sometimes" (write true, write false, or remove the key)`},
	{"site.yaml", "parts:", "redirects: {/old/: /en/start/tuor/}\nparts:",
		`site.yaml:4:20: redirect to "/en/start/tuor/" leads to a page that does not exist (did you mean "/en/start/tour/"?)`},
	{"site.yaml", "parts:", "redirects: {/a/: /b/, /b/: /a/}\nparts:",
		`site.yaml:4:18: redirect to "/b/" leads back to where it began (end the circle with a page that is there)`},
	{"site.yaml", "parts:", "title: twice\nparts:", `site.yaml:4:1: key "title" is given twice (keep one of them)`},
	{"site.yaml", "", "title: [\n", `site.yaml:1:8: [ is not closed (close the [)`},
	{"site.yaml", "", "", `site.yaml: title is missing (add title: …, the book's title: one text, or one for each language)`},
	{"site.yaml", "", "just text\n", `site.yaml: file contains the text "just text" instead of keys and values (begin it with title: …, description: …)`},
	{"site.yaml", "", "-", `site.yaml: file is missing (it contains the book's title, languages and parts; --content names the folder)`},
	{"site.yaml", "parts:", "parts: # \xff\n", `site.yaml:4:10: byte 0xff is not UTF-8 (save the file as UTF-8)`},
	{"en/start/tour.md", "## One", "\x00", `en/start/tour.md:6:1: character NUL is not text (remove it: the file may be damaged)`},
	{"en/start/tour.md", "## One", "ä\xe4", `en/start/tour.md:6:2: byte 0xe4 is not UTF-8 (save the file as UTF-8)`},
	{"en/start/tour.md", "## One", strings.Repeat("> ", 520) + "a\n\n## One", `en/start/tour.md:6:123: more than 60 blocks are nested (quotes, lists and containers are blocks: nest fewer)`},
	{"en/start/tour.md", "## One", "```go include=.git/config\n```\n\n## One",
		`en/start/tour.md:6:7: ".git/config" has a name that begins with a dot (such files are not for readers: they may hold passwords, or a repository's history)`},
	{"en/start/tour.md", "## One", "```go include=code/.env\n```\n\n## One",
		`en/start/tour.md:6:7: "code/.env" has a name that begins with a dot (such files are not for readers: they may hold passwords, or a repository's history)`},
	// front matter
	{"en/start/tour.md", "", "## One\n", `en/start/tour.md:1: front matter is missing (begin the file with ---, title: …, description: …, order: …, ---)`},
	{"en/start/tour.md", "---\n## One", "## One", `en/start/tour.md:6:1: front matter is not closed (end it with a line ---)`},
	{"en/start/tour.md", "order: 1", "odrer: 1", `en/start/tour.md:4:1: unknown key "odrer" (did you mean "order"?)`},
	{"en/start/tour.md", "order: 1", "order: first", `en/start/tour.md:4:8: order has to be a whole number, and is the text "first"`},
	{"en/start/tour.md", "order: 1", "order: -1", `en/start/tour.md:4:8: order has to be 0 or more, and is -1`},
	{"en/start/tour.md", "order: 1", "order: 2",
		`ja/start/tour.md:4:8: order 1 differs from 2 in en/start/tour.md (a chapter has the same place in every language)`},
	{"en/start/tour.md", "description: d\n", "", `en/start/tour.md:4:1: description is missing (add description: …, one sentence, for lists and search engines)`},
	{"en/start/tour.md", "description: d", "description:", `en/start/tour.md:3:13: description has no value (write one, or remove the key)`},
	{"en/start/tour.md", "description: d", "description: 2026",
		`en/start/tour.md:3:14: description has to be text, and is the number 2026 (write it in quotes: "2026")`},
	{"en/start/tour.md", "order: 1", "order: 1\ndraft: yes", `en/start/tour.md:5:8: draft has to be true or false, and is the text "yes" (write true)`},
	{"en/start/tour.md", "order: 1", "order: 1\naliases: /en/old/",
		`en/start/tour.md:5:10: aliases has to be a list, and is the text "/en/old/" (begin each entry with a hyphen, or write [a, b])`},
	{"en/start/tour.md", "order: 1", "order: 1\naliases: [old]",
		`en/start/tour.md:5:11: aliases[0] cannot be "old" (write a path from the site's root, as in /en/old-name/)`},
	{"en/start/tour.md", "order: 1", "order: 1\naliases: [/en/loop/scale/]",
		`en/start/tour.md:5:11: redirect from "/en/loop/scale/" would hide a page that is there (remove it, or give that page another address)`},
	{"en/start/tour.md", "order: 1", "order: 1\nreviewed: lately",
		`en/start/tour.md:5:11: reviewed cannot be "lately" (write a day as 2026-01-31, or a commit)`},
	{"en/start/tour.md", "order: 1", "title: again", `en/start/tour.md:4:1: key "title" is given twice (keep one of them)`},
	{"en/start/tour.md", "title: \"A tour: <b>\"", "title: A tour: <b>",
		`en/start/tour.md:2:8: a second value begins within this one (a colon followed by a space begins a value: put a text that contains one in quotes)`},
	{"en/start/tour.md", "", "\ufeff---\ntitle: x\n---\n", `en/start/tour.md: file starts with a byte order mark (save it as UTF-8 without BOM)`},
	// keys of other programs
	{"en/start/tour.md", "order: 1", "weight: 1", `en/start/tour.md:4:1: unknown key "weight" (write order: 10; chapters with a smaller number come first, and pages outside of all parts have none)`},
	{"en/start/tour.md", "order: 1", "order: 1\ntags: [a]",
		`en/start/tour.md:5:1: only posts have tags (remove it: search finds the text and its headings; other words for a term go into content/glossary.yaml; if it is a post, say posts: true of its part in site.yaml)`},
	{"en/start/tour.md", "order: 1", "order: 1\ndate: 2026-01-01",
		`en/start/tour.md:5:1: only posts have a date (remove it: the days of a chapter's first and last change come from git; if it is a post, say posts: true of its part in site.yaml)`},
	{"en/start/tour.md", "order: 1", "order: 1\nauthors: [a]",
		`en/start/tour.md:5:1: only posts have authors (remove it: git knows who wrote what; a meetup's speakers go into meetup:; if it is a post, say posts: true of its part in site.yaml)`},
	{"en/start/tour.md", "order: 1", "order: 1\ncategories: [a]",
		`en/start/tour.md:5:1: unknown key "categories" (remove it: search finds the text and its headings; other words for a term go into content/glossary.yaml; a post has tags:)`},
	{"en/index.md", "description: Home", "description: Home\ndate: 2026-01-01",
		`en/index.md:4:1: only posts have a date (remove it: the days of a chapter's first and last change come from git; if it is a post, say posts: true of its part in site.yaml)`},
	{"en/start/tour.md", "order: 1", "order: 1\nlayout: home",
		`en/start/tour.md:5:1: unknown key "layout" (remove it: all chapters look alike; the home page is index.md in the language's folder)`},
	{"en/start/tour.md", "", "{\n\"title\": \"x\"\n}\n", `en/start/tour.md:1: front matter is JSON (write it in YAML: ---, title: …, description: …, order: …, ---)`},
	{"site.yaml", "parts:", "permalink: /x/\nparts:", `site.yaml:4:1: unknown key "permalink" (remove it: a page's address is its file's path, /en/PART/NAME/)`},
	{"glossary.yml", "", "x", `glossary.yml: the book has no file of this name (did you mean "glossary.yaml"?)`},
	{"style.css", "", "x", `style.css: the book has no style sheet of this name (call it custom.css)`},
	{"SUMMARY.md", "", "x", `SUMMARY.md: chapter is in no language's folder (move it to LANGUAGE/PART/NAME.md)`},
	{"de/start/tour.md", "", "x", `de: chapters are in a language that the book does not have (add {code: de, name: …} to languages in site.yaml, or remove the folder)`},
	{"shortcodes/x.html", "", "x", `shortcodes: it is of another program, and nothing reads it (blocks of your own are in content/blocks)`},
	{"mkdocs.yml", "", "x", `mkdocs.yml: it is of another program, and nothing reads it (settings are in site.yaml)`},
	{"layouts/header.html", "", "x", `layouts: the book has no folder of this name (did you mean "layout"?)`},
	{"demos/x.yml", "", "x", `demos/x.yml: demo does not end in .yaml (call it x.yaml)`},
	{"demos/more/x.yaml", "", "x", `demos/more: demos are in a folder of their own (move them into content/demos itself)`},
	{"en/start/tour.md", "", "+++\ntitle = \"x\"\n+++\n", `en/start/tour.md:1: front matter is TOML (write it in YAML: ---, title: …, description: …, order: …, ---)`},
	{"site.yaml", "parts:", "baseURL: https://example.org/\nparts:", `site.yaml:4:1: unknown key "baseURL" (remove it, and build with --base-url URL)`},
	{"en/start/tour.md", "## One", "## One\n\n{{< youtube abc >}}",
		`en/start/tour.md:8:1: shortcode "youtube" of Hugo (write a link: [text](https://…); pages load nothing from elsewhere)`},
	{"en/start/tour.md", "order: 1", "order:\t1\n\tdraft: true",
		`en/start/tour.md:5:1: this line is indented with a tab (indent with spaces: YAML allows no tabs there)`},
	{"en/start/more.md", "", "---\ntitle: M\ndescription: d\norder: 1\n---\nText.\n",
		`en/start/tour.md:4:8: order 1 is also that of en/start/more.md (give each chapter of a part a number of its own; 2 is free)`},
	// files
	{"en/strat/more.md", "", "---\ntitle: M\ndescription: d\norder: 1\n---\n",
		`en/strat/more.md: unknown part "strat" (list it in site.yaml, or move the file; did you mean "start"?)`},
	{"en/start/My Tour.md", "", "---\ntitle: M\ndescription: d\norder: 1\n---\n",
		`en/start/My Tour.md: file is not at en/PART/CHAPTER.md (use lower-case letters, digits and single hyphens: it is part of the page's address)`},
	{"en/start/deep/more.md", "", "---\ntitle: M\ndescription: d\norder: 1\n---\n",
		`en/start/deep/more.md: unknown part "deep" within "start" (list it in site.yaml, as parts: [{name: deep, title: …}] of the part start, or move the file; known: later, loop, start)`},
	{"en/docs/install/linux.md", "", "---\ntitle: M\ndescription: d\norder: 1\n---\n",
		`en/docs/install/linux.md: unknown part "docs" (list it in site.yaml, as {name: docs, title: …, parts: [{name: install, title: …}]}, or move the file; known: later, loop, start)`},
	{"en/docs/_index.md", "", "---\ntitle: M\n---\n",
		`en/docs/_index.md: file is not at en/PART/CHAPTER.md (remove it: a part has no page of its own; its title is in site.yaml, and a text about it is a chapter with a small order)`},
	{"en/start/tour.md", "## One", "## One\n\n{{< Chart abc >}}",
		`en/start/tour.md:8:1: shortcode "Chart" of Hugo (a chapter has no shortcodes: write Markdown; what there is besides is in kubewalk help authoring; one of your own is a block, :::chart)`},
	{"en/start/a/b/more.md", "", "---\ntitle: M\ndescription: d\norder: 1\n---\n",
		`en/start/a/b/more.md: file is deeper than en/PART/SUBPART/CHAPTER.md (move it to en/start/a/: a part can have parts within it, and those have chapters only)`},
	{"en/start/a/My Tour.md", "", "---\ntitle: M\ndescription: d\norder: 1\n---\n",
		`en/start/a/My Tour.md: file is not at en/PART/SUBPART/CHAPTER.md (use lower-case letters, digits and single hyphens: it is part of the page's address)`},
	{"en/start/_index.md", "", "---\ntitle: M\ndescription: d\n---\n",
		`en/start/_index.md: file is not at en/PART/CHAPTER.md (remove it: a part has no page of its own; its title is in site.yaml, and a text about it is a chapter with a small order)`},
	{"en/_index.md", "", "---\ntitle: M\ndescription: d\n---\n", `en/_index.md: file is not at en/PAGE.md (call it index.md)`},
	{"site.yaml", "name: start,", "name: start, parts: [{name: tour, title: T}],",
		`en/start/tour.md: chapter "tour" has the name of a part within "start" (give the file another name, or make it the first chapter there, as in en/start/tour/overview.md)`},
	{"site.yaml", "name: start,", "name: start, parts: [{name: Inner, title: T}],",
		`site.yaml:5:34: name of parts[0] of parts[0] cannot be "Inner" (use lower-case letters, digits and single hyphens: it is part of the page's address)`},
	{"site.yaml", "name: start,", "name: start, parts: [{name: inner}],",
		`site.yaml:5:27: title is missing (add title: …, the title: one text, or one for each language)`},
	{"site.yaml", "name: start,", "name: start, parts: [{name: inner, title: {en: T}}],",
		`site.yaml:5:48: title of part "start/inner" is missing in "ja" (add ja: …)`},
	{"site.yaml", "name: start,", "name: start, parts: [{name: inner, title: T}, {name: inner, title: U}],",
		`site.yaml:5:59: part "inner" within "start" is listed twice (remove one)`},
	{"site.yaml", "name: start,", "name: start, parts: [{name: inner, title: T, parts: []}],",
		`site.yaml:5:51: unknown key "parts" of parts[0] of parts[0] (list them in the part above: a part can have parts within it, and those have chapters only)`},
	{"site.yaml", "name: later,", "name: later, posts: true, parts: [{name: inner, title: T}],",
		`site.yaml:7:32: part "later" of posts has parts within it (remove them: posts go by their date, and tags tell what they are about)`},
	{"en/start/notes.txt", "", "x", `en/start/notes.txt: file is neither a chapter nor an image (chapters end in .md, images in .svg .png .jpg .webp .avif)`},
	{"en/index.md", "", "-", `en/index.md: file is missing (it is the home page in that language)`},
	{"demos/ja.yaml", "", "x", `demos/ja.yaml: demo has the name of a language (rename it: /embed/ja/ contains the demos in Japanese)`},
	{"demos/scale.yaml", "", "broken", `demos/scale.yaml:4:2: claim does not hold`},
	// text
	{"en/loop/scale.md", "[mark]", "[tour](../start/tuor.md) [mark]",
		`en/loop/scale.md:12:1: link "../start/tuor.md" does not lead to a chapter (did you mean "../start/tour.md"?)`},
	{"en/loop/scale.md", "[mark]", "[tour](../start/tour.md#oen) [mark]",
		`en/loop/scale.md:12:1: anchor "oen" is not in en/start/tour.md (did you mean "one"?)`},
	{"en/loop/scale.md", "[mark]", "[here](#wyh) [mark]", `en/loop/scale.md:12:1: anchor "wyh" is not in en/loop/scale.md (did you mean "why"?)`},
	{"en/loop/scale.md", "[mark]", "[there](/en/start/tour/) [mark]",
		`en/loop/scale.md:12:1: link "/en/start/tour/" does not lead to a chapter (name the chapter's file, relative to this one: ../start/tour.md)`},
	{"en/loop/scale.md", "[mark]", "[nothing]() [mark]",
		`en/loop/scale.md:12:1: link without a destination (write a chapter's file, an address or #anchor between the parentheses)`},
	{"en/loop/scale.md", "[mark]", "[x](javascript:alert) [mark]",
		`en/loop/scale.md:12:1: link "javascript:alert" leads to something that readers cannot open (use https:, mailto:, k8s:PATH#SYMBOL, demo:NAME@MARK, term:ID, a chapter's file or #anchor)`},
	{"en/loop/scale.md", "[mark]", "[x](k8s:pkg/kubelet/kubelet.go#Kubelet.syncLop) [mark]",
		`en/loop/scale.md:12:1: unknown symbol "Kubelet.syncLop" in pkg/kubelet/kubelet.go of Kubernetes v1.36.3 (did you mean "Kubelet.syncLoop"?)`},
	{"en/loop/scale.md", "```demo\nscale", "```demo\nscael", `en/loop/scale.md:9:1: unknown demo "scael" (did you mean "scale"?)`},
	{"en/loop/scale.md", "[mark]", "```exercise\nscale/none\n```\n\n[mark]", `en/loop/scale.md:13:1: demo "scale" has no exercise "none" (there are none yet)`},
	{"en/start/tour.md", "![A queue](queue.svg)", "![A queue](quue.svg)", `en/start/tour.md:8:1: unknown image "quue.svg" (did you mean "queue.svg"?)`},
	{"en/start/tour.md", "![A queue](queue.svg)", "![](queue.svg)",
		`en/start/tour.md:8:1: image "queue.svg" is not described (describe in words what it shows, between the brackets)`},
	{"en/start/tour.md", "## One", "## One\n\n<b>bold</b>",
		"en/start/tour.md:8:1: HTML in a chapter (write Markdown; for a < in the text write \\< or put it in `code`)"},
	{"en/start/tour.md", "## One", "## One\n\n> [!NOET]\n> x", `en/start/tour.md:8:3: unknown kind of note "NOET" (did you mean "NOTE"?)`},
	{"en/start/tour.md", "## One", "## One {#one}\n\n## Two {#one}", `en/start/tour.md:8:1: anchor "one" is used twice (choose another)`},
	{"en/start/tour.md", "## One", "## One\n\nA note.[^1]", `en/start/tour.md:8:8: unknown footnote "1" (there are none yet; for brackets in the text write \[)`},
}

// TestMistakes: whatever an author gets wrong is said with its place and, where
// there is one, the cure; and what is said is about the mistake, not its echo.
func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		t.Run(strings.TrimSpace(m.file+" "+m.new), func(t *testing.T) {
			text := m.new
			if m.old != "" {
				if !strings.Contains(book[m.file], m.old) {
					t.Fatalf("%s does not hold %q", m.file, m.old)
				}
				text = strings.Replace(book[m.file], m.old, m.new, 1)
			}
			l := newLibrary(t, map[string]string{m.file: text})
			_, _, err := l.build(t)
			if err == nil {
				t.Fatal("nothing is said")
			}
			said := strings.ReplaceAll(err.Error(), filepath.ToSlash(l.root)+"/content/", "")
			if !strings.Contains("\n"+said+"\n", "\n"+m.want+"\n") {
				t.Errorf("got\n%s\nwant\n%s", said, m.want)
			}
			for _, p := range problem.Of(err) {
				if p.Line == 1 && p.Column == 1 {
					t.Errorf("a place for lack of knowing better: %v", p)
				}
			}
			if n := len(problem.Of(err)); n > 4 { // a demo's name also counts in the other language
				t.Errorf("%d problems of one mistake:\n%s", n, said)
			}
		})
	}
}

package sitebuild

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/format/epub"
	"kubewalk/generator/problem"
)

const cameo = `description: Somebody who says something.
body: required
label: required
parameters:
  from: {type: text, required: true, description: Who it is}
  times: {type: number, default: "1", description: How often}
  mood: {type: choice, values: [glad, sad], default: glad, description: How it is said}
  loud: {type: boolean, description: Whether it is loud}
  page: {type: link, description: More about it}
  face: {type: image, description: What they look like}
`

const cameoHTML = `<aside class="cameo is-{{.mood}}" id="{{or .Anchor (printf "cameo-%d" .Number)}}"{{if .loud}} data-loud{{end}}>
  {{with .face}}{{if .URL}}<img src="{{.URL}}" width="{{.Width}}" height="{{.Height}}" alt="">{{end}}{{end}}
  <b title="{{.from}}">{{.Label}}</b> {{.times}}
  {{.Body}}
  {{if .page}}<a href="{{.page}}">more</a> <a href="{{link "start/tour.md"}}">tour</a>{{end}}
</aside>
`

// withBlock is a book with a block of its own, and a chapter that uses it twice.
var withBlock = map[string]string{
	"blocks/cameo.yaml": cameo, "blocks/cameo.html": cameoHTML,
	"blocks/line.yaml": "description: A line\nbody: none\n", "blocks/line.html": "<hr class=\"line\">\n",
	"en/start/tour.md": `---
title: Tour
description: d
order: 1
---
## One

:::cameo[A *very* wise one]{from='<Ann> & "B"' times=3 mood=sad loud page=../loop/scale.md#why face=queue.svg}
She says **hello**, and [more](../loop/scale.md).

:::note
Inside.
:::

- item
:::

:::line
:::

::::cameo[Two]{#two from=Bob}
:::cameo[Three]{from=Cy}
Deep.
:::
::::
`,
}

func TestBlocksOfOnesOwn(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book/", withBlock)
	if err != nil {
		t.Fatal(err)
	}
	page, _ := tree.Get("en/start/tour/index.html")
	for _, want := range []string{
		`<aside class="cameo is-sad" id="cameo-1" data-loud>`, `<img src="/book/assets/en-start-queue-`, `width="9" height="9" alt="">`,
		`<b title="&lt;Ann&gt; &amp; &#34;B&#34;">A <em>very</em> wise one</b> 3`,
		`<p>She says <strong>hello</strong>, and <a href="/book/en/loop/scale/">more</a>.</p>`, `<div class="note note-note" role="note">`, `<li>item</li>`,
		`<a href="/book/en/loop/scale/#why">more</a> <a href="/book/en/start/tour/">tour</a>`,
		`<hr class="line">`, `<aside class="cameo is-glad" id="two">`, `<aside class="cameo is-glad" id="cameo-4">`, `<b title="Cy">Three</b> 1`, `<p>Deep.</p>`,
	} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	if markdown, _ := tree.Get("en/start/tour/index.md"); !bytes.Contains(markdown, []byte("She says **hello**")) || !bytes.Contains(markdown, []byte("<em>very</em>")) {
		t.Errorf("as Markdown it is\n%s", markdown)
	}
	if book, _ := tree.Get("en/book/index.html"); !bytes.Contains(book, []byte("<strong>hello</strong>")) || !bytes.Contains(book, []byte(`<aside class="cameo is-sad"`)) {
		t.Error("the bound book lacks the block")
	}
	found := false
	for _, name := range tree.Paths() {
		if data, _ := tree.Get(name); strings.HasPrefix(name, "assets/search/") {
			text, err := compressed.Gunzip(data)
			found = found || err == nil && bytes.Contains(text, []byte("She says hello")) && bytes.Contains(text, []byte("A very wise one"))
		}
	}
	if !found {
		t.Error("a search does not find what is in a block")
	}
}

func TestBlockMistakes(t *testing.T) {
	for _, m := range []mistake{
		{"en/start/tour.md", ":::cameo[A", ":::cameoo[A", `en/start/tour.md:8:1: unknown container "cameoo" (did you mean "cameo"?)`},
		{"en/start/tour.md", "from=Bob", "form=Bob", `en/start/tour.md:21:21: unknown parameter "form" of block "cameo" (did you mean "from"?)`},
		{"en/start/tour.md", " from=Bob", "", `en/start/tour.md:21:1: parameter "from" of block "cameo" is missing (add {from=…}: Who it is)`},
		{"en/start/tour.md", "times=3", "times=three", `en/start/tour.md:8:48: times "three" is not a whole number in block "cameo" (write digits, as in times=3)`},
		{"en/start/tour.md", "mood=sad", "mood=sda", `en/start/tour.md:8:56: mood "sda" is unknown in block "cameo" (did you mean "sad"?)`},
		{"en/start/tour.md", "loud", "loud=yes", `en/start/tour.md:8:65: loud=yes in block "cameo" (write loud, or leave it out: it is there or not)`},
		{"en/start/tour.md", "times=3", "times", `en/start/tour.md:8:48: parameter "times" without a value in block "cameo" (write times="…": How often)`},
		{"en/start/tour.md", "page=../loop/scale.md", "page=../loop/scael.md",
			`en/start/tour.md:8:70: link "../loop/scael.md#why" does not lead to a chapter (did you mean "../loop/scale.md"?)`},
		{"en/start/tour.md", "page=../loop/scale.md#why", "page=javascript:x",
			`en/start/tour.md:8:70: link "javascript:x" leads to something that readers cannot open (write https://…, a chapter's file or #anchor)`},
		{"en/start/tour.md", "face=queue.svg", "face=quue.svg", `en/start/tour.md:8:96: unknown image "quue.svg" (did you mean "queue.svg"?)`},
		{"en/start/tour.md", "[Two]", "", `en/start/tour.md:21:1: block "cameo" has no text in brackets (write it after the name: :::cameo[Text])`},
		{"en/start/tour.md", ":::line\n", ":::line[x]\n", `en/start/tour.md:18:8: block "line" has a text in brackets (it shows none; remove it)`},
		{"en/start/tour.md", ":::line\n", ":::line\nText\n", `en/start/tour.md:18:1: block "line" has a text between its fences (it shows none; remove it)`},
		{"en/start/tour.md", "Deep.\n", "", `en/start/tour.md:22:1: block "cameo" is empty (write its text between the fences)`},
		{"en/start/tour.md", "Deep.\n:::\n::::\n", "Deep.\n:::\n", `en/start/tour.md:21:1: container "cameo" is not closed (end it with a line ::::, indented as this one)`},
		{"blocks/cameo.yaml", "type: number", "type: nmber", `blocks/cameo.yaml:6:17: type of parameters[times] "nmber" is unknown (did you mean "number"?)`},
		{"blocks/cameo.yaml", `default: "1"`, `default: "one"`, `blocks/cameo.yaml:6:34: times "one" is not a whole number (write digits, as in times=3)`},
		{"blocks/cameo.yaml", `default: "1"`, `default: 1`, `blocks/cameo.yaml:6:34: default of parameters[times] has to be text, and is the number 1 (write it in quotes: "1")`},
		{"blocks/cameo.yaml", "default: glad", "default: gald", `blocks/cameo.yaml:7:54: mood "gald" is unknown (did you mean "glad"?)`},
		{"blocks/cameo.yaml", "values: [glad, sad], default: glad, ", "", `blocks/cameo.yaml:7:16: choice "mood" has no values (add values: [a, b])`},
		{"blocks/cameo.yaml", "required: true, ", "required: true, default: x, ", `blocks/cameo.yaml:5:38: parameter "from" is required, and has a default (remove one of the two)`},
		{"blocks/cameo.yaml", "loud: {type: boolean", "loud: {type: boolean, required: true", `blocks/cameo.yaml:8:25: word "loud" is required (remove the line: a word that always stands there says nothing)`},
		{"blocks/cameo.yaml", "  from:", "  From:", `blocks/cameo.yaml:5:3: parameters cannot have the key "From" (begin with a lower-case letter, and use letters and digits: in the HTML it is {{.name}})`},
		{"blocks/cameo.yaml", "description: Somebody who says something.\n", "", `blocks/cameo.yaml:10:1: description is missing (add description: …, what the block is for, in one sentence)`},
		{"blocks/cameo.yaml", "parameters:", "params:", `blocks/cameo.yaml:4:1: unknown key "params" (write parameters: {name: {type: text, description: …}})`},
		{"blocks/cameo.html", "{{.Body}}", "{{.Inner}}", `blocks/cameo.html:4:5: unknown field "Inner" of block cameo (write {{.Body}})`},
		{"blocks/cameo.yaml", "", "-", `blocks/cameo.html: block "cameo" has no cameo.yaml (write it: description: …, and its parameters)`},
		{"blocks/cameo.html", "", "-", `blocks/cameo.yaml: block "cameo" has no cameo.html (write it: the HTML, with {{.Body}} for the Markdown between the fences)`},
		{"blocks/cameo.html", ".times", ".tmies", `blocks/cameo.html:3:41: unknown field "tmies" of block cameo (did you mean "times"?)`},
		{"blocks/cameo.html", "{{.times}}", "", `blocks/cameo.html:7: the place for {{.times}} is missing (write it, or remove the parameter from cameo.yaml)`},
		{"blocks/cameo.html", "{{.Body}}", "", `blocks/cameo.html:7: the place for {{.Body}} is missing (write it, or body: none in cameo.yaml)`},
		{"blocks/cameo.html", "</aside>", "", `blocks/cameo.html:1: <aside> is not closed (write </aside>: each file holds whole elements)`},
		{"blocks/cameo.html", "<aside", "<aside style=\"{{.mood}}\"", `blocks/cameo.html:1:8: attribute style, which the content security policy refuses (give the element a class, and write the rule into content/custom.css)`},
		{"blocks/cameo.html", "start/tour.md", "start/tuor.md", `blocks/cameo.html:5:60: link "start/tuor.md" does not lead to a chapter (did you mean "start/tour.md"?)`},
		{"en/start/tour.md", ":::line\n", ":::line{#x}\n", `en/start/tour.md:18:9: block "line" has no place for an anchor (write id="{{.Anchor}}" in blocks/line.html, or remove it)`},
		{"blocks/tabs.html", "", "x", `blocks/tabs.html: block "tabs" has the name of a container that every book has (give it another name)`},
		{"blocks/A.html", "", "x", `blocks/A.html: block cannot be called "A" (use lower-case letters and single hyphens: chapters have it as :::name)`},
	} {
		l := newLibrary(t, withBlock)
		text := m.new
		if m.old != "" {
			if !strings.Contains(withBlock[m.file], m.old) {
				t.Fatalf("%s does not hold %q", m.file, m.old)
			}
			text = strings.Replace(withBlock[m.file], m.old, m.new, 1)
		}
		l.write(t, m.file, text)
		_, _, err := l.build(t)
		if err == nil {
			t.Errorf("%s %q: nothing is said", m.file, m.new)
			continue
		}
		content := filepath.ToSlash(l.root) + "/content"
		said := strings.ReplaceAll(strings.ReplaceAll(err.Error(), content+"/custom.css", "content/custom.css"), content+"/", "")
		if !strings.Contains("\n"+said+"\n", "\n"+m.want+"\n") || len(problem.Of(err)) > 2 {
			t.Errorf("%s %q:\n%s\nwant\n%s", m.file, m.new, said, m.want)
		}
	}
}

// TestBlocksAreSaved: a chapter shows a block as it was saved last.
func TestBlocksAreSaved(t *testing.T) {
	l := newLibrary(t, withBlock)
	for i, class := range []string{"line", "other", "third"} {
		l.write(t, "blocks/line.html", `<hr class="`+class+`">`)
		tree, _, err := l.build(t)
		if err != nil {
			t.Fatal(err)
		}
		if page, _ := tree.Get("en/start/tour/index.html"); !bytes.Contains(page, []byte(`<hr class="`+class+`">`)) {
			t.Errorf("build %d: the page lacks the block as it is", i)
		}
	}
}

// TestWhatABlockShowsIsFound: the text of a block's own HTML is found where it stands, in the order of the page, and is in the book's other forms.
func TestWhatABlockShowsIsFound(t *testing.T) {
	files := map[string]string{
		"blocks/said.yaml": "description: Somebody's words\nlabel: optional\nparameters:\n  by: {type: text, required: true, description: Who said it}\n",
		"blocks/said.html": `<figure id="{{or .Anchor "said"}}">
  <h4 id="words-of-{{.Number}}">Words of {{.by}}</h4>
  <blockquote title="{{.Label}}">{{.Label}}: {{.Body}}</blockquote>
  <table><tr><td>First</td><td><code>spec.said</code></td></tr></table>
  <figcaption>Spoken <b>by</b> {{.by}} <span hidden>hushed</span><img src="{{link "../static/logo.png"}}" alt="a portrait"></figcaption>
  <pre>quoted   code</pre>
</figure>
`,
		"blocks/bare.yaml": "description: Shows nothing of what is within\n", "blocks/bare.html": "<p>Nothing{{if .Body}} of it{{end}}</p>\n",
		"static/logo.png": "png",
		"en/start/tour.md": `---
title: Tour
description: d
order: 1
---
## One

Before.

:::said[Hear **this**]{by="Ann & Bob"}
She says ` + "`hello`" + `.

- an item
:::

After.

## Two

:::bare
Kept **in** mind.
:::

At last.
`,
	}
	l, inEPUB := newLibrary(t, files), false
	l.wants.Books = func(language string, book *epub.Book) error {
		for _, part := range book.Parts {
			for _, c := range part.Chapters {
				for n := range c.Body.Descendants() {
					inEPUB = inEPUB || strings.HasPrefix(n.Data, "Spoken")
				}
			}
		}
		return nil
	}
	l.commit(t, "2026-05-04")
	tree, _, err := l.build(t)
	if err != nil {
		t.Fatal(err)
	}
	has(t, tree, map[string][]string{
		"en/start/tour/index.md": {"#### Words of Ann & Bob\n", "Spoken **by** Ann & Bob "},
		"llms-full.txt":          {"Spoken **by** Ann & Bob ", "| First | `spec.said` |"},
		"en/book/index.html":     {"Spoken <b>by</b> Ann &amp; Bob"},
	})
	if !inEPUB {
		t.Error("the EPUB lacks the block")
	}
	found := ""
	for _, name := range tree.Paths() {
		if data, _ := tree.Get(name); strings.HasPrefix(name, "assets/search/") {
			if text, err := compressed.Gunzip(data); err == nil {
				found += string(text)
			}
		}
	}
	for _, want := range []string{
		`["one",2,"One","Before.\nAfter.",""]`, // a heading of the block ends with it
		`["words-of-1",4,"Words of Ann & Bob","Words of Ann & Bob\nHear this:\nShe says hello.\nan item\nFirst · spec.said\nSpoken by Ann & Bob a portrait","quoted   code"]`,
		`["two",2,"Two","Nothing of it\nKept in mind.\nAt last.",""]`,
	} {
		if !strings.Contains(found, want) {
			t.Errorf("a search has no %s:\n%s", want, found)
		}
	}
}

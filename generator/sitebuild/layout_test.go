package sitebuild

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kubewalk/generator/problem"
	"kubewalk/site/pages"
)

var written = map[string]string{
	"layout/header.html": `<header class="banner mine">{{.Menu}}{{.Brand}}<b>{{if eq .Language "ja"}}日{{else}}E{{end}}</b>{{.Search}}{{.Languages}}{{.Theme}}</header>`,
	"layout/footer.html": `<div class="over"><a href="{{link "start/tour.md#one"}}">{{.Book}}</a> {{.Kind}}</div>{{.Default}}`,
	"layout/sidebar-top.html": `<p class="top">{{.Title}}: <img src="{{link "../static/x.png"}}" alt="x"></p>
`,
	"layout/before-content.html": `{{with .Part}}<p class="in">{{.}}</p>{{end}}`,
	"layout/after-content.html":  `<p class="after" title="{{.Title}}">{{.Minutes}} <a href="{{.Edit}}">edit</a></p>`,
	"layout/hero.html":           `<header class="hero"><h1>{{.Title}}</h1>{{.Start}}</header>`,
	"layout/404.html":            `<h1>Gone</h1>{{range $i, $h := .Homes}}<p lang="{{$h.Language}}">{{.Says}} <a href="{{.Address}}">{{$i}} {{.Name}} {{$.Book}}</a></p>{{end}}{{.Search}}`,
	"static/x.png":               "x",
	"site.yaml":                  book["site.yaml"] + "edit: https://example.org/edit/{file}\n",
}

func TestLayoutOfOnesOwn(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book/", written)
	if err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"en/start/tour/index.html": {`<a class="skip" href="#text">`, `<header class="banner mine"><button class="tool open-contents"`, `<b>E</b><a class="tool search-link"`,
			`<div class="over"><a href="/book/en/start/tour/#one">Book &lt;1&gt;</a> chapter</div><footer class="foot">`,
			`<p class="top">A tour: &lt;b&gt;: <img src="/book/x.png" alt="x"></p><details`, `<p class="in">Start</p><h2`,
			`<p class="after" title="A tour: &lt;b&gt;">1 <a href="https://example.org/edit/en/start/tour.md">edit</a></p>`},
		"ja/index.html":        {`<b>日</b>`, `<header class="hero"><h1>本</h1><p class="begin">`},
		"en/search/index.html": {`</a> search</div>`},
		"404.html":             {`<main id="text" class="landing"><h1>Gone</h1><p lang="en">`, `<a href="/book/ja/">1 日本語 Book &lt;1&gt;</a>`, `data-search-here`},
	} {
		page, _ := tree.Get(name)
		for _, want := range wants {
			if !bytes.Contains(page, []byte(want)) {
				t.Errorf("%s lacks %s:\n%s", name, want, page)
			}
		}
	}
	if page, _ := tree.Get("en/start/tour/index.html"); bytes.Count(page, []byte("<header class=\"banner")) != 1 {
		t.Error("the theme's header is there as well")
	}
}

// TestLayoutMistakes: whatever is wrong with a part has its place and a cure.
func TestLayoutMistakes(t *testing.T) {
	for _, m := range []struct{ file, text, want string }{
		{"headr.html", "x", `headr.html: unknown part "headr" of the layout (did you mean "header"?)`},
		{"navbar.html", "x", `navbar.html: unknown part "navbar" of the layout (call it header.html; the parts are header, footer, sidebar-top, before-content, after-content, hero, 404)`},
		{"notes.txt", "x", `notes.txt: it is no file of layout (files there are called NAME.html)`},
		{"hero.html", "<h1>\n{{.Titel}}</h1>{{.Start}}", `hero.html:2:3: unknown field "Titel" of hero.html (did you mean "Title"?)`},
		{"hero.html", "<h1>{{.Title.Name}}</h1>{{.Start}}", `hero.html:1:13: unknown field "Name" (it is a value without fields)`},
		{"404.html", "{{range .Homes}}\n  {{.Nmae}}{{end}}", `404.html:2:5: unknown field "Nmae" (did you mean "Name"?)`},
		{"404.html", "{{range .Title}}a{{end}}", `404.html:1:9: range over .Title, which is no list (write if or with)`},
		{"header.html", "<p>{{.Brand}}</p>\n{{.Search}}{{.Menu}}{{.Languages}}",
			`header.html:2: the place for {{.Theme}} is missing (it is the choice between light and dark; write it, or {{.Default}} for all that the theme has here)`},
		{"footer.html", "<p>\n  {{if .Print}}x</p>", `footer.html:2:3: something is open at the end of the file (close what is open: {{if}}, {{with}} and {{range}} end with {{end}}, an action with }})`},
		{"footer.html", "<p>\n  {{.Book</p>", `footer.html:2:3: {{ is not closed, or holds what no action can (write {{.Field}}: an action ends with }})`},
		{"footer.html", "<p>\n  {{.Book | safeHTML}}</p>", `footer.html:2:13: unknown function "safeHTML" (remove it: fields of HTML are inserted as they are, and everything else is escaped)`},
		{"footer.html", "{{lnk \"start/tour.md\"}}", `footer.html:1:3: unknown function "lnk" (did you mean "link"?)`},
		{"footer.html", "<a href=\"{{link \"start/tuor.md\"}}\">x</a>",
			`footer.html:1:17: link "start/tuor.md" does not lead to a chapter (did you mean "start/tour.md"?)`},
		{"footer.html", "{{link .Book}}", `footer.html:1:3: link without a text in quotes (write {{link "part/chapter.md"}}: what it leads to is checked before pages are drawn)`},
		{"footer.html", "<p>{{template \"x\"}}</p>", `footer.html:1:15: unknown template "x" (write it in this file: {{define "x"}}…{{end}})`},
		{"footer.html", "a\n <script>alert(1)</script>",
			`footer.html:2:2: script within the page, which the content security policy refuses (put it into content/static and name it in site.yaml, scripts: [{src: ../static/x.js}])`},
		{"footer.html", "<style>a{}</style>", `footer.html:1: style sheet within the page, which the content security policy refuses (write it into DIR/custom.css)`},
		{"footer.html", "<p class=\"a\"\n style=\"color: red\">x</p>",
			`footer.html:2:2: attribute style, which the content security policy refuses (give the element a class, and write the rule into DIR/custom.css)`},
		{"footer.html", "<p onclick=\"x()\">x</p>",
			`footer.html:1:4: attribute onclick, which the content security policy refuses (put a script into content/static that listens to the element, and name it in site.yaml, scripts:)`},
		{"footer.html", "<a href=\"javascript:x()\">x</a>",
			`footer.html:1:4: href with a script, which the content security policy refuses (put a script into content/static, and name it in site.yaml, scripts:)`},
		{"footer.html", "<img src=\"https://example.org/a.png\" alt=\"\">",
			`footer.html:1:6: <img> loads "https://example.org/a.png", which the content security policy refuses (put a copy into content/static and write {{link "../static/x.png"}})`},
		{"footer.html", "<div>\n<p>x</div>", `footer.html:2:5: </div> where <p> is open (close the innermost element first: </p>)`},
		{"footer.html", "<div>\n<p>x</p>", `footer.html:1: <div> is not closed (write </div>: each file holds whole elements)`},
		{"footer.html", "x</div>", `footer.html:1:2: </div> closes nothing (remove it, or open the element in this file: each file holds whole elements)`},
		{"footer.html", "<!doctype html><p>x</p>", `footer.html:1: a whole page (write only what stands in this place: the page around it is there)`},
		{"footer.html", "<p title={{if .Book}}\"a{{else}}b\"{{end}}>x</p>",
			`footer.html:1:32: an attribute's value without quotes contains " (put the whole value in quotes: title="{{.Field}}")`},
		{"footer.html", "<p>{{if .Book}}<a title=\"{{end}}x\">y</a></p>",
			`footer.html:1:9: one branch of {{if}} leaves open what the other does not (each branch has to open and close the same elements, quotes and comments)`},
		{"footer.html", "{{index .Book 900}}", `footer.html:1:3: there is no place 900 in it (ask len first, or use range)`},
		{"footer.html", "{{len 3}}", `footer.html:1:3: len cannot take what it is given (check what the page gives`},
	} {
		changes := map[string]string{"layout/" + m.file: m.text, "site.yaml": book["site.yaml"]}
		l := newLibrary(t, changes)
		_, _, err := l.build(t)
		if err == nil {
			t.Errorf("%s %q: nothing is said, want %s", m.file, m.text, m.want)
			continue
		}
		content := filepath.ToSlash(l.root) + "/content"
		said := strings.ReplaceAll(strings.ReplaceAll(err.Error(), content+"/layout/", ""), content, "DIR")
		if !strings.HasPrefix(said, m.want) || len(problem.Of(err)) != 1 {
			t.Errorf("%s %q:\n%s\nwant\n%s", m.file, m.text, said, m.want)
		}
	}
}

// TestLayoutIsSavedAndMended: a page shows a part as it was saved last, and a mistake in it goes with its cure.
func TestLayoutIsSavedAndMended(t *testing.T) {
	l := newLibrary(t, map[string]string{"layout/after-content.html": "<p>one</p>"})
	shows := func(want string) {
		t.Helper()
		tree, _, err := l.build(t)
		if err != nil {
			t.Fatal(err)
		}
		if page, _ := tree.Get("en/start/tour/index.html"); !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %s", want)
		}
	}
	shows("<p>one</p>")
	l.write(t, "layout/after-content.html", "<p>{{index .Title 900}}</p>")
	for range 2 {
		if _, _, err := l.build(t); err == nil || !strings.Contains(err.Error(), "there is no place 900") {
			t.Errorf("said: %v", err)
		}
	}
	l.write(t, "layout/after-content.html", "<p>two</p>")
	shows("<p>two</p>")
}

// TestLayoutIsInTheManual: the manual lists the parts, and what each of them knows.
func TestLayoutIsInTheManual(t *testing.T) {
	manual, err := os.ReadFile("../../docs/authoring.md")
	if err != nil {
		t.Fatal(err)
	}
	lacks := func(line string) {
		if !strings.Contains(string(manual), line) {
			t.Errorf("docs/authoring.md lacks\n%s", line)
		}
	}
	for _, part := range pages.OwnParts {
		lacks(fmt.Sprintf("| `%s.html` | %s |", part.Name, part.Is))
		data := reflect.TypeOf(part.Data)
		for i := range data.NumField() {
			if f := data.Field(i); !f.Anonymous {
				lacks(fmt.Sprintf("| `.%s` | %s |", f.Name, f.Tag.Get("doc")))
			}
		}
	}
}

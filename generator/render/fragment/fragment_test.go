package fragment

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"kubewalk/generator/problem"
)

type item struct{ Name string }

type data struct {
	Language, Title string
	Items           []item
}

func source(text string) Source {
	return Source{File: "x.html", Text: []byte(text), Of: "x", Data: TypeOf(reflect.TypeFor[data]()), Languages: []string{"en", "ja"}, Styles: "content/custom.css",
		Link: func(language, to string) (string, error) {
			if to == "no.md" {
				return "", problem.Problem{Message: "leads nowhere", Cure: "look"}
			}
			return "/" + language + "/" + to, nil
		}}
}

func TestDraw(t *testing.T) {
	d := data{"ja", `<b> & "q"`, []item{{"one"}, {"two"}}}
	for text, want := range map[string]string{
		`<p title="{{.Title}}">{{.Title}}</p>`:                                           `<p title="&lt;b&gt; &amp; &#34;q&#34;">&lt;b&gt; &amp; &#34;q&#34;</p>`,
		`<a href="{{.Title}}">x</a>`:                                                     `<a href="%3cb%3e%20&amp;%20%22q%22">x</a>`,
		`<a href="{{link "a.md"}}">x</a>`:                                                `<a href="/ja/a.md">x</a>`,
		`{{if eq .Language "ja"}}<i>J</i>{{else}}<b>E</b>{{end}}`:                        `<i>J</i>`,
		`{{range $i, $x := .Items}}{{$i}}{{$x.Name}}{{$.Language}} {{end}}`:              `0oneja 1twoja`,
		`{{with index .Items 1}}{{.Name}}{{end}}`:                                        `two`,
		`{{define "a"}}<i>{{.Name}}</i>{{end}}{{range .Items}}{{template "a" .}}{{end}}`: `<i>one</i><i>two</i>`,
		"{{/* <script> \"}} */}}a":                                                       `a`,
		`{{len .Items}}{{printf "%q" "}}"}}`:                                             `2&#34;}}&#34;`,
		`<p {{if .Title}}hidden{{end}}>x</p>`:                                            `<p hidden>x</p>`,
	} {
		f, err := Parse(source(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := f.Draw("ja", d); err != nil || string(got) != want {
			t.Errorf("%s is\n%s, want\n%s (%v)", text, got, want, err)
		}
	}
}

func TestWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                            `x.html: file has no HTML (write what stands in this place, or remove the file)`,
		"{{/* only this */}}":         `x.html: file has no HTML (write what stands in this place, or remove the file)`,
		"{{.Titel}}":                  `x.html:1:3: unknown field "Titel" of x (did you mean "Title"?)`,
		"日本 {{$.Titel}}":              `x.html:1:7: unknown field "Titel" of x (did you mean "Title"?)`,
		"{{$x := .Title}}{{$x.Name}}": `x.html:1:21: unknown field "Name" (it is a value without fields)`,
		"{{(index .Items 0).Nmae}}":   `x.html:1:19: unknown field "Nmae" (did you mean "Name"?)`,
		"{{define \"a\"}}{{.Nmae}}{{end}}{{range .Items}}{{template \"a\" .}}{{end}}": `x.html:1:17: unknown field "Nmae" (did you mean "Name"?)`,
		"{{define \"a\"}}x{{end}}{{template \"b\"}}":                                  `x.html:1:34: unknown template "b" (did you mean "a"?)`,
		"{{define \"a\"}}{{template \"a\"}}{{end}}{{template \"a\"}}":                 `template "a" calls itself (remove the call)`,
		"{{link \"no.md\"}}":                 `x.html:1:8: leads nowhere (look)`,
		"a {{if}}b{{end}}":                   `x.html:1:3: a word that needs a value stands alone (write what it asks for`,
		"{{end}}":                            `x.html:1: {{end}} belongs to nothing (remove it, or begin with {{if}}, {{with}} or {{range}})`,
		"{{.Title":                           `x.html:1: {{ is not closed (close what is open: {{if}}, {{with}} and {{range}} end with {{end}}, an action with }})`,
		"<p>{{.Title</p>":                    `x.html:1:4: {{ is not closed, or holds what no action can (write {{.Field}}: an action ends with }})`,
		"{{'ab'}}":                           `x.html:1: a text in single quotes (write it in double quotes)`,
		"{{\"ab}}":                           `x.html:1: quotes within {{ are not closed (close the quotes)`,
		"{{/* c }}":                          `x.html:1: a comment is not closed (end it with */}})`,
		"{{with $x := .Title}}{{$y}}{{end}}": `x.html:1:24: unknown variable $y (give it a value before: {{$y := .Field}})`,
		"<SCRIPT SRC=x></SCRIPT>":            `x.html:1: script within the page, which the content security policy refuses`,
		"<svg><a xlink:href=\"javascript:x\">x</a></svg>": `with a script, which the content security policy refuses`,
		"<a href=\" JavaScript:x\">x</a>":                 `x.html:1:4: href with a script, which the content security policy refuses`,
		"<iframe src=\"//a.example/\"></iframe>":          `x.html:1:9: <iframe> loads "//a.example/", which the content security policy refuses`,
		"<meta charset=utf-8>":                            `x.html:1: <meta> within the page`,
	} {
		_, err := Parse(source(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestOwnWords: whatever the library says of a template, of escaping it or of drawing it, is told in our words, with its place and a cure.
func TestOwnWords(t *testing.T) {
	for text, want := range map[string]string{
		"<p>\n{{if eq .Title 3}}x{{end}}</p>":                       `x.html:2:6: eq compares values of two types (compare text with text`,
		"{{if lt .Items 3}}x{{end}}":                                `x.html:1:6: lt cannot compare what it is given (`,
		"<p title={{if .Title}}\"a{{else}}b\"{{end}}>x</p>":         `x.html:1:33: an attribute's value without quotes contains " (put the whole value in quotes`,
		"<p>{{if .Title}}<a title=\"{{end}}x\">y</a></p>":           `x.html:1:9: one branch of {{if}} leaves open what the other does not (`,
		"<p>{{range .Items}}<a title=\"{{.Name}}{{end}}\"></a></p>": `x.html:1:12: `,
		"<a href=\"/x{{if .Title}}?a={{end}}{{.Title}}\">y</a>":     `x.html:1:37: before {{.Title}}, one branch has the ? or # of the address and the other does not (write the whole address`,
		"<p a\"b=c>x</p>": `x.html:1:`,
		"<p title=\"x":    `(`,
		"{{break}}":       `x.html:1: {{break}} outside of {{range}} (remove it`,
		"{{else}}":        `x.html:1: {{else}} belongs to nothing (begin with`,
		"{{.Title = 3}}":  `x.html:1: what stands between {{ and }} cannot be read (write {{.Field}}`,
		"{{1x}}":          `x.html:1: what stands between {{ and }} cannot be read (`,
		"{{nil}}":         `x.html:1:3: nil does not fit here (`,
		"{{define \"a\"}}x{{end}}{{define \"a\"}}y{{end}}": `x.html:1: two templates have one name (`,
		"{{printf 3}}":           `x.html:1:10: 3 does not fit here (write a field`,
		"{{slice .Title 5 6}}":   `x.html:1:3: `,
		"{{index .Title \"x\"}}": `x.html:1:3: index cannot take what it is given (`,
		"{{range 1.5}}x{{end}}":  `x.html:1:`,
	} {
		made, err := Parse(source(text))
		if err == nil {
			_, err = made.Draw("en", data{Title: "t", Items: []item{{"a"}, {"b"}}})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
			continue
		}
		for _, p := range problem.Of(err) {
			if p.Line == 0 || p.Cure == "" || theirWords.MatchString(p.Message) {
				t.Errorf("%s: %v", text, p)
			}
		}
	}
}

// theirWords are what the library says.
var theirWords = regexp.MustCompile(`template:|executing|incompatible|unquoted attr|contexts?\b|escaper|error calling|expected|unexpected|operand|wrong type|can't|state[A-Z]`)

// FuzzParse: no text makes the reader panic; what it takes can be drawn, or says why not.
func FuzzParse(f *testing.F) {
	f.Add(`<p class="{{.Title}}">{{range .Items}}{{.Name}}{{end}}</p>{{link "a.md"}}`)
	f.Add(`{{define "a"}}{{template "a" .}}{{end}}{{with $x := .Title}}{{$x}}{{end}}<a {{if .Title}}href="{{.Title}}"{{end}}>`)
	f.Add("{{- /* a */ -}}<b>{{`}}`}}</b>{{break}}")
	f.Fuzz(func(t *testing.T, text string) {
		made, err := Parse(source(text))
		if err == nil {
			_, _ = made.Draw("en", data{Title: "t", Items: []item{{"a"}}})
		}
		for _, p := range problem.Of(err) {
			if p.File != "x.html" || p.Message == "" {
				t.Errorf("problem %+v", p)
			}
		}
	})
}

package stylesheet

import (
	"strings"
	"testing"

	"kubewalk/generator/problem"
)

func address(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "static/"); ok {
		return "/b/assets/" + rest, nil
	}
	if strings.HasPrefix(name, "#") || strings.HasPrefix(name, "data:") {
		return name, nil
	}
	return "", problem.Problem{Message: "no " + name, Cure: "write static/"}
}

var site = Site{Address: address, Properties: func() []string { return []string{"--accent", "--ink"} }}

func TestMake(t *testing.T) {
	got, err := Make("x.css", []byte(`/* url(https://a.example/) */
@font-face { font-family: Own; src: url( static/a.woff2 ) format("woff2"), URL("static/b.woff2"); }
.a\:url { content: "url(https://a.example/)"; background: image-set("static/a.png" 1x, url(static/b.png) 2x); }
.b { &:hover { fill: url(#g); mask: url(data:image/png;base64,AA==) } color: oklch(50% 0.1 200) }
`), site)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"url(/b/assets/a.woff2)", "url(/b/assets/b.woff2)", `"url(https://a.example/)"`, `"/b/assets/a.png" 1x`, "url(/b/assets/b.png)",
		"url(#g)", "data:image/png;base64,AA==", "&:hover", "oklch("} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(string(got), "/*") || strings.Contains(string(got), "static/") {
		t.Errorf("%s", got)
	}
}

func TestCustomProperties(t *testing.T) {
	for _, css := range []string{
		":root { --accent: red } a { color: var(--ink) }",                                     // the site's
		":root { --own: red } a { color: var(--own) }",                                        // the author's
		"a { color: var(--from-a-script, red) }",                                              // with another value
		"a { color: var(--from-a-script, var(--ink)) }",                                       // and another
		":root { --inks: red } a { color: var(--inks) }",                                      // nearly the site's, and used
		"@property --x { syntax: \"*\"; inherits: true } a { color: var(--x) }",               // declared by a rule
		"@container style(--x: 1) { a { color: red } } @media (width > 1px) { a { top: 0 } }", // asked for
		"@-moz-document url(static/x) { a { color: red } } @page { @top-left { content: none } }",
	} {
		if _, err := Make("x.css", []byte(css), site); err != nil {
			t.Errorf("%s: %v", css, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	for css, want := range map[string]string{
		"a { color: red }\n@import url(https://a.example/x.css);": "x.css:2:1: rule @import in a style sheet (write the rules into this file",
		"a {\n  background: url(https://a.example/x.png) }":       "x.css:2:19: no https://a.example/x.png (write static/)",
		"a { background: URL( 'x.png' ) }":                        "x.css:1:23: no x.png (write static/)",
		"a { mask: image-set(\n'x.png' 1x) }":                     "x.css:2:2: no x.png (write static/)",
		"a { colr: red }":                                         `x.css:1:5: "colr" is not a known CSS property (did you mean "color"?)`,
		"/* ä */ a { color red }":                                 "x.css:1:18: expected \":\"",
		"a { color: red":                                          "x.css:1:15: expected \"}\"",
		"a { color: var(--acccent) }":                             `x.css:1:16: nothing sets "--acccent" (did you mean "--accent"?)`,
		"a { color: var( --own ) }":                               `x.css:1:17: nothing sets "--own" (set it, as in :root { --own: … }, or write another value`,
		":root { --acent: red }":                                  `x.css:1:9: nothing uses "--acent" (did you mean "--accent"?)`,
		"@meda print { a { color: red } }":                        `x.css:1: "@meda" is not a known CSS rule (did you mean "@media"?)`,
		"a { @include button }":                                   "x.css:1:5: @include is not CSS (browsers get this file as it is",
		"a { background: url(x":                                   "x.css:1:",
	} {
		_, err := Make("x.css", []byte(css), site)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\ngot  %v\nwant %s", css, err, want)
		}
	}
}

// FuzzMake: an author saves in the middle of a thought, and nothing ends a running server.
func FuzzMake(f *testing.F) {
	for _, css := range []string{"a{b:url(", "/*", "\"\\", "@import", "a{b:image-set('", ")))(((", "\\"} {
		f.Add(css)
	}
	f.Fuzz(func(t *testing.T, css string) {
		_, _ = Make("x.css", []byte(css), site)
	})
}

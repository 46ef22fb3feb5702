package portable

import (
	"strings"
	"testing"

	"kubewalk/generator/build/output"
)

func site(files map[string]string) *output.Tree {
	t := output.NewTree()
	for name, text := range files {
		t.Put(name, []byte(text))
	}
	return t
}

func note(language string) string { return "not here (" + language + ")" }

func TestMake(t *testing.T) {
	tree, err := Make(site(map[string]string{
		"index.html": `<!doctype html><html lang="en"><head><title>a</title>
<link rel="stylesheet" href="/book/assets/a.css"><link rel="manifest" href="/book/m.json">
<script src="/book/assets/t.js"></script><script type="module" src="/book/assets/p.js"></script></head>
<body><a href="/book/en/loop/x/#why">x</a> <a href="https://example.org/book/">web</a> <a href="#here">here</a>
<a data-search href="/book/en/search/">s</a> <a href="/other/">other</a></body></html>`,
		"en/index.html": `<!doctype html><html lang="en"><head><title>e</title></head><body><a href="/book/">root</a></body></html>`,
		"en/loop/x/index.html": `<!doctype html><html lang="en"><head><title>x</title><link rel="canonical" href="https://example.org/book/en/loop/x/"></head><body>
<a href="/book/en/">home</a> <a href="../y/">y</a> <img src="/book/assets/i.png" srcset="/book/assets/i.png 1x, /book/assets/i2.png 2x" alt="&lt;b&gt;">
<kubewalk-demo class="demo" data-src="/book/demos/d/" data-demo="d"><div class="storyboard"><p>pictures</p><div class="storyboard-controls"><p>change</p></div></div></kubewalk-demo></body></html>`,
		"en/loop/y/index.html": `<!doctype html><html lang="en"><head><title>y</title></head><body><a href="/book/en/loop/x/">x</a></body></html>`,
		"assets/a.css":         `a { background: url("./i.svg") } b { background: url(/book/assets/j.svg) } c { background: url(data:x) }`,
		"assets/i.svg":         "i", "assets/j.svg": "j", "assets/t.js": "t", "assets/p.js": "p", "assets/i.png": "1", "assets/i2.png": "2",
		"demos/d/wide.json.gz": "{}", "sw.js": "w", "m.json": "{}", "en/search/index.html": "s", "_headers": "h",
	}), "/book", note)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(tree.Paths(), " "), "_headers assets/a.css assets/i.png assets/i.svg assets/i2.png assets/j.svg assets/t.js "+
		"en/index.html en/loop/x/index.html en/loop/y/index.html index.html"; got != want {
		t.Errorf("there is\n%s, want\n%s", got, want)
	}
	for name, wants := range map[string][]string{
		"index.html": {`href="./assets/a.css"`, `src="./assets/t.js"`, `href="./en/loop/x/index.html#why"`, `href="https://example.org/book/"`,
			`href="#here"`, `href="/other/"`},
		"en/loop/x/index.html": {`href="../../index.html"`, `href="../y/index.html"`, `src="../../../assets/i.png"`,
			`srcset="../../../assets/i.png 1x, ../../../assets/i2.png 2x"`, `alt="&lt;b&gt;"`, `class="demo is-failed" data-demo="d"`,
			`<p class="storyboard-note">not here (en) <a href="https://example.org/book/en/loop/x/">https://example.org/book/en/loop/x/</a></p>`},
		"en/index.html": {`href="../index.html"`},
		"assets/a.css":  {`url("./i.svg")`, `url("./j.svg")`, `url(data:x)`},
		"_headers":      {output.Marker},
	} {
		data, _ := tree.Get(name)
		for _, want := range wants {
			if !strings.Contains(string(data), want) {
				t.Errorf("%s lacks %s:\n%s", name, want, data)
			}
		}
	}
	for name, lacks := range map[string][]string{
		"index.html":           {"module", "manifest", "search"},
		"en/loop/x/index.html": {"storyboard-controls", "data-src"},
	} {
		data, _ := tree.Get(name)
		for _, lack := range lacks {
			if strings.Contains(string(data), lack) {
				t.Errorf("%s has %s:\n%s", name, lack, data)
			}
		}
	}
}

func TestRelativeTo(t *testing.T) {
	for _, c := range [][3]string{
		{".", "index.html", "./index.html"},
		{".", "en/index.html", "./en/index.html"},
		{"en", "index.html", "../index.html"},
		{"en", "en/index.html", "./index.html"},
		{"en/a/b", "en/a/c/index.html", "../c/index.html"},
		{"en/a/b", "ja/a/b/index.html", "../../../ja/a/b/index.html"},
		{"en/a", "en/a/b/index.html", "./b/index.html"},
	} {
		if got := relativeTo(c[0], c[1]); got != c[2] {
			t.Errorf("from %s to %s: %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

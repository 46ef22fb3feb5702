package singlepage

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func onePage() *Page {
	return OnePage("https://example.org/b", "/b", []string{"/en/", "/en/loop/x/", "/en/loop/y/"})
}

func TestBind(t *testing.T) {
	for source, want := range map[string]string{
		`<h2 id="a">A <a href="#a">#</a></h2>`:                                    `<h2 id="loop.x--a">A <a href="#loop.x--a">#</a></h2>`,
		`<a href="/b/en/loop/y/">y</a>`:                                           `<a href="#loop.y">y</a>`,
		`<a href="/b/en/loop/y/#q">y</a>`:                                         `<a href="#loop.y--q">y</a>`,
		`<a href="/b/en/">h</a>`:                                                  `<a href="#home">h</a>`,
		`<a href="/b/ja/loop/y/">ja</a>`:                                          `<a href="https://example.org/b/ja/loop/y/">ja</a>`,
		`<a href="https://k8s.io/#a">web</a>`:                                     `<a href="https://k8s.io/#a">web</a>`,
		`<div aria-labelledby="a b"></div>`:                                       `<div aria-labelledby="loop.x--a loop.x--b"></div>`,
		`<svg viewBox="0 0 1 1"><path marker-end="url(#m)"></path></svg>`:         `<svg viewBox="0 0 1 1"><path marker-end="url(#loop.x--m)"></path></svg>`,
		`<kubewalk-demo id="d" class="demo" data-x="/y"><p>s</p></kubewalk-demo>`: `<div id="loop.x--d" class="demo"><p>s</p></div>`,
	} {
		root := onePage().Bind(Chapter{Path: "/en/loop/x/", HTML: source})
		Still(root)
		if got := String(root); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}

func TestLower(t *testing.T) {
	root := Parse("<h2>a</h2><h4>b</h4><h6>c</h6><hr>")
	Lower(root, 2)
	if got := String(root); got != "<h4>a</h4><h6>b</h6><h6>c</h6><hr>" {
		t.Errorf("got %s", got)
	}
}

// FuzzBind: two chapters in a page never share an id, and what was a link
// inside one leads to its own.
func FuzzBind(f *testing.F) {
	f.Add(`<h2 id="a">A <a href="#a">#</a></h2><p id="y--a">`)
	f.Add(`<svg><a href="#a"/></svg><math id="b">`)
	f.Fuzz(func(t *testing.T, text string) {
		v := onePage()
		seen := map[string]string{}
		for _, path := range []string{"/en/loop/x/", "/en/loop/y/"} {
			for n := range v.Bind(Chapter{Path: path, HTML: text}).Descendants() {
				if id := Attribute(n, "id"); n.Type == html.ElementNode && id != "" {
					if other, ok := seen[id]; ok && other != path {
						t.Errorf("id %q is in %s and %s", id, other, path)
					}
					seen[id] = path
					if !strings.HasPrefix(id, Anchor(path)) {
						t.Errorf("id %q of %s", id, path)
					}
				}
			}
		}
	})
}

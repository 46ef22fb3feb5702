package portable

import (
	"bytes"
	"testing"

	"golang.org/x/net/html"

	"kubewalk/generator/dom"
)

// FuzzPage: whatever a page holds, the portable one can be made, and nothing in it
// begins at the root of the disk that is in the site.
func FuzzPage(f *testing.F) {
	f.Add(`<!doctype html><html lang="en"><a href="/book/a.css">x</a><img srcset="/book/a.css 1x, b 2x">`)
	f.Add(`<kubewalk-demo><div class="storyboard">`)
	f.Add(`<a href="/book/../../etc/passwd">`)
	f.Add(`<style>a{background:url(/book/a.css)}</style><svg><a href="/book/">`)
	f.Fuzz(func(t *testing.T, page string) {
		tree, err := Make(site(map[string]string{"index.html": page, "a.css": "url('/book/a.css')"}), "/book", note)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := tree.Get("index.html")
		root, err := html.Parse(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && dom.Attribute(n, "href") == "/book/a.css" {
				t.Errorf("%q became %q", page, data)
			}
		}
	})
}

package audit

import (
	"strings"
	"testing"

	"kubewalk/generator/build/output"
)

func page(body string) []byte {
	return []byte("<!DOCTYPE html><html lang=en><head><title>t</title><link rel=canonical href=https://example.org/b/></head><body>" + body + "</body></html>")
}

// long makes an element worth a piece of its own.
var long = strings.Repeat("<p>text</p>", 100)

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"good": {`<h1 id="a">x</h1><a href="#a">x</a><a href="/b/other/#c">x</a><a href="https://example.org/">x</a><img src="/b/i.png" alt=""><a href="/b/">x</a>
			<svg><title>picture</title><a href="#日本"></a></svg><p id="日本"></p><a href="#%E6%97%A5%E6%9C%AC">y</a>`, ""},
		"inline script":    {`<script>alert(1)</script>`, "inline script"},
		"data":             {`<script type="application/ld+json">{"@type":"Event"}</script>`, ""},
		"data as script":   {`<script type="text/json5">alert(1)</script>`, "inline script"},
		"style":            {`<style>a{}</style>`, "style element"},
		"style attribute":  {`<svg><rect style="fill:red"></rect></svg>`, `style attribute "fill:red" of rect`},
		"handler":          {`<a href="#" onclick="x()">x</a>`, "inline handler onclick"},
		"script elsewhere": {`<script src="https://example.org/x.js"></script>`, "script is loaded from elsewhere"},
		"named script":     {`<script src="https://scripts.example/x.js"></script>`, ""},
		"named elsewhere":  {`<script src="https://scripts.example.org/x.js"></script>`, "script is loaded from elsewhere"},
		"rel=me":           {`<link rel="me" href="https://example.org/@a">`, ""},
		"javascript:":      {`<a href="javascript:x()">x</a>`, `address "javascript:x()" of a`},
		"dead link":        {`<a href="/b/nowhere/">x</a>`, `address "/b/nowhere/" of a leads nowhere`},
		"dead anchor":      {`<a href="/b/other/#d">x</a>`, "leads to no place in other/index.html"},
		"dead anchor here": {`<a href="#d">x</a>`, "leads to no place in index.html"},
		"without prefix":   {`<a href="/other/">x</a>`, `does not begin with "/b/"`},
		"id twice":         {`<p id=x></p><p id=x></p>`, `id "x" is used twice`},
		"no alt":           {`<img src="/b/i.png">`, "has no alt"},
		"dead picture":     {`<img src="/b/i.png" srcset="/b/i.png 1x, /b/j.png 2x" alt="">`, `"/b/j.png" of img leads nowhere`},
		"in details":       {`<details>` + long + `<a href="/b/nowhere/">x</a></details>`, `address "/b/nowhere/" of a leads nowhere`},
		"here, in details": {`<details>` + long + `<a href="#d">x</a></details>`, "leads to no place in index.html"},
		"from details":     {`<a href="#in">x</a><details>` + long + `<p id="in"></p><details>` + long + `</details></details>`, ""},
		"twice in details": {`<p id="in"></p><details>` + long + `<details>` + long + `<p id="in"></p></details></details>`, `id "in" is used twice`},
		"not closed":       {`<details>` + long + `<a href="/b/nowhere/">x</a>`, "leads nowhere"},
		"the server's":     {`<script src="/_dev/reload.js"></script>`, ""},
		"dead data":        {`<kubewalk-demo data-wasm="/b/x.wasm"></kubewalk-demo>`, "leads nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := output.NewTree()
			tree.Put("index.html", page(test.body))
			tree.Put("other/index.html", page(`<p id="c"></p>`))
			tree.Put("i.png", nil)
			err := Check(tree, "/b", Others{Scripts: []string{"https://scripts.example"}})
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "public/index.html: ") {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestCheckWantsTitleAndLanguage(t *testing.T) {
	tree := output.NewTree()
	tree.Put("x.html", []byte("<p>x"))
	if err := Check(tree, "", Others{}); err == nil || !strings.Contains(err.Error(), "no title") || !strings.Contains(err.Error(), "no lang") {
		t.Errorf("got %v", err)
	}
}

// TestCacheReadsWhatChanged: what leads to a page that changed is seen again.
func TestCacheReadsWhatChanged(t *testing.T) {
	var cache Cache
	from := page(`<a href="/b/other/#c">x</a>`)
	for i, other := range []string{`<p id="c"></p>`, `<p id="d"></p>`, `<p id="c"></p>`} {
		tree := output.NewTree()
		tree.Put("index.html", from)
		tree.Put("other/index.html", page(other))
		if err := cache.Check(tree, "/b", Others{}); (err != nil) != (i == 1) {
			t.Errorf("check %d: %v", i, err)
		}
	}
}

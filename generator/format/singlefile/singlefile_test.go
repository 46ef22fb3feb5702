package singlefile

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/output"
)

func site(t *testing.T) *output.Tree {
	t.Helper()
	tree := output.NewTree()
	for name, text := range map[string]string{
		"embed/scale/index.html": `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><script src="/b/assets/theme.js"></script>
<link rel="stylesheet" href="/b/assets/player.css"><link rel="manifest" href="/b/x.webmanifest">
<script type="module" src="/b/assets/index.js"></script></head><body>
<kubewalk-demo data-demo="scale" data-src="/b/demos/scale/" data-phrases="/b/assets/phrases.json" data-worker="/b/assets/worker.js" data-wasm="/b/assets/kubewalk.wasm.zst"
 data-style="/b/assets/player.css"><img src="/b/demos/scale/a.svg?v=1#m"></kubewalk-demo>
<p><a href="/b/en/loop/">Open</a></p></body></html>`,
		"assets/theme.js":          `document.title = "</script><!-- x"`,
		"assets/player.css":        `.kw { color: red }`,
		"assets/index.js":          `import { n } from "./chunk-A.js"; import("./later-B.js").then((m) => m.later(n)); if (0 > n) import("./video-C.js");`,
		"assets/chunk-A.js":        `export const n = 42;`,
		"assets/later-B.js":        `import { n } from "./chunk-A.js"; export const later = (m) => console.log("late", m + n);`,
		"assets/video-C.js":        `console.log("encodes")`,
		"assets/phrases.json":      `{}`,
		"assets/worker.js":         `onmessage = 1`,
		"assets/kubewalk.wasm.zst": "\x28\xb5\x2f\xfd",
		"demos/scale/a.svg":        "<svg>\n<g id=\"l\"></g>\n<g id=\"m\"></g></svg>",
		"demos/other/wide.json":    `{}`,
	} {
		tree.Put(name, []byte(text))
	}
	tree.Put("demos/scale/wide.json.gz", compressed.Gzip([]byte(`{"at": "playground/controlplane/store/store.go:7"}`)))
	tree.Put("source/playground/controlplane/store/store.go.json.gz", compressed.Gzip([]byte(`{}`)))
	tree.Put("source/playground/sim/kernel.go.json.gz", compressed.Gzip([]byte(`{}`)))
	return tree
}

// TestPage: all that the demo needs is in the file, nothing else is, and nothing in it leads out.
func TestPage(t *testing.T) {
	data, err := Page(site(t), "embed/scale/index.html", "/b", "https://book.example/b/")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	if found := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1); len(found) != 4 {
		t.Errorf("addresses %q", found) // the still, the style and the recording by their names, and the link to the book
	}
	for _, want := range []string{`href="https://book.example/b/en/loop/"`, `<style data-href="/b/assets/player.css">.kw { color: red }</style>`,
		`src="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte("<svg>\n<g id=\"m\"></g></svg>")), `"<\/script><\!-- x"`, "late"} {
		if !strings.Contains(page, want) {
			t.Errorf("not there: %s\n%s", want, page)
		}
	}
	if strings.Contains(page, "encodes") {
		t.Error("what makes videos is in the file")
	}
	if n := strings.Count(page, "<script"); n != 4 { // fetch, theme, the list of files, the page's own
		t.Errorf("%d scripts", n)
	}
	list := regexp.MustCompile(`id="kubewalk-files">([^<]*)<`).FindStringSubmatch(page)
	var files map[string]string
	if err := json.Unmarshal([]byte(list[1]), &files); err != nil {
		t.Fatal(err)
	}
	want := []string{"/b/assets/phrases.json", "/b/assets/worker.js", "/b/assets/kubewalk.wasm.zst", "/b/demos/scale/wide.json.gz",
		"/b/source/playground/controlplane/store/store.go.json.gz"}
	for _, name := range want {
		if files[name] == "" {
			t.Errorf("%s is not in the file", name)
		}
	}
	if len(files) != len(want) {
		t.Errorf("holds %d files, want %d", len(files), len(want))
	}
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || strings.Contains(policy[1], "unsafe-inline") || strings.Contains(policy[1], "'self'") || strings.Count(policy[1], "sha256-") != 4 ||
		!strings.HasSuffix(html.UnescapeString(policy[1]), "; require-trusted-types-for 'script'; trusted-types kubewalk-worker") {
		t.Errorf("policy %v", policy)
	}
	if at := strings.Index(page, "charset"); at < 0 || at > 200 {
		t.Errorf("the encoding is told at byte %d", at)
	}
}

// TestFontsOfAnAuthor: what a style sheet names is in the file, and the policy lets it be.
func TestFontsOfAnAuthor(t *testing.T) {
	tree := site(t)
	tree.Remove("assets/player.css")
	tree.Put("assets/player.css", []byte(`@font-face{src:url(own.woff2)}a{b:url("#c")}`))
	tree.Put("assets/own.woff2", []byte("font"))
	data, err := Page(tree, "embed/scale/index.html", "/b", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`@font-face{src:url("data:font/woff2;base64,Zm9udA==")}a{b:url("#c")}`, "img-src data:; font-src data:;"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("not there: %s\n%s", want, data)
		}
	}
	if data, _ = Page(site(t), "embed/scale/index.html", "/b", ""); strings.Contains(string(data), "font-src") {
		t.Error("fonts are let in where there are none")
	}
}

// TestWithoutAddress: links to a book that is nowhere known are plain text.
func TestWithoutAddress(t *testing.T) {
	data, err := Page(site(t), "embed/scale/index.html", "/b", "")
	if err != nil || !strings.Contains(string(data), "<span>Open</span>") {
		t.Errorf("%v\n%s", err, data)
	}
}

func TestWhatIsMissing(t *testing.T) {
	tree := site(t)
	if _, err := Page(tree, "embed/none/index.html", "/b", ""); err == nil {
		t.Error("made a page that is not there")
	}
	tree.Remove("assets/worker.js")
	if _, err := Page(tree, "embed/scale/index.html", "/b", ""); err == nil || !strings.Contains(err.Error(), "data-worker") {
		t.Errorf("without its worker: %v", err)
	}
	tree = site(t)
	tree.Remove("assets/chunk-A.js")
	if _, err := Page(tree, "embed/scale/index.html", "/b", ""); err == nil || !strings.Contains(err.Error(), "chunk-A.js") {
		t.Errorf("without a chunk: %v", err)
	}
}

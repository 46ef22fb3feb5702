package sitebuild

import (
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/build/output"
	"kubewalk/generator/format/portable"
	"kubewalk/generator/problem"
)

// withStatic is the small book with files of content/static, one of which a chapter links to.
func withStatic(more map[string]string) map[string]string {
	out := map[string]string{
		"static/web.yaml": "kind: Pod\n", "static/robots.txt": "User-agent: *\nDisallow: /\n", "static/.well-known/security.txt": "Contact: mailto:a@example.org\n",
		"static/google1.html": "google-site-verification: google1.html", "static/talks-1/slides.pdf": "%PDF", "static/.DS_Store": "x", "static/empty": "",
		"en/loop/scale.md": book["en/loop/scale.md"] + "\nTake [the manifest](../../static/web.yaml) and [page 3](../../static/talks-1/slides.pdf#page=3).\n",
	}
	for name, text := range more {
		out[name] = text
	}
	return out
}

func TestStaticFilesAreCopied(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book", withStatic(nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"web.yaml": "kind: Pod\n", "robots.txt": "User-agent: *\nDisallow: /\n", "google1.html": "google-site-verification: google1.html",
		".well-known/security.txt": "Contact: mailto:a@example.org\n", "talks-1/slides.pdf": "%PDF", "empty": ""} {
		if got := page(t, tree, name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if tree.Has(".DS_Store") {
		t.Error("what a system left in the folder is on the site")
	}
	shown := page(t, tree, "en/loop/scale/index.html")
	for _, want := range []string{`<a href="/book/web.yaml">the manifest</a>`, `<a href="/book/talks-1/slides.pdf#page=3">page 3</a>`} {
		if !strings.Contains(shown, want) {
			t.Errorf("the chapter lacks %s", want)
		}
	}
	if text := page(t, tree, "en/loop/scale/index.md"); !strings.Contains(text, "[the manifest](https://example.org/book/web.yaml)") {
		t.Errorf("as Markdown:\n%s", text)
	}
	if rules := page(t, tree, output.MarkerFile); !strings.Contains(rules, "\n/web.yaml\n  Cache-Control: public, max-age=0, must-revalidate") {
		t.Errorf("no rule for a static file in\n%s", rules)
	}
	folder, err := portable.Make(tree, "/book", func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if !folder.Has("web.yaml") || folder.Has("google1.html") {
		t.Errorf("the folder should have the static files that are linked, and no others: %v", folder.Paths())
	}
	dir := t.TempDir()
	if err := tree.Write(filepath.Join(dir, "public")); err != nil {
		t.Error(err)
	}
}

// TestStaticSaves: a file that is saved is the new one in the next build, and a link to one that is gone is a mistake.
func TestStaticSaves(t *testing.T) {
	l := newLibrary(t, withStatic(nil))
	l.wants.Dev = true
	if _, _, err := l.build(t); err != nil {
		t.Fatal(err)
	}
	l.write(t, "static/web.yaml", "kind: Bob\n") // as long, and perhaps within the same tick
	content := filepath.ToSlash(filepath.Join(l.root, "content"))
	l.cache.Saved(content, []string{content + "/static/web.yaml"})
	tree, _, err := l.build(t)
	if err != nil || page(t, tree, "web.yaml") != "kind: Bob\n" {
		t.Errorf("%v, %q", err, page(t, tree, "web.yaml"))
	}
	l.write(t, "static/web.yaml", "-")
	if _, _, err = l.build(t); err == nil || !strings.Contains(err.Error(), `link "../../static/web.yaml" leads to a file that does not exist`) {
		t.Errorf("%v", err)
	}
	l.write(t, "static/web.yaml", "kind: Pod\n")
	if _, _, err = l.build(t); err != nil {
		t.Error(err)
	}
}

func TestStaticMistakes(t *testing.T) {
	const linked = "en/loop/scale.md"
	link := func(to string) map[string]string {
		return map[string]string{linked: book[linked] + "\n[x](" + to + ")\n"}
	}
	for _, test := range []struct {
		changes map[string]string
		want    string
	}{
		{map[string]string{"static/.env": "x"}, `static/.env: name ".env" begins with a dot (such files may hold passwords or a repository's history: ` +
			`remove it, or rename it; only .well-known is published)`},
		{map[string]string{"static/.git/config": "x"}, `static/.git: name ".git" begins with a dot`},
		{map[string]string{"static/a b.pdf": "x"}, `static/a b.pdf: name "a b.pdf" has the character " ", which an address cannot have (rename it)`},
		{map[string]string{"static/_headers": "x"}, `static/_headers: file would replace _headers, which the build writes (name the sites`},
		{map[string]string{"static/_redirects": "x"}, `static/_redirects: file would replace _redirects, which the build writes (write redirects: in site.yaml)`},
		{map[string]string{"static/sw.js": "x"}, `static/sw.js: file would replace sw.js, which the build writes (rename it)`},
		{map[string]string{"static/assets/x.woff2": "x"}, `static/assets/x.woff2: file would be in the folder assets/, which the build writes (put it into a folder of another name)`},
		{map[string]string{"static/sitemap.xml": "x"}, `static/sitemap.xml: file would replace sitemap.xml, which the build writes (rename it, or put it into a folder of its own)`},
		{map[string]string{"static/en/start/tour/index.html": "x"},
			`static/en/start/tour/index.html: file would replace en/start/tour/index.html, the page of en/start/tour.md (rename it`},
		{map[string]string{"static/en/start/tour": "x"}, `static/en/start/tour: file has the name of the folder of en/start/tour/index.html, the page of en/start/tour.md (rename it)`},
		{map[string]string{"static/llms.txt/x": "x"}, `static/llms.txt/x: file would be in a folder of the name of llms.txt, which the build writes (rename the folder)`},
		{map[string]string{"static/old/index.html": "x", "site.yaml": book["site.yaml"] + "redirects: {/old/: /en/}\n"},
			`redirect from "/old/" would hide a page that is there`},
		{map[string]string{"static": "x"}, `static: content folder has a file of this name (make it a folder of files for the site)`},
		{link("../../static/wbe.yaml"), `en/loop/scale.md:14:1: link "../../static/wbe.yaml" leads to a file that does not exist (did you mean "../../static/web.yaml"?)`},
		{link("../../static/slides.pdf"), `link "../../static/slides.pdf" leads to a file that does not exist (did you mean "../../static/talks-1/slides.pdf"?)`},
		{link("../../static/x"), `link "../../static/x" leads to a file that does not exist (put it into content/static)`},
		{link("/web.yaml"), `link "/web.yaml" does not lead to a chapter (a file of content/static is named relative to this one: ../../static/web.yaml)`},
		{link("../static/web.yaml"), `(a file of content/static is named relative to this one: ../../static/web.yaml)`},
	} {
		changes := withStatic(test.changes)
		if test.changes["static"] != "" {
			changes = test.changes
		}
		l := newLibrary(t, changes)
		_, _, err := l.build(t)
		if err == nil {
			t.Errorf("nothing is said, instead of\n%s", test.want)
			continue
		}
		said := strings.ReplaceAll(err.Error(), filepath.ToSlash(l.root)+"/content/", "")
		if !strings.Contains("\n"+said, test.want) || len(problem.Of(err)) > 1 {
			t.Errorf("got\n%s\nwant\n%s", said, test.want)
		}
	}
}

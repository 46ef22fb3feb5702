package sitebuild

import (
	"strings"
	"testing"

	"kubewalk/generator/problem"
)

func TestRedirectsAndAliases(t *testing.T) {
	l := newLibrary(t, map[string]string{
		"site.yaml":        book["site.yaml"] + "redirects: {/old/: /en/loop/scale/#why, /feed: /en/start/tour/}\n",
		"ja/start/tour.md": strings.Replace(book["ja/start/tour.md"], "order: 1", "order: 1\naliases: [/ja/trip/, /ja/walk/]", 1),
	})
	tree, _, err := l.build(t)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := page(t, tree, "_redirects"),
		"/feed /en/start/tour/ 301!\n/ja/trip/ /ja/start/tour/ 301!\n/ja/walk/ /ja/start/tour/ 301!\n/old/ /en/loop/scale/#why 301!\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	moved := page(t, tree, "ja/trip/index.html")
	for _, want := range []string{`<html lang="ja"`, `http-equiv="refresh" content="0; url=/ja/start/tour/"`,
		`<link rel="canonical" href="https://example.org/ja/start/tour/">`, `<a href="/ja/start/tour/">`} {
		if !strings.Contains(moved, want) {
			t.Errorf("the page at the old address lacks %s:\n%s", want, moved)
		}
	}
	if page(t, tree, "old/index.html"); !strings.Contains(page(t, tree, "_headers"), "\n/old/*\n") {
		t.Error("the page at an old address has no headers")
	}
	if strings.Contains(page(t, tree, "sitemap.xml"), "trip") {
		t.Error("the sitemap lists an address that is gone")
	}
}

func TestRedirectsWithAWildcard(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book", map[string]string{
		"site.yaml": book["site.yaml"] + "redirects: {/old/*: /en/*, /old/loop/scale/: /en/start/tour/}\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := page(t, tree, "_redirects"), "/old/loop/scale/ /book/en/start/tour/ 301!\n/old/* /book/en/:splat 301!\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for name, want := range map[string]string{
		"old/start/tour/index.html": "0; url=/book/en/start/tour/", "old/loop/scale/index.html": "0; url=/book/en/start/tour/",
		"old/index.html": "0; url=/book/en/",
	} {
		if moved := page(t, tree, name); !strings.Contains(moved, `content="`+want+`"`) {
			t.Errorf("%s lacks %q:\n%s", name, want, moved)
		}
	}
}

// TestRedirectsBelowAPath: what hosts match begins at the top of the folder, where
// readers are led to is an address.
func TestRedirectsBelowAPath(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book", map[string]string{
		"site.yaml":          book["site.yaml"] + "redirects: {/old/: /en/loop/scale/#why, /away/: https://example.org/away/}\n",
		"en/start/queue.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>`,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := page(t, tree, "_redirects"), "/away/ https://example.org/away/ 301!\n/old/ /book/en/loop/scale/#why 301!\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, want := range []string{`content="0; url=/book/en/loop/scale/#why"`, `<link rel="canonical" href="https://example.org/book/en/loop/scale/">`} {
		if moved := page(t, tree, "old/index.html"); !strings.Contains(moved, want) {
			t.Errorf("the page at the old address lacks %s:\n%s", want, moved)
		}
	}
}

func TestRedirectsAreChecked(t *testing.T) {
	l := newLibrary(t, map[string]string{
		"site.yaml":        book["site.yaml"] + "redirects:\n  /old/: /en/loop/scael/\n  /en/: /ja/\n  /x/: /en/loop/scale/#wyh\n  /y/*: /en/lop/*\n  /en/start/*: /ja/start/*\n",
		"en/start/tour.md": strings.Replace(book["en/start/tour.md"], "order: 1", "order: 1\naliases: [/en/loop/scale/]", 1),
	})
	_, _, err := l.build(t)
	if err == nil {
		t.Fatal("built")
	}
	for _, want := range []string{
		`site.yaml:9:10: redirect to "/en/loop/scael/" leads to a page that does not exist (did you mean "/en/loop/scale/"?)`,
		`site.yaml:10:3: redirect from "/en/" would hide a page that is there`,
		`site.yaml:11:8: anchor "wyh" is not on the page /en/loop/scale/ (did you mean "why"?)`,
		`site.yaml:12:9: redirect to "/en/lop/*" matches no page (did you mean "/en/loop/*"?)`,
		`site.yaml:13:3: redirect from "/en/start/*" would hide "/en/start/tour/", which is there`,
		`en/start/tour.md:5:11: redirect from "/en/loop/scale/" would hide a page`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s\n%v", want, err)
		}
	}
	if n := len(problem.Of(err)); n != 6 {
		t.Errorf("%d problems:\n%v", n, err)
	}
}

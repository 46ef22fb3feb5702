package redirects

import (
	"slices"
	"strings"
	"testing"

	"kubewalk/generator/problem"
)

type site map[string][]string

func (s site) Has(path string) bool { _, ok := s[path]; return ok }

func (s site) Anchors(path string) ([]string, bool) { a := s[path]; return a, a != nil }

func (s site) Pages() (out []string) {
	for path := range s {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

func (s site) Below(folder string) (out []string) {
	for _, path := range s.Pages() {
		if strings.HasPrefix(path, folder) {
			out = append(out, path)
		}
	}
	return out
}

var small = site{"/en/": {}, "/en/loop/new/": {"queue"}, "/en/start/tour/": {"play"}, "/feed.xml": nil}

func rule(from, to string) Rule {
	return Rule{From: from, To: to, Wrong: func(atFrom bool, message, cure string) problem.Problem {
		column := 9
		if atFrom {
			column = 2
		}
		return problem.Problem{File: "site.yaml", Line: 7, Column: column, Message: message, Cure: cure}
	}}
}

func TestWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		rules [][2]string
		want  string
	}{
		{[][2]string{{"old/", "/en/"}}, `7:2: redirect from "old/" is not a path of the site (begin it with a slash: "/old/")`},
		{[][2]string{{"/", "/en/"}}, `redirect from "/" is not a path of the site (the site's front page cannot lead elsewhere)`},
		{[][2]string{{"/a/../b/", "/en/"}}, `redirect from "/a/../b/" is not a path`},
		{[][2]string{{"/a?b=1", "/en/"}}, `redirect from "/a?b=1" is not a path`},
		{[][2]string{{"/a/*/b", "/en/"}}, `redirect from "/a/*/b" is not a path of the site (the wildcard stands alone at the end, as in /en/old/*)`},
		{[][2]string{{"/a*", "/en/"}}, `redirect from "/a*" is not a path`},
		{[][2]string{{"/*", "/en/*"}}, `redirect from "/*" is not a path of the site (the site's front page cannot lead elsewhere)`},
		{[][2]string{{"/a/*", "/en/"}}, `7:9: redirect to "/en/" lacks the wildcard that its old path has (write "/en/*", or a rule for each page)`},
		{[][2]string{{"/a/", "/en/*"}}, `7:9: redirect to "/en/*" has a wildcard, and its old path has none (write both with /* at the end, or neither)`},
		{[][2]string{{"/a/*", "https://example.org/*"}}, `7:9: redirect to "https://example.org/*" is not to a folder of the site`},
		{[][2]string{{"/a/*", "/en/lop/*"}}, `7:9: redirect to "/en/lop/*" matches no page (did you mean "/en/loop/*"?)`},
		{[][2]string{{"/en/loop/*", "/en/start/*"}},
			`7:2: redirect from "/en/loop/*" would hide "/en/loop/new/", which is there (write a rule for each page that is gone)`},
		{[][2]string{{"/a/*", "/en/*"}, {"/a/*", "/en/loop/*"}}, `7:2: redirect from "/a/*" is given twice`},
		{[][2]string{{"/a/*", "/b/*"}, {"/b/*", "/en/*"}}, `redirect to "/b/*" leads to another redirect (lead directly to "/en/*")`},
		{[][2]string{{"/b/", "/a/new/"}, {"/a/*", "/en/loop/*"}}, `redirect to "/a/new/" leads to another redirect (lead directly to "/en/loop/new/")`},
		{[][2]string{{"/b/", "/a/new/"}, {"/a/*", "/a/a/*"}}, `redirect to "/a/new/" leads to another redirect`},
		{[][2]string{{"/_headers", "/en/"}}, `redirect from "/_headers" is not a path`},
		{[][2]string{{"/en/start/tour", "/en/"}}, `redirect from "/en/start/tour" would hide a page that is there`},
		{[][2]string{{"/feed.xml", "/en/"}}, `redirect from "/feed.xml" would hide a page`},
		{[][2]string{{"/a", "/en/"}, {"/a/", "/en/"}}, `redirect from "/a/" is given twice`},
		{[][2]string{{"/a/", "/en/loop/nwe/"}}, `7:9: redirect to "/en/loop/nwe/" leads to a page that does not exist (did you mean "/en/loop/new/"?)`},
		{[][2]string{{"/a/", "/en/loop/new"}}, `redirect to "/en/loop/new" leads to a page that does not exist (end it with a slash: "/en/loop/new/")`},
		{[][2]string{{"/a/", "/en/loop/new/#queues"}}, `anchor "queues" is not on the page /en/loop/new/ (did you mean "queue"?)`},
		{[][2]string{{"/a/", "en/"}}, `redirect to "en/" is neither a path of the site nor an address (begin it with a slash: "/en/")`},
		{[][2]string{{"/a/", "https://"}}, `redirect to "https://" is not to an address`},
		{[][2]string{{"/a/", "/a/"}}, `redirect to "/a/" leads back to where it began`},
		{[][2]string{{"/a/", "/b/"}, {"/b/", "/a"}}, `redirect to "/b/" leads back to where it began`},
		{[][2]string{{"/x/", "/a/"}, {"/a/", "/b/"}, {"/b/", "/a/"}}, `redirect to "/a/" leads back to where it began`},
		{[][2]string{{"/a/", "/b/"}, {"/b/", "/c/"}, {"/c/", "/en/"}}, `redirect to "/b/" leads to another redirect (lead directly to "/en/")`},
	} {
		var rules []Rule
		for _, r := range test.rules {
			rules = append(rules, rule(r[0], r[1]))
		}
		if _, err := Check(rules, small); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v:\ngot  %v\nwant %s", test.rules, err, test.want)
		}
	}
}

func TestRulesAreWrittenAndRead(t *testing.T) {
	rules, err := Check([]Rule{rule("/old/", "/en/loop/new/#queue"), rule("/ja/旧/", "/en/"), rule("/page.html", "https://example.org/x")}, small)
	if err != nil {
		t.Fatal(err)
	}
	text := Format(rules, func(path string) string { return "/book" + path })
	want := "/ja/%E6%97%A7/ /book/en/ 301!\n/old/ /book/en/loop/new/#queue 301!\n/page.html https://example.org/x 301!\n"
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	table := Parse(text)
	for path, want := range map[string]string{"/old": "/book/en/loop/new/#queue", "/old/": "/book/en/loop/new/#queue", "/ja/旧/": "/book/en/"} {
		if to, ok := table.Of(path); !ok || to != want {
			t.Errorf("%s leads to %q", path, to)
		}
	}
	if _, ok := table.Of("/"); ok {
		t.Error("every path leads elsewhere")
	}
	if got := rules[0].Page() + " " + rules[2].Page(); got != "ja/旧/index.html page.html" {
		t.Errorf("pages at %s", got)
	}
}

// TestWildcards: one line for hosts, one page for each page that there is; an exact
// rule goes before a wildcard, and a longer wildcard before a shorter one.
func TestWildcards(t *testing.T) {
	if _, err := Check([]Rule{rule("/old/*", "/en/*"), rule("/old/start/tour/", "/en/loop/new/#queue"), rule("/old/x y/*", "/en/loop/*")}, small); err == nil {
		t.Fatal("a path with a space is no path")
	}
	rules, err := Check([]Rule{rule("/old/*", "/en/*"), rule("/old/start/tour/", "/en/loop/new/#queue"), rule("/old/旧/*", "/en/loop/*")}, small)
	if err != nil {
		t.Fatal(err)
	}
	text := Format(rules, func(path string) string { return "/book" + path })
	want := "/old/start/tour/ /book/en/loop/new/#queue 301!\n/old/%E6%97%A7/* /book/en/loop/:splat 301!\n/old/* /book/en/:splat 301!\n"
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	var exact []string
	for _, r := range Exact(rules, small) {
		exact = append(exact, r.Page()+" "+r.To)
	}
	pages := "old/start/tour/index.html /en/loop/new/#queue, old/旧/new/index.html /en/loop/new/, old/index.html /en/, old/loop/new/index.html /en/loop/new/"
	if got := strings.Join(exact, ", "); got != pages {
		t.Errorf("pages\n%s\nwant\n%s", got, pages)
	}
	table := Parse(text)
	for path, want := range map[string]string{
		"/old/start/tour": "/book/en/loop/new/#queue", "/old/旧/new/": "/book/en/loop/new/", "/old/loop/new/": "/book/en/loop/new/",
		"/old//example.org/": "/book/en/example.org/", "/old/": "/book/en/", "/older/": "",
	} {
		if to, ok := table.Of(path); to != want || ok != (want != "") {
			t.Errorf("%s leads to %q", path, to)
		}
	}
	if to, _ := Parse("/old/* /:splat 301!\n").Of("/old//example.org/"); to != "/example.org/" {
		t.Errorf("leads to %q, another host", to)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("/a/", "/b/", "/b", "/a#x")
	f.Add("/en/", "//x", "", "https://[::1")
	f.Add("/a/*", "/en/*", "/a/b/*", "/a/*")
	f.Add("/%zz/", "/en/#%", "/a:b", "javascript:1")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		rules, err := Check([]Rule{rule(a, b), rule(c, d)}, small)
		if len(rules) < 2 && err == nil {
			t.Errorf("a rule is gone without a word")
		}
		for _, r := range rules {
			if !strings.HasPrefix(r.To, "/") && !strings.HasPrefix(r.To, "http") {
				t.Errorf("%q leads to %q", r.From, r.To)
			}
		}
		for _, r := range Exact(rules, small) {
			if strings.Contains(r.To, "*") {
				t.Errorf("%q leads to %q", r.From, r.To)
			}
		}
		Parse(Format(rules, func(path string) string { return path }))
	})
}

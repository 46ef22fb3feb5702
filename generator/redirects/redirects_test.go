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
		{[][2]string{{"/a/*", "/en/"}}, `redirect from "/a/*" is not a path`},
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

func FuzzCheck(f *testing.F) {
	f.Add("/a/", "/b/", "/b", "/a#x")
	f.Add("/en/", "//x", "", "https://[::1")
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
		Parse(Format(rules, func(path string) string { return path }))
	})
}

package headers

import (
	"reflect"
	"strings"
	"testing"
)

var paths = []string{"_headers", "index.html", "404.html", "robots.txt", "en/index.html", "ja/loop/x/index.html",
	"embed/d/index.html", "embed/ja/d/index.html", "assets/page-0123456789.js", "demos/d/wide.json", "source/playground/store/store.go.json"}

// TestNoHeaderIsSetTwice is the reason for the whole package: joined policies
// are both enforced.
func TestNoHeaderIsSetTwice(t *testing.T) {
	rules := For(paths)
	for _, p := range append(paths[1:], "", "en/", "embed/d/", "en/loop/x/", "nowhere/at/all", "embedded/x", "en") {
		by := map[string]string{}
		for _, rule := range rules {
			if !rule.Matches("/" + p) {
				continue
			}
			for _, h := range rule.Headers {
				if by[h.Name] != "" {
					t.Errorf("/%s: %s is set by the rules %s and %s", p, h.Name, by[h.Name], rule.Path)
				}
				by[h.Name] = rule.Path
			}
		}
	}
}

func TestMatch(t *testing.T) {
	rules := For(paths)
	for _, test := range []struct{ path, ancestors, cache string }{
		{"/", "frame-ancestors 'none'", "max-age=0"},
		{"/en/", "frame-ancestors 'none'", "max-age=0"},
		{"/ja/loop/x/", "frame-ancestors 'none'", "max-age=0"},
		{"/404.html", "frame-ancestors 'none'", "max-age=0"},
		{"/embed/d/", "frame-ancestors *", "max-age=0"},
		{"/embed/ja/d/", "frame-ancestors *", "max-age=0"},
		{"/assets/page-0123456789.js", "frame-ancestors 'none'", "immutable"},
		{"/demos/d/wide.json", "frame-ancestors 'none'", "max-age=0"},
		{"/nowhere", "", ""},
	} {
		h := rules.Match(test.path)
		csp := h.Get("Content-Security-Policy")
		if test.ancestors == "" && csp != "" || !strings.HasSuffix(csp, test.ancestors) || !strings.Contains(h.Get("Cache-Control"), test.cache) {
			t.Errorf("%s: %v", test.path, h)
		}
		if strings.Contains(csp, "unsafe-inline") || strings.Contains(csp, "'unsafe-eval'") || test.ancestors != "" && !strings.HasPrefix(csp, "default-src 'none'; script-src 'self' 'wasm-unsafe-eval';") {
			t.Errorf("%s: policy %s", test.path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: may be sniffed", test.path)
		}
	}
}

func TestParseReadsWhatIsWritten(t *testing.T) {
	rules := For(paths)
	got, err := Parse("# a comment\n\n" + rules.String())
	if err != nil || !reflect.DeepEqual(got, rules) {
		t.Errorf("%v\ngot  %v\nwant %v", err, got, rules)
	}
	for _, bad := range []string{"  A: b\n", "/x\n  nonsense\n"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

package headers

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

var paths = []string{"_headers", "index.html", "404.html", "robots.txt", "en/index.html", "ja/loop/x/index.html",
	"embed/d/index.html", "embed/ja/d/index.html", "assets/page-0123456789.js", "assets/speculation-0123456789.json", "demos/d/wide.json.gz",
	"source/playground/controlplane/store/store.go.json.gz", "releases.json", "releases/1a2b3c4d/embed/d/index.html",
	"releases/1a2b3c4d/assets/page-0123456789.js"}

var own = Allowed{}.Policy()

func TestPolicyNamesOtherSites(t *testing.T) {
	got := Allowed{Scripts: []string{"https://b.example", "https://a.example", "https://b.example"}, Connect: []string{"https://c.example:8443"}}.Policy()
	for _, want := range []string{"; script-src 'self' 'wasm-unsafe-eval' https://a.example https://b.example; ", "; connect-src 'self' https://c.example:8443; ",
		"; style-src 'self'; ", "; frame-src 'self'; "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

const trusted = "require-trusted-types-for 'script'; trusted-types kubewalk-frame kubewalk-worker default"

// TestTrustedTypes: the policy asks for them unless there are scripts of which nobody knows whether they keep to it.
func TestTrustedTypes(t *testing.T) {
	for _, test := range []struct {
		allowed Allowed
		want    bool
	}{
		{Allowed{}, true},
		{Allowed{Images: []string{"https://a.example"}, Frames: []string{"https://a.example"}}, true},
		{Allowed{Scripts: []string{"https://a.example"}}, false},
		{Allowed{OwnScripts: true}, false},
	} {
		policy := test.allowed.Policy()
		if strings.HasSuffix(policy, "; "+trusted) != test.want || strings.Contains(policy, "trusted") != test.want {
			t.Errorf("%+v: %s", test.allowed, policy)
		}
	}
}

// TestNoHeaderIsSetTwice: of what two rules set, hosts send both or the last one. Only policies are set twice.
func TestNoHeaderIsSetTwice(t *testing.T) {
	rules := For(paths, "", own)
	for _, p := range append(paths[1:], "", "en/", "embed/d/", "en/loop/x/", "nowhere/at/all", "embedded/x", "en") {
		by := map[string]string{}
		for _, rule := range rules {
			if !rule.Matches("/" + p) {
				continue
			}
			for _, h := range rule.Headers {
				if h.Name == "Content-Security-Policy" && h.Value == own && rule.Path == "/*" {
					continue
				}
				if by[h.Name] != "" {
					t.Errorf("/%s: %s is set by the rules %s and %s", p, h.Name, by[h.Name], rule.Path)
				}
				by[h.Name] = rule.Path
			}
		}
	}
}

// TestPoliciesAreWhole: whether a host joins the policies of two rules or sends the last one, the same is enforced: that one says all that
// the other does, and is nowhere more generous.
func TestPoliciesAreWhole(t *testing.T) {
	for _, policy := range []string{own, Allowed{Scripts: []string{"https://a.example"}, Images: []string{"https://b.example"}}.Policy()} {
		more := 0
		for _, rule := range For(paths, "", policy)[1:] {
			for _, h := range rule.Headers {
				if h.Name != "Content-Security-Policy" {
					continue
				}
				more++
				last := map[string][]string{}
				for directive := range strings.SplitSeq(h.Value, "; ") {
					words := strings.Fields(directive)
					last[words[0]] = words[1:]
				}
				for directive := range strings.SplitSeq(policy, "; ") {
					words := strings.Fields(directive)
					named, there := last[words[0]]
					if !there || slices.ContainsFunc(named, func(source string) bool { return !slices.Contains(words[1:], source) }) {
						t.Errorf("%s: %s of all paths is %q, and here %q", rule.Path, words[0], words[1:], named)
					}
				}
			}
		}
		if more < 5 {
			t.Errorf("%d rules have a policy", more)
		}
	}
}

func TestMatch(t *testing.T) {
	rules := For(paths, "", own)
	for _, test := range []struct{ path, ancestors, cache string }{
		{"/", "frame-ancestors 'none'", "max-age=0"},
		{"/en/", "frame-ancestors 'none'", "max-age=0"},
		{"/ja/loop/x/", "frame-ancestors 'none'", "max-age=0"},
		{"/404.html", "frame-ancestors 'none'", "max-age=0"},
		{"/embed/d/", "worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; " + trusted, "max-age=0"},
		{"/embed/ja/d/", trusted, "max-age=0"},
		{"/assets/page-0123456789.js", "frame-ancestors 'none'", "immutable"},
		{"/demos/d/wide.json.gz", "frame-ancestors 'none'", "max-age=0"},
		{"/releases/1a2b3c4d/embed/d/", trusted, "max-age=0"},
		{"/nowhere", "", ""},
		{"/nowhere/at/all.html", "", ""},
	} {
		h := rules.Match(test.path)
		csp := h.Get("Content-Security-Policy")
		if !strings.HasSuffix(csp, test.ancestors) || !strings.Contains(h.Get("Cache-Control"), test.cache) {
			t.Errorf("%s: %v", test.path, h)
		}
		if strings.Contains(csp, "unsafe-inline") || strings.Contains(csp, "'unsafe-eval'") ||
			!strings.HasPrefix(csp, "default-src 'none'; script-src 'self' 'wasm-unsafe-eval';") {
			t.Errorf("%s: policy %s", test.path, csp)
		}
		// https://developer.mozilla.org/en-US/docs/Web/Security/Practical_implementation_guides
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Strict-Transport-Security": "max-age=63072000",
			"Referrer-Policy": "strict-origin-when-cross-origin", "Cross-Origin-Opener-Policy": "same-origin",
			"Permissions-Policy": "camera=(), geolocation=(), microphone=()"} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", test.path, name, h.Get(name))
			}
		}
		top := strings.Split(test.path, "/")[1]
		want := map[bool]string{true: "cross-origin", false: "same-origin"}[slices.Contains([]string{"embed", "assets", "demos", "releases"}, top)]
		if test.ancestors == "" {
			want = ""
		}
		if h.Get("Cross-Origin-Resource-Policy") != want {
			t.Errorf("%s: Cross-Origin-Resource-Policy %q, want %q", test.path, h.Get("Cross-Origin-Resource-Policy"), want)
		}
	}
}

// TestEmbeds: demos work in a sandbox, in a page that isolates itself, and in one from a file; the book's pages are in nobody's frame.
func TestEmbeds(t *testing.T) {
	rules := For(paths, "", own)
	for path, want := range map[string][3]string{
		"/embed/d/":                                    {"*", "cross-origin", "require-corp"},
		"/assets/page-0123456789.js":                   {"*", "cross-origin", "require-corp"},
		"/demos/d/wide.json.gz":                        {"*", "cross-origin", ""},
		"/source/playground/controlplane/store/x.json": {"*", "cross-origin", ""},
		"/releases/1a2b3c4d/embed/d/":                  {"*", "cross-origin", "require-corp"},
		"/releases/1a2b3c4d/assets/x.js":               {"*", "cross-origin", "require-corp"},
		"/releases.json":                               {"*", "cross-origin", ""},
		"/en/":                                         {"", "same-origin", ""},
		"/":                                            {"", "same-origin", ""},
	} {
		h := rules.Match(path)
		for i, name := range []string{"Access-Control-Allow-Origin", "Cross-Origin-Resource-Policy", "Cross-Origin-Embedder-Policy"} {
			if got := h.Get(name); got != want[i] {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want[i])
			}
		}
	}
	if csp := rules.Match("/embed/d/").Get("Content-Security-Policy"); strings.Contains(csp, "frame-ancestors") {
		t.Errorf("a deck that is a file gets no demo: %s", csp)
	}
}

// TestSpeculation: pages of the book name the rules, and the rules have a type of their own.
func TestSpeculation(t *testing.T) {
	rules := For(paths, "", own)
	for path, want := range map[string]string{"/": "yes", "/en/": "yes", "/ja/loop/x/": "yes", "/embed/d/": "", "/releases/1a2b3c4d/embed/d/": "",
		"/assets/page-0123456789.js": "",
		"/robots.txt":                ""} {
		if got := rules.Match(path).Get("Speculation-Rules"); (got == `"/assets/speculation-0123456789.json"`) != (want == "yes") {
			t.Errorf("%s: %q", path, got)
		}
	}
	h := rules.Match("/assets/speculation-0123456789.json")
	if h.Get("Content-Type") != "application/speculationrules+json" || !strings.Contains(h.Get("Cache-Control"), "immutable") {
		t.Errorf("the rules' own headers: %v", h)
	}
	for _, rule := range For([]string{"index.html", "en/index.html"}, "", own) {
		for _, header := range rule.Headers {
			if header.Name == "Speculation-Rules" {
				t.Errorf("%s names rules that are not there", rule.Path)
			}
		}
	}
}

// TestAddressesBelowAPath: browsers ask for addresses as readers see them, hosts
// match paths of their folder.
func TestAddressesBelowAPath(t *testing.T) {
	rules := For(paths, "/book", own)
	if got := rules.Match("/en/").Get("Speculation-Rules"); got != `"/book/assets/speculation-0123456789.json"` {
		t.Errorf("rules at %s", got)
	}
	if got := rules.Match("/assets/speculation-0123456789.json").Get("Content-Type"); got != "application/speculationrules+json" {
		t.Errorf("the rules are %s", got)
	}
}

func TestParseReadsWhatIsWritten(t *testing.T) {
	rules := For(paths, "", own)
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

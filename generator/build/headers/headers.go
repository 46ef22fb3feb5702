// Package headers says with which HTTP headers the site is served. The build
// writes them to public/_headers, in Netlify's format, and the development
// server reads that same file: what breaks in production breaks on the desk.
//
// Hosts apply every rule whose path matches. Where several set one header, some send all values, joined, and
// others the last one alone. So that both come to the same, only the content security policy is set by two rules that match
// a path: one holds for all paths, also those at which there is nothing, and the one of a top-level folder or file says
// all that the first does, and who may frame it. Of policies that are joined each is enforced.
//
// Demos work wherever people put them. /embed/ names no frame-ancestors: "*" would
// only match network schemes, and refuse a deck that is a file. A frame in a sandbox has
// no origin, so all that a demo loads answers any (Access-Control-Allow-Origin), and its
// worker is a blob. A host that isolates itself (Cross-Origin-Embedder-Policy) takes only
// frames that do the same, and whose files say who may have them (Cross-Origin-Resource-Policy).
package headers

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
)

// Allowed are the origins of other sites that pages may use, "https://example.org", by what they use them for.
type Allowed struct {
	Scripts, Connect, Frames, Styles, Images []string
	OwnScripts                               bool // the author has scripts on the site
}

// TrustedTypes are the directives by which a script can make no text HTML, code or a script's address, but by one of these
// policies, which look at it (site/trusted.ts): the page's, the demos', and in a talk "default", which reads what reveal.js writes.
func TrustedTypes(policies ...string) []string {
	return []string{"require-trusted-types-for 'script'", "trusted-types " + strings.Join(policies, " ")}
}

// Names of the policies of Trusted Types.
const (
	frameScripts  = "kubewalk-frame"  // site/scripts/own.ts
	WorkerScripts = "kubewalk-worker" // site/widgets/runs/engine.ts
	slides        = "default"         // site/talk/talk.ts
)

// Policy is the content security policy of all paths, but for who may frame a page. 404.html carries it itself, too:
// hosts that read no _headers serve it at any path.
func (a Allowed) Policy() string {
	and := func(own string, others []string) string {
		sorted := slices.Compact(slices.Sorted(slices.Values(others)))
		return strings.Join(append([]string{own}, sorted...), " ")
	}
	directives := []string{
		"default-src 'none'",
		and("script-src 'self' 'wasm-unsafe-eval'", a.Scripts),
		and("style-src 'self'", a.Styles),
		and("img-src 'self' data:", a.Images),
		"font-src 'self'",
		and("connect-src 'self'", a.Connect),
		and("frame-src 'self'", a.Frames), // a talk's slides have demos in frames
		"worker-src 'self' blob:",
		"manifest-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
	}
	if len(a.Scripts) == 0 && !a.OwnScripts { // nobody knows whether an author's keep to it
		directives = append(directives, TrustedTypes(frameScripts, WorkerScripts, slides)...)
	}
	return strings.Join(directives, "; ")
}

// unframed is the policy of what is for no frame. Workers from a blob are for demos in frames alone.
func unframed(policy string) string {
	return strings.Replace(policy, "; worker-src 'self' blob:; ", "; worker-src 'self'; ", 1) + "; frame-ancestors 'none'"
}

// Folders of the site that are not pages of a language.
const (
	Assets = "assets" // hashed names
	Embed  = "embed"  // pages that others may frame
	Demos  = "demos"  // what a demo's player loads
	Source = "source" // the code that it shows
	// Releases has a folder for each release that is kept (generator/build/releases), with pages for frames and all that they load.
	Releases = "releases"
)

// ReleasesIndex lists the releases that are kept. It is no file of their folder: releases stay as they are, and it does not.
const ReleasesIndex = "releases.json"

// EmbedScript is the module by which pages elsewhere show demos. Its address stays.
const EmbedScript = "embed.js"

// Speculation is the file by which pages tell a browser what it may fetch ahead: a
// header names it, since in the page it would be an inline script.
const Speculation = Assets + "/speculation.json"

var speculationPrefix = strings.TrimSuffix(Speculation, ".json") + "-"

const (
	immutable  = "public, max-age=31536000, immutable"
	revalidate = "public, max-age=0, must-revalidate"
)

// For makes the rules for a site of these files, whose addresses begin with prefix:
// "/book", or "", and whose pages have this policy (Allowed). Rules are for paths as the host sees them, from the top of the
// folder; what a header says to a browser is an address as readers see it.
func For(paths []string, prefix, policy string) Rules {
	rules := Rules{{"/*", []Header{
		{"Content-Security-Policy", policy},
		{"Strict-Transport-Security", "max-age=63072000"}, // of this host alone: others of the domain may not have https
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "strict-origin-when-cross-origin"},
		{"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
	}}}
	speculation := ""
	hasPages := map[string]bool{}
	for _, p := range paths {
		top, _, isFolder := strings.Cut(p, "/")
		hasPages[top] = hasPages[top] || path.Ext(p) == ".html" && isFolder && top != Embed && top != Releases
		if strings.HasPrefix(p, speculationPrefix) {
			speculation = p
		}
	}
	seen := map[string]bool{}
	for _, p := range slices.Sorted(slices.Values(paths)) {
		top, _, isFolder := strings.Cut(p, "/")
		if seen[top] || strings.HasPrefix(top, "_") { // Netlify's own files are not served
			continue
		}
		seen[top] = true
		lifetime := revalidate
		if isFolder && top == Assets {
			lifetime = immutable
		}
		set := []Header{{"Cache-Control", lifetime}}
		if !isFolder || top != Embed && top != Releases {
			set = append(set, Header{"Content-Security-Policy", unframed(policy)})
		}
		if isFolder && slices.Contains([]string{Assets, Embed, Demos, Source, Releases}, top) || p == EmbedScript || p == ReleasesIndex {
			set = append(set, Header{"Access-Control-Allow-Origin", "*"}, Header{"Cross-Origin-Resource-Policy", "cross-origin"})
		} else {
			set = append(set, Header{"Cross-Origin-Resource-Policy", "same-origin"})
		}
		if isFolder && (top == Embed || top == Assets || top == Releases) { // the worker as the page that starts it
			set = append(set, Header{"Cross-Origin-Embedder-Policy", "require-corp"})
		}
		if speculation != "" && (hasPages[top] || top == "index.html") {
			set = append(set, Header{"Speculation-Rules", `"` + prefix + "/" + speculation + `"`})
		}
		switch {
		case isFolder:
			rules = append(rules, Rule{"/" + top + "/*", set})
		case top == "index.html":
			rules = append(rules, Rule{"/", set}, Rule{"/index.html", set})
		default:
			rules = append(rules, Rule{"/" + top, set})
		}
	}
	if speculation != "" {
		rules = append(rules, Rule{"/" + speculation, []Header{{"Content-Type", "application/speculationrules+json"}}})
	}
	return rules
}

// Rules are what a _headers file holds.
type Rules []Rule

// Rule sets headers for the paths that match: exactly, or by what stands before
// a final "*".
type Rule struct {
	Path    string
	Headers []Header
}

// Header is a name and a value.
type Header struct{ Name, Value string }

// Matches tells whether the rule holds for a request's path. As at Netlify, "/en/*"
// holds for "/en" and "/en/" too.
func (r Rule) Matches(p string) bool {
	if prefix, ok := strings.CutSuffix(r.Path, "*"); ok {
		return strings.HasPrefix(p, prefix) || p+"/" == prefix
	}
	return p == r.Path
}

// Match returns the headers for a path: of a header that several rules set, the last one.
func (r Rules) Match(path string) http.Header {
	out := http.Header{}
	for _, rule := range r {
		if !rule.Matches(path) {
			continue
		}
		for _, h := range rule.Headers {
			out.Set(h.Name, h.Value)
		}
	}
	return out
}

// String writes the rules in Netlify's format.
func (r Rules) String() string {
	var b strings.Builder
	for _, rule := range r {
		fmt.Fprintf(&b, "%s\n", rule.Path)
		for _, h := range rule.Headers {
			fmt.Fprintf(&b, "  %s: %s\n", h.Name, h.Value)
		}
	}
	return b.String()
}

// Parse reads a _headers file.
func Parse(text string) (Rules, error) {
	var out Rules
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case strings.HasPrefix(line, "/"):
			out = append(out, Rule{Path: trimmed})
		default:
			name, value, ok := strings.Cut(trimmed, ":")
			if !ok || len(out) == 0 {
				return nil, fmt.Errorf("_headers:%d: %q is neither a path nor a header under one", i+1, trimmed)
			}
			last := &out[len(out)-1]
			last.Headers = append(last.Headers, Header{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	return out, nil
}

// Package redirects leads readers from addresses that are gone to those that
// replaced them: as _redirects, which Netlify, Cloudflare Pages and the
// development server answer with 301, and as a small page at the old address for
// hosts that only have files.
package redirects

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"kubewalk/generator/problem"
)

// File is where the rules are in the tree.
const File = "_redirects"

// Rule leads from a path of the site to another, or to an address elsewhere.
type Rule struct {
	From, To string
	// Wrong makes a problem about the rule that points at where it was written: at
	// From, or at To.
	Wrong func(atFrom bool, message, cure string) problem.Problem
}

// Site is what there is to lead to.
type Site interface {
	// Has tells whether there is a page or a file at a path ("/en/loop/x/").
	Has(path string) bool
	// Anchors are those of a page; ok is false when nobody knows.
	Anchors(path string) (anchors []string, ok bool)
	// Pages are the paths of all pages, for "did you mean".
	Pages() []string
}

// Check returns the rules in order of their paths, each once, without those that
// are wrong; the error is all that is wrong, with its place.
func Check(rules []Rule, site Site) ([]Rule, error) {
	var problems problem.List
	wrong := func(r Rule, atFrom bool, message, cure string) { problems.Add(r.Wrong(atFrom, message, cure)) }
	targets := map[string]string{} // by path without a slash at the end
	var good []Rule
	for _, r := range rules {
		cure := notAPath(r.From)
		_, twice := targets[slashless(r.From)]
		switch {
		case cure != "":
			wrong(r, true, fmt.Sprintf("redirect from %q is not a path of the site", r.From), cure)
		case site.Has(r.From) || site.Has(slashless(r.From)+"/"):
			wrong(r, true, fmt.Sprintf("redirect from %q would hide a page that is there", r.From), "remove it, or give that page another address")
		case twice:
			wrong(r, true, fmt.Sprintf("redirect from %q is given twice", r.From), "keep one of them")
		default:
			targets[slashless(r.From)] = r.To
			good = append(good, r)
		}
	}
	kept := good[:0]
	for _, r := range good {
		if message, cure := r.leads(targets, site); message != "" {
			wrong(r, false, message, cure)
		} else {
			kept = append(kept, r)
		}
	}
	slices.SortFunc(kept, func(a, b Rule) int { return strings.Compare(a.From, b.From) })
	return kept, problems.Err()
}

func slashless(path string) string { return strings.TrimSuffix(path, "/") }

// notAPath says what is wrong with an old address; "" when nothing is.
func notAPath(from string) string {
	inside, ok := strings.CutPrefix(from, "/")
	inside = slashless(inside)
	switch {
	case !ok:
		return fmt.Sprintf("begin it with a slash: %q", "/"+from)
	case inside == "":
		return "the site's front page cannot lead elsewhere"
	case strings.ContainsAny(from, "?#*: \t\\") || strings.HasPrefix(inside, "_") || path.Clean("/"+inside) != "/"+inside:
		return "write it as readers have it in their address bar, as in /en/old-name/"
	}
	return ""
}

// leads follows a rule. The message says what is wrong with where it ends.
func (r Rule) leads(targets map[string]string, site Site) (message, cure string) {
	if strings.HasPrefix(r.To, "https://") || strings.HasPrefix(r.To, "http://") {
		if address, err := url.Parse(r.To); err != nil || address.Host == "" {
			return fmt.Sprintf("redirect to %q is not to an address", r.To), "check its spelling"
		}
		return "", ""
	}
	to, anchor, hasAnchor := strings.Cut(r.To, "#")
	if !strings.HasPrefix(to, "/") {
		return fmt.Sprintf("redirect to %q is neither a path of the site nor an address", r.To), fmt.Sprintf("begin it with a slash: %q", "/"+r.To)
	}
	if next, ok := targets[slashless(to)]; ok {
		seen := map[string]bool{slashless(r.From): true}
		for at := to; ; at = next {
			if seen[slashless(at)] {
				return fmt.Sprintf("redirect to %q leads back to where it began", r.To), "end the circle with a page that is there"
			}
			seen[slashless(at)] = true
			if next, ok = targets[slashless(at)]; !ok {
				return fmt.Sprintf("redirect to %q leads to another redirect", r.To), fmt.Sprintf("lead directly to %q", at)
			}
			next, _, _ = strings.Cut(next, "#")
		}
	}
	if !site.Has(to) {
		if site.Has(to + "/") {
			return fmt.Sprintf("redirect to %q leads to a page that does not exist", r.To), fmt.Sprintf("end it with a slash: %q", to+"/")
		}
		return fmt.Sprintf("redirect to %q leads to a page that does not exist", r.To), problem.DidYouMean(to, site.Pages())
	}
	if anchors, ok := site.Anchors(to); hasAnchor && ok && !slices.Contains(anchors, anchor) {
		return fmt.Sprintf("anchor %q is not on the page %s", anchor, to), problem.DidYouMean(anchor, anchors)
	}
	return "", ""
}

// Page is where the rule's own page is in the tree.
func (r Rule) Page() string {
	inside := strings.TrimPrefix(r.From, "/")
	if strings.HasSuffix(inside, ".html") {
		return inside
	}
	return slashless(inside) + "/index.html"
}

// Format writes the rules as _redirects. Each is forced ("!"), so that it goes
// before the page at the same address.
//
// Hosts match the old paths, which begin at the top of the folder that they serve, as
// in _headers. Browsers follow the new ones, which are addresses as link makes them:
// where the site is at https://example.org/book, they begin with /book. That is right
// where something in front of the host takes /book off a request. There is no rule for
// /book/old besides: no request would match it, and in another site's file, /old
// would take that site's own page away.
func Format(rules []Rule, link func(path string) string) string {
	var b strings.Builder
	for _, r := range rules {
		to := r.To
		if strings.HasPrefix(to, "/") {
			to = link(to)
		}
		fmt.Fprintf(&b, "%s %s 301!\n", escaped(r.From), escapedAddress(to))
	}
	return b.String()
}

func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }

func escapedAddress(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.String()
	}
	return address
}

// Table are the targets by path, for a server.
type Table map[string]string

// Parse reads what Format wrote.
func Parse(text string) Table {
	out := Table{}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 3 {
			if from, err := url.PathUnescape(fields[0]); err == nil {
				out[slashless(from)] = fields[1]
			}
		}
	}
	return out
}

// Of is where a path leads; ok is false when it leads nowhere else.
func (t Table) Of(path string) (to string, ok bool) {
	to, ok = t[slashless(path)]
	return to, ok
}

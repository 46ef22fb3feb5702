// Package redirects leads readers from addresses that are gone to those that
// replaced them: as _redirects, which Netlify, Cloudflare Pages and the
// development server answer with 301, and as a small page at the old address for
// hosts that only have files.
//
// A rule from "/old/*" to "/new/*" is for a folder that was moved. It is one line of
// _redirects, since hosts take few lines (Cloudflare Pages: 2,000 exact ones and 100
// with a wildcard; it ignores the rest), and one small page for each page below /new/.
package redirects

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"kubewalk/generator/problem"
)

// File is where the rules are in the tree.
const File = "_redirects"

// Rule leads from a path of the site to another, or to an address elsewhere; or
// from all paths below a folder ("/old/*") to the same ones below another ("/new/*").
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
	// Below are the paths of all pages ("/en/loop/x/") and files ("/en/x.svg") in a
	// folder ("/en/"), sorted.
	Below(folder string) []string
}

// Check returns the rules in the order in which they hold, exact ones first and of
// wildcards the longest first, each once, without those that are wrong; the error is
// all that is wrong, with its place.
func Check(rules []Rule, site Site) ([]Rule, error) {
	var problems problem.List
	wrong := func(r Rule, atFrom bool, message, cure string) { problems.Add(r.Wrong(atFrom, message, cure)) }
	targets := Table{exact: map[string]string{}}
	var good []Rule
	for _, r := range rules {
		cure := notAPath(r.From)
		switch folder, wild := wildcard(r.From); {
		case cure != "":
			wrong(r, true, fmt.Sprintf("redirect from %q is not a path of the site", r.From), cure)
		case wild && len(site.Below(folder)) > 0:
			wrong(r, true, fmt.Sprintf("redirect from %q would hide %q, which is there", r.From, site.Below(folder)[0]),
				"write a rule for each page that is gone")
		case !wild && (site.Has(r.From) || site.Has(slashless(r.From)+"/")):
			wrong(r, true, fmt.Sprintf("redirect from %q would hide a page that is there", r.From), "remove it, or give that page another address")
		case targets.has(r.From):
			wrong(r, true, fmt.Sprintf("redirect from %q is given twice", r.From), "keep one of them")
		default:
			targets.add(r.From, r.To)
			good = append(good, r)
		}
	}
	kept := good[:0]
	for _, r := range good {
		leads := r.leads
		if _, wild := wildcard(r.From); wild {
			leads = r.leadsBelow
		}
		if message, cure := leads(targets, site); message != "" {
			wrong(r, false, message, cure)
		} else {
			kept = append(kept, r)
		}
	}
	slices.SortFunc(kept, func(a, b Rule) int {
		aFolder, aWild := wildcard(a.From)
		bFolder, bWild := wildcard(b.From)
		if aWild != bWild {
			if bWild {
				return -1
			}
			return 1
		}
		return cmp.Or(len(bFolder)-len(aFolder), strings.Compare(a.From, b.From))
	})
	return kept, problems.Err()
}

// wildcard is the folder that a path with a wildcard at its end is about, with its
// slash; "", false for other paths.
func wildcard(path string) (folder string, ok bool) {
	if folder, ok = strings.CutSuffix(path, "/*"); ok {
		return folder + "/", true
	}
	return "", false
}

// Exact are the rules for each path that has a page in its new place: wildcards
// stand for the pages that there are. What a rule before leads elsewhere is left out.
func Exact(rules []Rule, site Site) (out []Rule) {
	seen := map[string]bool{}
	for _, r := range rules {
		folder, wild := wildcard(r.From)
		if !wild {
			seen[slashless(r.From)] = true
			out = append(out, r)
			continue
		}
		to, _ := wildcard(r.To)
		for _, page := range site.Below(to) {
			from := folder + strings.TrimPrefix(page, to)
			if strings.HasSuffix(page, "/") && !seen[slashless(from)] {
				seen[slashless(from)] = true
				out = append(out, Rule{From: from, To: page, Wrong: r.Wrong})
			}
		}
	}
	return out
}

func slashless(path string) string { return strings.TrimSuffix(path, "/") }

// notAPath says what is wrong with an old address; "" when nothing is.
func notAPath(from string) string {
	inside, ok := strings.CutPrefix(from, "/")
	inside = slashless(strings.TrimSuffix("/"+inside, "/*"))
	inside = strings.TrimPrefix(inside, "/")
	switch {
	case !ok:
		return fmt.Sprintf("begin it with a slash: %q", "/"+from)
	case inside == "":
		return "the site's front page cannot lead elsewhere"
	case strings.Contains(inside, "*"):
		return "the wildcard stands alone at the end, as in /en/old/*"
	case strings.ContainsAny(from, "?#: \t\\") || strings.HasPrefix(inside, "_") || path.Clean("/"+inside) != "/"+inside:
		return "write it as readers have it in their address bar, as in /en/old-name/"
	}
	return ""
}

// leads follows a rule. The message says what is wrong with where it ends.
func (r Rule) leads(targets Table, site Site) (message, cure string) {
	if _, wild := wildcard(r.To); wild {
		return fmt.Sprintf("redirect to %q has a wildcard, and its old path has none", r.To), "write both with /* at the end, or neither"
	}
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
	if _, ok := targets.Of(to); ok {
		seen := map[string]bool{slashless(r.From): true}
		for at := to; ; {
			if seen[slashless(at)] {
				return fmt.Sprintf("redirect to %q leads back to where it began", r.To), "end the circle with a page that is there"
			}
			seen[slashless(at)] = true
			next, ok := targets.Of(at)
			if !ok || len(seen) > maxChain {
				return fmt.Sprintf("redirect to %q leads to another redirect", r.To), fmt.Sprintf("lead directly to %q", at)
			}
			at, _, _ = strings.Cut(next, "#")
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

// maxChain is after how many redirects nobody looks for the end: a wildcard whose
// paths grow each time has none.
const maxChain = 10

// leadsBelow is leads for a wildcard.
func (r Rule) leadsBelow(targets Table, site Site) (message, cure string) {
	to, wild := wildcard(r.To)
	switch {
	case !strings.HasPrefix(r.To, "/"):
		return fmt.Sprintf("redirect to %q is not to a folder of the site", r.To), "write a path with /* at the end, as in /en/new/*"
	case !wild:
		return fmt.Sprintf("redirect to %q lacks the wildcard that its old path has", r.To),
			fmt.Sprintf("write %q, or a rule for each page", slashless(r.To)+"/*")
	}
	if slices.ContainsFunc(site.Below(to), func(path string) bool { return strings.HasSuffix(path, "/") }) {
		return "", ""
	}
	if next, ok := targets.Of(to); ok {
		return fmt.Sprintf("redirect to %q leads to another redirect", r.To), fmt.Sprintf("lead directly to %q", next+"*")
	}
	var folders []string
	for _, page := range site.Pages() {
		folders = append(folders, path.Dir(slashless(page))+"/*")
	}
	slices.Sort(folders)
	return fmt.Sprintf("redirect to %q matches no page", r.To), problem.DidYouMean(r.To, slices.Compact(folders))
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
		from, to, star, splat := r.From, r.To, "", ""
		if folder, wild := wildcard(from); wild {
			from, star, splat = folder, "*", ":splat"
			to, _ = wildcard(to)
		}
		if strings.HasPrefix(to, "/") {
			to = link(to)
		}
		fmt.Fprintf(&b, "%s%s %s%s 301!\n", escaped(from), star, escapedAddress(to), splat)
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
type Table struct {
	exact map[string]string // by path without a slash at the end
	wild  []below
}

// below is a rule for all paths in a folder. Both end with a slash.
type below struct{ from, to string }

// Parse reads what Format wrote.
func Parse(text string) Table {
	t := Table{exact: map[string]string{}}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 3 {
			if from, err := url.PathUnescape(fields[0]); err == nil {
				t.add(from, strings.TrimSuffix(fields[1], ":splat"))
			}
		}
	}
	return t
}

// add adds a rule. A wildcard's target may end with its asterisk or without.
func (t *Table) add(from, to string) {
	if folder, wild := wildcard(from); wild {
		t.wild = append(t.wild, below{folder, strings.TrimSuffix(to, "*")})
	} else {
		t.exact[slashless(from)] = to
	}
}

func (t *Table) has(from string) bool {
	if folder, wild := wildcard(from); wild {
		return slices.ContainsFunc(t.wild, func(b below) bool { return b.from == folder })
	}
	_, ok := t.exact[slashless(from)]
	return ok
}

// Rules are the table's, exact ones first, each in the order of its old path; of wildcards the longest come first.
// The old paths are not escaped, the new ones are.
func (t Table) Rules() (out []Rule) {
	for _, from := range slices.Sorted(maps.Keys(t.exact)) {
		out = append(out, Rule{From: from, To: t.exact[from]})
	}
	for _, b := range t.wild {
		out = append(out, Rule{From: b.from + "*", To: b.to + "*"})
	}
	return out
}

// Of is where a path leads; ok is false when it leads nowhere else.
func (t Table) Of(path string) (to string, ok bool) {
	if to, ok = t.exact[slashless(path)]; ok {
		return to, ok
	}
	for _, b := range t.wild {
		if rest, ok := strings.CutPrefix(path, b.from); ok {
			// Two slashes at the beginning would be another host's address.
			return b.to + escaped(strings.TrimLeft(rest, "/")), true
		}
	}
	return "", false
}

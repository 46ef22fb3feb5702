// Package audit reads a finished site as a browser would, and finds what must
// not be there: inline scripts and styles, which the policy would block; links
// that lead nowhere; ids used twice; images without words. It looks at the
// output alone, so it holds whatever made it.
package audit

import (
	"fmt"
	"net/url"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"kubewalk/generator/build/output"
	"kubewalk/generator/problem"
)

// Check reads all pages of a site whose addresses begin with prefix. The
// problems' files are those of the site.
func Check(tree *output.Tree, prefix string, others Others) error {
	return new(Cache).Check(tree, prefix, others)
}

// Others is what is on a site by the will of its author.
type Others struct {
	Files   []string // that are copied as they are, and not read
	Folder  string   // of pages of another time, "releases": not read either; "" is none
	Scripts []string // origins of other sites from which pages may load scripts
}

func (o *Others) inFolder(name string) bool {
	return o.Folder != "" && strings.HasPrefix(name, o.Folder+"/")
}

// Cache keeps what was read of pages that stay the same from one site to the
// next: a page whose bytes are the very ones that were read is not read again. The
// zero value is ready to use, by one check after the other.
type Cache struct{ pages map[string]kept }

type kept struct {
	data  *byte
	facts *facts
}

// Check is like the function, but for pages that it knows.
func (c *Cache) Check(tree *output.Tree, prefix string, others Others) error {
	var names []string
	for _, name := range tree.Paths() {
		if path.Ext(name) == ".html" && !tree.Later(name) && !slices.Contains(others.Files, name) && !others.inFolder(name) {
			names = append(names, name)
		}
	}
	a := &auditor{tree: tree, prefix: prefix, scripts: others.Scripts, pages: make(map[string]*facts, len(names))}
	var pieces pieces
	read := make([]kept, len(names))
	atOnce(len(names), func(i int) {
		data := tree.Identity(names[i])
		if known, ok := c.pages[names[i]]; ok && data != nil && known.data == data {
			read[i] = known
			return
		}
		room := rooms.Get().(*[]byte)
		defer rooms.Put(room)
		page, _ := tree.GetInto(room, names[i])
		read[i] = kept{data, pieces.read(page)}
	})
	c.pages = make(map[string]kept, len(names))
	for i, name := range names {
		c.pages[name], a.pages[name] = read[i], read[i].facts
	}
	told := make([][]said, len(names))
	atOnce(len(names), func(i int) { told[i] = a.page(names[i], read[i].facts) })
	var problems problem.List
	for i, name := range names {
		for _, s := range told[i] {
			problems.Add(problem.Problem{File: "public/" + name, Message: s.message, Cure: s.cure})
		}
	}
	return problems.Err()
}

// rooms are for pages that have to be put together.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// atOnce does n things on all processors.
func atOnce(n int, do func(i int)) {
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	running.Wait()
}

// auditor looks at one site.
type auditor struct {
	tree    *output.Tree
	prefix  string
	scripts []string
	pages   map[string]*facts
	pieces  sync.Map // what is wrong with the addresses of a piece that many pages hold: *facts → []said
}

// page tells what is wrong with one.
func (a *auditor) page(name string, f *facts) []said {
	out := slices.Clone(f.said)
	if f.title == "" {
		out = append(out, said{"page has no title", ""})
	}
	if f.lang == "" {
		out = append(out, said{"page has no lang", ""})
	}
	seen := make(map[string]bool, len(f.ids))
	for part := range f.parts() {
		for _, id := range part.ids {
			if seen[id] {
				out = append(out, said{fmt.Sprintf("id %q is used twice", id), "ids are unique in a page"})
			}
			seen[id] = true
		}
		if part == f {
			out = append(out, a.addresses(name, f)...)
			continue
		}
		out = append(out, part.said...)
		if part.local {
			out = append(out, a.addresses(name, part)...)
			continue
		}
		known, ok := a.pieces.Load(part)
		if !ok {
			known, _ = a.pieces.LoadOrStore(part, a.addresses(name, part))
		}
		out = append(out, known.([]said)...)
	}
	return out
}

// addresses checks that something is where a part of a page leads.
func (a *auditor) addresses(name string, part *facts) (out []said) {
	for _, l := range part.leads {
		if s, wrong := a.address(name, l); wrong {
			out = append(out, s)
		}
	}
	return out
}

func (a *auditor) address(name string, l lead) (s said, wrong bool) {
	u := l.url
	switch {
	case u == nil:
		return said{fmt.Sprintf("address %q of %s cannot be read", l.value, l.element), ""}, true
	case u.Scheme != "" && u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto":
		return said{fmt.Sprintf("address %q of %s", l.value, l.element), "only https:, http: and mailto: leave the site"}, true
	case l.element == "script" && slices.Contains(a.scripts, u.Scheme+"://"+u.Host):
		return said{}, false
	case u.Scheme != "" && l.element != "a":
		return said{fmt.Sprintf("%s is loaded from elsewhere: %q", l.element, l.value), "a page loads from its own site alone"}, true
	case u.Scheme != "", strings.HasPrefix(u.Path, "/_dev/"): // the development server's own is at its root
		return said{}, false
	}
	target := name
	if u.Path != "" {
		rest, ok := strings.CutPrefix(u.Path, a.prefix+"/")
		if !ok {
			return said{fmt.Sprintf("address %q of %s does not begin with %q", l.value, l.element, a.prefix+"/"), ""}, true
		}
		if target = rest; target == "" || strings.HasSuffix(target, "/") {
			target += "index.html"
		}
		if !a.tree.Has(target) {
			return said{fmt.Sprintf("address %q of %s leads nowhere", l.value, l.element), ""}, true
		}
	}
	if page := a.pages[target]; u.Fragment != "" && page != nil && !page.has(u.Fragment) {
		return said{fmt.Sprintf("address %q of %s leads to no place in %s", l.value, l.element, target), ""}, true
	}
	return said{}, false
}

// parse reads an address; nil when it is none.
func parse(value string) *url.URL {
	u, err := url.Parse(value)
	if err != nil {
		return nil
	}
	return u
}

package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// Navigation is the list of a language's chapters beside the text. It is rendered
// once for all pages: each has it with its own place marked.
type Navigation struct {
	Parts []Part
	// List is the address of a file with what Rest returns; "" when there is none.
	List string

	site *Site
	html string
	once []byte           // the same, for files that share it
	here map[string]place // by a chapter's path
}

// first is the chapter that the book begins with, which is no post; nil where it has none.
func (n *Navigation) first() *Entry {
	for _, part := range n.Parts {
		if all := part.all(); len(all) > 0 && !part.Posts {
			return &all[0]
		}
	}
	return nil
}

// place is where in the list a chapter is: offsets. What lies from first to begin and
// from end to last is the same in all pages of the part; between is what stands for
// it, with link as an offset in it, or -1 if the page is in the part and not in its list.
type place struct {
	first, begin, end, last int

	part string
	link int
}

// manyChapters is from where on a reader cannot see the whole list at once: then
// a page has the chapters of its own part. The other parts are links to the home page,
// which a script makes into lists: one file has the chapters of all (Rest), and it is
// loaded when a reader opens the contents. Of more than mostParts a page names those nearest
// to its own, nearParts before and after, so that it does not grow with the book.
const (
	manyChapters = 40
	mostParts    = 40
	nearParts    = 12
)

// NewNavigation renders the list.
func NewNavigation(site *Site, parts []Part) *Navigation {
	n := &Navigation{Parts: parts, site: site, here: map[string]place{}}
	count := 0
	for _, part := range parts {
		count += len(part.all())
	}
	var out strings.Builder
	begins := make([]int, 0, len(parts)+1)
	for _, part := range parts {
		begin := out.Len()
		begins = append(begins, begin)
		if count > manyChapters {
			_, language, _ := strings.Cut(part.all()[0].Path, "/")
			language, _, _ = strings.Cut(language, "/")
			out.WriteString(text(partLink(site, language, part)))
		} else {
			out.WriteString(text(partList(site, part, true, "")))
		}
		for _, own := range append([]Part{part}, part.Parts...) {
			open := text(partList(site, part, count <= manyChapters, own.Name))
			at := 0
			for _, c := range own.Chapters {
				link := `href="` + templ.EscapeString(site.Link(c.Path)) + `"`
				i := strings.Index(open[at:], link)
				if i < 0 {
					panic("pages: navigation lacks " + c.Path)
				}
				at += i + len(link)
				n.here[c.Path] = place{0, begin, out.Len(), 0, open, at}
			}
			for _, path := range own.Within {
				n.here[path] = place{0, begin, out.Len(), 0, open, -1}
			}
		}
	}
	n.html = out.String()
	begins = append(begins, out.Len())
	for i, part := range parts {
		first, last := 0, out.Len()
		if count > manyChapters && len(parts) > mostParts {
			first, last = begins[max(0, i-nearParts)], begins[min(len(parts), i+nearParts+1)]
		}
		paths := slices.Clone(part.Within)
		for _, c := range part.all() {
			paths = append(paths, c.Path)
		}
		for _, path := range paths {
			place := n.here[path]
			place.first, place.last = first, last
			n.here[path] = place
		}
	}
	n.once = []byte(n.html)
	return n
}

// Rest are the chapters of all parts, for pages that have those of one: an object with
// an array for each part, by its name, of address and title, and the title's
// language when that is another; of a part within it, title and such an array. It is nil when all pages have all chapters.
func (n *Navigation) Rest() []byte {
	rest := map[string][][]any{}
	count := 0
	var list func(Part) [][]any
	list = func(part Part) (out [][]any) {
		for _, c := range part.Chapters {
			entry := []any{n.site.Link(c.Path), c.Title}
			if c.Language != "" {
				entry = append(entry, c.Language)
			}
			out = append(out, entry)
		}
		for _, within := range part.Parts {
			out = append(out, []any{within.Title, list(within)})
		}
		return out
	}
	for _, part := range n.Parts {
		count += len(part.all())
		rest[part.Name] = list(part)
	}
	if count <= manyChapters {
		return nil
	}
	data, err := json.Marshal(rest)
	if err != nil {
		panic("pages: navigation: " + err.Error()) // strings
	}
	return data
}

// rest tells a page's script where the other parts' chapters are.
func (n *Navigation) rest() templ.Attributes {
	if n.List == "" {
		return nil
	}
	return templ.Attributes{"data-list": n.List}
}

func text(c templ.Component) string {
	var out strings.Builder
	if err := c.Render(context.Background(), &out); err != nil {
		panic("pages: navigation: " + err.Error()) // a builder takes everything
	}
	return out.String()
}

// Is tells whether it is the list of these parts, on that site.
func (n *Navigation) Is(site *Site, parts []Part) bool {
	return n.site == site && reflect.DeepEqual(n.Parts, parts)
}

// On is the list with a chapter marked as the one that is being read.
func (n *Navigation) On(path string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		pieces := []string{n.html}
		if p, ok := n.here[path]; ok && p.link < 0 {
			pieces = []string{n.html[p.first:p.begin], p.part, n.html[p.end:p.last]}
		} else if ok {
			pieces = []string{n.html[p.first:p.begin], p.part[:p.link], ` aria-current="page"`, p.part[p.link:], n.html[p.end:p.last]}
		}
		for _, piece := range pieces {
			if _, err := io.WriteString(w, piece); err != nil {
				return err
			}
		}
		return nil
	})
}

// Lacks tells whether the list with a chapter marked has not all parts.
func (n *Navigation) Lacks(path string) bool {
	p, ok := n.here[path]
	return ok && p.last-p.first < len(n.html)
}

// Share cuts a page so that what it has of the list is not there once more: the page is
// the pieces, in order. They are copies of the page, or the list itself.
func (n *Navigation) Share(page []byte, path string) [][]byte {
	p, ok := n.here[path]
	if !ok || len(n.once) < 1000 {
		return [][]byte{bytes.Clone(page)}
	}
	var out [][]byte
	for _, shared := range [][]byte{n.once[p.first:p.begin], n.once[p.end:p.last]} {
		at := bytes.Index(page, shared)
		if at < 0 || len(shared) == 0 {
			continue
		}
		out = append(out, bytes.Clone(page[:at]), shared)
		page = page[at+len(shared):]
	}
	return append(out, bytes.Clone(page))
}

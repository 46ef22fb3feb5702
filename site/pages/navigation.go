package pages

import (
	"bytes"
	"context"
	"io"
	"reflect"
	"strings"

	"github.com/a-h/templ"
)

// Navigation is the list of a language's chapters beside the text. It is rendered
// once for all pages: each has it with its own place marked.
type Navigation struct {
	Parts []Part

	site *Site
	html string
	here map[string]place // by a chapter's path
}

// place is where in the list a chapter is marked: offsets.
type place struct{ part, link int }

// manyChapters is from where on a reader cannot see the whole list at once: then
// only the part that is being read is open.
const manyChapters = 40

// NewNavigation renders the list.
func NewNavigation(site *Site, parts []Part) *Navigation {
	n := &Navigation{Parts: parts, site: site, here: map[string]place{}}
	count := 0
	for _, part := range parts {
		count += len(part.Chapters)
	}
	var out bytes.Buffer
	if err := partsList(site, parts, count <= manyChapters).Render(context.Background(), &out); err != nil {
		panic("pages: navigation: " + err.Error()) // a buffer takes everything
	}
	n.html = out.String()
	at := 0
	find := func(text string) int {
		i := strings.Index(n.html[at:], text)
		if i < 0 {
			panic("pages: navigation lacks " + text)
		}
		at += i + len(text)
		return at
	}
	for _, part := range parts {
		details := find("<details")
		for _, c := range part.Chapters {
			n.here[c.Path] = place{details, find(`href="` + templ.EscapeString(site.Link(c.Path)) + `"`)}
		}
	}
	return n
}

// Is tells whether it is the list of these parts, on that site.
func (n *Navigation) Is(site *Site, parts []Part) bool {
	return n.site == site && reflect.DeepEqual(n.Parts, parts)
}

// On is the list with a chapter marked as the one that is being read.
func (n *Navigation) On(path string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		p, ok := n.here[path]
		if !ok {
			_, err := io.WriteString(w, n.html)
			return err
		}
		open := " open"
		if strings.HasPrefix(n.html[p.part:], open) {
			open = ""
		}
		for _, piece := range []string{n.html[:p.part], open, n.html[p.part:p.link], ` aria-current="page"`, n.html[p.link:]} {
			if _, err := io.WriteString(w, piece); err != nil {
				return err
			}
		}
		return nil
	})
}

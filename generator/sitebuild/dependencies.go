package sitebuild

import (
	"fmt"
	"hash/fnv"
	"slices"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/book/excerpt"
	"kubewalk/generator/render/block"
	"kubewalk/generator/render/markdown"
)

// text is a chapter's text, and all that it depends on besides its file.
type text struct {
	document *markdown.Document
	facing   uint64
	minutes  int
	html     string
	forms    bool
	sections []markdown.Section // as in Page
	seen     map[lookup]any
}

// lookup is something that a chapter asked the library for.
type lookup struct{ kind, name, language string }

// reader is the library as one chapter sees it: it notes what was looked up, and
// what was found. Values are compared by ==. What is only asked for in order to
// say "did you mean" needs no note: a text with problems is not kept.
type reader struct {
	*build
	seen map[lookup]any
}

// found looks something up, for a note and to compare it with one.
func (b *build) found(l lookup) any {
	switch l.kind {
	case "document":
		if p := b.byFile[l.name]; p != nil {
			return p.facing
		}
		return nil
	case "static":
		_, known := b.Static(l.name)
		return known
	case "image":
		picture, _ := b.Image(l.name)
		return picture
	case "demo":
		html, _ := b.Demo(l.name, l.language, markdown.Opening{})
		return html
	case "exercises", "claim":
		return b.demos[l.name]
	case "block":
		return b.Block(l.name)
	case "file":
		return b.file(l.name).digest
	case "showing":
		url, _ := b.Showing(l.name, l.language)
		return url
	}
	panic("sitebuild: nobody knows how to look up " + l.kind)
}

func (r *reader) note(l lookup) { r.seen[l] = r.found(l) }

func (r *reader) Document(file string) *markdown.Document {
	r.note(lookup{kind: "document", name: file})
	return r.build.Document(file)
}

func (r *reader) Static(name string) (string, bool) {
	r.note(lookup{kind: "static", name: name})
	return r.build.Static(name)
}

func (r *reader) Block(name string) *block.Block {
	r.note(lookup{kind: "block", name: name})
	return r.build.Block(name)
}

func (r *reader) Image(file string) (markdown.Picture, bool) {
	r.note(lookup{kind: "image", name: file})
	return r.build.Image(file)
}

func (r *reader) Demo(name, language string, opening markdown.Opening) (string, bool) {
	r.note(lookup{"demo", name, language})
	return r.build.Demo(name, language, opening)
}

func (r *reader) Exercises(demo string) ([]string, bool) {
	r.note(lookup{kind: "exercises", name: demo})
	return r.build.Exercises(demo)
}

func (r *reader) Exercise(demo, id, language string) string {
	r.note(lookup{kind: "exercises", name: demo})
	return r.build.Exercise(demo, id, language)
}

func (r *reader) Claim(c *claim.Claim) (claim.Value, bool, error) {
	r.note(lookup{kind: "claim", name: c.Demo})
	return r.build.Claim(c)
}

func (r *reader) Excerpt(x excerpt.Reference, doc bool) (*excerpt.Excerpt, error) {
	r.note(lookup{kind: "file", name: x.File})
	return r.build.Excerpt(x, doc)
}

func (r *reader) Showing(demo, language string) (string, bool) {
	r.note(lookup{"showing", demo, language})
	return r.build.Showing(demo, language)
}

// holds tells whether the text would come out the same.
func (t *text) holds(b *build) bool {
	for l, was := range t.seen {
		if b.found(l) != was {
			return false
		}
	}
	return true
}

// facing is a digest of what other chapters can see of one.
func facing(d *markdown.Document) uint64 {
	hash := fnv.New64a()
	anchors := d.Anchors()
	slices.Sort(anchors)
	fmt.Fprintf(hash, "%q %q %q %q", d.Chapter.Path(), d.Chapter.Title, d.Chapter.Description, anchors)
	return hash.Sum64()
}

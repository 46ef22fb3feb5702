package markdown

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"kubewalk/generator/book/content"
	"kubewalk/generator/problem"
)

// termScheme opens links to the glossary (content/glossary.yaml), which show
// what a term means (site/scripts/terms.ts):
//
//	[reconcile loops](term:reconcile-loop)    a term, in whatever form the sentence needs
//	[the glossary](term:)                     all of them
//
// Without script they lead to the term's entry.
const termScheme = "term:"

func (d *Document) term(link *ast.Link, id string) {
	glossary := d.library.Document(d.Chapter.Language + "/" + content.GlossaryName + ".md")
	if glossary == nil {
		d.wrong(link, fmt.Sprintf("term %q, and the book has no glossary", id), "add content/glossary.yaml; see `kubewalk help authoring`")
		return
	}
	address := d.library.Page(glossary.Chapter.Path())
	if id == "" {
		link.Destination = []byte(address)
		return
	}
	terms := glossary.glossaryTerms()
	if _, ok := terms[id]; !ok {
		ids := slices.Sorted(maps.Keys(terms))
		text := strings.ToLower(plain(link, d.Chapter.Source))
		if i := slices.IndexFunc(ids, func(known string) bool { return strings.ToLower(terms[known]) == text }); i >= 0 {
			d.wrong(link, fmt.Sprintf("unknown term %q", id), fmt.Sprintf("did you mean %q?", ids[i]))
			return
		}
		d.wrong(link, fmt.Sprintf("unknown term %q", id), problem.DidYouMean(id, ids))
		return
	}
	link.Destination = []byte(address + "#" + id)
	link.SetAttributeString("class", []byte("term"))
	link.SetAttributeString("data-term", []byte(id))
	if !slices.Contains(d.Terms, id) {
		d.Terms = append(d.Terms, id)
	}
}

// glossaryTerms are the names by id, when the document is a glossary.
func (d *Document) glossaryTerms() map[string]string {
	out := map[string]string{}
	for _, h := range d.Headings {
		if h.Level == 3 {
			out[h.ID] = h.Text
		}
	}
	return out
}

// Gist is what a heading of the document is about: its text, and the paragraph
// below it as HTML without links.
func (d *Document) Gist(anchor string) (title, text string) {
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		id, _ := h.AttributeString("id")
		if own, _ := id.([]byte); string(own) != anchor {
			continue
		}
		if p, ok := h.NextSibling().(*ast.Paragraph); ok {
			var out strings.Builder
			d.gist(&out, p)
			text = out.String()
		}
		return strings.TrimSpace(plain(h, d.Chapter.Source)), text
	}
	return "", ""
}

func (d *Document) gist(out *strings.Builder, n ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.CodeSpan:
			out.WriteString("<code>" + html.EscapeString(plain(child, d.Chapter.Source)) + "</code>")
		case *ast.Text, *ast.String, *ast.AutoLink:
			// plain looks at a node's children as well as at itself.
			out.WriteString(html.EscapeString(plain(child, d.Chapter.Source)))
		default:
			d.gist(out, child)
		}
	}
}

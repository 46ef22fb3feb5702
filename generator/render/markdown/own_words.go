package markdown

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"kubewalk/generator/dom"
)

// What stands in a block's HTML where the author's own text goes, when the rest is read: that is a tree of
// Markdown, which says of itself what is code, a heading or a demo.
const bodyHere, labelHere = "kubewalk:body", "kubewalk:label"

// inLine are the elements within a line of text; all others begin one.
var inLine = set(atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Dfn, atom.Em, atom.I,
	atom.Img, atom.Ins, atom.Kbd, atom.Mark, atom.Q, atom.Rb, atom.Ruby, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strong, atom.Sub,
	atom.Sup, atom.Time, atom.U, atom.Var, atom.Wbr)

// unread are elements whose text nobody sees, and the readings above words.
var unread = set(atom.Script, atom.Style, atom.Template, atom.Rp, atom.Rt)

var isHeading = set(atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)

func set(atoms ...atom.Atom) map[atom.Atom]bool {
	out := map[atom.Atom]bool{}
	for _, a := range atoms {
		out[a] = true
	}
	return out
}

// ownWords reads the HTML of a block of the book's own.
type ownWords struct {
	*sections
	block *ownBlock
	found map[string]bool // of the author's own text
	made  int             // the last section that the HTML begins
}

// ownBlock tells what a block of the book's own shows: what its HTML says, and what the author wrote where
// that stands. Where the HTML shows nothing of the latter, it is found all the same.
func (s *sections) ownBlock(n *ownBlock) {
	s.flush()
	w, around := ownWords{s, n, map[string]bool{}, -1}, s.into
	if n.made != nil && n.use.Language != "" { // else it was not rendered yet
		use := n.use
		if n.FirstChild() != nil && (n.label == nil || n.ChildCount() > 1) {
			use.Body = "<!--" + bodyHere + "-->"
		}
		if n.label != nil {
			use.Label = "<!--" + labelHere + "-->"
		}
		if drawn, err := n.made.Draw(use); err == nil { // else rendering said so
			w.html(string(drawn))
		}
	}
	w.author(labelHere)
	w.author(bodyHere)
	s.flush()
	if s.into == w.made { // a heading of the block ends with it
		s.into = around
	}
}

// author puts the author's own text in its place: the first, if there are several.
func (w *ownWords) author(what string) {
	if w.found[what] {
		return
	}
	w.found[what] = true
	switch {
	case what == labelHere && w.block.label != nil:
		w.inline(w.block.label)
	case what == bodyHere:
		w.flush()
		for child := w.block.FirstChild(); child != nil; child = child.NextSibling() {
			if l, ok := child.(*label); !ok || l != w.block.label {
				w.sections.block(child)
			}
		}
		w.flush()
	}
}

func (w *ownWords) html(text string) {
	nodes, err := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return
	}
	for _, n := range nodes {
		w.node(n)
	}
}

func (w *ownWords) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.line.WriteString(n.Data)
		return
	case html.CommentNode:
		if n.Data == bodyHere || n.Data == labelHere {
			w.author(n.Data)
		}
		return
	case html.ElementNode:
	default:
		return
	}
	inside := func() {
		for child := range n.ChildNodes() {
			w.node(child)
		}
	}
	switch {
	case unread[n.DataAtom] || dom.Has(n, "hidden") || dom.Attribute(n, "aria-hidden") == "true":
	case n.DataAtom == atom.Img:
		w.line.WriteString(dom.Attribute(n, "alt"))
	case n.DataAtom == atom.Code:
		before := w.line.Len()
		if inside(); w.line.Len() > before {
			w.out[w.into].Names = append(w.out[w.into].Names, string(w.line.Bytes()[before:]))
		}
	case inLine[n.DataAtom]:
		inside()
	case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		if len(bytes.TrimSpace(w.line.Bytes())) > 0 {
			w.line.WriteString(" · ")
		}
		inside()
	case n.DataAtom == atom.Pre:
		w.flush()
		var code strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				code.WriteString(d.Data)
			}
		}
		w.out[w.into].Code = append(w.out[w.into].Code, code.String())
	case isHeading[n.DataAtom] && dom.Attribute(n, "id") != "":
		w.flush()
		w.out = append(w.out, Section{Anchor: dom.Attribute(n, "id"), Level: int(n.Data[1] - '0')})
		w.into = len(w.out) - 1
		w.made = w.into
		inside()
		w.out[w.made].Title = oneSpaced(w.line.Bytes())
		w.flush()
	default:
		w.flush()
		inside()
		w.flush()
	}
}

package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Section is what stands between a heading and the next one, in words: what a
// search finds, and what is counted for the time that reading takes.
type Section struct {
	Anchor string // "" before the first heading, and Level and Title with it
	Level  int
	Title  string

	Text  string   // one line for each paragraph, item or row; a footnote's where it is first referred to
	Names []string // what is `code` in the text, where it stands as well
	Code  []string // blocks of code, which are not in Text
}

// Told says in words what is drawn: a demo (then id is ""), or an exercise of it.
type Told func(demo, id string) string

// worded is a node that says itself what its text is, where that isn't the text
// of its children: a formula, ruby without its readings.
type worded interface {
	ast.Node
	inWords(source []byte) string
}

// Sections returns the document's text by section, the first of which has no
// heading. The order is that of the page. Without told, demos and exercises say
// nothing.
func (d *Document) Sections(told Told) []Section {
	s := sections{document: d, told: told, out: []Section{{}}, notes: map[int]int{}}
	s.block(d.root)
	s.flush()
	for i := range s.out {
		s.out[i].Text = strings.Join(s.lines[i], "\n")
	}
	return s.out
}

// sections is a walk under way.
type sections struct {
	document *Document
	told     Told
	out      []Section
	lines    [][]string  // of out's texts
	notes    map[int]int // section that a footnote is of, by its number
	line     bytes.Buffer
	into     int // section that the line goes to
}

// flush ends a line.
func (s *sections) flush() {
	for len(s.lines) < len(s.out) {
		s.lines = append(s.lines, nil)
	}
	if text := oneSpaced(s.line.Bytes()); text != "" {
		s.lines[s.into] = append(s.lines[s.into], text)
	}
	s.line.Reset()
}

// oneSpaced is a line whose words are one space apart, as nearly all are already.
func oneSpaced(line []byte) string {
	line = bytes.TrimSpace(line)
	if !bytes.ContainsAny(line, "\t\n\r\v\f\u00a0\u3000") && !bytes.Contains(line, []byte("  ")) {
		return string(line)
	}
	return strings.Join(strings.Fields(string(line)), " ")
}

// say adds lines that stand alone.
func (s *sections) say(text string) {
	s.flush()
	for line := range strings.Lines(text) {
		s.line.WriteString(line)
		s.flush()
	}
}

func (s *sections) block(n ast.Node) {
	source := s.document.Chapter.Source
	switch n := n.(type) {
	case worded:
		s.say(n.inWords(source))
		return
	case *ast.Heading:
		s.flush()
		id, _ := n.AttributeString("id")
		anchor, _ := id.([]byte)
		s.out = append(s.out, Section{Anchor: string(anchor), Level: n.Level, Title: strings.TrimSpace(plain(n, source))})
		s.into = len(s.out) - 1
		s.names(n)
		s.flush()
		return
	case *demo:
		if s.told != nil {
			s.say(s.told(n.name, ""))
		}
		return
	case *exercise:
		if s.told != nil {
			s.say(s.told(n.Demo, n.ID))
		}
		return
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		s.out[s.into].Code = append(s.out[s.into].Code, codeOf(n, source))
		return
	case *ast.HTMLBlock:
		return // a comment
	case *ownBlock:
		s.ownBlock(n)
		return
	case *extast.Footnote:
		here := s.into
		s.flush()
		if of, ok := s.notes[n.Index]; ok {
			s.into = of
		}
		s.blocks(n)
		s.flush()
		s.into = here
		return
	case *extast.TableCell:
		if s.line.Len() > 0 {
			s.line.WriteString(" · ")
		}
		s.inline(n)
		return
	}
	// Text of their own have paragraphs and what is like them in a list, a
	// definition or a table; others hold blocks.
	if first := n.FirstChild(); first != nil && first.Type() == ast.TypeInline {
		s.flush()
		s.inline(n)
		s.flush()
		return
	}
	s.blocks(n)
}

func (s *sections) blocks(n ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		s.block(child)
	}
	if n.Kind() == extast.KindTableRow || n.Kind() == extast.KindTableHeader {
		s.flush()
	}
}

// inline writes a line's text, and remembers what it names and refers to.
func (s *sections) inline(n ast.Node) {
	s.line.WriteString(plain(n, s.document.Chapter.Source))
	s.names(n)
	each(n, func(link *extast.FootnoteLink) {
		if _, ok := s.notes[link.Index]; !ok {
			s.notes[link.Index] = s.into
		}
	})
}

func (s *sections) names(n ast.Node) {
	each(n, func(code *ast.CodeSpan) {
		s.out[s.into].Names = append(s.out[s.into].Names, plain(code, s.document.Chapter.Source))
	})
}

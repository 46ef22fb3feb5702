package markdown

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// containers are blocks between two fences of colons, as in Docusaurus and
// Starlight (remark-directive):
//
//	:::details[Why not a *list*?]{#why-not open}
//	Any Markdown.
//	:::
//
// What they hold is plain Markdown that reads well without them: steps and tabs
// are headings, cards are a list of links. A container within another has a
// shorter fence, or one as long, which then ends first.
func containers(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		// Before definition lists, which also begin with a colon.
		m.Parser().AddOptions(
			parser.WithBlockParsers(util.Prioritized(&containerParser{d}, 90)),
			// Before headings get their anchors.
			transform(50, func(root *ast.Document) {
				each(root, func(end *containerEnd) { end.Parent().RemoveChild(end.Parent(), end) })
				each(root, d.container)
			}),
		)
	})
}

// form is a container's name, and what it becomes.
type form struct {
	attributes []string // that may stand in its braces, beside #anchor
	label      bool     // it needs one
	noLabel    bool     // it has no place for one
	make       func(*Document, *container) ast.Node
}

// forms are all containers by name. Set when the program starts, since forms
// hold further containers.
var forms map[string]form

func init() {
	forms = map[string]form{
		"tabs":    {attributes: []string{"sync"}, noLabel: true, make: (*Document).tabs},
		"steps":   {noLabel: true, make: (*Document).steps},
		"details": {attributes: []string{"open"}, label: true, make: (*Document).details},
		"cards":   {noLabel: true, make: (*Document).cards},
		"figure":  {attributes: []string{"wide"}, label: true, make: (*Document).figure},
		"notes":   {noLabel: true, make: (*Document).notes},
	}
	for _, kind := range admonitionKinds {
		forms[kind] = form{attributes: []string{"open", "closed"}, make: (*Document).note}
	}
}

// container is one between its fences, until its form has made something of it.
type container struct {
	ast.BaseBlock
	name       string
	fence      int    // its length
	closed     bool   // the second fence was there
	broken     bool   // the first one could not be read, which was said
	label      *label // what stands in brackets, which is its first child then
	attributes []attribute
	anchor     string // of the attributes, when it was registered
}

// quarto is a container's name as Quarto and Pandoc write it: {.callout-note}.
var quarto = regexp.MustCompile(`^\{\s*\.([a-z-]+)`)

// label is the text in a container's brackets.
type label struct{ ast.BaseBlock }

// containerEnd stands for a second fence until all is parsed.
type containerEnd struct{ ast.BaseBlock }

var (
	kindContainer    = ast.NewNodeKind("Container")
	kindLabel        = ast.NewNodeKind("ContainerLabel")
	kindContainerEnd = ast.NewNodeKind("ContainerEnd")
)

func (*container) Kind() ast.NodeKind    { return kindContainer }
func (*label) Kind() ast.NodeKind        { return kindLabel }
func (*containerEnd) Kind() ast.NodeKind { return kindContainerEnd }

func (n *container) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"name": n.name}, nil)
}
func (n *label) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }
func (n *containerEnd) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, nil, nil)
}

// has tells whether a word without a value stands in the braces.
func (n *container) has(name string) bool {
	return slices.ContainsFunc(n.attributes, func(a attribute) bool { return a.name == name })
}

func (n *container) value(name string) string {
	for _, a := range n.attributes {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// container checks one and lets its form make something of it.
func (d *Document) container(n *container) {
	f, known := forms[n.name]
	switch {
	case n.broken:
		return
	case !known: // all books have them: it may be this one's
	case !n.closed:
		d.wrong(n, fmt.Sprintf("container %q is not closed", n.name), "end it with a line "+strings.Repeat(":", n.fence)+", indented as this one")
	case f.label && n.label == nil:
		d.wrong(n, fmt.Sprintf("container %q has no text in brackets", n.name), fmt.Sprintf("write it after the name: :::%s[Text]", n.name))
	case f.noLabel && n.label != nil:
		d.wrong(n.label, fmt.Sprintf("container %q has a text in brackets", n.name), "it shows none; remove it")
	}
	for i, a := range n.attributes {
		d.containerAttribute(n, f, a, slices.ContainsFunc(n.attributes[:i], func(b attribute) bool { return a.name == b.name }))
	}
	if !known {
		d.ownBlock(n)
		return
	}
	if f.label && n.label == nil {
		return // what was said stops the build; the text in it is still checked
	}
	if n.FirstChild() == nil || n.label != nil && n.ChildCount() == 1 {
		d.wrong(n, fmt.Sprintf("container %q is empty", n.name), "write its text between the fences")
		return
	}
	if made := f.make(d, n); made != nil {
		replace(n, made)
	}
}

func (d *Document) containerAttribute(n *container, f form, a attribute, again bool) {
	switch {
	case again:
		d.wrongAt(a.offset, fmt.Sprintf("attribute %q is given twice", a.name), "remove one")
	case a.name == "#":
		if slug(a.value) != a.value || a.value == "" {
			d.wrongAt(a.offset, fmt.Sprintf("anchor %q", a.value), "use lower-case letters, digits and hyphens")
		} else if d.anchors[a.value] {
			d.wrongAt(a.offset, fmt.Sprintf("anchor %q is used twice", a.value), "choose another")
		} else {
			d.anchors[a.value], n.anchor = true, a.value
		}
	case n.name != "" && !slices.Contains(f.attributes, a.name) && f.make != nil:
		d.wrongAt(a.offset, fmt.Sprintf("unknown attribute %q of container %q", a.name, n.name),
			attributeCure(n.name, a, append([]string{"#anchor"}, f.attributes...)))
	}
}

// containerParser finds the fences. It works while blocks are parsed, so that a
// fence in a block of code is none, and one in a list's item is the item's.
type containerParser struct{ document *Document }

func (*containerParser) Trigger() []byte { return []byte{':'} }

func (p *containerParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 {
		return nil, parser.NoChildren
	}
	length := 0
	for pos+length < len(line) && line[pos+length] == ':' {
		length++
	}
	if length < 3 {
		return nil, parser.NoChildren
	}
	offset := segment.Start - segment.Padding // of line[0] in the source
	rest := bytes.TrimRight(line[pos+length:], " \t\r\n")
	defer reader.AdvanceToEOL()
	if len(rest) == 0 {
		p.end(parent, offset+pos, length)
		return &containerEnd{}, parser.NoChildren
	}
	n := &container{fence: length}
	p.opening(n, rest, offset+pos+length)
	return n, parser.HasChildren
}

// end closes the innermost container in which a second fence stands.
func (p *containerParser) end(parent ast.Node, offset, length int) {
	n, inside := parent.(*container)
	switch {
	case !inside:
		p.document.wrongAt(offset, "fence "+strings.Repeat(":", length)+" ends no container",
			"one begins with its name, :::details[Why?]; both its fences are indented alike; for colons in the text write \\:::")
	case n.fence > length:
		p.document.wrongAt(offset, fmt.Sprintf("fence %s is shorter than the one that began container %q", strings.Repeat(":", length), n.name),
			"write "+strings.Repeat(":", n.fence))
		n.closed = true
	case n.fence < length:
		// The inner one was forgotten, and the next one out is meant.
		for outer := ast.Node(n); outer != nil; outer = outer.Parent() {
			if c, ok := outer.(*container); ok && c.fence >= length {
				c.closed = true
				return
			}
		}
		p.document.wrongAt(offset, fmt.Sprintf("fence %s is longer than the one that began container %q", strings.Repeat(":", length), n.name),
			"write "+strings.Repeat(":", n.fence))
		n.closed = true
	default:
		n.closed = true
	}
}

// opening reads what stands behind the first fence: name[label]{attributes}.
func (p *containerParser) opening(n *container, rest []byte, offset int) {
	wrong := func(at int, message string) {
		n.broken = true
		p.document.wrongAt(offset+at, message, "a container begins with :::name[Text]{attribute=value}; for colons in the text write \\:::")
	}
	i := len(rest) - len(bytes.TrimLeft(rest, " \t"))
	start := i
	for i < len(rest) && (rest[i] >= 'a' && rest[i] <= 'z' || rest[i] == '-') {
		i++
	}
	if n.name = string(rest[start:i]); n.name == "" {
		if name := quarto.FindSubmatch(rest[start:]); name != nil {
			p.document.wrongAt(offset+start, fmt.Sprintf("container %q in the form of Quarto or Pandoc", rest[start:]),
				containerCure(string(name[1]), slices.Collect(maps.Keys(forms))))
			n.broken = true
			return
		}
		wrong(start, fmt.Sprintf("container without a name before %q", rest[start:]))
		return
	}
	if i < len(rest) && rest[i] == '[' {
		end := closing(rest[i:], '[', ']')
		if end < 0 {
			wrong(i, fmt.Sprintf("text of container %q has no ]", n.name))
			return
		}
		if len(bytes.TrimSpace(rest[i+1:i+end])) > 0 {
			n.label = &label{}
			n.label.SetPos(offset + i)
			n.label.Lines().Append(text.NewSegment(offset+i+1, offset+i+end))
			n.AppendChild(n, n.label)
		}
		i += end + 1
	}
	i += len(rest[i:]) - len(bytes.TrimLeft(rest[i:], " \t"))
	if i < len(rest) && rest[i] == '{' {
		end := closing(rest[i:], '{', '}')
		if end < 0 {
			wrong(i, fmt.Sprintf("attributes of container %q have no }", n.name))
			return
		}
		n.attributes = readAttributes(rest[i+1:i+end], offset+i+1)
		i += end + 1
	}
	if i < len(rest) {
		f, known := forms[n.name]
		if title := strings.Trim(string(rest[i:]), `"`); known && !f.noLabel && n.label == nil && !strings.ContainsAny(title, "[]{}") {
			n.broken = true
			p.document.wrongAt(offset+i, fmt.Sprintf("title %q of container %q is not in brackets", title, n.name), fmt.Sprintf("write :::%s[%s]", n.name, title))
			return
		}
		wrong(i, fmt.Sprintf("%q after the name of container %q", rest[i:], n.name))
	}
}

func (*containerParser) Continue(node ast.Node, _ text.Reader, _ parser.Context) parser.State {
	if node.Kind() == kindContainerEnd || node.(*container).closed {
		return parser.Close
	}
	return parser.Continue | parser.HasChildren
}

func (*containerParser) Close(ast.Node, text.Reader, parser.Context) {}
func (*containerParser) CanInterruptParagraph() bool                 { return true }
func (*containerParser) CanAcceptIndentedLine() bool                 { return false }

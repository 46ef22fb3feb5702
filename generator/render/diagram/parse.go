package diagram

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/generator/problem"
)

// graph is a diagram's text, understood.
type graph struct {
	title  string
	down   bool // arrows lead down, rather than to the right
	boxes  []*box
	arrows []*arrow
}

type box struct {
	id       int
	key      string
	label    string
	shape    string
	class    string
	parent   *box // nil at the top
	children []*box
	offset   int  // where it is first named
	declared bool // in a line of its own
}

type arrow struct {
	from, to   *box
	back, head bool // has a point at from, at to
	label      string
	class      string
}

var (
	shapes     = []string{"rectangle", "oval", "cylinder", "queue", "diamond", "hexagon", "page", "person"}
	classNames = []string{"accent", "muted", "good", "warn", "bad", "dashed"}
	notHere    = []string{"style", "color", "fill", "stroke", "width", "height", "icon", "near", "link", "tooltip"} // of D2, and more that might be tried
	operators  = []string{"<->", "->", "<-", "--"}
)

type parser struct {
	text     string
	at       int
	g        *graph
	problems []Problem
}

func parse(text string) (*graph, []Problem) {
	p := &parser{text: text, g: &graph{down: true}}
	p.statements(nil)
	p.check()
	return p.g, p.problems
}

func (p *parser) wrong(offset int, message, cure string) {
	p.problems = append(p.problems, Problem{offset, message, cure})
}

// statements reads up to the brace that closes a box, or to the end.
func (p *parser) statements(in *box) {
	for {
		p.skip(" \t\r\n;")
		switch {
		case p.at >= len(p.text):
			if in != nil {
				p.wrong(in.offset, fmt.Sprintf("box %q is not closed", in.key), "end it with }")
			}
			return
		case p.text[p.at] == '#':
			p.comment()
		case p.text[p.at] == '}':
			if in != nil {
				p.at++
				return
			}
			p.wrong(p.at, "} that closes nothing", "remove it, or open a box with {")
			p.at++
		default:
			p.statement(in)
		}
	}
}

// statement is a box, a chain of arrows, or one of the diagram's own keys.
func (p *parser) statement(in *box) {
	start := p.at
	path, offset := p.path()
	if len(path) == 0 {
		p.wrong(start, fmt.Sprintf("%q where a name is expected", p.rest()), `write a box, "name: label", or an arrow, "a -> b: label"`)
		p.line()
		return
	}
	operator := p.operator()
	if operator == "" {
		p.boxStatement(in, path, offset)
		return
	}
	last := p.find(in, path, offset, false)
	var chain []*arrow
	for operator != "" {
		p.skip(" \t")
		path, offset = p.path()
		if len(path) == 0 {
			p.wrong(p.at, "arrow to nowhere", "name a box after "+operator)
			p.line()
			return
		}
		next := p.find(in, path, offset, false)
		a := &arrow{from: last, to: next, back: operator == "<-" || operator == "<->", head: operator == "->" || operator == "<->"}
		chain, last = append(chain, a), next
		operator = p.operator()
	}
	label, attributes := p.tail(nil)
	for _, a := range chain {
		a.label = label
		for _, attribute := range attributes {
			if attribute.key == "class" {
				a.class = p.oneOf("class", attribute, classNames)
			} else {
				p.wrong(attribute.offset, fmt.Sprintf("unknown key %q of an arrow", attribute.key), problem.DidYouMean(attribute.key, []string{"class"}))
			}
		}
	}
	p.g.arrows = append(p.g.arrows, chain...)
}

func (p *parser) boxStatement(in *box, path []string, offset int) {
	if in == nil && len(path) == 1 && (path[0] == "title" || path[0] == "direction") {
		value, _ := p.tail(nil)
		switch {
		case path[0] == "title":
			p.g.title = strings.ReplaceAll(value, "\n", " ")
		case value == "right" || value == "down":
			p.g.down = value == "down"
		default:
			p.wrong(offset, fmt.Sprintf("direction %q", value), "write right or down")
		}
		return
	}
	b := p.find(in, path, offset, true)
	label, attributes := p.tail(b)
	if label != "" {
		b.label = label
	}
	for _, a := range attributes {
		switch a.key {
		case "label":
			b.label = a.value
		case "shape":
			b.shape = p.oneOf("shape", a, shapes)
		case "class":
			b.class = p.oneOf("class", a, classNames)
		}
	}
}

type attribute struct {
	key, value string
	offset     int
}

func (p *parser) oneOf(what string, a attribute, known []string) string {
	if !slices.Contains(known, a.value) {
		p.wrong(a.offset, fmt.Sprintf("unknown %s %q", what, a.value), problem.DidYouMean(a.value, known))
	}
	return a.value
}

// tail reads ": label {…}". In the braces of a box are its keys and what it holds;
// in those of an arrow, keys.
func (p *parser) tail(of *box) (label string, attributes []attribute) {
	p.skip(" \t")
	if p.next(":") {
		p.skip(" \t")
		label = p.value("{};\n#")
		p.skip(" \t")
	}
	if !p.next("{") {
		if p.at < len(p.text) && !strings.ContainsRune(";\n#}\r", rune(p.text[p.at])) {
			p.wrong(p.at, fmt.Sprintf("%q after the end of a statement", p.rest()), "put text with special characters in quotes")
			p.line()
		}
		return label, nil
	}
	for {
		p.skip(" \t\r\n;")
		start := p.at
		if p.at >= len(p.text) {
			p.wrong(max(0, start-1), "{ is not closed", "end it with }")
			return label, attributes
		}
		if p.next("}") {
			return label, attributes
		}
		if p.text[p.at] == '#' {
			p.comment()
			continue
		}
		path, offset := p.path()
		if key := strings.Join(path, "."); of == nil || key == "shape" || key == "class" || key == "label" {
			p.skip(" \t")
			if key == "" || !p.next(":") {
				p.wrong(offset, fmt.Sprintf("%q where a key is expected", p.rest()), `write "class: accent"`)
				p.line()
				continue
			}
			p.skip(" \t")
			attributes = append(attributes, attribute{key, p.value("};\n#"), offset})
			continue
		} else if len(path) > 0 && slices.Contains(notHere, path[0]) {
			p.wrong(offset, fmt.Sprintf("unknown key %q of a box", key), "a box has a label, a shape and a class: "+strings.Join(classNames, ", "))
			p.skip(" \t")
			if p.next(":") {
				p.skip(" \t")
				p.value("};\n#")
			}
			continue
		}
		p.at = start
		p.statement(of)
	}
}

// find returns the box of a path: in this box, or in one around it; else it makes it here.
func (p *parser) find(in *box, path []string, offset int, declare bool) *box {
	for scope := in; ; scope = scope.parent {
		if b := lookup(p.childrenOf(scope), path); b != nil && (!declare || scope == in) {
			b.declared = b.declared || declare
			return b
		}
		if scope == nil {
			break
		}
	}
	b := in
	for i, key := range path {
		next := lookup(p.childrenOf(b), []string{key})
		if next == nil {
			next = &box{id: len(p.g.boxes), key: key, label: key, shape: "rectangle", parent: b, offset: offset}
			p.g.boxes = append(p.g.boxes, next)
			if b != nil {
				b.children = append(b.children, next)
			}
		}
		if b = next; i == len(path)-1 {
			b.declared = b.declared || declare
		}
	}
	return b
}

func (p *parser) childrenOf(b *box) (out []*box) {
	if b != nil {
		return b.children
	}
	for _, c := range p.g.boxes {
		if c.parent == nil {
			out = append(out, c)
		}
	}
	return out
}

func lookup(boxes []*box, path []string) *box {
	for _, b := range boxes {
		if b.key == path[0] {
			if len(path) == 1 {
				return b
			}
			return lookup(b.children, path[1:])
		}
	}
	return nil
}

// check finds what is wrong with the whole.
func (p *parser) check() {
	if p.g.title == "" {
		p.wrong(0, "diagram is not described", `begin it with "title: …", what it shows in words`)
	}
	if len(p.g.boxes) == 0 && len(p.problems) == 0 {
		p.wrong(0, "diagram is empty", `write boxes, "name: label", and arrows, "a -> b: label"`)
	}
	if len(p.g.boxes) > maxBoxes || len(p.g.arrows) > maxArrows {
		p.wrong(0, fmt.Sprintf("diagram of %d boxes and %d arrows", len(p.g.boxes), len(p.g.arrows)),
			fmt.Sprintf("the limit is %d and %d; show a part, or several diagrams", maxBoxes, maxArrows))
	}
	// An arrow may make a box, but not one that is a box misspelt.
	var keys []string
	paths := map[string]string{}
	for _, b := range p.g.boxes {
		if b.declared && paths[b.key] == "" {
			keys, paths[b.key] = append(keys, b.key), b.path()
		}
	}
	for _, b := range p.g.boxes {
		if b.declared || len(b.children) > 0 || len([]rune(b.key)) < 3 {
			continue // a, b and c are alike, and meant
		}
		if near := problem.Nearest(b.key, keys); near != "" {
			p.wrong(b.offset, fmt.Sprintf("unknown box %q", b.path()), fmt.Sprintf("did you mean %q? If not, give it a line of its own", paths[near]))
		}
	}
	for _, a := range p.g.arrows {
		if a.from.holds(a.to) || a.to.holds(a.from) {
			p.wrong(a.from.offset, fmt.Sprintf("arrow between %q and a box inside it", a.from.key), "start it at another box inside")
		}
	}
}

// path is the box's name from outside: "plane.api".
func (b *box) path() string {
	if b.parent == nil {
		return b.key
	}
	return b.parent.path() + "." + b.key
}

// holds tells whether a box is around another.
func (b *box) holds(other *box) bool {
	for c := other.parent; c != nil; c = c.parent {
		if c == b {
			return true
		}
	}
	return false
}

// Package standalone makes a picture of a scene (playground/demo/scene/svg.go) a file of its own: an image sees
// nothing of a page's style sheets.
//
// A book has more than a thousand of them, so they are small. What the style sheet says of an element is worked out
// here, and the file has a class for each look, of one letter, in place of selectors. Elements that look the same stand
// together in one group; shapes of a layer do not overlap, so their order means nothing. Positions are from the picture's
// corner, rectangles of one size are one that is used, and lines of one look are one path. Ids, what shapes are about and
// names for screen readers are left out: pages show pictures beside their captions, with an empty alternative text.
package standalone

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"kubewalk/generator/dom"
)

// Picture is a file, and the size at which it is drawn, in units.
type Picture struct {
	Width, Height int
	SVG           []byte
}

// Picture makes a picture, as scene.SVG prints it, a file of its own.
func (s *Sheet) Picture(svg string) (*Picture, error) { return s.Pictures([]Part{{SVG: svg}}) }

// Part is one of several pictures in a file. Its ID is what an address that shows it ends in, behind a #.
type Part struct{ ID, SVG string }

// Pictures makes pictures of one size one file, which shows one of them: the one that the address names, or the first.
func (s *Sheet) Pictures(parts []Part) (*Picture, error) {
	out := &Picture{}
	p := &printer{sheet: s, sizes: map[string]int{}, ids: map[string]string{}, named: map[*look]string{}, classes: map[string]string{}, pool: map[value]string{}}
	roots := make([]*html.Node, len(parts))
	for i, part := range parts {
		_, root, err := dom.SVG(part.SVG)
		if err != nil {
			return nil, err
		}
		var width, height int
		if _, err := fmt.Sscanf(dom.Attribute(root, "viewBox"), "0 0 %d %d", &width, &height); err != nil {
			return nil, fmt.Errorf("picture without a size: %.80q", part.SVG)
		}
		if roots[i] = root; i == 0 {
			out.Width, out.Height = width, height
		}
		if width != out.Width || height != out.Height || dom.Attribute(root, "class") != dom.Attribute(roots[0], "class") {
			return nil, fmt.Errorf("picture %s (%d×%d) does not fit into a file with %s (%d×%d)", part.ID, width, height, parts[0].ID, out.Width, out.Height)
		}
		for layer := range root.ChildNodes() {
			p.count(layer)
		}
	}
	pieces := make([][]string, len(parts))
	times := map[string]int{}
	for i, root := range roots {
		pieces[i] = p.picture(root)
		for _, piece := range pieces[i] {
			times[piece]++
		}
	}
	var body strings.Builder
	for i := range parts {
		if len(parts) > 1 {
			body.WriteString(begin + parts[i].ID + `">`)
		}
		for _, piece := range pieces[i] {
			if times[piece] > 1 && len(piece) > common {
				piece = "<use" + attribute("href", "#"+p.used("g", ">"+piece+"</g>")) + "/>"
			}
			body.WriteString(piece)
		}
		if len(parts) > 1 {
			body.WriteString("</g>")
		}
	}
	var file strings.Builder
	fmt.Fprintf(&file, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d">`, out.Width, out.Height)
	file.WriteString("<style>" + p.style(s.look(dom.Attribute(roots[0], "class"), roots[0])))
	if len(parts) > 1 {
		file.WriteString("svg>g:not(:target){display:none}svg:not(:has(:target))>g:first-of-type{display:inline}")
	}
	file.WriteString("</style>")
	if len(p.defs) > 0 {
		file.WriteString("<defs>" + strings.Join(p.defs, "") + "</defs>")
	}
	file.WriteString(body.String() + "</svg>")
	out.SVG = []byte(file.String())
	return out, nil
}

// begin is how a part of a file begins, and nothing else in it.
const begin = "\n<g id=\""

// Only is a file of several pictures with one of them alone, for who cannot name it in an address; any other file as it is.
func Only(file []byte, id string) []byte {
	head, rest, several := bytes.Cut(file, []byte(begin))
	for part := range bytes.SplitSeq(rest, []byte(begin)) {
		if own, ok := bytes.CutPrefix(part, []byte(id+`">`)); ok && several {
			return slices.Concat(head, []byte(begin+id+`">`), bytes.TrimSuffix(own, []byte("</svg>")), []byte("</svg>"))
		}
	}
	return file
}

// common is how long a piece is that several pictures have and one definition serves, in bytes.
const common = 60

// picture is one picture in pieces.
func (p *printer) picture(root *html.Node) (pieces []string) {
	for layer := range root.ChildNodes() {
		if layer.Type != html.ElementNode {
			continue
		}
		// The picture's own classes count too: in a narrow one the same shape may look different.
		class := dom.Attribute(layer, "class")
		key := dom.Attribute(root, "class") + "\x00" + class
		content := p.layer(layer, key, slices.Contains(strings.Fields(class), packets))
		if look := p.sheet.look(key, layer); len(look.shown) > 0 && len(content) > 0 {
			content = []string{p.group(look, strings.Join(content, ""))}
		}
		pieces = append(pieces, content...)
	}
	return pieces
}

// printer prints the pictures of one file.
type printer struct {
	sheet   *Sheet
	sizes   map[string]int    // how many rectangles there are of a size
	ids     map[string]string // of what is defined once
	defs    []string          // those
	named   map[*look]string  // classes of looks
	classes map[string]string // the same, by declarations: looks may be equal
	rules   []classRule
	pool    map[value]string // custom properties, by their value
	pooled  []value
}

// usedFrom is of how many rectangles of a size each is a use of one.
const usedFrom = 4

func (p *printer) count(layer *html.Node) {
	for n := range layer.Descendants() {
		if n.Data == "rect" {
			p.sizes[size(n)]++
		}
	}
}

// size is what rectangles may have in common, as attributes.
func size(rect *html.Node) (out string) {
	for _, key := range []string{"width", "height", "rx"} {
		if value := dom.Attribute(rect, key); value != "" {
			out += attribute(key, value)
		}
	}
	return out
}

func attribute(key, value string) string { return " " + key + `="` + escapeAlso.Replace(value) + `"` }

// element is a part of a picture before it has its class.
type element struct {
	look *look
	tag  string // "rect x=… y=…", without brackets
	text string // escaped; "" for all but <text>
	line string // the path of a line that may be joined with others; tag is "path" then
}

// packets is the class of the layer in which things may overlap: their order stays.
const packets = "kw-z4"

// layer prints what is in a layer, in its order where that is asked for. What the key names is seen by selectors of all
// that is in it.
func (p *printer) layer(layer *html.Node, key string, ordered bool) (pieces []string) {
	var loose []element
	flush := func() {
		pieces = append(pieces, p.runs(loose, ordered)...)
		loose = nil
	}
	for n := range layer.ChildNodes() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data != "g":
			loose = append(loose, p.element(n, key, 0, 0))
		default:
			inside, groupLook, keep := p.shape(n, key)
			if !keep && len(groupLook.shown) == 0 {
				loose = append(loose, inside...)
				continue
			}
			if ordered {
				flush()
			}
			pieces = append(pieces, p.group(groupLook, strings.Join(p.runs(inside, true), "")))
		}
	}
	flush()
	return pieces
}

// shape are the elements of a shape; keep tells that they overlap.
func (p *printer) shape(g *html.Node, key string) (out []element, own *look, keep bool) {
	classes := dom.Attribute(g, "class")
	key += "\x00" + classes
	if id := dom.Attribute(g, "data-id"); p.sheet.isNamed(id) {
		key += "\x00#" + id
	}
	for n := range g.ChildNodes() {
		if n.Data == "text" {
			key += "\x00text"
			break
		}
	}
	var x, y float64
	if transform := dom.Attribute(g, "transform"); transform != "" {
		if _, err := fmt.Sscanf(transform, "translate(%g %g)", &x, &y); err != nil {
			panic("standalone: transform " + transform) // scene prints no other
		}
	}
	for n := range g.ChildNodes() {
		if n.Type == html.ElementNode {
			out = append(out, p.element(n, key, x, y))
		}
	}
	return out, p.sheet.look(key, g), dom.HasClass(g, "kw-cells")
}

// element is one whose position is counted from a point.
func (p *printer) element(n *html.Node, key string, x, y float64) element {
	key += "\x00<" + n.Data
	for _, a := range n.Attr {
		if a.Key == "class" || a.Key == "text-anchor" || strings.HasPrefix(a.Key, "stroke-") {
			key += attribute(a.Key, a.Val)
		}
	}
	e := element{look: p.sheet.look(key, n), tag: n.Data}
	at := func(key string, by float64) string {
		own, _ := strconv.ParseFloat(dom.Attribute(n, key), 64) // 0 when there is none
		return number(own + by)
	}
	switch n.Data {
	case "rect":
		place := ""
		if at := at("x", x); at != "0" {
			place += attribute("x", at)
		}
		if at := at("y", y); at != "0" {
			place += attribute("y", at)
		}
		if p.sizes[size(n)] >= usedFrom {
			e.tag = "use" + attribute("href", "#"+p.used("rect", size(n)+"/>")) + place
		} else {
			e.tag += place + size(n)
		}
	case "circle":
		e.tag += attribute("cx", at("cx", x)) + attribute("cy", at("cy", y)) + attribute("r", dom.Attribute(n, "r"))
	case "text":
		e.tag += attribute("x", at("x", x)) + attribute("y", at("y", y))
		e.text = escape.Replace(text(n))
	default:
		d := polyline(dom.Attribute(n, "d"))
		if x == 0 && y == 0 {
			e.line = d
		} else {
			e.tag += attribute("transform", "translate("+number(x)+" "+number(y)+")") + attribute("d", d)
		}
	}
	return e
}

var (
	escape     = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	escapeAlso = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
)

func text(n *html.Node) (out string) {
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			out += c.Data
		}
	}
	return out
}

// number writes tenths at most.
func number(n float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0")
}

// polyline writes "M 1 2 L 3 2 L 3 4" as "M1 2H3V4".
func polyline(d string) string {
	fields := strings.Fields(d)
	var out strings.Builder
	for i := 0; i+2 < len(fields); i += 3 {
		command, x, y := fields[i], fields[i+1], fields[i+2]
		switch {
		case i > 0 && command == "L" && y == fields[i-1]:
			out.WriteString("H" + x)
		case i > 0 && command == "L" && x == fields[i-2]:
			out.WriteString("V" + y)
		case command == "M" || command == "L":
			out.WriteString(command + x + " " + y)
		default:
			return d
		}
	}
	if len(fields)%3 != 0 || len(fields) == 0 {
		return d
	}
	return out.String()
}

// used is the id of an element that is defined once: a rectangle of a size, or what several pictures have. rest is all behind its tag.
func (p *printer) used(tag, rest string) string {
	id, ok := p.ids[tag+rest]
	if !ok {
		id = "_" + letters(len(p.ids)) // no part is called so
		p.ids[tag+rest] = id
		p.defs = append(p.defs, "<"+tag+attribute("id", id)+rest)
	}
	return id
}

// letters is a name for a number: a … z, aa, ab …
func letters(n int) string {
	if n < 26 {
		return string(rune('a' + n))
	}
	return letters(n/26-1) + string(rune('a'+n%26))
}

// runs prints elements, those of one look together. Where order counts, only neighbours are; elsewhere texts come last.
func (p *printer) runs(elements []element, ordered bool) []string {
	var runs [][]element
	last := map[string]int{} // by class
	for _, texts := range []bool{false, true} {
		for _, e := range elements {
			if !ordered && (e.text != "") != texts || ordered && texts {
				continue
			}
			class := p.class(e.look)
			at, ok := last[class]
			if !ok || ordered && at != len(runs)-1 {
				at = len(runs)
				last[class] = at
				runs = append(runs, nil)
			}
			runs[at] = append(runs[at], e)
		}
	}
	out := make([]string, len(runs))
	for i, run := range runs {
		out[i] = p.run(run)
	}
	return out
}

// run prints elements of one look.
func (p *printer) run(run []element) string {
	look, lines := run[0].look, ""
	var rest []element
	for _, e := range run {
		lines += e.line
		if e.line == "" {
			rest = append(rest, e)
		}
	}
	if lines != "" {
		rest = append(rest, element{look: look, tag: "path" + attribute("d", lines)})
	}
	each := len(rest) == 1 || look.each
	content := ""
	for _, e := range rest {
		tag := e.tag
		if class := p.class(look); each && class != "" {
			name, attributes, _ := strings.Cut(tag, " ")
			tag = name + attribute("class", class) + " " + attributes
		}
		if e.text != "" {
			content += "<" + tag + ">" + e.text + "</text>"
		} else {
			content += "<" + tag + "/>"
		}
	}
	if each {
		return content
	}
	return p.group(look, content)
}

func (p *printer) group(look *look, content string) string {
	class := p.class(look)
	if class == "" {
		return content
	}
	return "<g" + attribute("class", class) + ">" + content + "</g>"
}

// class is the name of a look; "" for one that needs none.
func (p *printer) class(l *look) string {
	class, ok := p.named[l]
	if ok || len(l.shown) == 0 {
		return class
	}
	declared := p.declarations(l)
	if class, ok = p.classes[declared]; !ok {
		class = letters(len(p.classes))
		p.classes[declared] = class
		p.rules = append(p.rules, classRule{class, strings.Split(declared, ";")})
	}
	p.named[l] = class
	return class
}

func (p *printer) declarations(l *look) string {
	out := make([]string, len(l.shown))
	for i, s := range l.shown {
		out[i] = s.property + ":" + p.text(s.value)
	}
	return strings.Join(out, ";")
}

// long is from which length on a value has a name.
const long = 13

// text is a value as a rule says it: a custom property when it is long, or not one in all media.
func (p *printer) text(v value) string {
	if text, ok := v.same(); ok && len(text) < long {
		return text
	}
	name, ok := p.pool[v]
	if !ok {
		name = letters(len(p.pool))
		p.pool[v] = name
		p.pooled = append(p.pooled, v)
	}
	return "var(--" + name + ")"
}

// style is the file's style sheet, when all has its class.
func (p *printer) style(root *look) string {
	own := "color-scheme:" + p.sheet.variables[""]["color-scheme"]
	if declared := p.declarations(root); declared != "" {
		own += ";" + declared
	}
	var out strings.Builder
	for i, medium := range p.sheet.media {
		var set []string
		for _, v := range p.pooled {
			if in := v.in(); i == 0 || in[i] != in[0] {
				set = append(set, "--"+p.pool[v]+":"+in[i])
			}
		}
		switch {
		case i == 0:
			out.WriteString("svg{" + strings.Join(append([]string{own}, set...), ";") + "}" + sheetOf(p.rules))
		case len(set) > 0:
			out.WriteString("@media " + medium + "{svg{" + strings.Join(set, ";") + "}}")
		}
	}
	return escape.Replace(out.String())
}

// classRule is a class with what it declares.
type classRule struct {
	class        string
	declarations []string
}

// sheetOf says what several classes declare once, where that is shorter. An element has one class, so the order of rules means nothing.
func sheetOf(classes []classRule) string {
	var order []string
	sharing := map[string][]string{}
	for _, c := range classes {
		for _, d := range c.declarations {
			if sharing[d] == nil {
				order = append(order, d)
			}
			sharing[d] = append(sharing[d], "."+c.class)
		}
	}
	var out strings.Builder
	shared := map[string]bool{}
	for _, d := range order {
		selectors := strings.Join(sharing[d], ",")
		if apart := len(sharing[d]) * len(d+";"); len(selectors)+len("{}")+len(d) < apart {
			shared[d] = true
			out.WriteString(selectors + "{" + d + "}")
		}
	}
	for _, c := range classes {
		if own := slices.DeleteFunc(slices.Clone(c.declarations), func(d string) bool { return shared[d] }); len(own) > 0 {
			out.WriteString("." + c.class + "{" + strings.Join(own, ";") + "}")
		}
	}
	return out.String()
}

package raster

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/net/html"

	"kubewalk/generator/dom"
)

// Drawing is an SVG of somebody else's, such as a book's icon: shapes, paths, gradients, and what
// is used again. Text, filters, masks and pictures within it are beyond it.
type Drawing struct {
	Width, Height float64 // of its viewBox
	figures       []figure
}

// figure is a shape with its place and its colours.
type figure struct {
	path         outline
	at           matrix
	fill, stroke gg.Pattern // nil for none
	evenOdd      bool
	pen          pen // in the shape's own units
}

// mostElements is where a drawing ends that uses its parts again and again.
const mostElements = 10000

// drawnProperties are those that Drawing needs besides the demos' pictures' own.
var drawnProperties = append(slices.Clone(presentation), "fill-opacity", "stroke-opacity", "fill-rule", "stroke-miterlimit", "stroke-dashoffset",
	"stop-color", "stop-opacity")

// ParseDrawing reads an SVG. What it cannot draw is an error.
func ParseDrawing(svg []byte) (*Drawing, error) {
	// A browser takes an SVG for XML; the parser of HTML would forgive.
	for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
	}
	page, root, err := dom.SVG(string(svg))
	if err != nil {
		return nil, err
	}
	r := reader{drawing: &Drawing{}, ids: map[string]*html.Node{}}
	box, ok := numbers(dom.Attribute(root, "viewBox"))
	if dom.Attribute(root, "viewBox") == "" {
		box, ok = []float64{0, 0, number(dom.Attribute(root, "width"), 0), number(dom.Attribute(root, "height"), 0)}, true
	}
	if !ok || len(box) != 4 || !(box[2] > 0 && box[3] > 0) || math.IsInf(box[2]+box[3], 0) {
		return nil, errors.New("no viewBox that has a size")
	}
	r.drawing.Width, r.drawing.Height = box[2], box[3]
	sheet := ""
	for n := range root.Descendants() {
		if id := dom.Attribute(n, "id"); n.Type == html.ElementNode && id != "" && r.ids[id] == nil {
			r.ids[id] = n
		}
		if n.Type == html.ElementNode && n.Data == "style" && n.FirstChild != nil {
			sheet += n.FirstChild.Data
		}
	}
	style, err := newStyle(sheet, drawnProperties)
	if err != nil {
		return nil, err
	}
	style.Resolve(page)
	first := brush{
		at: matrix{1, 0, 0, 1, -box[0], -box[1]}, fill: "black", stroke: "none", opacity: 1, fillOpacity: 1, strokeOpacity: 1, color: "black",
		pen: pen{width: 1, miter: 4, cap: "butt", join: "miter"},
	}
	if err := r.element(root, first, 0); err != nil {
		return nil, err
	}
	return r.drawing, nil
}

// brush is what an element hands down to those inside it.
type brush struct {
	at                                  matrix
	fill, stroke, color                 string
	opacity, fillOpacity, strokeOpacity float64
	evenOdd                             bool
	pen                                 pen
}

type reader struct {
	drawing *Drawing
	ids     map[string]*html.Node
	seen    int // elements, each as often as it is used
}

func (r *reader) element(n *html.Node, b brush, deep int) error {
	if r.seen++; r.seen > mostElements {
		return fmt.Errorf("more than %d elements, counting each as often as it is used", mostElements)
	}
	if n.Type != html.ElementNode || strings.Contains(n.Data, ":") { // an editor's own
		return nil
	}
	attributes := map[string]string{}
	for _, a := range n.Attr {
		attributes[a.Key] = strings.TrimSpace(a.Val)
	}
	for d := range strings.SplitSeq(attributes["style"], ";") {
		if property, value, ok := strings.Cut(d, ":"); ok {
			attributes[strings.TrimSpace(property)] = strings.TrimSpace(value)
		}
	}
	if attributes["display"] == "none" || attributes["visibility"] == "hidden" {
		return nil
	}
	for _, beyond := range []string{"clip-path", "mask", "filter"} {
		if v := attributes[beyond]; v != "" && v != "none" {
			return fmt.Errorf("<%s> has a %s", n.Data, beyond)
		}
	}
	if err := b.take(attributes); err != nil {
		return fmt.Errorf("<%s>: %w", n.Data, err)
	}
	var path outline
	var err error
	size := func(key string) float64 {
		text := attributes[key]
		if text == "" {
			return 0
		}
		of := r.drawing.Width
		if slices.Contains([]string{"y", "cy", "y1", "y2", "height", "ry"}, key) {
			of = r.drawing.Height
		}
		percent, isPercent := strings.CutSuffix(text, "%")
		v := number(percent, math.NaN())
		if isPercent {
			v *= of / 100
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			err = fmt.Errorf("<%s>: %s is %q, which is no number", n.Data, key, text)
		}
		return v
	}
	switch n.Data {
	case "svg", "g", "a":
		if deep > 100 {
			return errors.New("groups are nested too deep, or go round in a circle")
		}
		for c := range n.ChildNodes() {
			if err := r.element(c, b, deep+1); err != nil {
				return err
			}
		}
		return nil
	case "title", "desc", "metadata", "defs", "style", "linearGradient", "radialGradient", "symbol":
		return nil
	case "use":
		used := r.ids[strings.TrimPrefix(attributes["href"], "#")]
		if used == nil {
			return fmt.Errorf("<use> of %q, which is not in the file", attributes["href"])
		}
		if deep > 100 {
			return errors.New("parts are used too deep, or go round in a circle")
		}
		b.at = b.at.times(matrix{1, 0, 0, 1, size("x"), size("y")})
		return r.element(used, b, deep+1)
	case "rect":
		w, h := size("width"), size("height")
		rx, ry := size("rx"), size("ry")
		if attributes["rx"] == "" {
			rx = ry
		}
		if attributes["ry"] == "" {
			ry = rx
		}
		if w > 0 && h > 0 {
			path = rectangle(size("x"), size("y"), w, h, min(rx, w/2), min(ry, h/2))
		}
	case "circle":
		if radius := size("r"); radius > 0 {
			path = ellipse(size("cx"), size("cy"), radius, radius)
		}
	case "ellipse":
		if rx, ry := size("rx"), size("ry"); rx > 0 && ry > 0 {
			path = ellipse(size("cx"), size("cy"), rx, ry)
		}
	case "line":
		path.move(point{size("x1"), size("y1")})
		path.line(point{size("x2"), size("y2")})
	case "polyline", "polygon":
		points, ok := numbers(attributes["points"])
		if !ok || len(points)%2 == 1 {
			return fmt.Errorf("<%s>: points are no pairs of numbers", n.Data)
		}
		for i := 0; i < len(points); i += 2 {
			if p := (point{points[i], points[i+1]}); i == 0 {
				path.move(p)
			} else {
				path.line(p)
			}
		}
		if n.Data == "polygon" && path != nil {
			path.close()
		}
	case "path":
		if path, err = readPath(attributes["d"]); err != nil {
			return err
		}
	default:
		return fmt.Errorf("<%s> is beyond shapes, paths and gradients", n.Data)
	}
	if len(path) == 0 || err != nil {
		return err
	}
	f := figure{path: path, at: b.at, evenOdd: b.evenOdd, pen: b.pen}
	if f.fill, err = r.pattern(b.fill, b.opacity*b.fillOpacity, f, b.color); err != nil {
		return fmt.Errorf("<%s>: %w", n.Data, err)
	}
	if f.stroke, err = r.pattern(b.stroke, b.opacity*b.strokeOpacity, f, b.color); err != nil {
		return fmt.Errorf("<%s>: %w", n.Data, err)
	}
	r.drawing.figures = append(r.drawing.figures, f)
	return nil
}

// take changes the brush as an element says.
func (b *brush) take(attributes map[string]string) error {
	for property, target := range map[string]*string{ // order: each has a place of its own
		"fill": &b.fill, "stroke": &b.stroke, "color": &b.color, "stroke-linecap": &b.pen.cap, "stroke-linejoin": &b.pen.join,
	} {
		if v := attributes[property]; v != "" && v != "inherit" {
			*target = v
		}
	}
	for property, target := range map[string]*float64{ // order: each has a place of its own
		"stroke-width": &b.pen.width, "stroke-miterlimit": &b.pen.miter, "stroke-dashoffset": &b.pen.offset,
		"fill-opacity": &b.fillOpacity, "stroke-opacity": &b.strokeOpacity,
	} {
		*target = share(attributes[property], *target)
	}
	b.opacity *= share(attributes["opacity"], 1)
	switch attributes["fill-rule"] {
	case "evenodd":
		b.evenOdd = true
	case "nonzero":
		b.evenOdd = false
	}
	if v := attributes["stroke-dasharray"]; v == "none" {
		b.pen.dash = nil
	} else if v != "" {
		dash, ok := numbers(v)
		for _, d := range dash {
			ok = ok && d >= 0
		}
		if !ok {
			return fmt.Errorf("stroke-dasharray %q", v)
		}
		b.pen.dash = dash
	}
	m, err := transformation(attributes["transform"])
	b.at = b.at.times(m)
	return err
}

// share is a number, or a percentage of one.
func share(text string, otherwise float64) float64 {
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		return number(percent, otherwise*100) / 100
	}
	return number(text, otherwise)
}

// transformation reads the attribute transform.
func transformation(text string) (matrix, error) {
	m := matrix{1, 0, 0, 1, 0, 0}
	for text = strings.Trim(text, " ,\n\t"); text != ""; text = strings.Trim(text, " ,\n\t") {
		name, rest, _ := strings.Cut(text, "(")
		inside, after, closed := strings.Cut(rest, ")")
		n, ok := numbers(inside)
		if !closed || !ok {
			return m, fmt.Errorf("transform %q", text)
		}
		name = strings.TrimSpace(name)
		about := func(i int, of matrix) matrix { // around another point than the origin
			return matrix{1, 0, 0, 1, n[i], n[i+1]}.times(of).times(matrix{1, 0, 0, 1, -n[i], -n[i+1]})
		}
		one := matrix{}
		switch {
		case name == "matrix" && len(n) == 6:
			one = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}
		case name == "translate" && len(n) == 1:
			one = matrix{1, 0, 0, 1, n[0], 0}
		case name == "translate" && len(n) == 2:
			one = matrix{1, 0, 0, 1, n[0], n[1]}
		case name == "scale" && len(n) == 1:
			one = matrix{n[0], 0, 0, n[0], 0, 0}
		case name == "scale" && len(n) == 2:
			one = matrix{n[0], 0, 0, n[1], 0, 0}
		case name == "rotate" && (len(n) == 1 || len(n) == 3):
			sin, cos := math.Sincos(n[0] * math.Pi / 180)
			if one = (matrix{cos, sin, -sin, cos, 0, 0}); len(n) == 3 {
				one = about(1, one)
			}
		case name == "skewX" && len(n) == 1:
			one = matrix{1, 0, math.Tan(n[0] * math.Pi / 180), 1, 0, 0}
		case name == "skewY" && len(n) == 1:
			one = matrix{1, math.Tan(n[0] * math.Pi / 180), 0, 1, 0, 0}
		default:
			return m, fmt.Errorf("transform %q", text)
		}
		m, text = m.times(one), after
	}
	return m, nil
}

// pattern is what an area is filled with; nil for nothing.
func (r *reader) pattern(text string, opacity float64, f figure, current string) (gg.Pattern, error) {
	if inside, ok := strings.CutPrefix(text, "url("); ok {
		inside, _, _ = strings.Cut(inside, ")")
		id := strings.TrimPrefix(strings.Trim(inside, `"' `), "#")
		if r.ids[id] == nil {
			return nil, fmt.Errorf("%s is not in the file", text)
		}
		return r.gradient(r.ids[id], opacity, f)
	}
	if text == "none" || text == "transparent" {
		return nil, nil
	}
	if text == "currentColor" || text == "currentcolor" {
		text = current
	}
	c, err := colorOf(text, opacity)
	if err != nil {
		return nil, err
	}
	return gg.NewSolidPattern(c), nil
}

// Draw draws it with its upper left corner at x, y.
func (d *Drawing) Draw(picture *image.RGBA, x, y, scale float64) {
	dc := gg.NewContextForRGBA(picture)
	place := matrix{scale, 0, 0, scale, x, y}
	for _, f := range d.figures {
		at := place.times(f.at)
		lines := f.path.flat(at)
		if f.fill != nil {
			for _, line := range lines {
				for i, p := range line.points {
					if i == 0 {
						dc.MoveTo(p.x, p.y)
					} else {
						dc.LineTo(p.x, p.y)
					}
				}
				dc.ClosePath()
			}
			dc.SetFillRuleWinding()
			if f.evenOdd {
				dc.SetFillRuleEvenOdd()
			}
			dc.SetFillStyle(placed(f.fill, place))
			dc.Fill()
		}
		if f.stroke != nil && f.pen.width > 0 {
			p, k := f.pen, at.scale()
			p.width, p.offset, p.dash = bounded(point{x: p.width * k}).x, p.offset*k, nil
			for _, d := range f.pen.dash {
				p.dash = append(p.dash, d*k)
			}
			p.stroke(dc, lines)
			dc.SetFillRuleWinding()
			dc.SetFillStyle(placed(f.stroke, place))
			dc.Fill()
		}
	}
}

func placed(p gg.Pattern, place matrix) gg.Pattern {
	if g, ok := p.(*gradient); ok {
		return g.placed(place)
	}
	return p
}

// over is a colour on top of which nothing is drawn yet.
func over(c color.NRGBA, opacity float64) color.NRGBA {
	c.A = uint8(min(max(float64(c.A)*opacity, 0), 255) + 0.5)
	return c
}

package raster

import (
	"image/color"
	"strconv"
	"strings"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/net/html"

	"kubewalk/generator/dom"
)

// painter draws an SVG onto a context, at a place and in a size.
type painter struct {
	*gg.Context
	faces faces
	scale float64
	ink   string // what currentColor is
}

// look is what an element hands down to those inside it.
type look struct {
	fill, stroke, dash, anchor, weight, decoration string
	width, size, opacity                           float64
	x, y                                           float64 // origin, in pixels
}

// paint draws the picture with its upper left corner at x, y.
func (p *Picture) paint(dc *gg.Context, f faces, x, y, scale float64) {
	w := painter{Context: dc, faces: f, scale: scale, ink: p.color()}
	w.element(p.root, look{fill: "#000", stroke: "none", width: 1, size: 12, opacity: 1, x: x, y: y})
}

func number(text string, otherwise float64) float64 {
	if v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "px"), 64); err == nil {
		return v
	}
	return otherwise
}

func (w *painter) element(n *html.Node, l look) {
	if n.Type != html.ElementNode || dom.Attribute(n, "display") == "none" {
		return
	}
	own := l
	for _, a := range n.Attr {
		switch a.Key {
		case "fill":
			own.fill = a.Val
		case "stroke":
			own.stroke = a.Val
		case "stroke-dasharray":
			own.dash = a.Val
		case "stroke-width":
			own.width = number(a.Val, own.width)
		case "font-size":
			own.size = number(a.Val, own.size)
		case "font-weight":
			own.weight = a.Val
		case "text-anchor":
			own.anchor = a.Val
		case "text-decoration":
			own.decoration = a.Val
		case "opacity":
			own.opacity *= number(a.Val, 1)
		case "transform":
			if inside, ok := strings.CutPrefix(a.Val, "translate("); ok {
				xy := strings.Fields(strings.ReplaceAll(strings.TrimSuffix(inside, ")"), ",", " "))
				if len(xy) == 2 {
					own.x += number(xy[0], 0) * w.scale
					own.y += number(xy[1], 0) * w.scale
				}
			}
		}
	}
	at := func(key string) float64 { return number(dom.Attribute(n, key), 0) * w.scale }
	switch n.Data {
	case "rect":
		width, height := at("width"), at("height")
		if width > 0 && height > 0 {
			w.DrawRoundedRectangle(own.x+at("x"), own.y+at("y"), width, height, min(at("rx"), width/2, height/2))
			w.shape(own)
		}
	case "circle":
		w.DrawCircle(own.x+at("cx"), own.y+at("cy"), at("r"))
		w.shape(own)
	case "path":
		w.path(dom.Attribute(n, "d"), own)
		w.shape(own)
	case "text":
		w.text(n, own, at("x"), at("y"))
		return
	}
	for c := range n.ChildNodes() {
		w.element(c, own)
	}
}

// color is a colour of CSS as our sheets write it; ok is false for none.
func (w *painter) color(text string, opacity float64) (c color.NRGBA, ok bool) {
	if text == "currentColor" {
		text = w.ink
	}
	hex, isHex := strings.CutPrefix(strings.TrimSpace(text), "#")
	if !isHex {
		switch text {
		case "white":
			hex = "fff"
		case "black":
			hex = "000"
		default:
			return c, false
		}
	}
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		return c, false
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), uint8(opacity*255 + 0.5)}, true
}

// shape fills and strokes the current path.
func (w *painter) shape(l look) {
	if c, ok := w.color(l.fill, l.opacity); ok {
		w.SetColor(c)
		w.FillPreserve()
	}
	if c, ok := w.color(l.stroke, l.opacity); ok && l.width > 0 {
		w.SetColor(c)
		w.SetLineWidth(l.width * w.scale)
		var dashes []float64
		for _, d := range strings.FieldsFunc(l.dash, func(r rune) bool { return r == ' ' || r == ',' }) {
			if v := number(d, 0); v > 0 {
				dashes = append(dashes, v*w.scale)
			}
		}
		w.SetDash(dashes...)
		w.SetLineCapButt()
		w.StrokePreserve()
	}
	w.ClearPath()
}

// path goes along an outline, as far as it can be read.
func (w *painter) path(d string, l look) {
	steps, _ := readPath(d)
	at := func(p point) (x, y float64) { return l.x + p.x*w.scale, l.y + p.y*w.scale }
	for _, s := range steps {
		x, y := at(s.p[0])
		switch s.verb {
		case 'M':
			w.MoveTo(x, y)
		case 'L':
			w.LineTo(x, y)
		case 'C':
			x2, y2 := at(s.p[1])
			x3, y3 := at(s.p[2])
			w.CubicTo(x, y, x2, y2, x3, y3)
		case 'Z':
			w.ClosePath()
		}
	}
}

func (w *painter) text(n *html.Node, l look, x, y float64) {
	text := ""
	for c := range n.ChildNodes() {
		if c.Type == html.TextNode {
			text += c.Data
		}
	}
	c, ok := w.color(l.fill, l.opacity)
	if text == "" || !ok {
		return
	}
	weight := number(l.weight, 400)
	bold, size := weight >= 600 || l.weight == "bold", l.size*w.scale
	w.SetFontFace(w.faces.get(bold, size))
	runs, width := w.runs(text, size)
	left := l.x + x
	switch l.anchor {
	case "end":
		left -= width
	case "middle":
		left -= width / 2
	}
	pen := left
	for _, r := range runs {
		if r.sign != nil {
			w.draw(r, pen, l.y+y, size, bold, c)
		} else {
			letters(w.Context, w.faces.get(bold, size), r.text, pen, l.y+y, c)
		}
		pen += r.width
	}
	if l.decoration == "line-through" {
		w.SetColor(c)
		w.SetLineWidth(w.scale)
		w.SetDash()
		w.DrawLine(left, l.y+y-l.size*w.scale*0.32, left+width, l.y+y-l.size*w.scale*0.32)
		w.Stroke()
	}
}

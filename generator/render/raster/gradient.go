package raster

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
	"golang.org/x/net/html"

	"kubewalk/generator/dom"
)

// colorOf reads a colour as SVG writes it.
func colorOf(text string, opacity float64) (color.NRGBA, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if named, ok := colornames.Map[text]; ok {
		return over(color.NRGBA(named), opacity), nil
	}
	wrong := fmt.Errorf("%q is no colour", text)
	if hex, ok := strings.CutPrefix(text, "#"); ok {
		if len(hex) == 3 || len(hex) == 4 {
			long := ""
			for i := range hex {
				long += hex[i:i+1] + hex[i:i+1]
			}
			hex = long
		}
		if len(hex) == 6 {
			hex += "ff"
		}
		v, err := strconv.ParseUint(hex, 16, 32)
		if err != nil || len(hex) != 8 {
			return color.NRGBA{}, wrong
		}
		return over(color.NRGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}, opacity), nil
	}
	name, inside, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	fields := strings.FieldsFunc(inside, func(r rune) bool { return strings.ContainsRune(" ,/", r) })
	if name != "rgb" && name != "rgba" || len(fields) != 3 && len(fields) != 4 {
		return color.NRGBA{}, wrong
	}
	var n [4]float64
	n[3] = 1
	for i, f := range fields {
		percent, isPercent := strings.CutSuffix(f, "%")
		v, err := strconv.ParseFloat(percent, 64)
		if err != nil {
			return color.NRGBA{}, wrong
		}
		if isPercent {
			if v /= 100; i < 3 {
				v *= 255
			}
		}
		n[i] = v
	}
	part := func(v float64) uint8 { return uint8(min(max(v, 0), 255) + 0.5) }
	return over(color.NRGBA{part(n[0]), part(n[1]), part(n[2]), 255}, opacity*n[3]), nil
}

type colorStop struct {
	offset float64
	color  color.NRGBA
}

// gradient is one of SVG's two: from a point to another, or from the middle of a circle outwards.
type gradient struct {
	radial        bool
	from, to      point // of a linear one; from is a radial one's focus, to its middle
	radius        float64
	spread        string
	stops         []colorStop
	at            matrix // from the gradient's units to the drawing's
	fromThePixels matrix
}

// gradient reads one, with what it takes from others, for a figure.
func (r *reader) gradient(n *html.Node, opacity float64, f figure) (*gradient, error) {
	if n.Data != "linearGradient" && n.Data != "radialGradient" {
		return nil, fmt.Errorf("<%s> as a colour is beyond shapes, paths and gradients", n.Data)
	}
	g := &gradient{radial: n.Data == "radialGradient"}
	attributes := map[string]string{}
	var stops []*html.Node
	for from, deep := n, 0; from != nil && deep < 10; deep++ {
		href := ""
		for _, a := range from.Attr {
			if a.Key == "href" {
				href = strings.TrimPrefix(a.Val, "#")
			} else if _, ok := attributes[a.Key]; !ok {
				attributes[a.Key] = strings.TrimSpace(a.Val)
			}
		}
		if len(stops) == 0 {
			for c := range from.ChildNodes() {
				if c.Type == html.ElementNode && c.Data == "stop" {
					stops = append(stops, c)
				}
			}
		}
		from = r.ids[href]
	}
	for _, s := range stops {
		styles := map[string]string{"stop-color": "black", "stop-opacity": "1"}
		for _, a := range s.Attr {
			styles[a.Key] = a.Val
		}
		for d := range strings.SplitSeq(dom.Attribute(s, "style"), ";") {
			if property, value, ok := strings.Cut(d, ":"); ok {
				styles[strings.TrimSpace(property)] = strings.TrimSpace(value)
			}
		}
		c, err := colorOf(styles["stop-color"], share(styles["stop-opacity"], 1)*opacity)
		if err != nil {
			return nil, err
		}
		offset := min(max(share(styles["offset"], 0), 0), 1)
		if last := len(g.stops) - 1; last >= 0 {
			offset = max(offset, g.stops[last].offset)
		}
		g.stops = append(g.stops, colorStop{offset, c})
	}
	own := attributes["gradientUnits"] == "userSpaceOnUse"
	size := func(key string, otherwise float64, of float64) float64 {
		v := share(attributes[key], otherwise)
		if own && (attributes[key] == "" || strings.HasSuffix(attributes[key], "%")) {
			v *= of
		}
		return v
	}
	w, h := r.drawing.Width, r.drawing.Height
	if g.radial {
		g.to = point{size("cx", 0.5, w), size("cy", 0.5, h)}
		g.from = g.to
		if attributes["fx"] != "" {
			g.from.x = size("fx", 0.5, w)
		}
		if attributes["fy"] != "" {
			g.from.y = size("fy", 0.5, h)
		}
		g.radius = size("r", 0.5, math.Hypot(w, h)/math.Sqrt2)
	} else {
		g.from, g.to = point{size("x1", 0, w), size("y1", 0, h)}, point{size("x2", 1, w), size("y2", 0, h)}
	}
	g.spread = attributes["spreadMethod"]
	m, err := transformation(attributes["gradientTransform"])
	if err != nil {
		return nil, err
	}
	g.at = f.at
	if !own {
		least, most := f.path.box()
		g.at = g.at.times(matrix{most.x - least.x, 0, 0, most.y - least.y, least.x, least.y})
	}
	g.at = g.at.times(m)
	return g, nil
}

// box is what an outline lies within.
func (o outline) box() (least, most point) {
	least, most = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, line := range o.flat(matrix{64, 0, 0, 64, 0, 0}) { // finely enough
		for _, p := range line.points {
			least = point{min(least.x, p.x/64), min(least.y, p.y/64)}
			most = point{max(most.x, p.x/64), max(most.y, p.y/64)}
		}
	}
	return least, most
}

// placed is the gradient in a picture.
func (g *gradient) placed(place matrix) *gradient {
	out := *g
	var ok bool
	if out.fromThePixels, ok = place.times(g.at).inverse(); !ok && len(g.stops) > 0 {
		out.stops = g.stops[len(g.stops)-1:] // as SVG says of areas without one
	}
	return &out
}

// ColorAt is the colour of a pixel.
func (g *gradient) ColorAt(x, y int) color.Color {
	if len(g.stops) == 0 {
		return color.Transparent
	}
	p := g.fromThePixels.apply(point{float64(x) + 0.5, float64(y) + 0.5})
	t := g.along(p)
	switch {
	case math.IsNaN(t) || math.IsInf(t, 0):
		t = 1
	case g.spread == "repeat":
		t -= math.Floor(t)
	case g.spread == "reflect":
		if t = math.Abs(math.Mod(t, 2)); t > 1 {
			t = 2 - t
		}
	}
	i, _ := slices.BinarySearchFunc(g.stops, t, func(s colorStop, t float64) int {
		if s.offset <= t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return g.stops[0].color
	}
	if i == len(g.stops) {
		return g.stops[i-1].color
	}
	a, b := g.stops[i-1], g.stops[i]
	k := (t - a.offset) / (b.offset - a.offset)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*k + 0.5) }
	return color.NRGBA{mix(a.color.R, b.color.R), mix(a.color.G, b.color.G), mix(a.color.B, b.color.B), mix(a.color.A, b.color.A)}
}

// along is how far a point is between the gradient's beginning and its end.
func (g *gradient) along(p point) float64 {
	dx, dy := g.to.x-g.from.x, g.to.y-g.from.y
	px, py := p.x-g.from.x, p.y-g.from.y
	if !g.radial {
		return (px*dx + py*dy) / (dx*dx + dy*dy)
	}
	// The circle through the point has its middle on the line from the focus, and its radius grows with it.
	a := g.radius*g.radius - dx*dx - dy*dy
	if a <= 0 { // the focus is on the edge, or beyond it
		return math.Hypot(p.x-g.to.x, p.y-g.to.y) / g.radius
	}
	b := px*dx + py*dy
	return (-b + math.Sqrt(b*b+a*(px*px+py*py))) / a
}

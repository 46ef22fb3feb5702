package diagram

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// svg draws a layout. It has classes only; the few attributes of looks are for
// programs without the page's styles, readers of e-books say.
func (l *layout) svg(g *graph, class string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="%s" viewBox="0 0 %d %d" width="%d" height="%d" role="img" fill="none" stroke="currentColor" font-size="%d" text-anchor="middle"><title>%s</title><desc>%s</desc>`,
		class, l.width, l.height, l.width, l.height, labelSize, html.EscapeString(g.title), html.EscapeString(strings.Join(g.lines(), "; ")))
	for _, outer := range g.boxes { // a box comes before what it holds
		if len(outer.children) > 0 {
			r := l.boxes[outer.id]
			fmt.Fprintf(&b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="10"/>`, classes("d-group", outer.class), num(r.X-r.Width/2),
				num(r.Y-r.Height/2), num(r.Width), num(r.Height))
		}
	}
	for i, a := range g.arrows {
		b.WriteString(`<path class="` + classes("d-arrow", a.class) + `" d="` + curve(l.arrows[i]) + `"/>`)
		way := l.arrows[i]
		if n := len(way); n > 1 {
			if a.head {
				b.WriteString(tip(way[n-2], way[n-1], a.class))
			}
			if a.back {
				b.WriteString(tip(way[1], way[0], a.class))
			}
		}
	}
	for _, inner := range g.boxes {
		if len(inner.children) == 0 {
			b.WriteString(`<g class="` + classes("d-box", inner.class) + `">`)
			shape(&b, inner.shape, l.boxes[inner.id])
			b.WriteString("</g>")
		}
	}
	b.WriteString(`<g class="d-text" fill="currentColor" stroke="none">`)
	for _, x := range g.boxes {
		r := l.boxes[x.id]
		if len(x.children) > 0 {
			lines(&b, "d-note d-name", l.labels[x.id], point{r.X, r.Y - r.Height/2}, noteLine)
			continue
		}
		at := point{r.X, r.Y}
		switch x.shape {
		case "cylinder":
			at.Y += 7
		case "person":
			at.Y += 14
		case "queue":
			at.X -= 4
		}
		lines(&b, "", l.labels[x.id], at, labelLine)
	}
	for _, n := range l.notes {
		lines(&b, "d-note", n.lines, n.at, noteLine)
	}
	b.WriteString("</g></svg>")
	return b.String()
}

func classes(own, chosen string) string {
	if chosen == "" {
		return own
	}
	return own + " d-" + chosen
}

// num has a tenth of a pixel at most.
func num(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10+0, 'f', -1, 64) }

func lines(b *strings.Builder, class string, text []string, at point, height int) {
	if len(text) == 0 {
		return
	}
	b.WriteString("<text")
	if class != "" {
		fmt.Fprintf(b, ` class="%s" font-size="%d"`, class, noteSize)
	}
	size := labelSize
	if height == noteLine {
		size = noteSize
	}
	y := at.Y - float64((len(text)-1)*height)/2 + float64(size)*0.35
	fmt.Fprintf(b, ` x="%s" y="%s">`, num(at.X), num(y))
	for i, line := range text {
		if i == 0 {
			b.WriteString(html.EscapeString(line))
			continue
		}
		fmt.Fprintf(b, `<tspan x="%s" dy="%d">%s</tspan>`, num(at.X), height, html.EscapeString(line))
	}
	b.WriteString("</text>")
}

// curve goes along the points, round at each.
func curve(way []point) string {
	var b strings.Builder
	for i, p := range way {
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M%s %s", num(p.X), num(p.Y))
		case i == len(way)-1:
			fmt.Fprintf(&b, "L%s %s", num(p.X), num(p.Y))
		default:
			in, out := toward(p, way[i-1]), toward(p, way[i+1])
			fmt.Fprintf(&b, "L%s %sQ%s %s %s %s", num(in.X), num(in.Y), num(p.X), num(p.Y), num(out.X), num(out.Y))
		}
	}
	return b.String()
}

// toward is the point a bend's width away from one, in the direction of another.
func toward(from, to point) point {
	d := math.Hypot(to.X-from.X, to.Y-from.Y)
	if d == 0 {
		return from
	}
	t := min(14, d/2) / d
	return point{from.X + t*(to.X-from.X), from.Y + t*(to.Y-from.Y)}
}

// tip is an arrow's point.
func tip(from, to point, class string) string {
	d := math.Hypot(to.X-from.X, to.Y-from.Y)
	if d == 0 {
		return ""
	}
	ux, uy := (to.X-from.X)/d, (to.Y-from.Y)/d
	const length, half = 9, 4.5
	x, y := to.X-length*ux, to.Y-length*uy
	return fmt.Sprintf(`<path class="%s" fill="currentColor" d="M%s %sL%s %sL%s %sZ"/>`, classes("d-tip", class),
		num(to.X), num(to.Y), num(x-half*uy), num(y+half*ux), num(x+half*uy), num(y-half*ux))
}

// shape draws a box's outline.
func shape(b *strings.Builder, name string, r rect) {
	x, y, w, h := r.X-r.Width/2, r.Y-r.Height/2, r.Width, r.Height
	right, bottom := x+w, y+h
	path := func(format string, values ...float64) {
		texts := make([]any, len(values))
		for i, v := range values {
			texts[i] = num(v)
		}
		fmt.Fprintf(b, `<path d="`+format+`"/>`, texts...)
	}
	switch name {
	case "oval":
		fmt.Fprintf(b, `<ellipse cx="%s" cy="%s" rx="%s" ry="%s"/>`, num(r.X), num(r.Y), num(w/2), num(h/2))
	case "diamond":
		path("M%s %sL%s %sL%s %sL%s %sZ", r.X, y, right, r.Y, r.X, bottom, x, r.Y)
	case "hexagon":
		path("M%s %sH%sL%s %sL%s %sH%sL%s %sZ", x+14, y, right-14, right, r.Y, right-14, bottom, x+14, x, r.Y)
	case "cylinder":
		path("M%s %sV%sA%s 8 0 0 0 %s %sV%sA%s 8 0 0 0 %s %sZ", x, y+8, bottom-8, w/2, right, bottom-8, y+8, w/2, x, y+8)
		path("M%s %sA%s 8 0 0 0 %s %s", x, y+8, w/2, right, y+8)
	case "queue":
		path("M%s %sH%sA8 %s 0 0 1 %s %sH%sA8 %s 0 0 1 %s %sZ", x+8, y, right-8, h/2, right-8, bottom, x+8, h/2, x+8, y)
		path("M%s %sA8 %s 0 0 0 %s %s", right-8, y, h/2, right-8, bottom)
	case "page":
		path("M%s %sH%sL%s %sV%sH%sZ", x, y, right-12, right, y+12, bottom, x)
		path("M%s %sV%sH%s", right-12, y, y+12, right)
	case "person":
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="11"/>`, num(r.X), num(y+12))
		path("M%s %sV%sA12 12 0 0 1 %s %sH%sA12 12 0 0 1 %s %sV%sZ", x, bottom, y+38, x+12, y+26, right-12, right, y+38, bottom)
	default:
		fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" rx="6"/>`, num(x), num(y), num(w), num(h))
	}
}

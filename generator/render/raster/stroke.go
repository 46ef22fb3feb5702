package raster

import (
	"math"

	"git.sr.ht/~sbinet/gg"
)

// polyline is a line without curves, in pixels.
type polyline struct {
	points []point
	closed bool
}

// flat takes an outline's curves apart, and its points to where they are drawn.
func (o outline) flat(m matrix) (out []polyline) {
	var now polyline
	var at, from point
	end := func() {
		if len(now.points) > 0 {
			out = append(out, now)
		}
		now = polyline{}
	}
	to := func(p point) {
		if len(now.points) == 0 {
			now.points = append(now.points, at)
		}
		now.points = append(now.points, p)
		at = p
	}
	for _, s := range o {
		switch s.verb {
		case 'M':
			end()
			at = bounded(m.apply(s.p[0]))
			from = at
			now.points = append(now.points, at)
		case 'L':
			to(bounded(m.apply(s.p[0])))
		case 'C':
			a, b, c, d := at, bounded(m.apply(s.p[0])), bounded(m.apply(s.p[1])), bounded(m.apply(s.p[2]))
			length := distance(a, b) + distance(b, c) + distance(c, d)
			pieces := min(max(math.Ceil(math.Sqrt(length)*1.5), 4), 200)
			for i := 1.0; i <= pieces; i++ {
				t := i / pieces
				u := 1 - t
				k := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
				to(point{k[0]*a.x + k[1]*b.x + k[2]*c.x + k[3]*d.x, k[0]*a.y + k[1]*b.y + k[2]*c.y + k[3]*d.y})
			}
		case 'Z':
			now.closed = len(now.points) > 0
			end()
			at = from
		}
	}
	end()
	return out
}

// bounded keeps a point where drawing it takes no time that could be noticed.
func bounded(p point) point {
	const far = 1 << 13
	in := func(v float64) float64 {
		if math.IsNaN(v) {
			return 0
		}
		return min(max(v, -far), far)
	}
	return point{in(p.x), in(p.y)}
}

func distance(a, b point) float64 { return math.Hypot(b.x-a.x, b.y-a.y) }

// pen is how a line is drawn, in pixels.
type pen struct {
	width, miter, offset float64
	dash                 []float64
	cap, join            string // as SVG names them
}

// mostDashes are as many as can be told apart in a picture.
const mostDashes = 10000

// dashed cuts a line into what is drawn of it.
func (p pen) dashed(line polyline) []polyline {
	total := 0.0
	for _, d := range p.dash {
		total += d
	}
	if total <= 0 {
		return []polyline{line}
	}
	points, length := line.points, 0.0
	if line.closed {
		points = append(points[:len(points):len(points)], points[0])
	}
	for i := 1; i < len(points); i++ {
		length += distance(points[i-1], points[i])
	}
	pattern := p.dash
	if len(pattern)%2 == 1 {
		pattern = append(pattern[:len(pattern):len(pattern)], pattern...)
		total *= 2
	}
	if length/total*float64(len(pattern)) > mostDashes {
		return []polyline{line}
	}
	i, left := 0, math.Mod(p.offset, total)
	if left < 0 {
		left += total
	}
	for left >= pattern[i] {
		left -= pattern[i]
		i = (i + 1) % len(pattern)
	}
	left = pattern[i] - left
	var out []polyline
	now := []point{points[0]}
	for j := 1; j < len(points); j++ {
		a, b := points[j-1], points[j]
		for rest := distance(a, b); rest > 0; rest = distance(a, b) {
			if left > rest {
				left -= rest
				now = append(now, b)
				break
			}
			a = point{a.x + (b.x-a.x)*left/rest, a.y + (b.y-a.y)*left/rest}
			if now = append(now, a); i%2 == 0 {
				out = append(out, polyline{points: now})
			}
			now = []point{a}
			i = (i + 1) % len(pattern)
			for left = pattern[i]; left == 0; left = pattern[i] {
				i = (i + 1) % len(pattern)
			}
		}
	}
	if i%2 == 0 && len(now) > 1 {
		out = append(out, polyline{points: now})
	}
	return out
}

// stroke adds to the context's path what a pen covers: a piece for every straight
// line, corner and end, all turning the same way, so that together they are one.
func (p pen) stroke(dc *gg.Context, lines []polyline) {
	for _, whole := range lines {
		for _, line := range p.dashed(whole) {
			p.line(dc, line)
		}
	}
}

func (p pen) line(dc *gg.Context, line polyline) {
	var points []point
	for _, at := range line.points {
		if len(points) == 0 || distance(points[len(points)-1], at) > 1e-6 {
			points = append(points, at)
		}
	}
	if line.closed && len(points) > 1 && distance(points[0], points[len(points)-1]) <= 1e-6 {
		points = points[:len(points)-1]
	}
	half := p.width / 2
	if len(points) == 1 {
		if p.cap == "round" {
			polygon(dc, circle(points[0], half))
		} else if p.cap == "square" {
			at := points[0]
			polygon(dc, []point{{at.x - half, at.y - half}, {at.x + half, at.y - half}, {at.x + half, at.y + half}, {at.x - half, at.y + half}})
		}
		return
	}
	n := len(points)
	last := n - 1
	if line.closed {
		last = n
	}
	for i := range last {
		a, b := points[i], points[(i+1)%n]
		d := distance(a, b)
		along := point{(b.x - a.x) / d * half, (b.y - a.y) / d * half}
		if !line.closed && p.cap == "square" {
			if i == 0 {
				a = point{a.x - along.x, a.y - along.y}
			}
			if i == last-1 {
				b = point{b.x + along.x, b.y + along.y}
			}
		}
		polygon(dc, []point{{a.x + along.y, a.y - along.x}, {b.x + along.y, b.y - along.x}, {b.x - along.y, b.y + along.x}, {a.x - along.y, a.y + along.x}})
	}
	for i, at := range points {
		if line.closed || i > 0 && i < n-1 {
			p.corner(dc, points[(i+n-1)%n], at, points[(i+1)%n])
		} else if p.cap == "round" {
			polygon(dc, circle(at, half))
		}
	}
}

// corner fills the wedge that two straight lines leave open between them.
func (p pen) corner(dc *gg.Context, before, at, after point) {
	half := p.width / 2
	if p.join == "round" {
		polygon(dc, circle(at, half))
		return
	}
	u, v := distance(before, at), distance(at, after)
	in, out := point{(at.x - before.x) / u, (at.y - before.y) / u}, point{(after.x - at.x) / v, (after.y - at.y) / v}
	side := half
	if in.x*out.y-in.y*out.x > 0 { // the open side is the left one
		side = -half
	}
	a, b := point{at.x - in.y*side, at.y + in.x*side}, point{at.x - out.y*side, at.y + out.x*side}
	wedge := []point{at, a, b}
	// The miter's length, in widths, is one over the sine of half the angle.
	cos := in.x*out.x + in.y*out.y
	if sine := math.Sqrt(math.Max(0, (1+cos)/2)); p.join != "bevel" && sine > 1e-6 && 1/sine <= p.miter {
		middle := point{(a.x+b.x)/2 - at.x, (a.y+b.y)/2 - at.y}
		if l := math.Hypot(middle.x, middle.y); l > 1e-9 {
			k := half / sine / l
			wedge = []point{at, a, {at.x + middle.x*k, at.y + middle.y*k}, b}
		}
	}
	polygon(dc, wedge)
}

func circle(at point, radius float64) []point {
	out := make([]point, int(min(max(math.Ceil(math.Sqrt(radius)*8), 8), 200)))
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(out)))
		out[i] = point{at.x + radius*cos, at.y + radius*sin}
	}
	return out
}

// polygon adds one to the context's path, turning clockwise.
func polygon(dc *gg.Context, points []point) {
	area := 0.0
	for i, a := range points {
		b := points[(i+1)%len(points)]
		area += a.x*b.y - b.x*a.y
	}
	for i := range points {
		at := points[i]
		if area < 0 {
			at = points[len(points)-1-i]
		}
		if at = bounded(at); i == 0 {
			dc.MoveTo(at.x, at.y)
		} else {
			dc.LineTo(at.x, at.y)
		}
	}
	dc.ClosePath()
}

package raster

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

type point struct{ x, y float64 }

// matrix takes a point to a·x+c·y+e, b·x+d·y+f.
type matrix struct{ a, b, c, d, e, f float64 }

func (m matrix) apply(p point) point {
	return point{m.a*p.x + m.c*p.y + m.e, m.b*p.x + m.d*p.y + m.f}
}

// times is the matrix that does o first.
func (m matrix) times(o matrix) matrix {
	at := m.apply(point{o.e, o.f})
	return matrix{m.a*o.a + m.c*o.b, m.b*o.a + m.d*o.b, m.a*o.c + m.c*o.d, m.b*o.c + m.d*o.d, at.x, at.y}
}

func (m matrix) determinant() float64 { return m.a*m.d - m.b*m.c }

// scale is how much longer lines become, on average.
func (m matrix) scale() float64 { return math.Sqrt(math.Abs(m.determinant())) }

// inverse takes points back; ok is false where all of them fall onto a line.
func (m matrix) inverse() (out matrix, ok bool) {
	det := m.determinant()
	if math.Abs(det) < 1e-12 {
		return m, false
	}
	out = matrix{m.d / det, -m.b / det, -m.c / det, m.a / det, 0, 0}
	at := out.apply(point{m.e, m.f})
	out.e, out.f = -at.x, -at.y
	return out, true
}

// step is a piece of an outline, from where the one before ends: a move, a line, a
// cubic curve with two points that it bends to, or the way back to the last move.
type step struct {
	verb byte // M, L, C or Z
	p    [3]point
}

type outline []step

func (o *outline) move(p point) { *o = append(*o, step{verb: 'M', p: [3]point{p}}) }
func (o *outline) line(p point) { *o = append(*o, step{verb: 'L', p: [3]point{p}}) }
func (o *outline) curve(a, b, p point) {
	*o = append(*o, step{verb: 'C', p: [3]point{a, b, p}})
}
func (o *outline) close() { *o = append(*o, step{verb: 'Z'}) }

// arc goes along an ellipse whose axes are turned, from an angle to another one, as curves of at most a quarter.
func (o *outline) arc(center point, rx, ry, turned, from, to float64) {
	pieces := math.Max(1, math.Ceil(math.Abs(to-from)/(math.Pi/2)-1e-9))
	delta := (to - from) / pieces
	k := 4.0 / 3 * math.Tan(delta/4)
	m := matrix{rx * math.Cos(turned), rx * math.Sin(turned), -ry * math.Sin(turned), ry * math.Cos(turned), center.x, center.y}
	for i := range int(pieces) {
		u := from + float64(i)*delta
		v := u + delta
		o.curve(m.apply(point{math.Cos(u) - k*math.Sin(u), math.Sin(u) + k*math.Cos(u)}),
			m.apply(point{math.Cos(v) + k*math.Sin(v), math.Sin(v) - k*math.Cos(v)}), m.apply(point{math.Cos(v), math.Sin(v)}))
	}
}

func ellipse(cx, cy, rx, ry float64) (o outline) {
	o.move(point{cx + rx, cy})
	o.arc(point{cx, cy}, rx, ry, 0, 0, 2*math.Pi)
	o.close()
	return o
}

func rectangle(x, y, w, h, rx, ry float64) (o outline) {
	if rx <= 0 || ry <= 0 {
		o.move(point{x, y})
		o.line(point{x + w, y})
		o.line(point{x + w, y + h})
		o.line(point{x, y + h})
		o.close()
		return o
	}
	o.move(point{x + rx, y})
	for i, corner := range []point{{x + w - rx, y + ry}, {x + w - rx, y + h - ry}, {x + rx, y + h - ry}, {x + rx, y + ry}} {
		from := float64(i-1) * math.Pi / 2
		o.line(point{corner.x + rx*math.Cos(from), corner.y + ry*math.Sin(from)})
		o.arc(corner, rx, ry, 0, from, from+math.Pi/2)
	}
	o.close()
	return o
}

// arguments are how many numbers a command of a path takes.
var arguments = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'T': 2, 'A': 7, 'Z': 0}

// readPath reads the data of an SVG's path. What it has read up to a mistake is
// returned with the error.
func readPath(d string) (o outline, err error) {
	in := scanner{text: d}
	var at, from, bend point // the pen, where its line began, and what the last curve bends to
	command, before := byte(0), byte(0)
	for {
		in.skip()
		if in.done() {
			return o, nil
		}
		if c := in.text[in.at]; c|0x20 >= 'a' && c|0x20 <= 'z' {
			command = c
			in.at++
		} else if command == 0 || command|0x20 == 'z' {
			return o, fmt.Errorf("path: %q is no command", in.rest())
		}
		upper := command &^ 0x20
		count, known := arguments[upper]
		switch {
		case !known:
			return o, fmt.Errorf("path: %q is no command", command)
		case len(o) == 0 && upper != 'M':
			return o, fmt.Errorf("path: begins with %q instead of M", command)
		}
		var n [7]float64
		for i := range count {
			var ok bool
			if n[i], ok = in.number(upper == 'A' && (i == 3 || i == 4)); !ok {
				return o, fmt.Errorf("path: %q in the place of a number", in.rest())
			}
		}
		base := point{}
		if command != upper {
			base = at
		}
		p := func(i int) point { return point{base.x + n[i], base.y + n[i+1]} }
		mirrored := func(verbs string) point {
			if strings.IndexByte(verbs, before) >= 0 {
				return point{2*at.x - bend.x, 2*at.y - bend.y}
			}
			return at
		}
		quadratic := func(q, end point) {
			o.curve(point{at.x + (q.x-at.x)*2/3, at.y + (q.y-at.y)*2/3}, point{end.x + (q.x-end.x)*2/3, end.y + (q.y-end.y)*2/3}, end)
			bend, at = q, end
		}
		switch upper {
		case 'M':
			at, from = p(0), p(0)
			o.move(at)
			command = 'L' | command&0x20 // what follows without a command
		case 'L':
			at = p(0)
			o.line(at)
		case 'H':
			at.x = base.x + n[0]
			o.line(at)
		case 'V':
			at.y = base.y + n[0]
			o.line(at)
		case 'C':
			o.curve(p(0), p(2), p(4))
			bend, at = p(2), p(4)
		case 'S':
			a := mirrored("CS")
			o.curve(a, p(0), p(2))
			bend, at = p(0), p(2)
		case 'Q':
			quadratic(p(0), p(2))
		case 'T':
			quadratic(mirrored("QT"), p(0))
		case 'A':
			o.bow(at, p(5), n[0], n[1], n[2]*math.Pi/180, n[3] != 0, n[4] != 0)
			at = p(5)
		case 'Z':
			o.close()
			at = from
		}
		before = upper
	}
}

// bow is an arc as a path has it: by its ends (SVG 2, appendix B.2.4).
func (o *outline) bow(from, to point, rx, ry, turned float64, large, sweep bool) {
	rx, ry = math.Abs(rx), math.Abs(ry)
	if from == to {
		return
	}
	if rx == 0 || ry == 0 {
		o.line(to)
		return
	}
	sin, cos := math.Sincos(turned)
	dx, dy := (from.x-to.x)/2, (from.y-to.y)/2
	x, y := cos*dx+sin*dy, -sin*dx+cos*dy
	if l := x*x/(rx*rx) + y*y/(ry*ry); l > 1 {
		rx, ry = rx*math.Sqrt(l), ry*math.Sqrt(l)
	}
	below := rx*rx*y*y + ry*ry*x*x
	k := math.Sqrt(math.Max(0, (rx*rx*ry*ry-below)/below))
	if large == sweep {
		k = -k
	}
	cx, cy := k*rx*y/ry, -k*ry*x/rx
	center := point{cos*cx - sin*cy + (from.x+to.x)/2, sin*cx + cos*cy + (from.y+to.y)/2}
	start := math.Atan2((y-cy)/ry, (x-cx)/rx)
	delta := math.Atan2((-y-cy)/ry, (-x-cx)/rx) - start
	if sweep && delta < 0 {
		delta += 2 * math.Pi
	} else if !sweep && delta > 0 {
		delta -= 2 * math.Pi
	}
	o.arc(center, rx, ry, turned, start, start+delta)
}

// scanner reads the numbers of an attribute.
type scanner struct {
	text string
	at   int
}

func (s *scanner) skip() {
	for s.at < len(s.text) && strings.IndexByte(" ,\t\r\n\f", s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) done() bool { return s.at >= len(s.text) }

// rest is what follows, shortened for an error.
func (s *scanner) rest() string {
	rest := s.text[s.at:]
	return rest[:min(len(rest), 12)]
}

// number reads a number; a flag is one digit, and may stand against what follows.
func (s *scanner) number(flag bool) (float64, bool) {
	s.skip()
	from := s.at
	digits := func() {
		for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
			s.at++
		}
	}
	sign := func() {
		if s.at < len(s.text) && (s.text[s.at] == '-' || s.text[s.at] == '+') {
			s.at++
		}
	}
	if flag {
		s.at = min(s.at+1, len(s.text))
	} else {
		sign()
		digits()
		if s.at < len(s.text) && s.text[s.at] == '.' {
			s.at++
			digits()
		}
		if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
			s.at++
			sign()
			digits()
		}
	}
	v, err := strconv.ParseFloat(s.text[from:s.at], 64)
	if err != nil || flag && v != 0 && v != 1 {
		s.at = from
		return 0, false
	}
	return v, true
}

// numbers are all of an attribute's; ok is false where something else is among them.
func numbers(text string) (out []float64, ok bool) {
	for s := (scanner{text: text}); ; {
		if s.skip(); s.done() {
			return out, true
		}
		v, ok := s.number(false)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
}

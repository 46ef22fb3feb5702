package raster

import (
	"image/color"
	"math"
	"strings"

	"git.sr.ht/~sbinet/gg"
)

// signs are the characters of the demos' pictures that the font lacks. Each is drawn around a point, in a circle of a radius.
var signs = map[rune]func(dc *gg.Context, x, y, r float64){
	'✕': func(dc *gg.Context, x, y, r float64) {
		dc.DrawLine(x-r*0.8, y-r*0.8, x+r*0.8, y+r*0.8)
		dc.DrawLine(x-r*0.8, y+r*0.8, x+r*0.8, y-r*0.8)
		dc.Stroke()
	},
	'▸': func(dc *gg.Context, x, y, r float64) {
		dc.MoveTo(x-r*0.5, y-r*0.7)
		dc.LineTo(x+r*0.6, y)
		dc.LineTo(x-r*0.5, y+r*0.7)
		dc.ClosePath()
		dc.Fill()
	},
	'◷': func(dc *gg.Context, x, y, r float64) {
		dc.DrawCircle(x, y, r)
		dc.MoveTo(x, y-r)
		dc.LineTo(x, y)
		dc.LineTo(x+r, y)
		dc.Stroke()
	},
	'◔': func(dc *gg.Context, x, y, r float64) {
		dc.DrawCircle(x, y, r)
		dc.Stroke()
		dc.MoveTo(x, y)
		dc.DrawArc(x, y, r, -math.Pi/2, 0)
		dc.ClosePath()
		dc.Fill()
	},
	'↯': func(dc *gg.Context, x, y, r float64) {
		dc.MoveTo(x+r*0.3, y-r*1.1)
		dc.LineTo(x-r*0.45, y+r*0.1)
		dc.LineTo(x+r*0.45, y+r*0.1)
		dc.LineTo(x-r*0.2, y+r*1.1)
		dc.Stroke()
	},
	'↮': func(dc *gg.Context, x, y, r float64) {
		for _, side := range []float64{-1, 1} {
			dc.MoveTo(x, y)
			dc.LineTo(x+side*r*1.1, y)
			dc.MoveTo(x+side*r*0.65, y-r*0.45)
			dc.LineTo(x+side*r*1.1, y)
			dc.LineTo(x+side*r*0.65, y+r*0.45)
		}
		dc.MoveTo(x+r*0.3, y-r*0.7)
		dc.LineTo(x-r*0.3, y+r*0.7)
		dc.Stroke()
	},
	'◕': func(dc *gg.Context, x, y, r float64) {
		dc.DrawCircle(x, y, r)
		dc.Stroke()
		dc.MoveTo(x, y)
		dc.DrawArc(x, y, r, -math.Pi/2, math.Pi)
		dc.ClosePath()
		dc.Fill()
	},
	'↻': func(dc *gg.Context, x, y, r float64) {
		dc.DrawArc(x, y, r*0.8, -math.Pi/4, math.Pi*1.4)
		dc.Stroke()
		dc.MoveTo(x+r*0.1, y-r*0.55)
		dc.LineTo(x+r, y-r*0.55)
		dc.LineTo(x+r, y-r*1.3)
		dc.ClosePath()
		dc.Fill()
	},
}

// signWidth is how far a sign takes the text on, in font sizes.
const signWidth = 0.95

// run is a part of a text: letters, or one sign.
type run struct {
	text  string
	sign  func(dc *gg.Context, x, y, r float64)
	width float64
}

// runs takes a text apart, and measures it with the context's font.
func (w *painter) runs(text string, size float64) (out []run, width float64) {
	add := func(r run) {
		if r.sign == nil && r.text == "" {
			return
		}
		if r.sign == nil {
			r.width, _ = w.MeasureString(r.text)
		}
		width += r.width
		out = append(out, r)
	}
	from := 0
	for i, c := range text {
		if signs[c] != nil {
			add(run{text: text[from:i]})
			add(run{sign: signs[c], width: size * signWidth})
			from = i + len(string(c))
		}
	}
	add(run{text: text[from:]})
	return out, width
}

// draw draws a sign in place of a letter whose baseline begins at x, y.
func (w *painter) draw(r run, x, y, size float64, bold bool, c color.Color) {
	w.SetColor(c)
	w.SetDash()
	w.SetLineWidth(size * 0.09)
	if bold {
		w.SetLineWidth(size * 0.13)
	}
	r.sign(w.Context, x+size*signWidth/2, y-size*0.36, size*0.36)
	w.ClearPath()
}

// Lacks are the characters of a picture that can neither be written nor drawn, each once.
func (p *Picture) Lacks() string {
	return Lacks(strings.Map(func(c rune) rune {
		if signs[c] != nil {
			return -1
		}
		return c
	}, p.words()))
}

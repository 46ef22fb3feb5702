// Package palette makes the colours of a book of the one that its author chose,
// and holds them to the contrast that WCAG 2 asks of text (AA, 4.5 to 1): on the
// page, on what is raised from it, and on its own tint.
package palette

import (
	"fmt"
	"math"

	"github.com/lucasb-eyer/go-colorful"
)

// Least is the contrast of text that WCAG 2 calls AA.
const Least = 4.5

// Default is the accent of the theme on light pages.
const Default = "#2450b8"

// theme is what an accent stands on, as site/styles/tokens.css has it, and what
// is made of it there.
type theme struct {
	surface, raised string
	tint            float64 // how much of the accent is in its tint; the rest is surface
	pole            string  // where the stronger accent lies
	strong          float64 // how far that is
}

var (
	light = theme{surface: "#ffffff", raised: "#f5f6f8", tint: 0.09, pole: "#000000", strong: 0.22}
	dark  = theme{surface: "#14171d", raised: "#1c2129", tint: 0.11, pole: "#ffffff", strong: 0.35}
)

// Weak tells of a colour that cannot be read.
type Weak struct {
	Ratio   float64 // on the worst of what it stands on
	Nearest string  // the colour most like it that can
}

// Light checks an accent for light pages, "#2450b8". It is nil when all is well.
// A colour that is none is a broken invariant: a schema has looked at it.
func Light(accent string) *Weak { return light.check(parse(accent)) }

// Dark is Light for dark pages.
func Dark(accent string) *Weak { return dark.check(parse(accent)) }

func (t theme) check(accent colorful.Color) *Weak {
	ratio := t.worst(accent)
	if ratio >= Least {
		return nil
	}
	// Of the same hue, as little lighter or darker as can be: from there on every
	// step away from the page is more contrast.
	l, c, h := accent.OkLch()
	towards := 1.0
	if t == light {
		towards = 0
	}
	near, far := 0.0, 1.0
	for range 24 {
		middle := (near + far) / 2
		if t.worst(shown(l+(towards-l)*middle, c, h)) >= Least {
			far = middle
		} else {
			near = middle
		}
	}
	return &Weak{Ratio: math.Floor(ratio*100) / 100, Nearest: shown(l+(towards-l)*far, c, h).Hex()}
}

// shown is a colour as a screen can show it: with less chroma when it has to be,
// and rounded as it will be written.
func shown(l, c, h float64) colorful.Color {
	colour := colorful.OkLch(l, c, h)
	for c > 0.001 && !colour.IsValid() {
		c *= 0.97
		colour = colorful.OkLch(l, c, h)
	}
	return parse(colour.Clamped().Hex())
}

// worst is the least contrast that an accent has anywhere.
func (t theme) worst(accent colorful.Color) float64 {
	least := math.Inf(1)
	for _, ground := range []colorful.Color{parse(t.surface), parse(t.raised), t.tinted(accent)} {
		least = min(least, contrast(accent, ground))
	}
	return least
}

func (t theme) tinted(accent colorful.Color) colorful.Color {
	return parse(parse(t.surface).BlendRgb(accent, t.tint).Hex())
}

func (t theme) stronger(accent colorful.Color) colorful.Color {
	return accent.BlendRgb(parse(t.pole), t.strong)
}

// contrast is the ratio of WCAG 2.
func contrast(a, b colorful.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c colorful.Color) float64 {
	r, g, b := c.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// CSS is a style sheet for behind the site's own.
func CSS(lightAccent, darkAccent string) string {
	l, d := parse(lightAccent), parse(darkAccent)
	return fmt.Sprintf(":root{--accent:light-dark(%s,%s);--accent-strong:light-dark(%s,%s);--tint:light-dark(%s,%s)}\n",
		l.Hex(), d.Hex(), light.stronger(l).Hex(), dark.stronger(d).Hex(), light.tinted(l).Hex(), dark.tinted(d).Hex())
}

func parse(hex string) colorful.Color {
	c, err := colorful.Hex(hex)
	if err != nil {
		panic(fmt.Sprintf("palette: %q is no colour", hex))
	}
	return c
}

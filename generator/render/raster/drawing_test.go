package raster

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"
)

// drawn is a picture of 100 by 100 of what is inside an SVG of that size.
func drawn(t *testing.T, inside string) *image.RGBA {
	t.Helper()
	d, err := ParseDrawing([]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">` + inside + `</svg>`))
	if err != nil {
		t.Fatal(inside, err)
	}
	picture := image.NewRGBA(image.Rect(0, 0, 100, 100))
	d.Draw(picture, 0, 0, 1)
	return picture
}

func TestDrawing(t *testing.T) {
	// For each, points that are covered, and points that are not.
	for _, c := range []struct {
		inside string
		points [2][]image.Point
	}{
		{`<rect x="10" y="10" width="80" height="80" rx="20"/>`,
			[2][]image.Point{{{50, 50}, {11, 50}}, {{12, 12}, {5, 50}}}},
		{`<rect width="100%" height="50%"/>`,
			[2][]image.Point{{{99, 49}}, {{50, 51}}}},
		{`<circle cx="50" cy="50" r="40"/>`,
			[2][]image.Point{{{50, 11}, {50, 88}}, {{15, 15}}}},
		{`<ellipse cx="50" cy="50" rx="40" ry="10"/>`,
			[2][]image.Point{{{12, 50}}, {{50, 38}}}},
		{`<path fill-rule="evenodd" d="M0 0h100v100H0zM30 30h40v40H30z"/>`,
			[2][]image.Point{{{10, 10}}, {{50, 50}}}},
		{`<path d="M0 0h100v100H0zM30 30h40v40H30z"/>`,
			[2][]image.Point{{{10, 10}, {50, 50}}, nil}},
		{`<path d="M10 50a40 40 0 0 1 80 0z"/>`,
			[2][]image.Point{{{50, 12}}, {{50, 52}}}},
		{`<path d="M10 50a40 40 0 1080 0z"/>`,
			[2][]image.Point{{{50, 88}}, {{50, 48}}}},
		{`<path d="M10,90C10-20,90-20,90,90z"/>`,
			[2][]image.Point{{{50, 20}}, {{50, 4}}}},
		{`<path d="M10 50Q30 0 50 50T90 50" fill="none" stroke="#000" stroke-width="4"/>`,
			[2][]image.Point{{{30, 25}, {70, 75}}, {{30, 75}, {70, 25}}}},
		{`<path d="M10 50c0-50 40-50 40 0s40 50 40 0" fill="none" stroke="black" stroke-width="4"/>`,
			[2][]image.Point{{{30, 12}, {70, 87}}, {{30, 87}}}},
		{`<path d="M10 80L50 20 90 80" fill="none" stroke="#000" stroke-width="10"/>`,
			[2][]image.Point{{{50, 13}}, nil}},
		{`<path d="M10 80L50 20 90 80" fill="none" stroke="#000" stroke-width="10" stroke-linejoin="bevel"/>`,
			[2][]image.Point{{{50, 22}}, {{50, 13}}}},
		{`<path d="M10 80L50 20 90 80" fill="none" stroke="#000" stroke-width="10" stroke-miterlimit="1"/>`,
			[2][]image.Point{{{50, 22}}, {{50, 13}}}},
		{`<line x1="20" x2="80" y1="50" y2="50" stroke="#000" stroke-width="20"/>`,
			[2][]image.Point{{{21, 50}}, {{15, 50}}}},
		{`<line x1="20" x2="80" y1="50" y2="50" stroke="#000" stroke-width="20" stroke-linecap="square"/>`,
			[2][]image.Point{{{11, 41}}, {{8, 50}}}},
		{`<line x1="20" x2="80" y1="50" y2="50" stroke="#000" stroke-width="20" stroke-linecap="round"/>`,
			[2][]image.Point{{{11, 50}}, {{11, 41}}}},
		{`<path d="M0 50H100" stroke="#000" stroke-width="10" stroke-dasharray="20 10"/>`,
			[2][]image.Point{{{10, 50}, {40, 50}}, {{25, 50}}}},
		{`<path d="M0 50H100" stroke="#000" stroke-width="10" stroke-dasharray="20 10" stroke-dashoffset="20"/>`,
			[2][]image.Point{{{15, 50}}, {{5, 50}}}},
		{`<g transform="translate(50 50) rotate(45) scale(2)"><rect x="-10" y="-10" width="20" height="20"/></g>`,
			[2][]image.Point{{{50, 24}}, {{33, 33}}}},
		{`<g transform="rotate(90,50,50)"><rect width="10" height="10"/></g>`,
			[2][]image.Point{{{95, 5}}, {{5, 5}}}},
		{`<g transform="matrix(1 0 .5 1 0 0)"><rect y="50" width="10" height="10"/></g>`,
			[2][]image.Point{{{32, 55}}, {{5, 55}}}},
		{`<style>.a{display:none} #b{fill:none}</style><rect class="a" width="50" height="50"/><rect id="b" width="90" height="90"/>`,
			[2][]image.Point{nil, {{20, 20}}}},
		{`<rect width="50" height="50" style="fill: none; stroke: #000; stroke-width: 20"/>`,
			[2][]image.Point{{{45, 20}}, {{25, 25}}}},
		{`<defs><path id="p" d="M0 0h9v9H0z"/></defs><use href="#p" x="50"/><use xlink:href="#p" y="50" xmlns:xlink="http://www.w3.org/1999/xlink"/>`,
			[2][]image.Point{{{55, 5}, {5, 55}}, {{5, 5}}}},
	} {
		picture := drawn(t, c.inside)
		for i, at := range c.points {
			for _, p := range at {
				if a := picture.RGBAAt(p.X, p.Y).A; (a > 0x80) != (i == 0) {
					t.Errorf("%s: the pixel at %v has the opacity %d", c.inside, p, a)
				}
			}
		}
	}
}

func TestColoursOfADrawing(t *testing.T) {
	purple := color.RGBA{0x66, 0x33, 0x99, 255}
	whole := `<rect width="100" height="100" `
	stops := `<stop stop-color="#f00"/><stop offset="50%" style="stop-color:lime"/><stop offset="1" stop-color="blue" stop-opacity="0"/>`
	for inside, want := range map[string][3]color.RGBA{ // at the left, in the middle, and at the right
		whole + `fill="#0f08"/>`: {{0, 0x88, 0, 0x88}, {0, 0x88, 0, 0x88}, {0, 0x88, 0, 0x88}},
		whole + `fill="rgb(10, 20 30%)" opacity=".5" fill-opacity="50%"/>`:                   {{2, 5, 19, 64}, {2, 5, 19, 64}, {2, 5, 19, 64}},
		`<g color="rebeccapurple">` + whole + `fill="#663399"/></g>`:                         {purple, purple, purple},
		`<linearGradient id="g">` + stops + `</linearGradient>` + whole + `fill="url(#g)"/>`: {{252, 3, 0, 255}, {0, 252, 3, 252}, {0, 0, 3, 3}},
		`<linearGradient id="a">` + stops + `</linearGradient><linearGradient id="g" href="#a" gradientUnits="userSpaceOnUse" x1="0" x2="50" spreadMethod="reflect"/>` +
			whole + `fill="url(#g)"/>`: {{250, 5, 0, 255}, {0, 0, 5, 5}, {250, 5, 0, 255}},
		`<radialGradient id="g">` + stops + `</radialGradient>` + whole + `fill="url(#g)"/>`: {{0, 0, 3, 3}, {248, 7, 0, 255}, {0, 0, 3, 3}},
	} {
		picture := drawn(t, inside)
		for i, x := range []int{0, 50, 99} {
			got := picture.RGBAAt(x, 50)
			near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 8 }
			if w := want[i]; !near(got.R, w.R) || !near(got.G, w.G) || !near(got.B, w.B) || !near(got.A, w.A) {
				t.Errorf("%s: at %d is %v, want %v", inside, x, got, w)
			}
		}
	}
}

func TestWhatIsBeyondADrawing(t *testing.T) {
	deep := strings.Repeat("<g>", 200) + strings.Repeat("</g>", 200)
	bomb := `<g id="a0"/>`
	for i := range 40 {
		bomb += fmt.Sprintf(`<g id="a%d"><use href="#a%d"/><use href="#a%d"/></g>`, i+1, i, i)
	}
	for inside, want := range map[string]string{
		`<text>a</text>`: "<text> is beyond shapes, paths and gradients",
		`<rect width="9" height="9" filter="url(#f)"/>`: "<rect> has a filter",
		`<rect width="9mm" height="9"/>`:                `<rect>: width is "9mm", which is no number`,
		`<rect width="9" height="9" fill="gren"/>`:      `<rect>: "gren" is no colour`,
		`<path d="M0 0 X"/>`:                            `path: 'X' is no command`,
		`<path d="L0 0"/>`:                              `path: begins with 'L' instead of M`,
		`<path d="M0 a"/>`:                              `path: "a" in the place of a number`,
		`<use href="#no"/>`:                             `<use> of "#no", which is not in the file`,
		`<g id="a"><use href="#a"/></g>`:                "groups are nested too deep, or go round in a circle",
		`<g transform="turn(9)"/>`:                      `<g>: transform "turn(9)"`,
		`<rect>`:                                        "XML syntax error",
		deep:                                            "nested too deep",
		bomb:                                            "more than 10000 elements",
	} {
		_, err := ParseDrawing([]byte(`<svg viewBox="0 0 9 9">` + inside + `</svg>`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", inside, err, want)
		}
	}
}

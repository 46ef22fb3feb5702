package raster

import (
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"sync"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Noto Sans JP, cut down: see fonts/README.md.
var (
	//go:embed fonts/NotoSansJP-Regular.ttf
	regularFile []byte
	//go:embed fonts/NotoSansJP-Bold.ttf
	boldFile []byte
)

var fonts = sync.OnceValue(func() [2]*opentype.Font {
	var out [2]*opentype.Font
	for i, file := range [][]byte{regularFile, boldFile} {
		f, err := opentype.Parse(file)
		if err != nil {
			panic("raster: font: " + err.Error()) // it is part of the program
		}
		out[i] = f
	}
	return out
})

// Lacks are the characters of a text that the font cannot draw, each once.
// Whoever draws a text has to ask: boxes in place of words tell nothing.
func Lacks(text string) string {
	var buffer sfnt.Buffer
	missing := ""
	seen := map[rune]bool{}
	for _, r := range text {
		if seen[r] || r == '\n' {
			continue
		}
		seen[r] = true
		if i, err := fonts()[1].GlyphIndex(&buffer, r); err != nil || i == 0 {
			missing += string(r)
		}
	}
	return missing
}

// letters draws a text with its baseline at x, y. The context itself would draw each
// letter through a transformation, which blurs it and takes several times as long.
func letters(dc *gg.Context, face font.Face, text string, x, y float64, c color.Color) {
	d := font.Drawer{Dst: dc.Image().(draw.Image), Src: image.NewUniform(c), Face: face,
		Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}}
	d.DrawString(text)
}

// faces are the fonts in sizes, for one picture: a face is not to be used by two at once.
type faces map[string]font.Face

func (f faces) get(bold bool, size float64) font.Face {
	weight := 0
	if bold {
		weight = 1
	}
	key := fmt.Sprint(weight, size)
	if face, ok := f[key]; ok {
		return face
	}
	face, err := opentype.NewFace(fonts()[weight], &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic("raster: face: " + err.Error()) // of our own font, in sizes above zero
	}
	f[key] = face
	return face
}

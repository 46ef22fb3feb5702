package raster

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"image/color"
	"image/png"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Whatever the demos' pictures may contain is written with the font or drawn.
func TestEverySignOfThePicturesCanBeDrawn(t *testing.T) {
	files, err := filepath.Glob("../../../playground/demo/scene/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range text {
				if signs[c] != nil {
					found++
				} else if c != '\u200b' && Lacks(string(c)) != "" && c >= ' ' {
					t.Errorf("%s: %q is neither in the font nor drawn", file, c)
				}
			}
			return true
		})
	}
	if found == 0 {
		t.Error("no sign is used")
	}
}

func TestPicturesAsPNG(t *testing.T) {
	for sign := range signs { // order: each on its own
		p, err := Parse(fmt.Sprintf(`<svg viewBox="0 0 60 30"><text x="10" y="20" font-size="16" fill="#d00">%c</text></svg>`, sign), sheet(t))
		if err != nil {
			t.Fatal(err)
		}
		if lacks := p.Lacks(); lacks != "" {
			t.Errorf("lacks %q", lacks)
		}
		data := p.PNG(240)
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if size := picture.Bounds().Size(); size.X != 240 || size.Y != 120 {
			t.Fatalf("%c: the picture is %v", sign, size)
		}
		inked, outside := 0, 0
		for y := range 120 {
			for x := range 240 {
				if picture.At(x, y) != (color.NRGBA{255, 255, 255, 255}) && picture.At(x, y) != (color.RGBA{255, 255, 255, 255}) {
					inked++
					if x < 40 || x > 40+64 || y < 20 || y > 96 {
						outside++
					}
				}
			}
		}
		if inked < 60 || outside > 0 {
			t.Errorf("%c: %d pixels are drawn, %d of them outside its place", sign, inked, outside)
		}
		if !bytes.Equal(data, p.PNG(240)) {
			t.Errorf("%c: not the same bytes again", sign)
		}
	}
}

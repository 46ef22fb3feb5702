package offline

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"kubewalk/generator/render/raster"
)

// Icon is an icon as a PNG, square.
type Icon struct {
	Name     string // of its file
	Size     int
	Maskable bool // fills the square, so that a system may cut any shape out of it
	PNG      []byte
}

// Installed are the icons that systems ask for: Android's and Chrome's, and Apple's,
// which knows neither SVG nor transparency.
var Installed = []Icon{
	{Name: "icon-192.png", Size: 192},
	{Name: "icon-512.png", Size: 512},
	{Name: "maskable-512.png", Size: 512, Maskable: true},
	{Name: Apple, Size: 180, Maskable: true},
}

// Apple is the name of the icon for Apple's systems.
const Apple = "apple-touch-icon.png"

// Icons draws an SVG as what is installed. An SVG that is
// beyond the drawer (it knows shapes, paths and gradients, no text) is an error.
func Icons(svg []byte) ([]Icon, error) {
	drawing, err := read(svg)
	if err != nil {
		return nil, err
	}
	var out []Icon
	for _, i := range Installed {
		var data bytes.Buffer
		if err := png.Encode(&data, rasterize(drawing, i.Size, i.Maskable)); err != nil {
			return nil, err
		}
		i.PNG = data.Bytes()
		out = append(out, i)
	}
	return out, nil
}

// Drawable tells whether Icons can draw the SVG.
func Drawable(svg []byte) error {
	_, err := read(svg)
	return err
}

func read(svg []byte) (*raster.Drawing, error) {
	drawing, err := raster.ParseDrawing(svg)
	if err != nil {
		return nil, fmt.Errorf("icon cannot be drawn: %w", err)
	}
	return drawing, nil
}

// rasterize draws an icon. A maskable one is drawn within the circle that no
// system cuts into (80% of the width), on the colour of its own edge, or white.
func rasterize(icon *raster.Drawing, size int, maskable bool) *image.RGBA {
	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	within := 1.0
	if maskable {
		edge := color.RGBA{0xff, 0xff, 0xff, 0xff}
		within = 0.6 // a square in that circle
		if c := rasterize(icon, size, false).RGBAAt(size/2, size/64); c.A == 0xff {
			edge, within = c, 0.8 // it has a ground of its own, which goes on
		}
		draw.Draw(picture, picture.Bounds(), image.NewUniform(edge), image.Point{}, draw.Src)
	}
	// The whole of it, in the middle.
	scale := within * float64(size) / max(icon.Width, icon.Height)
	icon.Draw(picture, (float64(size)-icon.Width*scale)/2, (float64(size)-icon.Height*scale)/2, scale)
	return picture
}

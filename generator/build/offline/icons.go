package offline

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"reflect"
	"regexp"
	"time"

	"github.com/fyne-io/oksvg"
	"github.com/srwiley/rasterx"
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
	return inTime(func() ([]Icon, error) { return drawAll(svg) })
}

func drawAll(svg []byte) ([]Icon, error) {
	var out []Icon
	for _, i := range Installed {
		picture, err := rasterize(svg, i.Size, i.Maskable)
		if err != nil {
			return nil, err
		}
		var data bytes.Buffer
		if err := png.Encode(&data, picture); err != nil {
			return nil, err
		}
		i.PNG = data.Bytes()
		out = append(out, i)
	}
	return out, nil
}

// Drawable tells whether Icons can draw the SVG.
func Drawable(svg []byte) error {
	_, err := inTime(func() (*oksvg.SvgIcon, error) { return read(svg) })
	return err
}

// inTime gives up on what the drawer does not come to an end with: it takes apart
// arcs and dashes into as many pieces as the numbers of a file ask for.
func inTime[T any](work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-time.After(patience):
		var none T
		return none, errors.New("icon cannot be drawn: it takes too long")
	}
}

const patience = 10 * time.Second

func read(svg []byte) (icon *oksvg.SvgIcon, err error) {
	defer func() {
		if r := recover(); r != nil { // the drawer's way with some mistakes
			err = fmt.Errorf("icon cannot be drawn: %v", r)
		}
	}()
	if icon, err = oksvg.ReadIconStream(bytes.NewReader(understood(svg)), oksvg.StrictErrorMode); err != nil {
		return nil, fmt.Errorf("icon cannot be drawn: %w", err)
	}
	if icon.ViewBox.W <= 0 || icon.ViewBox.H <= 0 {
		return nil, errors.New("icon has no viewBox")
	}
	return icon, nil
}

// rasterize draws an icon. A maskable one is drawn within the circle that no
// system cuts into (80% of the width), on the colour of its own edge, or white.
func rasterize(svg []byte, size int, maskable bool) (*image.RGBA, error) {
	icon, err := read(svg)
	if err != nil {
		return nil, err
	}
	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	within := 1.0
	if maskable {
		edge := color.RGBA{0xff, 0xff, 0xff, 0xff}
		plain, err := rasterize(svg, size, false)
		if err != nil {
			return nil, err
		}
		within = 0.6 // a square in that circle
		if c := plain.RGBAAt(size/2, size/64); c.A == 0xff {
			edge, within = c, 0.8 // it has a ground of its own, which goes on
		}
		draw.Draw(picture, picture.Bounds(), image.NewUniform(edge), image.Point{}, draw.Src)
	}
	// The whole of it, in the middle.
	scale := within * float64(size) / max(icon.ViewBox.W, icon.ViewBox.H)
	w, h := icon.ViewBox.W*scale, icon.ViewBox.H*scale
	icon.SetTarget((float64(size)-w)/2, (float64(size)-h)/2, w, h)
	for i := range icon.SVGPaths {
		widen(&icon.SVGPaths[i], scale)
	}
	scanner := rasterx.NewScannerGV(size, size, picture, picture.Bounds())
	icon.Draw(rasterx.NewDasher(size, size, scanner), 1)
	return picture, nil
}

// widen gives a line the width that it has in the picture. The drawer takes the
// widths as pixels, whatever scale the path is drawn in; what the file's own
// transformations are, it keeps to itself.
func widen(path *oksvg.SvgPath, scale float64) {
	m := reflect.ValueOf(path).Elem().FieldByName("PathStyle").FieldByName("mAdder").FieldByName("M")
	at := func(name string) float64 { return m.FieldByName(name).Float() }
	scale *= math.Sqrt(math.Abs(at("A")*at("D") - at("B")*at("C")))
	path.LineWidth *= scale
	path.DashOffset *= scale
	dash := make([]float64, len(path.Dash))
	for i, d := range path.Dash {
		dash[i] = d * scale
	}
	path.Dash = dash
}

func init() {
	// As SVG has it.
	oksvg.DefaultStyle.LineWidth, oksvg.DefaultStyle.LineJoin = 1, rasterx.Miter
}

var (
	oneScale = regexp.MustCompile(`scale\(\s*([-+.\deE]+)\s*\)`)
	rect     = regexp.MustCompile(`<rect\b[^>]*>`)
	onlyX    = regexp.MustCompile(`\brx\s*=\s*("[^"]*"|'[^']*')`)
)

// understood writes out what SVG leaves to be understood, and the drawer does not:
// scale(2) is scale(2, 2), and a rectangle's ry is its rx.
func understood(svg []byte) []byte {
	svg = oneScale.ReplaceAll(svg, []byte("scale($1,$1)"))
	return rect.ReplaceAllFunc(svg, func(tag []byte) []byte {
		if bytes.Contains(tag, []byte(" ry")) {
			return tag
		}
		return onlyX.ReplaceAll(tag, []byte("$0 ry=$1"))
	})
}

package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"kubewalk/generator/problem"
	"kubewalk/generator/render/libwebp"
)

// drawing is like a screenshot: areas, a gradient, and lines as thin as text.
func drawing(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	noise := rand.New(rand.NewPCG(1, 2))
	for y := range height {
		for x := range width {
			c := color.NRGBA{245, 246, 248, 255}
			switch {
			case x < width/4:
				c = color.NRGBA{uint8(x), uint8(y), uint8(noise.Uint32()), 255}
			case y%17 < 2 && (x*7+y*13)%23 < 11:
				c = color.NRGBA{26, 32, 44, 255}
			case y > height*3/4:
				c.A = 0
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func pngOf(t testing.TB, img image.Image) []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func jpegOf(t testing.TB, img image.Image) []byte {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func make1(t *testing.T, file string, data []byte) *Picture {
	t.Helper()
	p, err := new(Cache).Make(file, data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestScreenshot(t *testing.T) {
	img := drawing(600, 200)
	data := pngOf(t, img)
	p := make1(t, "a.png", data)
	if p.Width != 600 || p.Height != 200 {
		t.Errorf("%d×%d", p.Width, p.Height)
	}
	if len(p.Files) < 2 {
		t.Fatalf("only %d files", len(p.Files))
	}
	for i, f := range p.Files {
		back, err := webp.Decode(bytes.NewReader(f.Data))
		if err != nil || f.Ext != ".webp" || back.Bounds().Dx() != f.Width {
			t.Fatalf("file %d, %d wide, %s: %v", i, f.Width, f.Ext, err)
		}
		if i > 0 && (f.Width <= p.Files[i-1].Width || len(f.Data) <= len(p.Files[i-1].Data)) {
			t.Errorf("%d wide, %d bytes, is behind %d wide, %d bytes", f.Width, len(f.Data), p.Files[i-1].Width, len(p.Files[i-1].Data))
		}
		if f.Width == 600 && (!same(back, img) || len(f.Data) >= len(data)) {
			t.Errorf("WebP of %d bytes is not the PNG of %d bytes", len(f.Data), len(data))
		}
	}
	if again := make1(t, "b.png", data); !reflect.DeepEqual(p, again) {
		t.Error("the same image became something else")
	}
	if double := make1(t, "a@2x.png", data); double.Width != 300 || double.Height != 100 {
		t.Errorf("@2x is shown as %d×%d", double.Width, double.Height)
	}
}

func TestSmallStaysWhole(t *testing.T) {
	if p := make1(t, "a.png", pngOf(t, drawing(300, 20))); len(p.Files) != 1 || p.Files[0].Width != 300 {
		t.Errorf("%d files", len(p.Files))
	}
}

// scenery is as smooth and as noisy as a photograph.
func scenery(width, height int) *image.NRGBA {
	img, noise := image.NewNRGBA(image.Rect(0, 0, width, height)), rand.New(rand.NewPCG(3, 4))
	for y := range height {
		for x := range width {
			n := int(noise.Uint32() % 9)
			img.SetNRGBA(x, y, color.NRGBA{uint8(40 + 160*x/width + n), uint8(30 + 150*y/height + n), uint8(90 + 60*(x+y)/(width+height) + n), 255})
		}
	}
	return img
}

// distance is the mean difference of the colours of two images, of 255.
func distance(a, b image.Image) float64 {
	sum, all := 0, a.Bounds()
	for y := all.Min.Y; y < all.Max.Y; y++ {
		for x := all.Min.X; x < all.Max.X; x++ {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			for _, d := range []int{int(r>>8) - int(r2>>8), int(g>>8) - int(g2>>8), int(bl>>8) - int(bl2>>8)} {
				sum += max(d, -d)
			}
		}
	}
	return float64(sum) / float64(3*all.Dx()*all.Dy())
}

// TestPhotograph: JPEG, PNG and WebP of a photograph get smaller copies that look like it.
func TestPhotograph(t *testing.T) {
	img := scenery(1000, 200)
	lossy, err := libwebp.Encode(img, 95)
	if err != nil {
		t.Fatal(err)
	}
	for file, data := range map[string][]byte{"a.jpg": jpegOf(t, img), "a.png": pngOf(t, img), "a.webp": lossy} {
		p := make1(t, file, data)
		if file == "a.webp" {
			if last := p.Files[len(p.Files)-1]; p.Original != nil || !bytes.Equal(last.Data, data) {
				t.Errorf("%s: what is WebP is its own widest file", file)
			}
		} else if p.Original == nil || !bytes.Equal(p.Original.Data, data) || p.Original.Ext != path.Ext(file) || p.Original.Width != 1000 {
			t.Errorf("%s: the original is not there as it was", file)
		}
		if p.Width != 1000 || p.Height != 200 || len(p.Files) != 3 {
			t.Errorf("%s: %d×%d, %d files", file, p.Width, p.Height, len(p.Files))
		}
		for i, f := range p.Files {
			back, err := webp.Decode(bytes.NewReader(f.Data))
			if err != nil || f.Ext != ".webp" || back.Bounds().Dx() != f.Width || f.Width != []int{400, 800, 1000}[i] {
				t.Fatalf("%s: file %d is %d wide, %s, %v", file, i, f.Width, f.Ext, err)
			}
			if d := distance(inRGB(back), scale(img, f.Width)); d > 3 {
				t.Errorf("%s: %d wide, the colours are %.1f off", file, f.Width, d)
			}
			if 2*len(f.Data) > len(data) && file != "a.webp" {
				t.Errorf("%s: %d wide takes %d bytes of %d", file, f.Width, len(f.Data), len(data))
			}
		}
	}
}

// TestAPhotographThatIsSmallAlready stays what it is, where a copy would be larger.
func TestAPhotographThatIsSmallAlready(t *testing.T) {
	img, noise := scenery(1000, 200), rand.New(rand.NewPCG(5, 6))
	for i := range img.Pix {
		if i%4 < 3 {
			img.Pix[i] += uint8(noise.Uint32() % 64)
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 20}); err != nil {
		t.Fatal(err)
	}
	p := make1(t, "a.jpg", out.Bytes())
	if last := p.Files[len(p.Files)-1]; p.Original != nil || !bytes.Equal(last.Data, out.Bytes()) {
		t.Errorf("%d bytes became %d, %s", out.Len(), len(last.Data), last.Ext)
	}
}

// p3 is the beginning of a profile, which is all that is looked at.
func p3(space, description string) []byte {
	icc := make([]byte, 600)
	copy(icc[16:], space)
	copy(icc[36:], "acsp")
	copy(icc[200:], description)
	return icc
}

// inColours are images with a profile, as cameras and programs write it.
func inColours(t *testing.T, img image.Image, icc []byte) map[string][]byte {
	data := jpegOf(t, img)
	withIn := append([]byte{}, data[:2]...)
	for i, part := range [][]byte{icc[:500], icc[500:]} {
		block := append([]byte("ICC_PROFILE\x00"), append([]byte{byte(i + 1), 2}, part...)...)
		withIn = append(binary.BigEndian.AppendUint16(append(withIn, 0xff, 0xe2), uint16(len(block)+2)), block...)
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(icc)
	_ = w.Close()
	body := append([]byte("iCCPname\x00\x00"), packed.Bytes()...)
	chunk := binary.BigEndian.AppendUint32(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)-4)), body...), crc32.ChecksumIEEE(body))
	whole := pngOf(t, img)
	_, lossy := withProfile(icc, asPhotograph)(scale(img, img.Bounds().Dx()))
	return map[string][]byte{"a.jpg": append(withIn, data[2:]...), "a.png": slices.Concat(whole[:33], chunk, whole[33:]), "a.webp": lossy}
}

// TestProfile: copies have the original's numbers, and what these mean.
func TestProfile(t *testing.T) {
	wide := p3("RGB ", "D\x00i\x00s\x00p\x00l\x00a\x00y\x00 \x00P\x003")
	for _, img := range []*image.NRGBA{scenery(500, 80), drawing(701, 161)} {
		for file, data := range inColours(t, img, wide) {
			p := make1(t, file, data)
			if len(p.Files) < 2 {
				t.Errorf("%s: %d files", file, len(p.Files))
			}
			for _, f := range p.Files {
				if f.Ext != ".webp" { // a JPEG that is small already
					continue
				}
				if icc, ok := profile(f.Ext, f.Data); !ok || !bytes.Equal(icc, wide) {
					t.Errorf("%s: %d wide has lost its profile", file, f.Width)
				}
				c, err := webp.DecodeConfig(bytes.NewReader(f.Data))
				if back, wrong := webp.Decode(bytes.NewReader(f.Data)); err != nil || wrong != nil || c.Width != f.Width || back.Bounds().Dx() != f.Width {
					t.Errorf("%s: %d wide: %+v, %v, %v", file, f.Width, c, err, wrong)
				}
			}
		}
	}
	img := scenery(500, 80)
	for _, srgb := range []string{"sRGB IEC61966-2.1", "s\x00R\x00G\x00B\x00"} {
		for file, data := range inColours(t, img, p3("RGB ", srgb)) {
			if icc, ok := profile(path.Ext(file), data); icc != nil || !ok {
				t.Errorf("%s: the profile of all pages is one of its own", file)
			}
		}
	}
	for file, data := range inColours(t, img, p3("GRAY", "")) {
		if p := make1(t, file, data); len(p.Files) != 1 || !bytes.Equal(p.Files[0].Data, data) {
			t.Errorf("%s: a profile of grey was put to colours", file)
		}
	}
	cut := inColours(t, img, wide)["a.jpg"]
	copy(cut[bytes.LastIndex(cut, []byte("ICC_PROFILE")):], "ICC_PROFIL_")
	if _, ok := profile(".jpg", cut); ok {
		t.Error("half a profile is one")
	}
}

// turned is a JPEG with an EXIF block that asks for an orientation.
func turned(data []byte, orientation byte) []byte {
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(orientation) + "\x00\x00\x00\x00\x00\x00")
	block := append([]byte{0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(exif)+2))...)
	return append(append(append([]byte{}, data[:2]...), append(block, exif...)...), data[2:]...)
}

// TestOrientation: the eight orientations of one picture look the same when turned.
func TestOrientation(t *testing.T) {
	upper := image.NewNRGBA(image.Rect(0, 0, 600, 300)) // white, with a black corner
	for y := range 300 {
		for x := range 600 {
			c := color.NRGBA{255, 255, 255, 255}
			if x < 150 && y < 150 {
				c = color.NRGBA{0, 0, 0, 255}
			}
			upper.SetNRGBA(x, y, c)
		}
	}
	for orientation := 1; orientation <= 8; orientation++ {
		// 6 and 8 undo each other; the others undo themselves.
		inverse := map[int]int{6: 8, 8: 6}[orientation]
		if inverse == 0 {
			inverse = orientation
		}
		p := make1(t, "a.jpg", turned(jpegOf(t, upright(upper, inverse)), byte(orientation)))
		if p.Width != 600 || p.Height != 300 {
			t.Errorf("orientation %d: %d×%d", orientation, p.Width, p.Height)
			continue
		}
		small, err := webp.Decode(bytes.NewReader(p.Files[0].Data))
		if err != nil || len(p.Files) < 2 {
			t.Fatal(err, len(p.Files))
		}
		r, _, _, _ := small.At(10, 10).RGBA()
		g, _, _, _ := small.At(small.Bounds().Dx()-10, 10).RGBA()
		if r > 0x4000 || g < 0xc000 {
			t.Errorf("orientation %d is wrong in the smaller file", orientation)
		}
	}
}

func TestSizes(t *testing.T) {
	box := func(name string, body ...byte) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), append([]byte(name), body...)...)
	}
	ispe := func(w, h byte) []byte { return box("ispe", 0, 0, 0, 0, 0, 0, w, 0, 0, 0, h, 0) }
	avif := func(inside ...byte) []byte {
		return append(box("ftyp", []byte("avif")...), box("meta", append([]byte{0, 0, 0, 0}, box("iprp", box("ipco", inside...)...)...)...)...)
	}
	for _, test := range []struct {
		file, data    string
		width, height int
	}{
		{"a.svg", `<svg viewBox="0 0 300 150"/>`, 300, 150},
		{"a.svg", `<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg" width="2in" height="48px" viewBox="0 0 1 1"/>`, 192, 48},
		{"a.svg", `<svg width="600" viewBox="0,0,300,150"/>`, 600, 300},
		{"a.svg", `<svg width="100%" height="100%" viewBox="0 0 30.4 15"><a href="#x"/><style>a{fill:url(#g)}</style></svg>`, 30, 15},
		{"a.avif", string(avif(append(ispe(1, 1), ispe(4, 2)...)...)), 1024, 512},
		{"a.avif", string(avif(append(ispe(4, 2), box("irot", 1)...)...)), 512, 1024},
	} {
		if p := make1(t, test.file, []byte(test.data)); p.Width != test.width || p.Height != test.height {
			t.Errorf("%s: %d×%d, want %d×%d", test.data, p.Width, p.Height, test.width, test.height)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, test := range []struct{ file, data, want string }{
		{"c/a.png", "no image", `c/a.png: image cannot be read: png: invalid format: not a PNG file (save it again as png, or name it after what it is)`},
		{"c/a.avif", "\x00\x00\x00\x00meta", `c/a.avif: image cannot be read: it doesn't say how large it is (save it again as avif, or name it after what it is)`},
		{"c/a.svg", `<svg/>`, `c/a.svg: SVG without a size (give <svg> a viewBox, or width and height in px)`},
		{"c/a.svg", "<svg viewBox='0 0 1 1'>\n  <Script/><g onclick='x'/>\n</svg>",
			`c/a.svg:2:3: element "Script" in an SVG (images must not run anything; remove it)
c/a.svg:2:12: attribute "onclick" in an SVG (images must not run anything; remove it)`},
		{"c/a.svg", "<svg viewBox='0 0 1 1'><image href='https://example.com/a.png'/><style>@import 'x'; a{b:url(//c)}</style></svg>",
			`c/a.svg:1:24: address "https://example.com/a.png" in an SVG (images must not load anything; put it into the file, as #id or data:image/png)
c/a.svg:1:72: address "@import" in an SVG (images must not load anything; put it into the file)`},
		{"c/a.svg", "<svg viewBox='0 0 1 1'>\n<g>", "c/a.svg:2:4: SVG is not well-formed: line 2: unexpected EOF (save it again with the program that drew it)"},
		{"c/a.svg", "<html/>", "c/a.svg:1: element \"html\" where an SVG begins (its first element has to be <svg>)\nc/a.svg: SVG without a size (give <svg> a viewBox, or width and height in px)"},
	} {
		_, err := new(Cache).Make(test.file, []byte(test.data))
		if err == nil || !strings.Contains(err.Error(), strings.Split(test.want, "\n")[0]) {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
		for _, p := range problem.Of(err) {
			if !strings.Contains(test.want, p.Error()) {
				t.Errorf("got  %v\nwant %s", p, test.want)
			}
		}
	}
}

func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pictures")
	data := pngOf(t, drawing(900, 90))
	first, err := (&Cache{Dir: dir}).Make("a.png", data)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "picture.*"))
	if len(files) != 1 {
		t.Fatalf("%d files in the cache", len(files))
	}
	full := files[0]
	kept, _ := os.ReadFile(full)
	second, err := (&Cache{Dir: dir}).Make("other.png", data)
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("from the cache came something else: %v", err)
	}
	if err := os.WriteFile(full, kept[:len(kept)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	third, err := (&Cache{Dir: dir}).Make("a.png", data)
	if err != nil || !reflect.DeepEqual(first, third) {
		t.Errorf("a file cut off was taken: %v", err)
	}
	if _, err := (&Cache{Dir: full + "/not/a/folder"}).Make("a.png", data); err != nil {
		t.Errorf("a cache that cannot be written stops the build: %v", err)
	}
	var p problem.Problem
	if _, err := (&Cache{Dir: dir}).Make("x.png", data[:50]); !errors.As(err, &p) || p.File != "x.png" {
		t.Errorf("an image cut off: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a.png", pngOf(f, drawing(20, 9)))
	f.Add("a.jpg", turned(jpegOf(f, drawing(20, 9)), 6))
	f.Add("a.svg", []byte(`<svg viewBox="0 0 300 150"><style>a{b:url(#c)}</style></svg>`))
	f.Add("a.avif", []byte("\x00\x00\x00\x20meta\x00\x00\x00\x00\x00\x00\x00\x14ispe\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00"))
	f.Fuzz(func(t *testing.T, file string, data []byte) {
		// A header may promise more than there is; what it takes is not tested here.
		if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width*c.Height > 1_000_000 {
			return
		}
		p, err := new(Cache).Make(file, data)
		if err == nil && (p.Width <= 0 || p.Height <= 0 || len(p.Files) == 0) {
			t.Errorf("%q: %+v", file, p)
		}
	})
}

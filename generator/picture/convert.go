package picture

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// encoder writes an image as a file.
type encoder func(*image.NRGBA) (ext string, data []byte)

// convert makes the files of an image. One that is not smaller than the next
// wider one is left out, and so is the original when a file of its width is smaller.
func convert(img image.Image, original File, encode encoder) *Picture {
	bounds := img.Bounds()
	p := &Picture{Width: bounds.Dx(), Height: bounds.Dy()}
	last := original
	if ext, data := encode(scale(img, bounds.Dx())); len(data) < len(original.Data) && ext != original.Ext {
		last = File{ext, bounds.Dx(), data}
	}
	p.Files = []File{last}
	for i := len(widths) - 1; i >= 0; i-- {
		if widths[i] >= bounds.Dx()*9/10 {
			continue
		}
		if ext, data := encode(scale(img, widths[i])); len(data) < len(p.Files[0].Data)*9/10 {
			p.Files = append([]File{{ext, widths[i], data}}, p.Files...)
		}
	}
	return p
}

func scale(img image.Image, width int) *image.NRGBA {
	from := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, width, max(1, (from.Dy()*width+from.Dx()/2)/from.Dx())))
	if width == from.Dx() {
		draw.Draw(out, out.Bounds(), img, from.Min, draw.Src)
	} else {
		draw.CatmullRom.Scale(out, out.Bounds(), img, from, draw.Src, nil)
	}
	return out
}

// losslessly is WebP, or PNG should what the encoder wrote not be the image again.
func losslessly(img *image.NRGBA) (string, []byte) {
	if data, ok := asWebP(img); ok {
		return ".webp", data
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, img); err != nil {
		panic(err) // a buffer takes everything, and a png any image
	}
	return ".png", out.Bytes()
}

// asWebP trusts the encoder, which is young, with nothing: its panics included.
func asWebP(img *image.NRGBA) (data []byte, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	var out bytes.Buffer
	if nativewebp.Encode(&out, img, nil) != nil {
		return nil, false
	}
	back, err := webp.Decode(bytes.NewReader(out.Bytes()))
	return out.Bytes(), err == nil && same(back, img)
}

// asPhotograph is JPEG: WebP with loss has no encoder in Go, and without loss is larger.
func asPhotograph(img *image.NRGBA) (string, []byte) {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 82}); err != nil {
		panic(err)
	}
	return ".jpg", out.Bytes()
}

// same tells whether two images look alike to the last bit; what is transparent has no colour.
func same(a image.Image, b *image.NRGBA) bool {
	n, ok := a.(*image.NRGBA)
	if !ok {
		n = image.NewNRGBA(a.Bounds())
		draw.Draw(n, n.Bounds(), a, a.Bounds().Min, draw.Src)
	}
	if n.Bounds() != b.Bounds() || n.Stride != b.Stride {
		return false
	}
	for i := 0; i < len(b.Pix); i += 4 {
		if (b.Pix[i+3] != 0 || n.Pix[i+3] != 0) && [4]byte(n.Pix[i:]) != [4]byte(b.Pix[i:]) {
			return false
		}
	}
	return true
}

package picture

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"kubewalk/generator/render/libwebp"
)

// encoder writes an image as a file; data is nil when it cannot be.
type encoder func(*image.NRGBA) (ext string, data []byte)

// convert makes the files of an image. One that is not smaller than the next
// wider one is left out, and so is the original when a file of its width is smaller.
func convert(img image.Image, original File, encode encoder) *Picture {
	bounds := img.Bounds()
	p := &Picture{Width: bounds.Dx(), Height: bounds.Dy()}
	last := original
	if ext, data := encode(scale(img, bounds.Dx())); data != nil && len(data) < len(original.Data) && ext != original.Ext {
		last = File{ext, bounds.Dx(), data}
	}
	p.Files = []File{last}
	for i := len(widths) - 1; i >= 0; i-- {
		if widths[i] >= bounds.Dx()*9/10 {
			continue
		}
		if ext, data := encode(scale(img, widths[i])); data != nil && len(data) < len(p.Files[0].Data)*9/10 {
			p.Files = append([]File{{ext, widths[i], data}}, p.Files...)
		}
	}
	return p
}

// photograph makes the files of one. What is not the original is worse than it, so
// the original stays, for who wants it and for browsers without WebP.
func photograph(img image.Image, original File, icc []byte) *Picture {
	p := convert(img, original, withProfile(icc, asPhotograph))
	if last := p.Files[len(p.Files)-1]; last.Ext != original.Ext {
		p.Original = &original
	}
	return p
}

// isPhotograph tells a photograph from a drawing or a screenshot, which has areas of
// one colour: there most pixels are as the one before.
func isPhotograph(img *image.NRGBA) bool {
	equal, all := 0, 0
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride:][:4*img.Rect.Dx()]
		for x := 4; x < len(row); x += 4 {
			all++
			if [4]byte(row[x:]) == [4]byte(row[x-4:]) {
				equal++
			}
		}
	}
	return all > 0 && equal < all/4
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

// asWebP checks what the encoder wrote, since nobody would see a wrong pixel.
func asWebP(img *image.NRGBA) ([]byte, bool) {
	data, err := libwebp.EncodeLossless(img)
	if err != nil {
		return nil, false
	}
	back, err := webp.Decode(bytes.NewReader(data))
	return data, err == nil && same(back, img)
}

// quality is the lowest at which WebP is as much like the image as JPEG at 82, by the
// mean structural similarity of eight photographs (0.983 and 0.981). It takes 18 % fewer
// bytes there, and half of them for photographs as wide as a phone.
const quality = 82

// asPhotograph is WebP with loss, or JPEG should there be none.
func asPhotograph(img *image.NRGBA) (string, []byte) {
	if data, err := libwebp.Encode(img, quality); err == nil {
		return ".webp", data
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: quality}); err != nil {
		panic(err)
	}
	return ".jpg", out.Bytes()
}

// inRGB is an image that WebP holds with loss, in RGB. Its colours are those of
// television (BT.601, 16 to 235), which image.YCbCr takes for those of JPEG: they
// would come out faded.
func inRGB(img image.Image) image.Image {
	var y *image.YCbCr
	var alpha *image.NYCbCrA
	switch img := img.(type) {
	case *image.YCbCr:
		y = img
	case *image.NYCbCrA:
		y, alpha = &img.YCbCr, img
	default:
		return img
	}
	out := image.NewNRGBA(y.Rect)
	for row := y.Rect.Min.Y; row < y.Rect.Max.Y; row++ {
		for column := y.Rect.Min.X; column < y.Rect.Max.X; column++ {
			c := y.COffset(column, row)
			light, blue, red := 1192*(int(y.Y[y.YOffset(column, row)])-16), int(y.Cb[c])-128, int(y.Cr[c])-128
			pixel := out.Pix[out.PixOffset(column, row):]
			pixel[0], pixel[1], pixel[2], pixel[3] = level(light+1634*red), level(light-832*red-401*blue), level(light+2066*blue), 255
			if alpha != nil {
				pixel[3] = alpha.A[alpha.AOffset(column, row)]
			}
		}
	}
	return out
}

// level is a colour's, of 1024 parts.
func level(v int) byte { return byte(min(255, max(0, (v+512)>>10))) }

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

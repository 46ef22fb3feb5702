// Package picture readies the images of chapters for pages: it reads how large
// they are, so that nothing shifts while they load, and makes smaller ones of
// large ones, as WebP where that takes fewer bytes.
//
// What is made of an image is a function of its bytes alone, and kept on disk
// between builds. No drawing is made worse: a screenshot's WebP is without loss
// and compared with the original pixel by pixel. A photograph's has as much loss as
// nobody sees, and the original stays beside it; what moves stays as it is. SVG is checked to hold no script and to ask for nothing
// from elsewhere.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"path"
	"strings"

	"golang.org/x/image/webp"

	"kubewalk/generator/problem"
)

// Picture is an image, and the files of it that a page may load.
type Picture struct {
	Width, Height int // in CSS pixels, as shown: half of the file's for a name that ends in @2x
	Files         []File
	// Original is a photograph as it was given, of which Files are copies with loss; nil
	// for all others, whose original is the last of Files or has nothing that this lacks.
	Original *File
}

// File is one of a picture's, from narrow to wide. The last is as wide as the original.
type File struct {
	Ext   string // ".webp"
	Width int    // in its own pixels
	Data  []byte
}

// widths are those that smaller files are made in: a phone's column, once and
// twice as dense; a page's column likewise.
var widths = []int{400, 800, 1440}

// maxPixels is the size from which on an image stays as it is: it would take
// hundreds of megabytes to convert.
const maxPixels = 40_000_000

// read reads a picture. Problems name the file; those of SVG have a place.
func read(file string, data []byte) (*Picture, error) {
	ext := strings.ToLower(path.Ext(file))
	p, err := readType(file, ext, data)
	if err != nil {
		if ext == ".svg" { // has its place
			return nil, err
		}
		return nil, problem.Problem{File: file, Message: "image cannot be read: " + err.Error(),
			Cure: "save it again as " + strings.TrimPrefix(ext, ".") + ", or name it after what it is"}
	}
	if strings.HasSuffix(strings.TrimSuffix(file, path.Ext(file)), "@2x") {
		p.Width, p.Height = (p.Width+1)/2, (p.Height+1)/2
	}
	return p, nil
}

func readType(file, ext string, data []byte) (*Picture, error) {
	switch ext {
	case ".svg":
		width, height, err := checkSVG(file, data)
		return &Picture{Width: width, Height: height, Files: []File{{ext, width, data}}}, err
	case ".avif":
		width, height, err := sizeOfAVIF(data)
		return &Picture{Width: width, Height: height, Files: []File{{ext, width, data}}}, err
	case ".png":
		config, err := png.DecodeConfig(bytes.NewReader(data))
		icc, ok := profile(ext, data)
		if err != nil || tooLarge(config) || bytes.Contains(data, []byte("acTL")) || !ok { // an animation
			return asIs(ext, config, data), err
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		original := File{ext, config.Width, data}
		p := convert(img, original, withProfile(icc, losslessly))
		if last := p.Files[len(p.Files)-1]; 2*len(last.Data) > len(data) && isPhotograph(scale(img, config.Width)) {
			p = photograph(img, original, icc) // megabytes more, and without loss little is gained
		}
		return p, nil
	case ".webp":
		config, err := webp.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		img, err := webp.Decode(bytes.NewReader(data))
		icc, ok := profile(ext, data)
		if err != nil || tooLarge(config) || !ok { // an animation, which the library doesn't read
			return asIs(ext, config, data), nil
		}
		original := File{ext, config.Width, data}
		if _, ok := img.(*image.NRGBA); !ok { // it has lost what there is to lose
			return photograph(inRGB(img), original, icc), nil
		}
		return convert(img, original, withProfile(icc, losslessly)), nil
	case ".jpg", ".jpeg":
		config, err := jpeg.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		turned := orientation(data)
		if turned >= 5 {
			config.Width, config.Height = config.Height, config.Width
		}
		icc, ok := profile(ext, data)
		if tooLarge(config) || !ok {
			return asIs(ext, config, data), nil
		}
		img, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return photograph(upright(img, turned), File{ext, config.Width, data}, icc), nil
	}
	return nil, fmt.Errorf("%q is not a supported type of image", ext)
}

func tooLarge(c image.Config) bool { return c.Width*c.Height > maxPixels }

func asIs(ext string, c image.Config, data []byte) *Picture {
	return &Picture{Width: c.Width, Height: c.Height, Files: []File{{ext, c.Width, data}}}
}

package markdown

import (
	"fmt"
	"html"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/problem"
)

// images are files beside the chapters, and always described in words:
//
//	![Two workers take keys from one queue](queue.svg)
//
// A file queue.dark.svg beside it stands in its place on a dark page.
func images(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(400, func(root *ast.Document) {
			each(root, func(image *ast.Image) {
				d.pictures++
				first := d.pictures == 1
				d.later(func() { d.image(image, first) })
			})
		}))
		m.Renderer().AddOptions(render(ast.KindImage, renderImage))
	})
}

// Picture is an image as pages show it. It can be compared: equal pictures are
// the same files.
type Picture struct {
	Light PictureFile
	Dark  PictureFile // of a dark page; without URL when there is none
}

// PictureFile is an address, and those of the same image in other widths, as
// the attribute srcset has them; "" when there are none.
type PictureFile struct {
	URL, SrcSet   string
	Copies        string // of a photograph, as WebP: what srcset of a <source> has
	Width, Height int    // CSS pixels
}

// DarkName is the name of an image's variant for dark pages: "a/queue.dark.svg".
func DarkName(file string) string {
	ext := path.Ext(file)
	return strings.TrimSuffix(file, ext) + ".dark" + ext
}

const pictureAttribute, eagerAttribute = "picture", "eager"

func (d *Document) image(image *ast.Image, first bool) {
	destination := string(image.Destination)
	if strings.TrimSpace(plain(image, d.Chapter.Source)) == "" {
		d.wrong(image, fmt.Sprintf("image %q is not described", destination), "describe in words what it shows, between the brackets")
	}
	full := path.Join(path.Dir(d.File()), destination)
	picture, ok := d.library.Image(full)
	if !ok {
		cure := "put the file next to the chapter and name it relative to the chapter; the site shows no images from other sites"
		if near := d.nearestImage(full); near != "" {
			cure = fmt.Sprintf("did you mean %q?", near)
		}
		d.wrong(image, fmt.Sprintf("unknown image %q", destination), cure)
		return
	}
	image.Destination = []byte(picture.Light.URL)
	image.SetAttributeString(pictureAttribute, picture)
	image.SetAttributeString(eagerAttribute, first)
}

// nearestImage is the image that was meant, as this document would name it: one
// of a similar name, or of this name in another folder.
func (d *Document) nearestImage(full string) string {
	near := problem.Nearest(full, d.library.Images())
	for _, file := range d.library.Images() {
		if path.Base(file) == path.Base(full) && (near == "" || path.Base(near) != path.Base(full)) {
			near = file
		}
	}
	if relative, err := filepath.Rel(path.Dir(d.File()), near); near != "" && err == nil {
		return filepath.ToSlash(relative)
	}
	return near
}

func renderImage(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	image := node.(*ast.Image)
	value, _ := image.AttributeString(pictureAttribute)
	picture, _ := value.(Picture)
	eager, _ := image.AttributeString(eagerAttribute)
	rest := fmt.Sprintf(` alt="%s"`, html.EscapeString(plain(image, source)))
	if len(image.Title) > 0 {
		rest += fmt.Sprintf(` title="%s"`, html.EscapeString(string(image.Title)))
	}
	if picture.Dark.URL == "" {
		picture.Light.write(w, "", eager == true, rest)
	} else {
		// One of the two is shown, and loaded: the theme is the reader's choice, which
		// <picture> doesn't know.
		picture.Light.write(w, "on-light", false, rest)
		picture.Dark.write(w, "on-dark", false, rest)
	}
	return ast.WalkSkipChildren, nil
}

// column is how wide an image is at most, in CSS pixels: --measure.
const column = 704

func (f PictureFile) write(w util.BufWriter, class string, eager bool, rest string) {
	sizes := fmt.Sprintf(`sizes="(min-width: %dpx) %dpx, 100vw"`, min(f.Width, column)+40, min(f.Width, column))
	if f.Copies != "" {
		fmt.Fprintf(w, `<picture><source type="image/webp" srcset="%s" %s>`, html.EscapeString(f.Copies), sizes)
		defer func() { _, _ = w.WriteString("</picture>") }()
	}
	_, _ = w.WriteString("<img")
	if class != "" {
		fmt.Fprintf(w, ` class="%s"`, class)
	}
	fmt.Fprintf(w, ` src="%s"`, html.EscapeString(f.URL))
	if f.SrcSet != "" {
		fmt.Fprintf(w, ` srcset="%s" %s`, html.EscapeString(f.SrcSet), sizes)
	}
	if f.Width > 0 {
		fmt.Fprintf(w, ` width="%d" height="%d"`, f.Width, f.Height)
	}
	_, _ = w.WriteString(rest)
	if !eager {
		_, _ = w.WriteString(` loading="lazy"`)
	}
	_, _ = w.WriteString(` decoding="async">`)
}

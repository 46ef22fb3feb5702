package markdown

import (
	"fmt"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"

	"kubewalk/generator/problem"
)

// images are files beside the chapters, and always described in words:
//
//	![Two workers take keys from one queue](queue.svg)
func images(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(400, func(root *ast.Document) {
			each(root, func(image *ast.Image) { d.later(func() { d.image(image) }) })
		}))
	})
}

func (d *Document) image(image *ast.Image) {
	destination := string(image.Destination)
	if strings.TrimSpace(plain(image, d.Chapter.Source)) == "" {
		d.wrong(image, fmt.Sprintf("image %q is not described", destination), "say in words what it shows, between the brackets")
	}
	full := path.Join(path.Dir(d.File()), destination)
	address, ok := d.library.Image(full)
	if !ok {
		cure := "put the file beside the chapter and name it relative to it; the site shows no images of others"
		if near := problem.Nearest(full, d.library.Images()); near != "" {
			cure = fmt.Sprintf("did you mean %q?", path.Base(near))
		}
		d.wrong(image, fmt.Sprintf("unknown image %q", destination), cure)
		return
	}
	image.Destination = []byte(address)
}

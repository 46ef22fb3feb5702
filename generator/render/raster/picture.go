// Package raster draws pictures where there is no browser: the card that a
// messenger shows beside a link, the cover of the book, the demos' pictures
// for readers of books, which know no style sheets, and the book's icon for systems without SVG.
//
// A Picture is a demo's, of what playground/demo/scene/doc.go lists: rectangles, circles, paths,
// texts in one line. A Drawing is an SVG of any author's, of shapes and gradients, without text. The same input
// gives the same bytes.
package raster

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/net/html"

	"kubewalk/generator/dom"
)

// Picture is a demo's picture with its style resolved.
type Picture struct {
	root          *html.Node // the <svg>
	Width, Height int
}

// Parse reads a picture as scene.SVG prints it, and gives it the colours of a style sheet.
func Parse(svg string, style *Style) (*Picture, error) {
	page, root, err := dom.SVG(svg)
	if err != nil {
		return nil, err
	}
	p := &Picture{root: root}
	box := strings.Fields(dom.Attribute(root, "viewBox"))
	if len(box) == 4 {
		p.Width, _ = strconv.Atoi(box[2])
		p.Height, _ = strconv.Atoi(box[3])
	}
	if p.Width <= 0 || p.Height <= 0 {
		return nil, fmt.Errorf("picture without a viewBox: %.80q", svg)
	}
	style.Resolve(page)
	return p, nil
}

// SVG is the picture as a file that needs no style sheet. title says in words what it shows.
func (p *Picture) SVG(title string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	p.write(&b, p.root, title)
	b.WriteByte('\n')
	return b.String()
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (p *Picture) write(b *strings.Builder, n *html.Node, title string) {
	switch {
	case n.Type == html.TextNode:
		b.WriteString(escapes.Replace(n.Data))
		return
	case n.Type != html.ElementNode || dom.Attribute(n, "display") == "none":
		return
	}
	fmt.Fprintf(b, "<%s", n.Data)
	if n == p.root {
		fmt.Fprintf(b, ` xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"`, p.Width, p.Height)
	}
	for _, a := range n.Attr {
		if a.Key != "xmlns" && a.Key != "aria-label" && a.Key != "role" && a.Key != "color" {
			fmt.Fprintf(b, ` %s="%s"`, a.Key, escapes.Replace(strings.ReplaceAll(a.Val, "currentColor", p.color())))
		}
	}
	b.WriteByte('>')
	if n == p.root && title != "" {
		fmt.Fprintf(b, "<title>%s</title>", escapes.Replace(title))
	}
	for c := range n.ChildNodes() {
		p.write(b, c, "")
	}
	fmt.Fprintf(b, "</%s>", n.Data)
}

// color is that of text.
func (p *Picture) color() string {
	if c := dom.Attribute(p.root, "color"); c != "" {
		return c
	}
	return "#000"
}

func (p *Picture) words() string {
	var b strings.Builder
	for n := range p.root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// PNG is the picture on white, so many pixels wide. Characters that the font lacks are boxes: ask Lacks before.
func (p *Picture) PNG(width int) []byte {
	scale := float64(width) / float64(p.Width)
	dc := gg.NewContext(width, int(math.Ceil(float64(p.Height)*scale)))
	dc.SetColor(paper)
	dc.Clear()
	p.paint(dc, faces{}, 0, 0, scale)
	return encode(dc)
}

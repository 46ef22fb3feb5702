// Package epub writes a book as EPUB 3.3 (https://www.w3.org/TR/epub-33/): one zip
// of XHTML, with a cover, a navigation document, and what a reader who listens
// needs to know about it (https://www.w3.org/TR/epub-a11y-11/).
//
// The chapters come as trees of HTML, bound (package singlepage). Here they become
// well-formed XML with what EPUB allows: no scripts, no forms, tables without
// attributes of looks. The same book gives the same bytes.
package epub

import (
	"archive/zip"
	_ "embed"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// Book is what there is to write. Files are named within the book: "images/x.svg".
type Book struct {
	ID          string // an address or a URN that is the book's own
	Language    string // BCP 47
	Title       string
	Description string
	Rights      string    // may be ""
	Source      string    // where the book is on the web; may be ""
	Changed     time.Time // of what is in it; EPUB wants one
	Words       Words
	Cover       []byte // PNG
	Opening     *Chapter
	Parts       []Part
	Files       []File
}

// Words are what a book says of itself, in its language.
type Words struct{ Cover, Contents, Begin, Summary string }

// Part is a part with its chapters.
type Part struct {
	Title    string
	Chapters []Chapter
	Parts    []Part // within it
}

// all are its chapters, and those of the parts within it.
func (p *Part) all() (out []*Chapter) {
	for i := range p.Chapters {
		out = append(out, &p.Chapters[i])
	}
	for i := range p.Parts {
		out = append(out, p.Parts[i].all()...)
	}
	return out
}

// Chapter is one file of the book.
type Chapter struct {
	Name        string // "loop.replicaset"
	Title       string
	Description string
	Body        *html.Node // what it holds
}

// File is a file that chapters show.
type File struct {
	Name string
	Data []byte
}

//go:embed style.css
var style string

// types are the media types that every reader of EPUB knows, by extension.
var types = map[string]string{".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp"}

// Knows tells whether chapters may show a file of that name.
func Knows(name string) bool { return types[strings.ToLower(path.Ext(name))] != "" }

// item is a file of the manifest.
type item struct {
	id, href, mediaType string
	properties          []string
	spine               bool
	data                []byte
}

// Write writes the book.
func (b *Book) Write(w io.Writer) error {
	if b.Changed.IsZero() {
		return fmt.Errorf("book %q has no date: EPUB needs the time of its last change", b.Title)
	}
	items := b.items()
	z := zip.NewWriter(w)
	// The first file tells what all of it is, uncompressed, so that it can be read in its place.
	put := func(name string, data []byte, method uint16) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: b.Changed.UTC()})
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	// Without a time: its extra field would move the text that has to be at byte 38.
	mimetype, err := z.CreateRaw(&zip.FileHeader{Name: "mimetype", Method: zip.Store, CRC32: 0x2cab616f, CompressedSize64: 20, UncompressedSize64: 20})
	if err == nil {
		_, err = io.WriteString(mimetype, "application/epub+zip")
	}
	if err != nil {
		return err
	}
	if err := put("META-INF/container.xml", []byte(container), zip.Deflate); err != nil {
		return err
	}
	if err := put("EPUB/package.opf", []byte(b.opf(items)), zip.Deflate); err != nil {
		return err
	}
	for _, i := range items {
		method := zip.Deflate
		if i.mediaType == "image/png" || i.mediaType == "image/jpeg" || i.mediaType == "image/webp" {
			method = zip.Store
		}
		if err := put("EPUB/"+i.href, i.data, method); err != nil {
			return err
		}
	}
	return z.Close()
}

const container = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles>
    <rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
  </rootfiles>
</container>
`

// items are all files, the spine's in reading order.
func (b *Book) items() []item {
	items := []item{
		{id: "nav", href: "nav.xhtml", mediaType: xhtmlType, properties: []string{"nav"}, data: []byte(b.nav())},
		{id: "style", href: "style.css", mediaType: "text/css", data: []byte(style)},
		{id: "cover-image", href: "cover.png", mediaType: "image/png", properties: []string{"cover-image"}, data: b.Cover},
		{id: "cover", href: "cover.xhtml", mediaType: xhtmlType, spine: true,
			data: []byte(b.page(b.Title, "cover", `<section epub:type="cover"><img class="cover" src="cover.png" alt="`+escape(b.Words.Cover)+
				`"/></section>`))},
	}
	if b.Opening != nil {
		items = append(items, b.chapter(b.Opening, "", "frontmatter"))
	}
	// The navigation is a page of the book as well, behind its opening.
	nav := items[0]
	nav.spine = true
	items = append(items[1:], nav)
	var add func(parts []Part, above string)
	add = func(parts []Part, above string) {
		for _, part := range parts {
			title := above + part.Title
			for i := range part.Chapters {
				items = append(items, b.chapter(&part.Chapters[i], title, "bodymatter"))
				title = "" // a part opens with its first chapter
			}
			if title != "" {
				title += " › "
			}
			add(part.Parts, title)
		}
	}
	add(b.Parts, "")
	for i, f := range b.Files {
		items = append(items, item{id: fmt.Sprintf("file-%d", i+1), href: f.Name, mediaType: types[strings.ToLower(path.Ext(f.Name))], data: f.Data})
	}
	return items
}

func (b *Book) chapter(c *Chapter, part, matter string) item {
	var body strings.Builder
	fmt.Fprintf(&body, `<section epub:type="%s" id="%s">`+"\n", map[string]string{"frontmatter": "introduction", "bodymatter": "chapter"}[matter],
		escape(c.Name))
	if part != "" {
		fmt.Fprintf(&body, `<p class="part">%s</p>`+"\n", escape(part))
	}
	fmt.Fprintf(&body, "<h1>%s</h1>\n", escape(c.Title))
	if c.Description != "" {
		fmt.Fprintf(&body, `<p class="description">%s</p>`+"\n", escape(c.Description))
	}
	x := &writer{out: &body, seen: map[string]bool{c.Name: true}}
	x.children(c.Body)
	body.WriteString("\n</section>")
	var properties []string
	for _, p := range []string{"mathml", "svg"} {
		if x.properties[p] {
			properties = append(properties, p)
		}
	}
	return item{id: "c." + c.Name, href: c.Name + ".xhtml", mediaType: xhtmlType, spine: true, properties: properties,
		data: []byte(b.page(c.Title, matter, body.String()))}
}

const xhtmlType = "application/xhtml+xml"

// page is a whole XHTML document.
func (b *Book) page(title, matter, body string) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="%[1]s" xml:lang="%[1]s">
<head>
<meta charset="UTF-8"/>
<title>%[2]s</title>
<link rel="stylesheet" type="text/css" href="style.css"/>
</head>
<body epub:type="%[3]s">
%[4]s
</body>
</html>
`, escape(b.Language), escape(title), matter, body)
}

// nav is the navigation document: contents, and landmarks.
func (b *Book) nav() string {
	var out strings.Builder
	fmt.Fprintf(&out, `<nav epub:type="toc" role="doc-toc" id="toc"><h1>%s</h1>`+"\n<ol>\n", escape(b.Words.Contents))
	link := func(c *Chapter) {
		fmt.Fprintf(&out, `<li><a href="%s.xhtml">%s</a></li>`+"\n", escape(c.Name), escape(c.Title))
	}
	first := ""
	if b.Opening != nil {
		link(b.Opening)
	}
	var list func(parts []Part)
	list = func(parts []Part) {
		for _, part := range parts {
			all := part.all()
			if len(all) == 0 {
				continue
			}
			if first == "" {
				first = all[0].Name
			}
			fmt.Fprintf(&out, `<li><span>%s</span>`+"\n<ol>\n", escape(part.Title))
			for i := range part.Chapters {
				link(&part.Chapters[i])
			}
			list(part.Parts)
			out.WriteString("</ol>\n</li>\n")
		}
	}
	list(b.Parts)
	out.WriteString("</ol>\n</nav>\n")
	fmt.Fprintf(&out, `<nav epub:type="landmarks" hidden="hidden" aria-label="%[2]s"><ol>
<li><a epub:type="cover" href="cover.xhtml">%[1]s</a></li>
<li><a epub:type="toc" href="nav.xhtml#toc">%[2]s</a></li>
`, escape(b.Words.Cover), escape(b.Words.Contents))
	if first != "" {
		fmt.Fprintf(&out, `<li><a epub:type="bodymatter" href="%s.xhtml">%s</a></li>`+"\n", escape(first), escape(b.Words.Begin))
	}
	out.WriteString("</ol></nav>")
	return b.page(b.Words.Contents, "frontmatter", out.String())
}

// opf is the package document: what the book is, and all files of it.
func (b *Book) opf(items []item) string {
	var out strings.Builder
	fmt.Fprintf(&out, `<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="%[1]s">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">%[2]s</dc:identifier>
<dc:title>%[3]s</dc:title>
<dc:language>%[1]s</dc:language>
<dc:description>%[4]s</dc:description>
<dc:date>%[5]s</dc:date>
<meta property="dcterms:modified">%[5]s</meta>
`, escape(b.Language), escape(b.ID), escape(b.Title), escape(b.Description), b.Changed.UTC().Format("2006-01-02T15:04:05Z"))
	if b.Rights != "" {
		fmt.Fprintf(&out, "<dc:rights>%s</dc:rights>\n", escape(b.Rights))
	}
	if b.Source != "" {
		fmt.Fprintf(&out, "<dc:source>%s</dc:source>\n", escape(b.Source))
	}
	math := slices.ContainsFunc(items, func(i item) bool { return slices.Contains(i.properties, "mathml") })
	meta := func(property, value string) {
		fmt.Fprintf(&out, "<meta property=\"schema:%s\">%s</meta>\n", property, escape(value))
	}
	meta("accessMode", "textual")
	meta("accessMode", "visual")
	meta("accessModeSufficient", "textual")
	for _, feature := range []string{"alternativeText", "structuralNavigation", "tableOfContents", "readingOrder", "displayTransformability"} {
		meta("accessibilityFeature", feature)
	}
	if math {
		meta("accessibilityFeature", "MathML")
	}
	meta("accessibilityHazard", "none")
	meta("accessibilitySummary", b.Words.Summary)
	out.WriteString("<meta name=\"cover\" content=\"cover-image\"/>\n</metadata>\n<manifest>\n")
	for _, i := range items {
		fmt.Fprintf(&out, `<item id="%s" href="%s" media-type="%s"`, escape(i.id), escape(i.href), i.mediaType)
		if len(i.properties) > 0 {
			fmt.Fprintf(&out, ` properties="%s"`, strings.Join(i.properties, " "))
		}
		out.WriteString("/>\n")
	}
	out.WriteString("</manifest>\n<spine>\n")
	for _, i := range items {
		if i.spine {
			fmt.Fprintf(&out, "<itemref idref=\"%s\"/>\n", escape(i.id))
		}
	}
	out.WriteString("</spine>\n</package>\n")
	return out.String()
}

package sitebuild

import (
	"crypto/sha1"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/net/html"

	"kubewalk/generator/book/content"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/format/epub"
	"kubewalk/generator/format/plain"
	"kubewalk/generator/format/singlepage"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/raster"
	"kubewalk/playground/demo/scene"
	"kubewalk/site/pages"
)

// bindEPUBs hands every language's book to whoever asked for it.
func (b *build) bindEPUBs() error {
	if b.options.Books == nil {
		return nil
	}
	var problems problem.List
	for _, language := range b.book.Site.Codes() {
		if len(b.book.In(language)) == 0 {
			continue
		}
		book, err := b.epub(language)
		if err == nil {
			err = b.options.Books(language, book)
		}
		problems.AddError(err)
	}
	return problems.Err()
}

// binder makes one language's book.
type binder struct {
	*build
	language string
	words    pages.Words
	bound    *singlepage.Page
	style    *raster.Style
	book     *epub.Book
	files    map[string]bool // of the book, that are there already
}

func (b *build) epub(language string) (*epub.Book, error) {
	home := b.book.Homes[language]
	out := &binder{build: b, language: language, files: map[string]bool{}}
	out.words = b.wordsOf(language)
	var err error
	if out.style, err = raster.NewStyle(b.stillStyle); err != nil {
		return nil, err
	}
	own := singlepage.OnePage(b.site.Base, b.site.Prefix, []string{home.Path()})
	for _, part := range b.book.Site.AllParts() {
		for _, c := range b.bookPart(language, part.Name) {
			own.Has[c.Path()] = true
		}
	}
	glossary := b.book.Glossaries[language]
	if glossary != nil {
		own.Has[glossary.Path()] = true
	}
	// Every chapter is a file. XML's ids begin with a letter and hold no colon.
	own.ID = func(_, id string) string { return "s." + strings.ReplaceAll(id, ":", ".") }
	own.Place = func(path, id string) string {
		if id == "" {
			return singlepage.Anchor(path) + ".xhtml"
		}
		return singlepage.Anchor(path) + ".xhtml#" + own.ID(path, id)
	}
	out.bound = own
	site := b.book.Site
	out.book = &epub.Book{
		ID: bookID(b.site.Absolute(home.Path()), site.Title[language], language), Language: language, Title: site.Title[language],
		Description: site.Description[language],
		Rights:      b.rights(language), Source: b.site.Absolute(home.Path()), Changed: b.editionDate(language),
		Words: epub.Words{Cover: out.words.Cover, Contents: out.words.Contents, Begin: out.words.Begin, Summary: out.words.EPUBSummary},
	}
	if out.book.Changed.IsZero() {
		return nil, problem.Problem{File: b.options.Content, Message: "book has no date, and EPUB needs the date of its last change",
			Cure: "commit the book to git, or set SOURCE_DATE_EPOCH to a time in seconds"}
	}
	var problems problem.List
	opening, err := out.chapter(home)
	problems.AddError(err)
	out.book.Opening = &opening
	for _, part := range site.AllParts() {
		shown := epub.Part{Title: part.Title[language]}
		for _, c := range b.bookPart(language, part.Name) {
			chapter, err := out.chapter(c)
			problems.AddError(err)
			shown.Chapters = append(shown.Chapters, chapter)
		}
		if strings.Contains(part.Name, "/") {
			above := &out.book.Parts[len(out.book.Parts)-1]
			above.Parts = append(above.Parts, shown)
		} else {
			out.book.Parts = append(out.book.Parts, shown)
		}
	}
	if glossary != nil {
		chapter, err := out.chapter(glossary)
		problems.AddError(err)
		out.book.Parts = append(out.book.Parts, epub.Part{Title: out.words.Appendix, Chapters: []epub.Chapter{chapter}})
	}
	cover := raster.Cover{Title: out.book.Title, Description: out.book.Description, Date: out.book.Changed.Format(out.words.Date), Picture: out.coverPicture(),
		Accent: out.accent()}
	out.book.Cover = cover.PNG()
	return out.book, problems.Err()
}

// editionDate is the time that a book carries: that of its last change, or the one
// that reproducible builds are told (https://reproducible-builds.org/specs/source-date-epoch/).
func (b *build) editionDate(language string) time.Time {
	if at := b.lastChange(language); !at.IsZero() {
		return at
	}
	return b.options.Date
}

// bookID names a book for ever: by its address, or by what it is called.
func bookID(address, title, language string) string {
	if address != "" {
		return address
	}
	sum := sha1.Sum([]byte("kubewalk book " + language + " " + title)) // a UUID of version 5 wants SHA-1
	sum[6], sum[8] = sum[6]&0x0f|0x50, sum[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// coverPicture is a moment of the book's first demo; nil when it has none.
func (b *binder) coverPicture() *raster.Picture {
	for _, c := range append([]*content.Chapter{b.build.book.Homes[b.language]}, b.build.book.In(b.language)...) {
		for _, name := range b.page(c).Document.Demos {
			if d := b.demos[name]; d != nil {
				if p, err := raster.Parse(telling(d, b.language, scene.Narrow), b.style); err == nil {
					return p
				}
			}
		}
	}
	return nil
}

// telling is the picture of the moment with most to be seen.
func telling(d *demos.Demo, language string, layout scene.Layout) (svg string) {
	for _, mark := range d.Marks {
		if picture := mark.SVG[language][layout]; len(picture) > len(svg) {
			svg = picture
		}
	}
	return svg
}

func (b *binder) chapter(c *content.Chapter) (epub.Chapter, error) {
	root := b.bound.Bind(singlepage.Chapter{Path: c.Path(), HTML: b.page(c).Text})
	var problems problem.List
	wrong := func(message, cure string) {
		problems.Add(problem.Problem{File: c.File, Message: message, Cure: cure})
	}
	// A drawing is there for wide and for narrow screens; a book shows the first. Of a photograph it
	// has the original, which all readers of books know. What is to come isn't for long.
	singlepage.Drop(root, func(n *html.Node) bool {
		return singlepage.HasClass(n, "diagram-narrow") || n.Data == "source" || singlepage.HasClass(n, "meetup-coming")
	})
	var replaced []*html.Node
	for n := range root.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "kubewalk-demo":
			replaced = append(replaced, n)
		case n.Data == "a" && strings.HasPrefix(singlepage.Attribute(n, "href"), "/"):
			// A place of the site that is not in the book, and whose address nobody knows.
			setAttribute(n, "href", "")
		}
	}
	for _, n := range replaced {
		story := singlepage.Parse(b.storyboard(b.demos[singlepage.Attribute(n, "data-demo")], singlepage.Attribute(n, "id")))
		for child := story.FirstChild; child != nil; child = story.FirstChild {
			story.RemoveChild(child)
			n.Parent.InsertBefore(child, n)
		}
		n.Parent.RemoveChild(n)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "img" || n.Namespace != "" {
			continue
		}
		source := singlepage.Attribute(n, "src")
		if strings.HasPrefix(source, "images/") {
			continue // of a storyboard
		}
		name, inside := strings.CutPrefix(source, b.site.Prefix+"/")
		data, ok := b.tree.Get(name)
		if kept, static := b.cache.static[name]; !ok && static { // a block of the book's own shows it
			data, ok = kept.data, true
		}
		switch {
		case !inside || !ok:
			wrong(fmt.Sprintf("picture %q is not in the book", source), "")
		case !epub.Knows(name):
			wrong(fmt.Sprintf("picture %q cannot be in an EPUB", path.Base(name)), "use SVG, PNG, JPEG or WebP")
		default:
			setAttribute(n, "src", b.file(path.Base(name), data))
		}
	}
	return epub.Chapter{Name: singlepage.Anchor(c.Path()), Title: c.Title, Description: c.Description, Body: root}, problems.Err()
}

func setAttribute(n *html.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = value
		}
	}
}

// file puts a file into the book, once, and returns its name there.
func (b *binder) file(base string, data []byte) string {
	name := "images/" + base
	if !b.files[name] {
		b.files[name] = true
		b.book.Files = append(b.book.Files, epub.File{Name: name, Data: data})
	}
	return (&url.URL{Path: name}).EscapedPath()
}

var story = template.Must(template.New("story").Parse(`<section class="demo" id="{{.ID}}">
<p class="demo-title">{{.Kind}}: {{if .URL}}<a href="{{.URL}}">{{.Title}}</a>{{else}}{{.Title}}{{end}}</p>
<ol class="stills">
{{range .Marks}}<li><figure id="{{.ID}}"><img src="{{.Image}}" alt="{{.Caption}}" width="{{.Width}}" height="{{.Height}}"><figcaption><b>{{.Number}}</b> {{.Caption}} <span class="time">{{.At}}</span></figcaption></figure>
{{if .Log}}<ol class="log">
{{range .Log}}<li><span class="time">{{.At}}</span> {{.Sentence}}</li>
{{end}}</ol>
{{end}}</li>
{{end}}</ol>
{{if .Controls}}<p>{{.ControlsTitle}}</p>
<ul>{{range .Controls}}<li>{{.}}</li>{{end}}</ul>
{{end}}</section>`))

// storyboard is a demo as it stands in a book: its moments with their pictures,
// and what happened in between.
func (b *binder) storyboard(d *demos.Demo, id string) string {
	if d == nil {
		return ""
	}
	type line struct{ At, Sentence string }
	type mark struct {
		ID, Image, Caption, At string
		Number, Width, Height  int
		Log                    []line
	}
	words := plain.WordsOf(b.language)
	view := b.demoView(d, b.language)
	data := struct {
		ID, Kind, URL, Title, ControlsTitle string
		Marks                               []mark
		Controls                            []string
	}{ID: id, Kind: words.Demo, URL: b.site.Absolute(view.Embed), Title: view.Title, ControlsTitle: words.Controls, Controls: view.Controls}
	for i, still := range view.Stills {
		picture, err := raster.Parse(d.Marks[i].SVG[b.language][scene.Narrow], b.style)
		if err != nil {
			panic("sitebuild: " + d.Name + ": " + err.Error()) // we printed it
		}
		m := mark{ID: id + "-" + still.ID, Caption: still.Caption, At: plain.Seconds(still.At), Number: i + 1, Width: picture.Width, Height: picture.Height}
		m.Image = b.file(fmt.Sprintf("demo-%s-%s.svg", d.Name, still.ID), []byte(picture.SVG(still.Caption)))
		for _, l := range still.Lines {
			m.Log = append(m.Log, line{plain.Seconds(l.At), l.Sentence})
		}
		data.Marks = append(data.Marks, m)
	}
	var out strings.Builder
	if err := story.Execute(&out, data); err != nil {
		panic("sitebuild: " + err.Error()) // the template is ours
	}
	return out.String()
}

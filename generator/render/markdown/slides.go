package markdown

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/problem"
)

// slides make a talk of a text: a line --- ends a slide, the front matter is the first one's title, and what only the speaker
// sees stands in :::notes. The points of a list that is written with * appear one by one, as in Marp. A slide shows one demo,
// from one of its moments to another, or the picture of a moment:
//
//	```demo start=applied end=running controls=play
//	replicaset-scale
//	```
//
//	```moment at=too-few
//	replicaset-scale
//	```
func slides(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(300, d.slides))
		m.Renderer().AddOptions(render(kindOnSlide, renderOnSlide))
	})
}

// OnSlide is a demo on a talk's slide.
type OnSlide struct {
	Demo       string
	Start, End string // moments; "" for the demo's own beginning and end
	Controls   string // "all", "play" or "none"; "" for "play"
	Speed      string // "" for 1
	IsPicture  bool   // of the moment Start
	Slide      int    // from 1
}

// Stage is a Library that shows demos on slides.
type Stage interface {
	Library
	// OnSlide is the markup of a demo that there is, with moments that there are. It is "" for one whose file has problems of
	// its own.
	OnSlide(o OnSlide, language string) (html string)
	// Moments are a demo's, in order. They are nil, and not empty, for one that is being recorded or whose file has problems of its own.
	Moments(demo string) []string
}

// slideControls are what a demo on a slide may have (site/embed/protocol.ts).
var slideControls = []string{"all", "play", "none"}

type onSlide struct {
	ast.BaseBlock
	html string
}

var kindOnSlide = ast.NewNodeKind("OnSlide")

func (*onSlide) Kind() ast.NodeKind { return kindOnSlide }

func (n *onSlide) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

func (d *Document) slides(root *ast.Document) {
	blocks := [][]ast.Node{nil} // by slide
	var ends []ast.Node
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if _, ok := n.(*ast.ThematicBreak); ok {
			blocks, ends = append(blocks, nil), append(ends, n)
		} else {
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], n)
		}
	}
	root.RemoveChildren(root)
	for i, list := range blocks {
		if i > 0 && len(list) == 0 {
			d.wrong(ends[i-1], "slide is empty", "write something below the line ---, or remove it")
		}
		inner := newElement(root, "div", attr("class", "talk-slide"))
		if i == 0 {
			inner.attributes = []string{attr("class", "talk-slide talk-title")}
			inner.before = fmt.Sprintf("<h1>%s</h1>\n<p>%s</p>\n", html.EscapeString(d.Chapter.Title), html.EscapeString(d.Chapter.Description))
		}
		for _, n := range list {
			inner.AppendChild(inner, n)
		}
		slide := newElement(root, "section")
		slide.AppendChild(slide, inner)
		root.AppendChild(root, slide)
		shows := false
		each(inner, func(block *ast.FencedCodeBlock) { shows = d.onSlide(block, i+1, shows) || shows })
		each(inner, appearing)
	}
}

// appearing has the points of a list with * come one by one.
func appearing(list *ast.List) {
	if list.Marker != '*' {
		return
	}
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		item.SetAttributeString("class", []byte("fragment"))
	}
}

// notes are what only the speaker sees.
func (d *Document) notes(c *container) ast.Node {
	if !d.Chapter.Talk {
		d.wrong(c, "notes in a chapter", "they are for a talk's slides; write :::note for what readers are to see")
	}
	aside := newElement(c, "aside", attr("class", "notes"))
	move(c, aside)
	return aside
}

// onSlide makes a demo, or the picture of a moment, of a block that names one. It tells whether it has.
func (d *Document) onSlide(block *ast.FencedCodeBlock, slide int, another bool) bool {
	language := string(block.Language(d.Chapter.Source))
	switch language {
	case "demo", "moment":
	case "exercise":
		d.wrong(block, "exercise on a slide", "exercises are for chapters; remove it")
		return false
	default:
		return false
	}
	name, offset := "", block.Pos()
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		text := strings.TrimSpace(string(line.Value(d.Chapter.Source)))
		switch {
		case text == "":
		case name != "":
			d.wrongAt(line.Start, fmt.Sprintf("second line %q in the block of a %s", text, language), "a block contains only a demo's name")
			return false
		default:
			name, offset = text, line.Start
		}
	}
	switch {
	case name == "":
		d.wrong(block, language+" without a name", "write the name of a file in content/demos, without .yaml, between the fences")
		return false
	case another:
		d.wrong(block, fmt.Sprintf("second demo %q on a slide", name), "a slide shows one; begin another slide with a line ---")
		return false
	}
	o := OnSlide{Demo: name, IsPicture: language == "moment", Slide: slide}
	places, ok := d.onSlideAttributes(block, &o)
	if !ok {
		return false
	}
	n := &onSlide{}
	replace(block, n)
	d.later(func() { n.html = d.showOnSlide(o, offset, places) })
	return true
}

// onSlideAttributes reads what stands behind "demo" or "moment", and where the moments' names stand in the file.
func (d *Document) onSlideAttributes(block *ast.FencedCodeBlock, o *OnSlide) (places map[string]int, ok bool) {
	_, attributes, ok := d.fenceInfo(block)
	what, known := "demo", []string{"start", "end", "controls", "speed"}
	if o.IsPicture {
		what, known = "moment", []string{"at"}
	}
	places = map[string]int{}
	wrong := func(a fenceAttribute, message, cure string) {
		d.wrongAt(a.offset, message, cure)
		ok = false
	}
	for _, a := range attributes {
		switch {
		case !slices.Contains(known, a.name):
			wrong(a, fmt.Sprintf("unknown attribute %q of a %s", a.name, what), problem.DidYouMean(a.name, known))
		case a.form != '=' && a.form != '"' || a.value == "":
			wrong(a, fmt.Sprintf("attribute %q of a %s", a.name, what), "write its value behind it, as in "+a.name+"=…")
		case a.name == "start" || a.name == "at":
			o.Start, places[a.value] = a.value, a.offset
		case a.name == "end":
			o.End, places[a.value] = a.value, a.offset
		case a.name == "controls" && slices.Contains(slideControls, a.value):
			o.Controls = a.value
		case a.name == "speed" && slices.Contains(Speeds, a.value):
			o.Speed = a.value
		default:
			allowed := map[string][]string{"controls": slideControls, "speed": Speeds}[a.name]
			wrong(a, fmt.Sprintf("%s %q of a demo", a.name, a.value), "write one of "+strings.Join(allowed, ", "))
		}
	}
	if ok && o.IsPicture && o.Start == "" {
		d.wrong(block, fmt.Sprintf("picture of demo %q without a moment", o.Demo), "name one of its moments: ```moment at=…")
		return nil, false
	}
	return places, ok
}

// showOnSlide is the markup of a demo, when there is such a demo and it has such moments.
func (d *Document) showOnSlide(o OnSlide, offset int, places map[string]int) string {
	if !slices.Contains(d.library.Demos(), o.Demo) {
		d.wrongAt(offset, fmt.Sprintf("unknown demo %q", o.Demo), problem.DidYouMean(o.Demo, d.library.Demos()))
		return ""
	}
	stage, ok := d.library.(Stage)
	if !ok {
		panic(fmt.Sprintf("markdown: a talk is rendered with a %T, which has no stage", d.library))
	}
	moments := stage.Moments(o.Demo)
	for _, moment := range []string{o.Start, o.End} {
		if moment != "" && moments != nil && !slices.Contains(moments, moment) {
			d.wrongAt(places[moment], fmt.Sprintf("moment %q is not in demo %q", moment, o.Demo), problem.DidYouMean(moment, moments))
			return ""
		}
	}
	if moments != nil && o.End != "" && slices.Index(moments, o.End) <= slices.Index(moments, o.Start) {
		d.wrongAt(places[o.End], fmt.Sprintf("moment %q of demo %q does not come after %q", o.End, o.Demo, o.Start), "a demo on a slide goes from start to end")
		return ""
	}
	return stage.OnSlide(o, d.Chapter.Language)
}

func renderOnSlide(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(node.(*onSlide).html)
	}
	return ast.WalkContinue, nil
}

package markdown

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"kubewalk/generator/book/excerpt"
	"kubewalk/generator/book/upstream"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/highlight"
)

// listing is a block of code, and how it is shown. It hangs on the block's node.
type listing struct {
	language string
	code     string
	title    string
	numbers  []int // of the lines, when they are shown
	looks    []look

	file     string // of an excerpt
	address  string // of the page with its source; "" for none
	symbol   string
	upstream string // address of what it is in Kubernetes; "" for none
	release  string // the title of that link
}

// look is how a line is shown.
type look struct{ mark, focus, fold, ins, del bool }

// listingKey is the attribute of a block's node.
var listingKey = []byte("listing")

func listingOf(n ast.Node) *listing {
	if value, ok := n.Attribute(listingKey); ok {
		return value.(*listing)
	}
	return nil
}

// codeOf is a block's code.
func codeOf(n ast.Node, source []byte) string {
	if l := listingOf(n); l != nil {
		return l.code
	}
	var code bytes.Buffer
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		code.Write(line.Value(source))
	}
	return code.String()
}

// fenceNames are the attributes that a block of code may have.
var fenceNames = []string{"include", "doc", "title", "mark", "focus", "fold", "ins", "del", "lines", "upstream"}

func (d *Document) listing(block *ast.FencedCodeBlock) {
	language, attributes, ok := d.fenceInfo(block)
	if !ok {
		return
	}
	l := &listing{language: language, code: codeOf(block, d.Chapter.Source)}
	name, options, several := strings.Cut(language, ",")
	switch {
	case slices.Contains(foreignLanguages, strings.ToLower(language)):
		d.wrong(block, fmt.Sprintf("a drawing in the language %s", language), diagramCure+"; to show its source write ```text")
	case several && highlight.Known(name):
		d.wrong(block, fmt.Sprintf("options %q after the language of a code block", options),
			"write ```"+name+"; what can follow, after a space, is "+strings.Join(fenceNames, ", "))
	case !highlight.Known(language):
		d.wrong(block, fmt.Sprintf("unknown language %q of a code block", language), languageCure(language))
	}
	include := slices.IndexFunc(attributes, func(a fenceAttribute) bool { return a.name == "include" })
	for i, a := range attributes {
		repeats := a.name != "mark" && a.name != "focus" && a.name != "fold" && a.name != "ins" && a.name != "del"
		same := func(b fenceAttribute) bool { return a.name == b.name }
		cure := ""
		switch {
		case !slices.Contains(fenceNames, a.name):
			d.wrongAt(a.offset, fmt.Sprintf("unknown attribute %q of a code block", a.name), cmp.Or(foreignAttributes[a.name], problem.DidYouMean(a.name, fenceNames)))
			continue
		case repeats && slices.IndexFunc(attributes, same) < i:
			cure = "once is enough"
		case (a.name == "include" || a.name == "upstream") && a.form != '=' && a.form != '"':
			cure = "write include=FILE#SYMBOL, include=FILE#region:NAME; upstream=PATH#SYMBOL"
		case a.name == "title" && (a.form == 0 || a.form == '{' || a.value == ""):
			cure = `write title="…"`
		case a.name == "doc" && (a.form != 0 || include < 0):
			cure = "it takes no value, needs include=…, and shows the declaration's comment"
		case a.name == "lines" && (a.form == '{' || a.form == '"'):
			cure = "it takes no value; lines=12 says what the first line's number is"
		case !repeats && (a.form != '{' && a.form != '"' || a.value == ""):
			cure = fmt.Sprintf(`write %s={3,7-9}, or %s="a text in the lines"`, a.name, a.name)
		}
		if cure != "" {
			d.wrongAt(a.offset, fmt.Sprintf("attribute %q of a code block", a.name), cure)
		}
	}
	block.SetAttribute(listingKey, l)
	d.Listings = d.Listings || l.copies() || len(attributes) > 0
	if include < 0 {
		d.dress(l, attributes, nil)
		return
	}
	a := attributes[include]
	if strings.TrimSpace(l.code) != "" {
		d.wrongAt(a.offset, "a block that includes a file has lines of its own", "leave nothing between its fences")
	}
	r, err := excerpt.Parse(a.value)
	if err != nil {
		d.wrongAtAs(a.offset, err)
		return
	}
	if language == "" {
		if l.language = strings.TrimPrefix(path.Ext(r.File), "."); !highlight.Known(l.language) {
			l.language = ""
		}
	}
	d.Files = append(d.Files, r.File)
	d.includes = append(d.includes, placed{r.String(), a.offset})
	doc := slices.ContainsFunc(attributes, func(a fenceAttribute) bool { return a.name == "doc" })
	d.later(func() {
		e, err := d.library.Excerpt(r, doc)
		if err != nil {
			d.wrongAtAs(a.offset, err)
			return
		}
		l.code, l.file, l.symbol = e.Text, r.File, r.Symbol
		l.address, _ = d.library.Source(r.File, e.Numbers[0])
		if reference, ok := upstream.Cited(e.Doc, r.File, r.Symbol); ok {
			d.counterpart(l, reference, a.offset)
		}
		d.dress(l, attributes, e.Numbers)
	})
}

func languageCure(language string) string {
	if near := problem.Nearest(language, highlight.Names()); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use go, yaml, json, console, text …; names are those of the highlighter chroma"
}

// dress resolves what attributes say of the lines of the code that is there.
// numbers are those of an excerpt's lines in its file.
func (d *Document) dress(l *listing, attributes []fenceAttribute, numbers []int) {
	lines := strings.Split(strings.TrimSuffix(l.code, "\n"), "\n")
	for _, a := range attributes {
		switch a.name {
		case "title":
			l.title = a.value
		case "upstream":
			d.counterpart(l, a.value, a.offset)
		case "lines":
			if l.numbers = numbers; a.form == 0 && numbers != nil {
				break
			}
			first, err := lineNumbers(a.value, 1<<30)
			if a.form != 0 && (err != nil || len(first) != 1 || numbers != nil) {
				d.wrongAt(a.offset, fmt.Sprintf("attribute lines=%s", a.value),
					"it takes no value here; in a block without include, lines=12 says what the first line's number is")
				break
			}
			from := 1
			if a.form != 0 {
				from = first[0]
			}
			l.numbers = make([]int, len(lines))
			for i := range lines {
				l.numbers[i] = from + i
			}
		case "mark", "focus", "fold", "ins", "del":
			found, err := linesMeant(a, lines)
			if err != nil {
				d.wrongAtAs(a.offset, err)
				continue
			}
			if l.looks == nil {
				l.looks = make([]look, len(lines))
			}
			for _, n := range found {
				l.looks[n-1].add(a.name)
			}
		}
	}
	for i, look := range l.looks {
		if look.ins && look.del {
			d.wrongAt(attributes[0].offset, fmt.Sprintf("line %d of a code block is both inserted and deleted", i+1), "use either ins or del")
			break
		}
	}
}

func (l *look) add(name string) {
	switch name {
	case "mark":
		l.mark = true
	case "focus":
		l.focus = true
	case "fold":
		l.fold = true
	case "ins":
		l.ins = true
	case "del":
		l.del = true
	}
}

// linesMeant are the lines that an attribute is about: by number, or by a text
// that stands in them.
func linesMeant(a fenceAttribute, lines []string) (out []int, err error) {
	if a.form != '"' {
		return lineNumbers(a.value, len(lines))
	}
	var words []string
	for i, line := range lines {
		if strings.Contains(line, a.value) {
			out = append(out, i+1)
		}
		words = append(words, strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t()[]{},;:=\"'", r) })...)
	}
	if len(out) == 0 {
		cure := "write a text that is in the lines you mean"
		if near := problem.Nearest(a.value, words); near != "" {
			cure = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, problem.Problem{Message: fmt.Sprintf("no line of the code contains %q", a.value), Cure: cure}
	}
	return out, nil
}

// counterpart links an excerpt to what it is in the real source.
func (d *Document) counterpart(l *listing, reference string, offset int) {
	address, err := upstream.Link(reference)
	if err != nil {
		d.wrongAtAs(offset, err)
		return
	}
	l.upstream, l.release = address, upstream.Title(address)
}

func (d *Document) wrongAtAs(offset int, err error) {
	for _, p := range problem.Of(err) {
		d.wrongAt(offset, p.Message, p.Cure)
	}
}

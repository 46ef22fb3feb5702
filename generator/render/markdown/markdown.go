// Package markdown turns a chapter's text into HTML.
//
// It is goldmark with one extension for each thing that the book adds: each has
// its own file and one line in features. Two guarantees hold for all of them:
//
//   - text never becomes markup: raw HTML is a problem, not output, and
//     addresses are those of the book, of the web, or of a symbol upstream
//   - what is wrong has file, line and column: a link to nowhere, a demo that
//     does not exist, an image without a description
//
// A book is read in two steps, because links point at headings of chapters that
// were not read yet: Parse for all chapters, then Render.
package markdown

import (
	"bytes"
	"errors"
	"slices"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/book/content"
	"kubewalk/generator/book/excerpt"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/block"
)

// Library is what chapters refer to. Its texts are HTML or addresses, ready to use.
type Library interface {
	// Document returns another page of the book by its file below the
	// content folder ("en/loop/replicaset.md"); nil when there is none.
	Document(file string) *Document
	// Documents are the files of all pages.
	Documents() []string
	// Page is the address of a page ("/en/loop/replicaset/").
	Page(path string) string
	// Image is an image below the content folder. One whose file has problems of its own is known, and empty.
	Image(file string) (picture Picture, ok bool)
	// Images are the files of all images.
	Images() []string
	// Static is the address of a file below content/static.
	Static(name string) (address string, ok bool)
	// Statics are the names of all of them.
	Statics() []string
	// Block is a block of the book's own; nil when there is none, or when its files have problems.
	Block(name string) *block.Block
	// Blocks are the names of all of them.
	Blocks() []string
	// Demo is a demo's markup; ok is false when there is no such demo.
	Demo(name, language string, opening Opening) (html string, ok bool)
	// Beside tells whether a demo's picture is small enough to stand beside text.
	Beside(demo string) bool
	// Demos are the names of all demos.
	Demos() []string
	// Exercises are a demo's, by id; ok is false when there is no such demo. It is
	// nil, and not empty, for one whose file has problems of its own.
	Exercises(demo string) (ids []string, ok bool)
	// Exercise is the markup of one that there is.
	Exercise(demo, id, language string) (html string)
	// Excerpt is a piece of a file of the project; with doc a declaration's comment
	// is part of it. The error is a problem.Problem without a place.
	Excerpt(r excerpt.Reference, doc bool) (*excerpt.Excerpt, error)
	// Source is the address of a page that shows a file of the project at a line.
	Source(file string, line int) (url string, ok bool)
	// Claim is what a demo that there is says to a claim. known is false for one
	// whose file has problems of its own.
	Claim(c *claim.Claim) (value claim.Value, known bool, err error)
	// Showing is the address of the first page in that language that shows a demo.
	Showing(demo, language string) (url string, ok bool)
}

// Drafts is a Library that knows which chapters were left out as drafts: files
// below the content folder.
type Drafts interface{ IsDraft(file string) bool }

// Document is a chapter that was parsed.
type Document struct {
	Chapter   *content.Chapter
	Headings  []Heading         // for the table of contents
	Demos     []string          // in order of appearance
	Opening   string            // the demo that the text begins with, if it does: no heading is before it
	Exercises []Exercise        // likewise
	Claims    []Claim           // likewise
	Files     []string          // of the project, that it shows parts of; relative to the root, with slashes
	Listings  bool              // it has blocks of code that have more than their lines
	Drawings  bool              // it has formulas or diagrams
	Tabs      bool              // it has tabs
	Worlds    bool              // it leads into demos' counterfactuals
	Details   bool              // it has what readers open and close
	Terms     []string          // of the glossary, in order of appearance; known once rendered
	Warnings  []problem.Problem // of what is not right and does not keep the chapter from being read; known once rendered

	outline  []outlined // headings
	shown    []placed   // demos
	includes []placed   // pieces of source
	anchors  map[string]bool
	numbers  map[string]int // the last one behind an anchor of several headings
	root     ast.Node
	pictures int // so far
	own      int // blocks of the book's own, so far
	renderer renderer.Renderer
	problems problem.List
	library  Library              // while rendering
	moments  map[*ast.Link]moment // that links lead to
	links    []func()             // what is left to resolve when all documents are known
}

// feature adds something to Markdown. It is made anew for each document.
type feature func(*Document) goldmark.Extender

var features = []feature{
	budget,
	headings,
	elements,
	containers,
	ownBlocks,
	admonitions,
	figures,
	keys,
	tasks,
	definitions,
	links,
	images,
	code,
	tables,
	footnotes,
	fenceEnds,
	rawHTML,
	emphasis,
	rubies,
	formulas,
	diagrams,
	escapedSpaces,
	lineBreaks,
	counters,
	foreign,
}

// What only chapters have, and only talks.
var (
	chapterFeatures = []feature{demos, exercises, walks}
	slideFeatures   = []feature{slides}
)

func (d *Document) goldmark() goldmark.Markdown {
	extenders := []goldmark.Extender{
		extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"https:", "http:"})),
	}
	own := chapterFeatures
	if d.Chapter.Talk {
		own = slideFeatures
	}
	for _, f := range slices.Concat(features, own) {
		extenders = append(extenders, f(d))
	}
	return goldmark.New(goldmark.WithExtensions(extenders...))
}

// Parse reads a chapter. The document is usable for links even when there are problems.
func Parse(chapter *content.Chapter) *Document {
	d := &Document{Chapter: chapter, anchors: map[string]bool{}, numbers: map[string]int{}}
	d.root = d.within(func() ast.Node { return d.goldmark().Parser().Parse(text.NewReader(chapter.Source)) })
	return d
}

// Render returns the chapter's HTML.
func (d *Document) Render(library Library) (string, error) {
	d.library = library
	for _, resolve := range d.links {
		resolve()
	}
	d.links = nil
	d.inOrder()
	if err := d.problems.Err(); err != nil {
		return "", err
	}
	var out bytes.Buffer
	d.renderer = d.goldmark().Renderer()
	if err := d.renderer.Render(&out, d.Chapter.Source, d.root); err != nil {
		var p problem.Problem
		if errors.As(err, &p) { // of a block's own file
			return "", p
		}
		return "", problem.Problem{File: d.Chapter.File, Message: err.Error()}
	}
	return out.String(), nil
}

// For is the document as another page of the book shows it.
func (d *Document) For(chapter *content.Chapter) *Document {
	other := *d
	other.Chapter = chapter
	return &other
}

// Forget lets go of the text's tree, which is larger than the text: after that the
// document can neither be rendered nor be read by section.
func (d *Document) Forget() { d.root = nil }

// HasAnchor tells whether "#anchor" leads anywhere in the document.
func (d *Document) HasAnchor(anchor string) bool { return d.anchors[anchor] }

// Anchors lists them.
func (d *Document) Anchors() []string {
	out := make([]string, 0, len(d.anchors))
	for a := range d.anchors {
		out = append(out, a)
	}
	return out
}

// File is the document's place below the content folder: "en/loop/replicaset.md".
func (d *Document) File() string {
	if d.Chapter.Name == "" {
		return d.Chapter.Language + "/" + content.HomeFile
	}
	return d.Chapter.Language + "/" + d.Chapter.Key() + ".md"
}

// later runs when all documents are known.
func (d *Document) later(resolve func()) { d.links = append(d.links, resolve) }

// wrong reports a problem at a node.
func (d *Document) wrong(n ast.Node, message, cure string) {
	d.wrongAt(n.Pos(), message, cure)
}

func (d *Document) wrongAt(offset int, message, cure string) {
	if d.problems.Len() == mostProblems { // each place takes time to find
		message, cure = "the chapter has more problems, which are not listed", "mend the others first"
	}
	if d.problems.Len() > mostProblems {
		return
	}
	line, column := d.Chapter.Place(offset)
	d.problems.Add(problem.Problem{File: d.Chapter.File, Line: line, Column: column, Message: message, Cure: cure})
}

// extend is an extension as a function.
type extend func(goldmark.Markdown)

func (f extend) Extend(m goldmark.Markdown) { f(m) }

// transform is a step after parsing. Steps run in the order of their priority.
func transform(priority int, step func(*ast.Document)) parser.Option {
	return parser.WithASTTransformers(util.Prioritized(transformer(step), priority))
}

type transformer func(*ast.Document)

func (f transformer) Transform(node *ast.Document, _ text.Reader, _ parser.Context) { f(node) }

// each calls the step for every node of type N. The step may replace the node.
func each[N ast.Node](root ast.Node, step func(N)) {
	var found []N
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if typed, ok := n.(N); ok && entering {
			found = append(found, typed)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range found {
		step(n)
	}
}

// render says how a kind of node is written.
func render(kind ast.NodeKind, write renderer.NodeRendererFunc) renderer.Option {
	return renderer.WithNodeRenderers(util.Prioritized(nodeRenderer{kind, write}, 100))
}

type nodeRenderer struct {
	kind  ast.NodeKind
	write renderer.NodeRendererFunc
}

func (r nodeRenderer) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(r.kind, r.write)
}

// plain is a node's text without markup.
func plain(n ast.Node, source []byte) string {
	var b bytes.Buffer
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case worded:
			b.WriteString(n.inWords(source))
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			value := n.Value(source)
			if !n.IsRaw() { // entities and escapes are markup, too
				value = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(value)))
			}
			b.Write(value)
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

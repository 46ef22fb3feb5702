// Package sitebuild makes a whole site of a book. It knows the order of the steps
// and nothing of how one is done:
//
//  1. load      the content (generator/book/content)
//  2. prepare   what chapters and pages refer to: assets, demos, sources, images; beside
//     that the chapters are parsed (preparers; documents.go)
//  3. render    the chapters' text, when all they can refer to is known (documents.go)
//  4. draw      every page: values for a template, made into HTML (draw.go, views.go)
//  5. make      everything else that is made of the finished pages (makers)
//  6. close     what lists all files, and the audit (closers)
//
// What happens within a step happens at once, on all processors, so that a step's
// functions must not write to the build: they return errors, put files into the
// tree (which may be done at once), or write to a field that is theirs alone.
//
// To add something: what chapters refer to is a preparer and a method in library.go;
// what reads finished pages is a maker, a func(*build) error that goes through
// e.pages (each has the Chapter, its Document and the Text as HTML) and
// puts files; what has to know all files is a closer.
//
// What stays the same between builds of one process is kept in Cache. A chapter is
// parsed again when its file changes, rendered again when something that it looked up
// has changed (dependencies.go: a new method of the library has a line there), and
// its page is drawn again when the values that it shows have changed. So whatever a
// page shows has to come by its value in site/pages, never past it.
package sitebuild

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/history"
	"kubewalk/generator/book/upstream"
	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/output"
	"kubewalk/generator/format/epub"
	"kubewalk/generator/format/portable"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/markdown"
	"kubewalk/playground/demo/scene"
	"kubewalk/site/pages"
)

// Options say what to build.
type Options struct {
	Root    string // of the project
	Content string // folder of the book
	Base    string // address at which the site will be; "" when unknown
	Dev     bool   // for the development server, which may show a book that is not translated yet
	Drafts  bool   // with chapters that are drafts
	// Portable makes the form of the site that opens from a folder (generator/format/portable).
	Portable bool
	Strict   bool // what would be a warning is a problem
	// Bare goes without the control plane in WebAssembly. All demos have to be pending.
	Bare bool
	// Live is the address of the stream of a session that the demos' own pages follow (generator/dev/live); "" for none.
	Live string
	// Loaded gets the number of pages that there will be. It may be nil.
	Loaded func(pages int)
	// Early gets the site as soon as all pages are made, before they are checked and
	// before what is made of them; that is of the last build. It may be nil.
	Early func(*output.Tree)
	// Warned gets what is not right and does not keep the book from being published,
	// as problem.Errors, when the site was made. It may be nil.
	Warned func(error)

	// Books is given every language's book when it is wanted for readers of EPUB.
	Books func(language string, book *epub.Book) error
	Date  time.Time // of a book that git knows no date of

	Demos   demos.Make
	Worlds  demos.Imagine                         // of demos; nil runs them whenever a claim is about one
	Phrases func(language string) ([]byte, error) // the event log's sentences, as JSON
	Assets  func(*output.Tree, assets.Options) (*assets.Set, error)
	Sources func(*output.Tree) error // pages of source code; nil for those of the project at Root
}

// preparers make what chapters and pages refer to, all at once.
var preparers = []func(*build) error{
	(*build).makeAssets,
	(*build).makeDemos,
	(*build).makeSources,
	(*build).makeImages,
	(*build).readStatic,
	(*build).readReleases,
	(*build).readHistory,
}

// makers make what is made of finished pages, all at once.
var makers = []func(*build) error{
	(*build).writeFeeds,
	(*build).writeCalendars,
	(*build).writePlain,
	(*build).writeSearch,
	(*build).writeBooks,
	(*build).writeCards,
	(*build).bindEPUBs,
	(*build).writeApp,
	(*build).writeSpeculation,
}

// closers run one after the other, when all other files are there.
var closers = []func(*build) error{
	(*build).putStatic,
	(*build).putReleases,
	(*build).writeRedirects,
	(*build).writeOffline,
	(*build).writeHeaders,
	(*build).audit,
}

// Page is a page of the book: a language's home page or a chapter.
type Page struct {
	Chapter  *content.Chapter
	Document *markdown.Document
	Text     string // the chapter's HTML, without the page around it

	facing    uint64             // digest of what other chapters can see of it
	minutes   int                // that reading it takes
	forms     bool               // whether the text needs site/styles/forms.css
	exercises []string           // "DEMO/ID.VERSION", as pages remember them
	sections  []markdown.Section // for the search; nil in the development server
	meetup    *pages.Meetup      // that it is about; nil when it is about none
	post      *pages.Post        // what is said of it beside its text; nil when it is none
	years     []pages.Year       // of a list of meetups or posts
}

// build is one build under way.
type build struct {
	ctx     context.Context
	options Options
	cache   *Cache
	tree    *output.Tree
	book    *content.Book
	site    *pages.Site

	pages     []*Page                    // in reading order: home pages, then chapters
	talks     []*Page                    // of all languages; they are in none of the lists
	byChapter map[*content.Chapter]*Page // the same, without talks
	byFile    map[string]*Page           // by file below the content folder: "en/loop/replicaset.md"

	images    map[string]markdown.Picture // by file
	demos     map[string]*demos.Demo
	demoNames []string
	pending   []string // of those, the demos that are being recorded
	runs      runs
	files     files
	stills    map[still]map[scene.Layout]pages.Picture
	wasmHash  func(cel bool) string // of the control plane that runs a demo; "" without one
	engines   map[string]string     // by demo, for links
	releases  []keptRelease         // that are kept, in the order of their files

	keeper     []byte   // the service worker's script
	blockNames []string // of content/blocks
	stillStyle string   // of pictures in files of their own, CSS

	cards   cards
	history history.Files
	feeds   map[string]bool // by language: whether it has any

	navigation map[string]*pages.Navigation // by language
	problems   problem.List
	warnings   problem.List
}

// Build makes the site. The error is all that is wrong, at once, as problem.Errors.
func Build(ctx context.Context, o Options, cache *Cache) (*output.Tree, error) {
	cache.begin()
	b := &build{ctx: ctx, options: o, cache: cache, tree: output.NewTree(), images: map[string]markdown.Picture{}, demos: map[string]*demos.Demo{},
		wasmHash: func(bool) string { return "" }}
	base, err := url.Parse(strings.TrimSuffix(o.Base, "/"))
	if err != nil || o.Base != "" && (base.Host == "" || base.Scheme != "http" && base.Scheme != "https") {
		return nil, problem.Problem{Message: fmt.Sprintf("base URL %q is not an address", o.Base), Cure: "as in --base-url https://example.org/book"}
	}
	b.site = &pages.Site{Base: base.String(), Prefix: base.Path, Dev: o.Dev, Kubernetes: upstream.Version, Live: o.Live}

	if b.book, err = cache.content.Load(o.Content, o.Drafts || o.Dev); err != nil {
		b.problems.AddError(err)
		if len(b.book.Site.Languages) == 0 {
			return nil, b.problems.Err()
		}
	}
	b.checkLanguages()
	b.makeLists()
	b.findPages()
	if o.Loaded != nil {
		o.Loaded(len(b.pages))
	}
	b.run(append([]func(*build) error{(*build).parse}, preparers...))
	b.problems.AddError(b.putStills())
	b.problems.AddError(b.nameEngines())
	b.await()
	b.offer()
	b.surround()
	b.render()
	b.renderTalks()
	b.showMeetups()
	b.showPosts()
	b.compareTranslations()
	b.checkTranslations()
	if err := b.failed(); err != nil {
		return nil, err
	}
	b.draw()
	b.drewLayout()
	if o.Early != nil && cache.last != nil {
		o.Early(b.tree.Over(cache.last))
	}
	b.run(makers)
	for _, step := range closers {
		if err := b.failed(); err != nil {
			return nil, err
		}
		b.problems.AddError(step(b))
	}
	if err := b.failed(); err != nil {
		return nil, err
	}
	if err := b.warnings.Err(); err != nil && o.Warned != nil {
		o.Warned(err)
	}
	if o.Early != nil {
		cache.last = b.tree
	}
	if o.Portable {
		return portable.Make(b.tree, b.site.Prefix, func(language string) string {
			return b.wordsOf(language).Unserved
		})
	}
	return b.tree, nil
}

// run takes steps at once, and tells their problems in their order.
func (b *build) run(steps []func(*build) error) {
	errs := make([]error, len(steps))
	var running sync.WaitGroup
	for i, step := range steps {
		running.Go(func() { errs[i] = step(b) })
	}
	running.Wait()
	for _, err := range errs {
		b.problems.AddError(err)
	}
}

// failed is why the build cannot go on.
func (b *build) failed() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	return b.problems.Err()
}

// findPages begins the pages of the book.
func (b *build) findPages() {
	chapters := b.book.Pages()
	b.byChapter = make(map[*content.Chapter]*Page, len(chapters))
	b.byFile = make(map[string]*Page, len(chapters))
	for _, c := range chapters {
		p := &Page{Chapter: c}
		b.pages = append(b.pages, p)
		b.byChapter[c] = p
	}
}

// page is a chapter's.
func (b *build) page(c *content.Chapter) *Page {
	p := b.byChapter[c]
	if p == nil {
		panic("sitebuild: chapter " + c.File + " is not in the book")
	}
	return p
}

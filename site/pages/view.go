// Package pages is what the site's pages look like: templ components, and the
// plain values that they show. It decides nothing: addresses, order and texts
// come from the generator.
//
// The Go files *_templ.go are generated (go tool templ generate) and committed,
// so that a build needs no tool. A test checks that they are fresh.
package pages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"kubewalk/playground/demo/scene"
)

// What a browser paints around the page: --surface of site/styles/tokens.css.
const (
	Surface     = "#ffffff"
	surfaceDark = "#14171d"
)

// Wordmark is an image of the book's name.
type Wordmark struct {
	URL   string
	Width int    // at WordmarkHeight
	Class string // of the element: "wordmark", with "on-light" or "on-dark"
}

// WordmarkHeight is how high an image of a book's name stands in the header, in pixels of CSS.
const WordmarkHeight = 28

// Site is what all pages share.
type Site struct {
	Base       string // "https://example.org/book" without a slash at the end; "" when nobody said
	Prefix     string // the address' path, without a slash at the end: "/book" or ""
	Dev        bool   // served by the development server
	Kubernetes string // the release that links to the source lead to
	Assets     Assets
	Logo       string                // address of the book's own sign; "" for that of the theme
	Wordmark   []Wordmark            // the book's name as an image, in place of sign and title: for light pages, and for dark ones if that is another
	Links      map[string][]SiteLink // in the header, by language
	Footers    map[string]string     // what the book says below its pages, HTML, by language
	Head       map[string][]HeadLink // by language
	Scripts    []Script              // of other services
	Own        map[string]Own        // parts of the layout that the author wrote, by name
	Home       []string              // the sections of home pages below their title, in order: start, text, contents
	MadeWith   bool                  // pages say with what they were made
	Offline    *Installable          // nil when nothing is kept on readers' devices
	Live       string                // address of the stream of a session that demos' own pages follow; "" when there is none
}

// HeadLink is an element link that the book's author wants in every page's head.
type HeadLink struct{ Rel, URL, Type, Sizes, Title string }

// Script is a script of another service.
type Script struct {
	URL      string
	Data     templ.Attributes // data-…
	Comments bool             // it stands below the text of chapters
}

// SiteLink is a link in the header of every page.
type SiteLink struct {
	Text, URL string
	Language  string // of the page there, if it is another; else ""
}

// Installable are the addresses that a browser needs to keep the book, and to
// install it.
type Installable struct {
	Worker    string
	Manifests map[string]string // by language
	Pages     map[string]string // about reading without a connection, by language
	Apple     string            // icon; "" when the book's cannot be drawn
}

// Link is the address of a path of the site, for a page of the site.
func (s *Site) Link(path string) string { return s.Prefix + path }

// partLink is the address of a part: of the list of its posts, or in the contents on a language's home page, or of the page if it has none.
func (s *Site) partLink(language string, part Part) templ.SafeURL {
	home := s.Link("/" + language + "/")
	if part.List != "" {
		return templ.SafeURL(s.Link(part.List))
	}
	if slices.Contains(s.Home, "contents") {
		home += "#" + part.anchor()
	}
	return templ.SafeURL(home)
}

// Absolute is the address of a path for others; "" when the base is unknown.
func (s *Site) Absolute(path string) string {
	if s.Base == "" {
		return ""
	}
	return s.Base + path
}

// Assets are addresses, ready to use.
type Assets struct {
	Styles  []string
	Book    []string // style sheets that the book on one page has besides
	Player  string   // style sheet of the demos' players, which comes with them
	Theme   string
	Frame   string   // what stands around the text: contents, theme, prefetching
	Gone    string   // leads to the demo of a link whose chapter is gone; "" in a book without demos
	Offline string   // module: of the page about reading without a connection
	Away    []string // its style sheets
	Search  string   // the search, and its style sheet
	Found   string
	Tabs    string
	Blocks  string // details and terms
	Copy    string // buttons that copy code
	Worlds  string // leads sentences about counterfactuals there
	Parts   string // opens parts in the list of chapters of a large book
	Front   string // style sheet of home pages and of those that are no part of the text
	Forms   string // style sheet of tabs, steps, cards and the like
	Listing string // style sheet of blocks of code that have more than their lines
	Walk    string // style sheet of pages on which a demo stands beside text
	Drawing string // style sheet of formulas and diagrams
	Meetup  string // style sheet of meetups' programmes and lists
	Posts   string // style sheet of posts and their lists
	Meetups string // tells which meetups are to come
	Links   string // style sheet of links in the header
	Custom  string // the author's own style sheet; "" when there is none
	Talk    string // module: makes a deck of a talk's page; its style sheet; reveal.js, and its style sheet
	Slides  string
	Deck    string
	Decked  string
	Page    string
	Worker  string
	Wasm    string
	Size    int    // of the wasm as it is, bytes
	WasmCEL string // likewise, of the one that evaluates CEL
	SizeCEL int
	Icon    string
	Phrases map[string]string // by language
	Words   map[string]string // of the scripts, in languages that they do not speak themselves
	Source  string            // folder of the source pages
}

// Page is what every page has.
type Page struct {
	Site        *Site
	Words       Words
	Language    string
	Path        string // "/en/loop/replicaset/"
	Title       string
	Description string
	BookTitle   string
	Versions    []Version // this page in all languages; empty when it has only one
	Notices     Notices
	// TextLanguage is the language of title and text: the page's, but for a page
	// without a translation.
	TextLanguage string
	Plain        string  // path of the page as Markdown; "" when there is none
	Card         *Card   // the picture that stands for the page elsewhere; nil without one
	Feeds        []Feeds // of the language
	Book         string  // path of the whole book on one page; "" when there is none
	Navigation   *Navigation
	Headings     []Heading // of this page
	Glossary     *Entry    // nil when there is none
	Terms        []Term    // of the glossary, in the text
	Tabs         bool      // it has tabs
	Blocks       bool      // it has details
	Worlds       bool      // it leads into demos' counterfactuals
	Forms        bool      // it has tabs, steps, cards or the like
	Listings     bool      // it has blocks of code that have more than their lines
	Drawings     bool      // it has formulas or diagrams
	Walk         bool      // a demo stands beside its text
	Near         bool      // the first of them is in sight, or nearly, where the page begins
	Meetups      bool      // it has the programme of a meetup, or a list of meetups
	ToCome       bool      // one of them may be to come
	Posts        bool      // it is a post, or a list of posts
	Schema       string    // the meetup or the post as schema.org has it, JSON; "" when there is none
	Place        string    // where in the book the page is, in the same form; "" when the site's address is unknown
	OEmbed       string    // path of the demo's answer to who puts its address into a page; "" when there is none
	Calendar     string    // path of the page's meetups as a file for calendars; "" when there is none
	Scripts      bool      // it has demos
	Player       bool      // their player is used for sure
	NoIndex      bool
	Policy       string // for pages that carry their policy themselves
}

// Later are the scripts that the reader's first move brings: what they do begins
// with a click, and the page is there sooner.
func (p *Page) Later() string {
	var scripts []string
	if p.Listings {
		scripts = append(scripts, p.Site.Assets.Copy)
	}
	if len(p.Terms) > 0 && !p.Blocks {
		scripts = append(scripts, p.Site.Assets.Blocks)
	}
	if p.Worlds {
		scripts = append(scripts, p.Site.Assets.Worlds)
	}
	if p.Navigation != nil && p.Navigation.List != "" {
		scripts = append(scripts, p.Site.Assets.Parts)
	}
	return strings.Join(scripts, " ")
}

// FullTitle is the title of the window.
func (p *Page) FullTitle() string {
	if p.Title == p.BookTitle {
		return p.Title
	}
	return p.Title + " – " + p.BookTitle
}

// otherwise is where readers of any other language are sent: from a home page to
// where they choose, from a chapter to the language that is the original.
func (p *Page) otherwise() string {
	for _, v := range p.Versions {
		if p.Path == "/" || v.Path == "/"+v.Language+"/" {
			return "/"
		}
	}
	return p.Versions[0].Path
}

// Term is what a term of the glossary means.
type Term struct {
	ID   string
	Name string
	Text string // HTML
}

// Notices are what a page says about its own text.
type Notices struct {
	Draft        bool
	Untranslated *Version  // the original that it shows; nil when it is translated
	Stale        *Version  // the original that was changed since; nil when it was not
	Since        time.Time // the day of that
}

// canonical is the address of what the page shows.
func (p *Page) canonical() string {
	if v := p.Notices.Untranslated; v != nil {
		return p.Site.Absolute(v.Path)
	}
	return p.Site.Absolute(p.Path)
}

// theirs says which language a text is in when it is not the page's, and own says
// it of what is the page's own inside such a text.
func (p *Page) theirs() templ.Attributes {
	if p.Notices.Untranslated == nil {
		return nil
	}
	return templ.Attributes{"lang": p.TextLanguage}
}

func (p *Page) own() templ.Attributes {
	if p.Notices.Untranslated == nil {
		return nil
	}
	return templ.Attributes{"lang": p.Language}
}

// Feeds are the paths of a feed in its two forms.
type Feeds struct{ Title, Atom, RSS string }

// Card is the picture that stands for a page where a link to it is shown.
type Card struct {
	URL           string // whole: others load it
	Width, Height int
	Alt           string
}

// Version is a page in a language.
type Version struct {
	Language string
	// Untranslated: the page shows the text of another language, which has an address.
	Untranslated bool
	Name         string // of the language, in itself
	Path         string
}

// Part is a part of the book in the navigation.
type Part struct {
	Name     string // its folder
	Title    string
	Posts    bool     // its chapters are the newest posts
	Within   []string // paths of its pages that the contents do not list
	List     string   // path of the page that lists its posts; "" when there is none
	Chapters []Entry
	Parts    []Part // within it
	Above    *Part  // that it is within, of a chapter's own part; nil when it is in none
}

// anchor is the part's id on the home page. No heading has one with a point in it.
func (p Part) anchor() string { return "part." + strings.ReplaceAll(p.Name, "/", ".") }

// all are its chapters, and those of the parts within it.
func (p Part) all() []Entry {
	out := slices.Clone(p.Chapters)
	for _, within := range p.Parts {
		out = append(out, within.all()...)
	}
	return out
}

// holds tells whether it is the part of that name, or that is within it.
func (p Part) holds(name string) bool {
	return name == p.Name || strings.HasPrefix(name, p.Name+"/")
}

// way are the parts from the outermost one to this one; none for no part.
func (p Part) way() []Part {
	if p.Name == "" {
		return nil
	}
	if p.Above == nil {
		return []Part{p}
	}
	return append(p.Above.way(), p)
}

// Trail is where a page is in the book, as schema.org has it: JSON, with the page at its end. It is "" when the
// site's address is unknown, and for a page that others are not to find.
func (c *Chapter) Trail() string {
	if c.Site.Base == "" || c.NoIndex {
		return ""
	}
	type item struct {
		Type     string `json:"@type"`
		Position int    `json:"position"`
		Name     string `json:"name"`
		Item     string `json:"item,omitempty"`
	}
	var items []item
	add := func(name, address string) {
		items = append(items, item{"ListItem", len(items) + 1, name, address})
	}
	add(c.BookTitle, c.Site.Absolute("/"+c.Language+"/"))
	for _, part := range c.Part.way() {
		add(part.Title, c.Site.Base+strings.TrimPrefix(string(c.Site.partLink(c.Language, part)), c.Site.Prefix))
	}
	add(c.Title, "")
	data, err := json.Marshal(struct {
		Context string `json:"@context"`
		Type    string `json:"@type"`
		Items   []item `json:"itemListElement"`
	}{"https://schema.org", "BreadcrumbList", items})
	if err != nil {
		panic("pages: " + err.Error()) // texts
	}
	return string(data)
}

// Entry is a chapter in the navigation.
type Entry struct {
	Title       string
	Description string
	Path        string
	Exercises   []string // "DEMO/ID.VERSION": what a page may remember
	Draft       string   // the word for it, of a chapter that is one
	Language    string   // of the title, when it is not the page's
}

func (e *Entry) said() templ.Attributes {
	if e.Language == "" {
		return nil
	}
	return templ.Attributes{"lang": e.Language}
}

// Heading is an entry of the page's own table of contents.
type Heading struct {
	Level int
	ID    string
	Text  string
}

// Chapter is a chapter's page.
type Chapter struct {
	Page
	Part           Part     // that it is in
	Exercises      []string // as in Entry
	HTML           string   // the text
	Post           *Post    // nil when it is none
	Previous, Next *Entry
	Minutes        int       // that reading takes
	Changed        time.Time // when its file was last changed, by git; zero when that is not known
	Edit           string    // address at which its file can be changed; "" when nobody said
	Comments       bool      // readers may say something about it
}

// Home is a language's home page.
type Home struct {
	Page
	HTML      string
	Exercises []string // of all chapters, as in Entry
	Embeds    string   // folder of the demos' own pages
}

// Demo is a demo in one language.
type Demo struct {
	Site     *Site
	Words    Words
	Language string
	Name     string
	Title    string
	Version  string // of its files
	Engine   string // what decides about its runs, for links; "" while there is no control plane
	CEL      bool   // its control plane is the one that evaluates CEL
	Stills   []Still
	Controls []string
	Anchor   string // id of the element
	Embed    string // path of the page that holds it alone
	Alone    bool   // it is that page
	Start    string // the moment that it opens at; "" for its beginning
	Speed    string // how fast it plays; "" for 1
}

// IsTall says whether a phone's picture is taller than it is wide: it has more of the screen then, so that its letters are as large.
func (d *Demo) IsTall() bool {
	for _, still := range d.Stills {
		if p := still.Pictures[scene.Narrow]; p.Height > p.Width {
			return true
		}
	}
	return false
}

// Still is a moment of the storyboard.
type Still struct {
	ID      string
	Caption string
	At      time.Duration
	Frame   int
	// Pictures are files, loaded when they are looked at.
	Pictures map[scene.Layout]Picture
	Lines    []Line
}

// Picture is an image and how large it is, CSS pixels.
type Picture struct {
	URL           string
	Width, Height int
}

// Line is an event in words.
type Line struct {
	At       time.Duration
	Sentence string
}

// Exercise is an exercise of a demo in one language.
type Exercise struct {
	Words      Words
	Anchor     string // id of the element
	Demo       string
	DemoAnchor string // of the demo that it is about, on the same page
	ID         string
	Version    string // of what counts
	Task       string
	Goal       []string // conditions
	Options    []Option // of a question
	Hints      []string
	Answer     []Line
}

// Option is one answer to a question.
type Option struct {
	Text, Why string
	Right     bool
}

// Embed is a page that holds one demo, for other sites to frame.
type Embed struct {
	Page
	Demo    Demo
	Pending string // the anchor of a demo that is being recorded, in its place; "" for none
	Chapter *Entry // the chapter that shows it; nil when none does
}

// Moved is the page at an address that is gone.
type Moved struct {
	Page
	To    string // where it is now: an address for links
	Whole string // the same for others; "" when nobody knows
}

// refresh is what leads a browser there at once.
func (m *Moved) refresh() string { return "0; url=" + m.To }

// seconds writes a virtual time as readers see it: "1.250 s".
func seconds(d time.Duration) string {
	return fmt.Sprintf("%d.%03d s", d/time.Second, d%time.Second/time.Millisecond)
}

// nameOf is a language's name in itself.
func nameOf(versions []Version, language string) string {
	for _, v := range versions {
		if v.Language == language {
			return v.Name
		}
	}
	return language
}

// Deck is a talk as slides.
type Deck struct {
	Page
	Name string
	HTML string // a section for each slide
	Home string // path of the book
	// Minutes is how long it is; 0 when nobody says.
	Minutes int
}

// SlideDemo is a demo on a slide, from one of its moments to another.
type SlideDemo struct {
	Words      Words
	Title      string
	Address    string // of the page that holds it alone
	Start, End string // moments; "" for its own beginning and end
	Controls   string
	Speed      string // "" for 1
	Sync       string // of the frames that show the same moment
	Picture    Picture
	Caption    string // of the moment at which it opens
}

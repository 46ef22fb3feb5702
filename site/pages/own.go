package pages

import (
	"html/template"
	"strings"
	"time"

	"github.com/a-h/templ"
)

// Own is a part of the layout that the book's author wrote. What is wrong with it is told by whoever made it.
type Own interface {
	Draw(language string, data any) template.HTML
}

// OwnPart is a part of the layout that an author may write.
type OwnPart struct {
	Name     string // of its file, layout/NAME.html
	Is       string // what it is
	Data     any    // of the type of its data
	Required []string
}

// OwnParts are all of them. A template that names Default need not name what is required.
var OwnParts = []OwnPart{
	{"header", "the bar on top of every page, in place of the theme's", OwnHeader{}, []string{"Menu", "Search", "Languages", "Theme"}},
	{"footer", "what is below every page, in place of the theme's", OwnFooter{}, []string{"Text"}},
	{"sidebar-top", "above the list of chapters", OwnPage{}, nil},
	{"before-content", "between a chapter's title and its text", OwnText{}, nil},
	{"after-content", "below a chapter's text", OwnText{}, nil},
	{"hero", "the head of home pages, in place of title, description and the link to the first chapter", OwnHero{}, []string{"Title", "Start"}},
	{"404", "the page for what is not there", OwnMissing{}, []string{"Homes"}},
}

// OwnPage is what every part knows.
type OwnPage struct {
	Book        string `doc:"the book's title"`
	Home        string `doc:"the address of the language's home page"`
	Language    string `doc:"the page's language, en"`
	Kind        string `doc:"chapter, post, home, search, book, offline or 404"`
	Title       string `doc:"the page's title"`
	Description string `doc:"the page's description"`
	Address     string `doc:"the page's address, /en/loop/replicaset/ below the site's path"`
}

// OwnHeader is what the header knows.
type OwnHeader struct {
	OwnPage
	Menu      template.HTML `doc:"the button that opens the list of chapters on narrow screens"`
	Brand     template.HTML `doc:"the logo and the book's title, as a link to the home page"`
	Links     template.HTML `doc:"the links of site.yaml"`
	Search    template.HTML `doc:"the link that opens the search"`
	Languages template.HTML `doc:"the page in the book's other languages"`
	Theme     template.HTML `doc:"the choice between light and dark"`
	Default   template.HTML `doc:"the theme's whole header"`
}

// OwnFooter is what the footer knows.
type OwnFooter struct {
	OwnPage
	Text       template.HTML `doc:"the footer of site.yaml"`
	Kubernetes string        `doc:"the release to which links to source code lead"`
	Print      string        `doc:"the address of the whole book on one page; empty when there is none"`
	Offline    string        `doc:"the address of the page about reading offline; empty when there is none"`
	Default    template.HTML `doc:"the theme's whole footer"`
}

// OwnText is what the parts around a chapter's text know.
type OwnText struct {
	OwnPage
	Part    string `doc:"the title of the part that the chapter is in; empty for none"`
	Minutes int    `doc:"how long reading takes; 0 when that is not known"`
	Changed string `doc:"the day of the last change; empty when that is not known"`
	Edit    string `doc:"the address at which the chapter can be changed; empty without edit: in site.yaml"`
}

// OwnHero is what the head of home pages knows.
type OwnHero struct {
	OwnPage
	Start   template.HTML `doc:"the link to the first chapter; empty where site.yaml has home: without start, or not first"`
	Default template.HTML `doc:"the theme's head"`
}

// OwnMissing is what the page for what is not there knows.
type OwnMissing struct {
	OwnPage
	Homes   []OwnHome     `doc:"the book in each of its languages"`
	Search  template.HTML `doc:"the search, in each language"`
	Default template.HTML `doc:"what the theme shows"`
}

// OwnHome is the book in a language.
type OwnHome struct {
	Language string        `doc:"its code"`
	Name     string        `doc:"its name in itself"`
	Address  string        `doc:"the address of the home page"`
	Says     string        `doc:"that the page is not there, in the language"`
	Go       string        `doc:"the words that lead to the home page"`
	Demo     template.HTML `doc:"the link to a demo whose chapter is gone, which a script shows"`
}

func (p *Page) forOwn() OwnPage {
	kind := "chapter"
	home := "/" + p.Language + "/"
	switch {
	case p.Path == "/404.html":
		kind = "404"
	case p.Path == home:
		kind = "home"
	case p.Path == SearchPath(p.Language):
		kind = "search"
	case p.Path == home+"book/":
		kind = "book"
	case p.Path == home+"offline/":
		kind = "offline"
	case p.Posts:
		kind = "post"
	}
	return OwnPage{p.BookTitle, p.Site.Link(home), p.Language, kind, p.Title, p.Description, p.Site.Link(p.Path)}
}

// written is a part that the author wrote; ok is false for one that is the theme's.
func (p *Page) written(name string, data func() any) (templ.Component, bool) {
	part := p.Site.Own[name]
	if part == nil {
		return nil, false
	}
	return templ.Raw(string(part.Draw(p.Language, data()))), true
}

func slot(c templ.Component) template.HTML { return template.HTML(strings.TrimSpace(text(c))) }

func banner(p *Page, menu bool) templ.Component {
	own, ok := p.written("header", func() any {
		return OwnHeader{p.forOwn(), slot(menuButton(p, menu)), slot(brand(p)), slot(siteLinks(p)), slot(searchLink(p)), slot(languages(p)), slot(theme(p)),
			slot(themeBanner(p, menu))}
	})
	if !ok {
		own = themeBanner(p, menu)
	}
	return skipTo(p, own)
}

func foot(p *Page) templ.Component {
	own, ok := p.written("footer", func() any {
		data := OwnFooter{OwnPage: p.forOwn(), Text: template.HTML(p.Site.Footers[p.Language]), Kubernetes: p.Site.Kubernetes, Default: slot(themeFoot(p))}
		if p.Book != "" && p.Book != p.Path {
			data.Print = p.Site.Link(p.Book)
		}
		if p.Site.Offline != nil {
			data.Offline = p.Site.Offline.Pages[p.Language]
		}
		return data
	})
	if !ok {
		return themeFoot(p)
	}
	return own
}

func hero(h *Home) templ.Component {
	own, ok := h.written("hero", func() any {
		data := OwnHero{OwnPage: h.forOwn(), Default: slot(themeHero(h))}
		if h.Site.Home[0] == "start" {
			data.Start = slot(startHere(h))
		}
		return data
	})
	if !ok {
		return themeHero(h)
	}
	return own
}

func sidebarTop(p *Page) templ.Component {
	own, ok := p.written("sidebar-top", func() any { return p.forOwn() })
	if !ok {
		return templ.NopComponent
	}
	return own
}

// around is a part before or behind a chapter's text.
func (c *Chapter) around(name string) templ.Component {
	own, ok := c.Page.written(name, func() any {
		data := OwnText{OwnPage: c.forOwn(), Part: c.Part.Title, Minutes: c.Minutes, Edit: c.Edit}
		if !c.Changed.IsZero() {
			data.Changed = c.Changed.Format(time.DateOnly)
		}
		return data
	})
	if !ok {
		return templ.NopComponent
	}
	return own
}

func missing(p *Page, homes []*Home) templ.Component {
	own, ok := p.written("404", func() any {
		data := OwnMissing{OwnPage: p.forOwn(), Default: slot(themeMissing(p, homes))}
		for _, h := range homes {
			data.Homes = append(data.Homes, OwnHome{h.Language, nameOf(h.Versions, h.Language), p.Site.Link(h.Path), h.Words.NotFound, h.Words.NotFoundGo,
				slot(goneDemo(p, h))})
			data.Search += slot(searchMissing(p, h))
		}
		return data
	})
	if !ok {
		return themeMissing(p, homes)
	}
	return own
}

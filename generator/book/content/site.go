package content

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language/display"

	"kubewalk/generator/book/palette"
	"kubewalk/generator/book/schema"
	"kubewalk/generator/problem"
)

// Site is content/site.yaml: what holds for the whole book.
type Site struct {
	Title       Text       `yaml:"title" check:"required" doc:"The book's title: one text, or one for each language."`
	Description Text       `yaml:"description" check:"required" doc:"One sentence about the book: one text, or one for each language."`
	Languages   []Language `yaml:"languages" check:"required" doc:"The book's languages. The first is the original that translations follow."`
	Parts       []PartInfo `yaml:"parts" doc:"The parts of the book, in reading order."`

	Authors map[string]Author `yaml:"authors" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" cure:"use lower-case letters, digits and single hyphens" doc:"Who writes posts, by what their front matter calls them. With this table, posts name no one else."`
	Tags    map[string]Text   `yaml:"tags" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" cure:"use lower-case letters, digits and single hyphens: it is part of an address" doc:"What readers see of posts' tags: one text, or one for each language. With this table, posts have no other tags."`

	Theme    Theme  `yaml:"theme" doc:"How the book looks."`
	Icon     string `yaml:"icon" pattern:"\\.svg$" cure:"name an SVG file beside site.yaml" doc:"The browser tab's icon: an SVG file next to site.yaml."`
	Logo     string `yaml:"logo" pattern:"\\.(svg|png|webp)$" cure:"name an SVG, PNG or WebP file beside site.yaml" doc:"A square image before the title: a file next to site.yaml."`
	Wordmark string `yaml:"wordmark" pattern:"\\.(svg|png|webp)$" cure:"name an SVG, PNG or WebP file beside site.yaml" doc:"An image of the book's name, which stands in the header in place of logo and title: a file next to site.yaml, and name.dark.svg beside name.svg for dark pages."`
	Footer   Text   `yaml:"footer" doc:"Text below every page, such as the licence: one paragraph of Markdown, with links as on the home page."`
	Links    []Link `yaml:"links" doc:"Links in the header of every page."`
	MadeWith *bool  `yaml:"madeWith" doc:"Whether pages say that they were made with Kubewalk. They do unless this is false."`

	Home    []string   `yaml:"home" enum:"contents,start,text" doc:"What home pages have below their title, in this order: start (the link to the first chapter), text (of index.md) and contents (the list of chapters). Without this key, all three."`
	Head    []HeadLink `yaml:"head" doc:"Elements link for the head of every page."`
	Scripts []Script   `yaml:"scripts" doc:"Scripts of other services, such as statistics or comments, and the sites that they may use. Whatever is not named here, the content security policy refuses."`

	Translations string            `yaml:"translations" enum:"fallback,complete" doc:"How to treat a missing or outdated translation: with fallback, as a warning, and the page shows the original; with complete, as an error."`
	Offline      *bool             `yaml:"offline" doc:"Whether browsers store visited pages for offline reading and can install the book. They do unless this is false."`
	Edit         string            `yaml:"edit" pattern:"^https?://.*\\{file\\}" cure:"write it as https://example.org/me/book/edit/main/content/{file}" doc:"Where readers can change a page: an address in which {file} stands for the file below the content folder."`
	Redirects    map[string]string `yaml:"redirects" pattern:"^/[^\\s?#]*$" cure:"write a path from the site's root, as in /en/old/" doc:"Addresses that no longer exist, and where they now lead, as in /en/old/: /en/loop/new/#anchor; or, for all pages of a folder, /en/old/*: /en/new/*."`
}

// Link is a link in the header of every page.
type Link struct {
	Text Text   `yaml:"text" check:"required" doc:"What the link says: one text, or one for each language."`
	To   string `yaml:"to" check:"required" doc:"Where it leads, as a link on the home page would: about.md, loop/x.md#why, ../static/web.yaml, or https://…"`
}

// The sections of home pages.
const (
	HomeStart    = "start"
	HomeText     = "text"
	HomeContents = "contents"
)

// HomeSections are those of home pages, in order.
func (s *Site) HomeSections() []string {
	if s.Home == nil {
		return []string{HomeStart, HomeText, HomeContents}
	}
	return s.Home
}

// HeadLink is an element link in the head of every page.
type HeadLink struct {
	Rel   string `yaml:"rel" check:"required" enum:"alternate,apple-touch-icon,author,help,icon,license,me" doc:"What the link is."`
	Href  string `yaml:"href" check:"required" doc:"Where it leads, as a link on the home page would; an icon is a static file: ../static/favicon.ico."`
	Type  string `yaml:"type" pattern:"^[a-z]+/[a-z0-9.+-]+$" cure:"write it as image/png" doc:"The media type of what is there: image/png."`
	Sizes string `yaml:"sizes" pattern:"^(any|[0-9]+x[0-9]+( [0-9]+x[0-9]+)*)$" cure:"write it as 32x32" doc:"The sizes of an icon: 32x32."`
	Title string `yaml:"title" doc:"A title, for those that offer the link to readers."`
}

// Script is a script of another service, and the sites that it uses.
type Script struct {
	Src     string            `yaml:"src" check:"required" doc:"The script's address, which begins with https://; or a static file: ../static/count.js."`
	Data    map[string]string `yaml:"data" pattern:"^[a-z][a-z0-9-]*$" cure:"use lower-case letters, digits and hyphens" doc:"Its attributes data-…: {domain: example.org} is data-domain."`
	Place   string            `yaml:"place" enum:"head,comments" doc:"Where it is: in the head of every page, which is the default, or below the text of every chapter, where comments are."`
	Connect []string          `yaml:"connect" doc:"Sites to which it sends requests, as https://example.org."`
	Frames  []string          `yaml:"frames" doc:"Sites of which it shows pages in frames."`
	Styles  []string          `yaml:"styles" doc:"Sites from which it loads style sheets."`
	Images  []string          `yaml:"images" doc:"Sites from which it loads images."`
}

// Origins are the other sites that the script uses, by the key that names them.
func (s *Script) Origins() map[string][]string {
	return map[string][]string{"connect": s.Connect, "frames": s.Frames, "styles": s.Styles, "images": s.Images}
}

// Origin is the origin of an address that begins with https://, as a content security policy names it; ok is false for any other.
func Origin(address string) (origin string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil || !host.MatchString(u.Host) {
		return "", false
	}
	return "https://" + strings.ToLower(u.Host), true
}

// host is a name or an IPv4 address with a port, nothing that a policy would read as more than one.
var host = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]+)?$`)

// Text is a text in each of the book's languages.
type Text map[string]string

// YAMLSchema says that one text may stand for all languages.
func (Text) YAMLSchema() *schema.Schema { return &schema.Schema{Kind: schema.Texts} }

// Language is a language of the book.
type Language struct {
	Code string `yaml:"code" check:"required" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" cure:"use lower-case letters, digits and single hyphens: it is part of the page's address" doc:"The language in the form of BCP 47, in lower case (ja); also the folder's name."`
	Name string `yaml:"name" check:"required" doc:"The language's name in itself (日本語)."`
}

// PartInfo is a part of the book: a folder in each language.
type PartInfo struct {
	Name  string    `yaml:"name" check:"required" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" cure:"use lower-case letters, digits and single hyphens: it is part of the page's address" doc:"The folder of the part, and the part of its pages' addresses."`
	Title Text      `yaml:"title" check:"required" doc:"The part's title: one text, or one for each language."`
	Posts bool      `yaml:"posts" doc:"Whether its chapters are posts, as in a blog: with a date, authors and tags, the newest first."`
	Parts []Subpart `yaml:"parts" doc:"The parts within it, in reading order; they come behind its own chapters."`
}

// Subpart is a part within a part: a folder in that one's.
type Subpart struct {
	Name  string `yaml:"name" check:"required" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" cure:"use lower-case letters, digits and single hyphens: it is part of the page's address" doc:"The folder within the part's, and the part of its pages' addresses."`
	Title Text   `yaml:"title" check:"required" doc:"The title: one text, or one for each language."`
}

// AllParts are the parts in reading order, each followed by those within it, which have the names of both: "basics/install".
func (s *Site) AllParts() (out []PartInfo) {
	for _, p := range s.Parts {
		out = append(out, p)
		for _, q := range p.Parts {
			out = append(out, PartInfo{Name: p.Name + "/" + q.Name, Title: q.Title})
		}
	}
	return out
}

// PartTitle is a part's title, behind that of the part that it is within: "Basics › Installing".
func (s *Site) PartTitle(name, language string) string {
	for _, p := range s.Parts {
		if p.Name == name {
			return p.Title[language]
		}
		for _, q := range p.Parts {
			if p.Name+"/"+q.Name == name {
				return p.Title[language] + " › " + q.Title[language]
			}
		}
	}
	return ""
}

// Theme is how the book looks.
type Theme struct {
	Accent *Accent `yaml:"accent" doc:"The colour of links, buttons and selected items."`
}

// Accent is a colour for light pages and one for dark ones.
type Accent struct {
	Light string `yaml:"light" check:"required" pattern:"^#[0-9a-fA-F]{6}$" cure:"write it as #2450b8" doc:"On light pages, as #2450b8."`
	Dark  string `yaml:"dark" check:"required" pattern:"^#[0-9a-fA-F]{6}$" cure:"write it as #8fb2ff" doc:"On dark pages, as #8fb2ff."`
}

// readable tells whether the book's folders are known, so that chapters can be read
// while something else is wrong.
func (s *Site) readable() bool {
	seen := map[string]bool{}
	for _, l := range s.Languages {
		if l.Code == "" || seen[l.Code] {
			return false
		}
		seen[l.Code] = true
	}
	parts := map[string]bool{}
	for _, p := range s.Parts {
		if p.Name == "" || parts[p.Name] {
			return false
		}
		parts[p.Name] = true
	}
	for _, p := range s.AllParts() {
		if strings.HasSuffix(p.Name, "/") {
			return false
		}
	}
	return len(s.Languages) > 0 && len(s.Parts) > 0
}

// Complete tells whether a missing or stale translation is a problem.
func (s *Site) Complete() bool { return s.Translations == "complete" }

// SaysMadeWith tells whether pages say with what they were made.
func (s *Site) SaysMadeWith() bool { return s.MadeWith == nil || *s.MadeWith }

// KeepsOffline tells whether readers' devices keep what they visited.
func (s *Site) KeepsOffline() bool { return s.Offline == nil || *s.Offline }

// slug is what may stand in an address.
var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const slugCure = "use lower-case letters, digits and single hyphens: it is part of the page's address"

// languageCure is what helps against a code that is none.
func languageCure(code string) string {
	names := display.English.Tags()
	for _, tag := range display.Supported.Tags() {
		if strings.EqualFold(names.Name(tag), code) {
			return "write " + strings.ToLower(tag.String())
		}
	}
	return "write the language's code, such as en or ja"
}

// check says what a schema cannot: what has to fit together.
func (s *Site) check(d *schema.Document, out *problem.List) {
	codes := map[string]bool{}
	for i, l := range s.Languages {
		if codes[l.Code] && l.Code != "" {
			out.Add(d.At(fmt.Sprintf("languages[%d].code", i), fmt.Sprintf("language %q is listed twice", l.Code), "remove one"))
		}
		codes[l.Code] = true
		if main, _, _ := strings.Cut(l.Code, "-"); l.Code != "" && len(main) != 2 && len(main) != 3 {
			out.Add(d.At(fmt.Sprintf("languages[%d].code", i), fmt.Sprintf("language code %q is not in BCP 47", l.Code), languageCure(l.Code)))
			s.Languages[i].Code = "" // so that nobody looks for a folder and for texts of that language
		}
		if reserved[l.Code] {
			out.Add(d.At(fmt.Sprintf("languages[%d].code", i), fmt.Sprintf("language code %q is the name of a folder of the site", l.Code),
				"write the language's code in the form of BCP 47"))
		}
	}
	for _, l := range s.Languages {
		if l.Code == "" {
			return // that is told, and what languages a text lacks would be guesswork
		}
	}
	if len(codes) < len(s.Languages) {
		return
	}
	s.complete(d, "title", "title", s.Title, out)
	s.complete(d, "description", "description", s.Description, out)
	s.complete(d, "footer", "footer", s.Footer, out)
	for _, code := range slices.Sorted(maps.Keys(s.Footer)) {
		if text := strings.TrimSpace(s.Footer[code]); text != "" && block.MatchString(text) {
			out.Add(d.At("footer["+code+"]", "footer is more than one paragraph", "write a line of text; the rest belongs on a page such as about.md"))
		}
	}
	for i, section := range s.Home {
		if section != "" && slices.Contains(s.Home[:i], section) {
			out.Add(d.At(fmt.Sprintf("home[%d]", i), fmt.Sprintf("section %q of home pages is listed twice", section), "remove one"))
		}
	}
	if s.Home != nil && !slices.Contains(s.Home, HomeText) && !slices.Contains(s.Home, "") { // "" is one that is unknown, which is told
		out.Add(d.At("home", fmt.Sprintf("home pages have no section %q", HomeText), "add it: other pages may lead to its headings"))
	}
	for i := range s.Scripts {
		for key, origins := range s.Scripts[i].Origins() {
			for j, given := range origins {
				at := fmt.Sprintf("scripts[%d].%s[%d]", i, key, j)
				switch origin, ok := Origin(given); {
				case !ok:
					out.Add(d.At(at, fmt.Sprintf("%q is not the origin of a site", given), "write https:// and the site's name, as in https://example.org"))
				case origin != given:
					out.Add(d.At(at, fmt.Sprintf("%q is more than the origin of a site", given), fmt.Sprintf("write %s", origin)))
				}
			}
		}
	}
	for i, l := range s.Links {
		s.complete(d, fmt.Sprintf("links[%d].text", i), fmt.Sprintf("text of links[%d]", i), l.Text, out)
	}
	if a := s.Theme.Accent; a != nil && a.Light != "" && a.Dark != "" {
		weak := func(key, pages, accent string, w *palette.Weak) {
			if w != nil {
				out.Add(d.At("theme.accent."+key, fmt.Sprintf("accent %q has a contrast of %.2f on %s pages, where text needs %.1f", accent, w.Ratio, pages,
					palette.Least),
					fmt.Sprintf("the nearest colour that has it is %q", w.Nearest)))
			}
		}
		weak("light", "light", a.Light, palette.Light(a.Light))
		weak("dark", "dark", a.Dark, palette.Dark(a.Dark))
	}
	s.checkPosts(d, out)
	seen := map[string]bool{}
	for i, p := range s.Parts {
		path := fmt.Sprintf("parts[%d]", i)
		if seen[p.Name] && p.Name != "" {
			out.Add(d.At(path+".name", fmt.Sprintf("part %q is listed twice", p.Name), "remove one"))
		}
		seen[p.Name] = true
		s.complete(d, path+".title", fmt.Sprintf("title of part %q", p.Name), p.Title, out)
		if p.Posts && len(p.Parts) > 0 {
			out.Add(d.AtKey(path+".parts", fmt.Sprintf("part %q of posts has parts within it", p.Name), "remove them: posts go by their date, and tags tell what they are about"))
		}
		within := map[string]bool{}
		for j, q := range p.Parts {
			at := fmt.Sprintf("%s.parts[%d]", path, j)
			if within[q.Name] && q.Name != "" {
				out.Add(d.At(at+".name", fmt.Sprintf("part %q within %q is listed twice", q.Name, p.Name), "remove one"))
			}
			within[q.Name] = true
			s.complete(d, at+".title", fmt.Sprintf("title of part %q", p.Name+"/"+q.Name), q.Title, out)
		}
	}
}

// reserved are folders of the site that are no language.
var reserved = map[string]bool{"assets": true, "demos": true, "embed": true, "icons": true, "releases": true, "source": true,
	WordsFolder: true, StaticFolder: true, LayoutFolder: true, BlocksFolder: true}

// The folders of what authors write as HTML: parts of the layout, and blocks of their own.
const (
	LayoutFolder = "layout"
	BlocksFolder = "blocks"
)

// complete reports languages that a text lacks, and ones that the book does not
// have. One text for all is given to each.
func (s *Site) complete(d *schema.Document, path, what string, text Text, out *problem.List) {
	if one, ok := text[""]; ok {
		delete(text, "")
		for _, l := range s.Languages {
			text[l.Code] = one
		}
		return
	}
	if text == nil {
		return // when it is required, that is already told
	}
	for _, l := range s.Languages {
		if strings.TrimSpace(text[l.Code]) == "" && l.Code != "" {
			out.Add(d.At(path, fmt.Sprintf("%s is missing in %q", what, l.Code), fmt.Sprintf("add %s: …", l.Code)))
		}
	}
	for _, code := range slices.Sorted(maps.Keys(text)) {
		if len(s.Languages) > 0 && !s.Has(code) {
			out.Add(d.AtKey(path+"["+code+"]", fmt.Sprintf("%s is given in %q, which is not a language of the book", what, code),
				problem.DidYouMean(code, s.Codes())))
		}
	}
}

// Codes are the codes of the book's languages.
func (s *Site) Codes() []string {
	out := make([]string, len(s.Languages))
	for i, l := range s.Languages {
		out[i] = l.Code
	}
	return out
}

// Has tells whether the book has that language.
func (s *Site) Has(code string) bool {
	for _, l := range s.Languages {
		if l.Code == code {
			return true
		}
	}
	return false
}

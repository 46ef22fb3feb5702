package content

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"kubewalk/generator/palette"
	"kubewalk/generator/problem"
	"kubewalk/generator/schema"
)

// Site is content/site.yaml: what holds for the whole book.
type Site struct {
	Title       Text       `yaml:"title" check:"required" doc:"The book's title: one text, or one for each language."`
	Description Text       `yaml:"description" check:"required" doc:"One sentence about the book: one text, or one for each language."`
	Languages   []Language `yaml:"languages" check:"required" doc:"The book's languages. The first is the original that translations follow."`
	Parts       []PartInfo `yaml:"parts" doc:"The parts of the book, in reading order."`

	Theme    Theme  `yaml:"theme" doc:"How the book looks."`
	Icon     string `yaml:"icon" pattern:"\\.svg$" cure:"name an SVG file beside site.yaml" doc:"The browser tab's icon: an SVG file next to site.yaml."`
	Logo     string `yaml:"logo" pattern:"\\.(svg|png|webp)$" cure:"name an SVG, PNG or WebP file beside site.yaml" doc:"A square image before the title: a file next to site.yaml."`
	Footer   Text   `yaml:"footer" doc:"Text below every page, such as the licence."`
	MadeWith *bool  `yaml:"madeWith" doc:"Whether pages say that they were made with Kubewalk. They do unless this is false."`

	Translations string            `yaml:"translations" enum:"fallback,complete" doc:"How to treat a missing or outdated translation: with fallback, as a warning, and the page shows the original; with complete, as an error."`
	Offline      *bool             `yaml:"offline" doc:"Whether browsers store visited pages for offline reading and can install the book. They do unless this is false."`
	Edit         string            `yaml:"edit" pattern:"^https?://.*\\{file\\}" cure:"write it as https://example.org/me/book/edit/main/content/{file}" doc:"Where readers can change a page: an address in which {file} stands for the file below the content folder."`
	Redirects    map[string]string `yaml:"redirects" pattern:"^/[^\\s?#]*$" cure:"write a path from the site's root, as in /en/old/" doc:"Addresses that no longer exist, and where they now lead, as in /en/old/: /en/loop/new/#anchor; or, for all pages of a folder, /en/old/*: /en/new/*."`
}

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
	Name  string `yaml:"name" check:"required" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" cure:"use lower-case letters, digits and single hyphens: it is part of the page's address" doc:"The folder of the part, and the part of its pages' addresses."`
	Title Text   `yaml:"title" check:"required" doc:"The part's title: one text, or one for each language."`
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

// check says what a schema cannot: what has to fit together.
func (s *Site) check(d *schema.Document, out *problem.List) {
	codes := map[string]bool{}
	for i, l := range s.Languages {
		if codes[l.Code] && l.Code != "" {
			out.Add(d.At(fmt.Sprintf("languages[%d].code", i), fmt.Sprintf("language %q is listed twice", l.Code), "remove one"))
		}
		codes[l.Code] = true
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
	seen := map[string]bool{}
	for i, p := range s.Parts {
		path := fmt.Sprintf("parts[%d]", i)
		if seen[p.Name] && p.Name != "" {
			out.Add(d.At(path+".name", fmt.Sprintf("part %q is listed twice", p.Name), "remove one"))
		}
		seen[p.Name] = true
		s.complete(d, path+".title", fmt.Sprintf("title of part %q", p.Name), p.Title, out)
	}
}

// reserved are folders of the site that are no language.
var reserved = map[string]bool{"assets": true, "demos": true, "embed": true, "icons": true, "source": true, WordsFolder: true, StaticFolder: true}

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

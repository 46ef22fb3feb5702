package content

import (
	"fmt"
	"regexp"

	"kubewalk/generator/problem"
)

// Site is content/site.yaml: what holds for the whole book.
type Site struct {
	Title       Text       `yaml:"title"`
	Description Text       `yaml:"description"`
	Languages   []Language `yaml:"languages"` // the first is the one that translations follow
	Parts       []PartInfo `yaml:"parts"`     // in reading order
}

// Text is a text in each of the book's languages.
type Text map[string]string

// Language is a language of the book.
type Language struct {
	Code string `yaml:"code"` // BCP 47: "ja"; also the folder's name
	Name string `yaml:"name"` // in that language: "日本語"
}

// PartInfo is a part of the book: a folder in each language.
type PartInfo struct {
	Name  string `yaml:"name"` // the folder, and the part of the address
	Title Text   `yaml:"title"`
}

// slug is what may stand in an address.
var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const slugCure = "use lower-case letters, digits and single hyphens: it is part of the page's address"

func (s *Site) check(d document, out *problem.List) {
	if len(s.Languages) == 0 {
		out.Add(d.at("$.languages", "languages are missing", "languages: [{code: en, name: English}]"))
	}
	for i, l := range s.Languages {
		if !slug.MatchString(l.Code) {
			out.Add(d.at(fmt.Sprintf("$.languages[%d].code", i), fmt.Sprintf("language code %q cannot be part of an address", l.Code), slugCure))
		}
		if l.Name == "" {
			out.Add(d.at(fmt.Sprintf("$.languages[%d]", i), fmt.Sprintf("language %q has no name", l.Code), "give its name in itself: name: 日本語"))
		}
	}
	s.complete(d, "$.title", "title", s.Title, out)
	s.complete(d, "$.description", "description", s.Description, out)
	seen := map[string]bool{}
	for i, p := range s.Parts {
		path := fmt.Sprintf("$.parts[%d]", i)
		if !slug.MatchString(p.Name) {
			out.Add(d.at(path+".name", fmt.Sprintf("part name %q cannot be part of an address", p.Name), slugCure))
		}
		if seen[p.Name] {
			out.Add(d.at(path+".name", fmt.Sprintf("part %q is listed twice", p.Name), "remove one"))
		}
		seen[p.Name] = true
		s.complete(d, path+".title", fmt.Sprintf("title of part %q", p.Name), p.Title, out)
	}
}

// complete reports languages that a text lacks, and ones that the book does not have.
func (s *Site) complete(d document, path, what string, text Text, out *problem.List) {
	for _, l := range s.Languages {
		if text[l.Code] == "" {
			out.Add(d.at(path, fmt.Sprintf("%s is missing in %q", what, l.Code), fmt.Sprintf("add %s: …", l.Code)))
		}
	}
	for code := range text {
		if !s.Has(code) {
			out.Add(d.at(path+"."+code, fmt.Sprintf("%s is given in %q, which is not a language of the book", what, code),
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

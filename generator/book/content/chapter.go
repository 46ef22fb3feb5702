package content

import (
	"bytes"
	"regexp"

	"kubewalk/generator/book/meetup"
	"kubewalk/generator/book/schema"
	"kubewalk/generator/problem"
)

// Chapter is a page of the book in one language: a chapter, a language's home page, or one outside of all parts.
type Chapter struct {
	File     string // for messages, as the author knows it: "content/en/loop/replicaset.md"
	Language string // of the page
	Part     string // "" for a home page, and outside of all parts
	Name     string // "" for a home page

	FrontMatter
	// Source is the file with its front matter blanked out, so that every
	// offset into it is an offset into the file.
	Source []byte
	// Original is what stands in the place of a translation that is not there
	// yet: this page shows its text, in its language. Else nil.
	Original *Chapter
	// Lists is the part whose meetups or posts the page lists, of a page that does, and Tag the tag that they have, if that is so (lists.go).
	Lists, Tag string
	// Talk tells that the text is a talk's slides (talks.go).
	Talk bool

	matter *schema.Document
	broken bool          // the front matter has problems
	places []sourcePlace // of a generated text (glossary_page.go)
}

// FrontMatter opens a chapter's file, between two lines "---".
type FrontMatter struct {
	Title       string         `yaml:"title" check:"required" doc:"The chapter's title."`
	Description string         `yaml:"description" check:"required" doc:"One sentence, for lists and search engines."`
	Order       int            `yaml:"order" check:"min=0" doc:"The chapter's place in the part; the same in every language. Pages outside of all parts and posts have none."`
	Draft       bool           `yaml:"draft" doc:"Whether the chapter is a draft: serve shows it, build leaves it out."`
	Aliases     []string       `yaml:"aliases" pattern:"^/[^\\s?#]*$" cure:"write a path from the site's root, as in /en/old-name/" doc:"Earlier addresses of the page, which lead to it: /en/old-name/."`
	Meetup      *meetup.Meetup `yaml:"meetup" doc:"The meetup that the chapter is about."`
	Date        string         `yaml:"date" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" cure:"write a day as 2026-01-31" doc:"The day of a post. Required in the first language's file; other chapters have none."`
	Authors     []string       `yaml:"authors" doc:"Who wrote a post: names, or what authors of site.yaml lists."`
	Tags        []string       `yaml:"tags" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" cure:"use lower-case letters, digits and single hyphens: it is part of an address; tags: in site.yaml says what readers see" doc:"What a post is about, as in addresses: release-notes."`
	Minutes     int            `yaml:"minutes" check:"min=0" doc:"How long a talk is, in minutes: the speaker view says whether the speaker is in time."`
	Reviewed    string         `yaml:"reviewed" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9a-f]{7,40})$" cure:"write a day as 2026-01-31, or a commit" doc:"The day, or the commit of the original, for which the translation was last confirmed to be correct."`
}

// originalsOf are chapters by their keys, of each the one in the first language that has a text of its own.
func originalsOf(chapters []*Chapter) map[string]*Chapter {
	out := map[string]*Chapter{}
	for _, c := range chapters { // by language
		if c.Original == nil && out[c.Key()] == nil {
			out[c.Key()] = c
		}
	}
	return out
}

// Key names a chapter in all languages: "loop/replicaset"; "" is the home page.
func (c *Chapter) Key() string {
	if c.Name == "" {
		return ""
	}
	if c.Part == "" {
		return c.Name // a page outside of all parts, the glossary, or a list
	}
	return c.Part + "/" + c.Name
}

// Path is the page's address below the site's root: "/en/loop/replicaset/".
func (c *Chapter) Path() string {
	if c.Name == "" {
		return "/" + c.Language + "/"
	}
	return "/" + c.Language + "/" + c.Key() + "/"
}

var fence = []byte("---")

// At makes a problem that points at a key of the front matter ("order").
func (c *Chapter) At(key, message, cure string) problem.Problem {
	if c.matter == nil {
		return problem.Problem{File: c.File, Message: message, Cure: cure}
	}
	return c.matter.At(key, message, cure)
}

// AtKey is At for the key itself.
func (c *Chapter) AtKey(key, message, cure string) problem.Problem {
	if c.matter == nil {
		return c.At(key, message, cure)
	}
	return c.matter.AtKey(key, message, cure)
}

// TextLanguage is the language that the text is in: the page's, but for a
// translation that is not there yet.
func (c *Chapter) TextLanguage() string {
	if c.Original != nil {
		return c.Original.Language
	}
	return c.Language
}

// keyLine is a line as front matter is made of.
var keyLine = regexp.MustCompile(`^(\s|#|-|[A-Za-z_][A-Za-z0-9_-]*\s*:|\]|\})`)

const writeYAML = "write it in YAML: ---, title: …, description: …, order: …, ---"

// ParseChapter reads front matter and text of a file. The chapter is usable
// even when it has problems.
func ParseChapter(file string, text []byte) (*Chapter, error) {
	c := &Chapter{File: file, Source: text, broken: true}
	if rest, ok := bytes.CutPrefix(text, []byte("\xef\xbb\xbf")); ok {
		c, err := ParseChapter(file, rest)
		c.Source = append([]byte("   "), c.Source...)
		var problems problem.List
		problems.Add(problem.Problem{File: file, Message: "file starts with a byte order mark", Cure: "save it as UTF-8 without BOM"})
		problems.AddError(err)
		return c, problems.Err()
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if bytes.Equal(bytes.TrimRight(first, " \t\r"), []byte("+++")) {
		return c, problem.Problem{File: file, Line: 1, Column: 1, Message: "front matter is TOML", Cure: writeYAML}
	}
	if bytes.Equal(bytes.TrimRight(first, " \t\r"), []byte("{")) {
		return c, problem.Problem{File: file, Line: 1, Column: 1, Message: "front matter is JSON", Cure: writeYAML}
	}
	if !bytes.Equal(bytes.TrimRight(first, " \t\r"), fence) {
		return c, problem.Problem{File: file, Line: 1, Column: 1, Message: "front matter is missing",
			Cure: "begin the file with ---, title: …, description: …, order: …, ---"}
	}
	end, body := -1, len(text)
	lines, open := 1, 0 // open: the line at which a closing one should stand
	for offset := len(first) + 1; offset <= len(text) && len(rest) > 0; {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		lines++
		if bytes.Equal(bytes.TrimRight(line, " \t\r"), fence) {
			end, body = offset, min(len(text), offset+len(line)+1)
			break
		}
		if open == 0 && !keyLine.Match(line) {
			open = lines
		}
		if !found {
			break
		}
		offset, rest = offset+len(line)+1, after
	}
	if end < 0 {
		if open == 0 {
			open = lines + 1
		}
		c.Source = blank(text) // nobody knows where the text begins
		return c, problem.Problem{File: file, Line: open, Column: 1, Message: "front matter is not closed", Cure: "end it with a line ---"}
	}
	c.Source = append(blank(text[:body]), text[body:]...)
	c.matter = &schema.Document{File: file, Before: 1, Text: text[len(first)+1 : end]}
	err := c.matter.Decode(&c.FrontMatter)
	c.broken = err != nil
	return c, err
}

// blank keeps line ends and lengths.
func blank(text []byte) []byte {
	out := bytes.Repeat([]byte(" "), len(text))
	for i, b := range text {
		if b == '\n' {
			out[i] = '\n'
		}
	}
	return out
}

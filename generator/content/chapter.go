package content

import (
	"bytes"
	"fmt"

	"kubewalk/generator/problem"
)

// Chapter is a page of the book in one language, or a language's home page.
type Chapter struct {
	File     string // for messages, as the author knows it: "content/en/loop/replicaset.md"
	Language string
	Part     string // "" for a home page
	Name     string // "" for a home page

	FrontMatter
	// Source is the file with its front matter blanked out, so that every
	// offset into it is an offset into the file.
	Source []byte
}

// FrontMatter opens a chapter's file, between two lines "---".
type FrontMatter struct {
	Title       string `yaml:"title"`
	Description string `yaml:"description"` // one sentence, for lists and search engines
	Order       int    `yaml:"order"`       // place in the part; the same in every language
}

// Key names a chapter in all languages: "loop/replicaset"; "" is the home page.
func (c *Chapter) Key() string {
	if c.Name == "" {
		return ""
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

// ParseChapter reads front matter and text of a file. The chapter is usable
// even when it has problems.
func ParseChapter(file string, text []byte) (*Chapter, error) {
	c := &Chapter{File: file, Source: text}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return c, problem.Problem{File: file, Line: 1, Column: 1, Message: "file starts with a byte order mark", Cure: "save it as UTF-8 without BOM"}
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if !bytes.Equal(bytes.TrimRight(first, " \t\r"), fence) {
		return c, problem.Problem{File: file, Line: 1, Column: 1, Message: "front matter is missing",
			Cure: "begin the file with ---, title: …, description: …, order: …, ---"}
	}
	end, body := -1, len(text)
	for offset := len(first) + 1; offset <= len(text) && len(rest) > 0; {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if bytes.Equal(bytes.TrimRight(line, " \t\r"), fence) {
			end, body = offset, min(len(text), offset+len(line)+1)
			break
		}
		if !found {
			break
		}
		offset, rest = offset+len(line)+1, after
	}
	if end < 0 {
		return c, problem.Problem{File: file, Line: 1, Column: 1, Message: "front matter is not closed", Cure: "end it with a line ---"}
	}
	c.Source = append(blank(text[:body]), text[body:]...)
	d := document{file: file, line: 1, text: text[len(first)+1 : end]}
	if err := d.decode(&c.FrontMatter); err != nil {
		return c, err
	}
	var problems problem.List
	if c.Title == "" {
		problems.Add(d.at("$.title", "title is missing", "title: what the chapter is called"))
	}
	if c.Description == "" {
		problems.Add(d.at("$.description", "description is missing", "description: one sentence, for lists and search engines"))
	}
	if c.Order < 0 {
		problems.Add(d.at("$.order", fmt.Sprintf("order %d is negative", c.Order), "count from 1"))
	}
	return c, problems.Err()
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

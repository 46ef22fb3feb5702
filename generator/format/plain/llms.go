package plain

import (
	"bytes"
	"fmt"
	"strings"
)

// Index is the book as llms.txt lists it (https://llmstxt.org).
type Index struct {
	Title       string
	Description string
	Notes       []string // paragraphs: what the files are
	Parts       []Part
}

// Part is a section of the list. The one called Optional is for what may be left
// out where room is short; the name is the standard's.
type Part struct {
	Title string
	Links []Link
}

// Optional is the title of the part that may be left out.
const Optional = "Optional"

// Link is a page in the list.
type Link struct{ Title, URL, Description string }

// LLMs writes llms.txt.
func LLMs(index Index) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", Escape(index.Title))
	if index.Description != "" {
		fmt.Fprintf(&b, "> %s\n\n", Escape(index.Description))
	}
	for _, note := range index.Notes {
		fmt.Fprintf(&b, "%s\n\n", note)
	}
	for _, part := range index.Parts {
		if len(part.Links) == 0 {
			continue
		}
		fmt.Fprintf(&b, "## %s\n\n", Escape(part.Title))
		for _, l := range part.Links {
			fmt.Fprintf(&b, "- [%s](%s)", inline(fold(l.Title)), destination(l.URL))
			if l.Description != "" {
				fmt.Fprintf(&b, ": %s", inline(fold(l.Description)))
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// Full is llms-full.txt: the pages one after another, each headed by its title.
func Full(title, description string, pages [][]byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n> %s\n", Escape(title), Escape(description))
	for _, page := range pages {
		b.WriteString("\n---\n\n")
		b.Write(page)
	}
	return b.Bytes()
}

package content

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"kubewalk/generator/problem"
)

// glossaryWords are what the page says itself.
type glossaryWords struct{ title, description, also, see, chapter, upstream, colon, comma string }

var glossaryWordsByLanguage = map[string]glossaryWords{
	"en": {"Glossary", "The terms of this book, in a sentence or two each.", "Also", "See also", "In this book", "Documentation", ": ", ", "},
	"ja": {"用語集", "この本に出てくる用語を、それぞれ一、二文で説明します。", "別の呼び方", "関連する用語", "この本での説明", "公式ドキュメント", "：", "、"},
}

// sourcePlace is where in its file a part of a generated text comes from.
type sourcePlace struct{ offset, line, column int }

// Place is where an offset into the source is in the file.
func (c *Chapter) Place(offset int) (line, column int) {
	if c.places == nil {
		return problem.Place(c.Source, offset)
	}
	for _, p := range c.places {
		if p.offset > offset {
			break
		}
		line, column = p.line, p.column
	}
	return line, column
}

// chapter writes the page in a language: a chapter like the others, so that it is
// searched, bound and linked to as they are. Each term is a heading with its id
// as the anchor, below one for its letter.
func (g *Glossary) chapter(b *Book, code string) *Chapter {
	words, ok := glossaryWordsByLanguage[code]
	if !ok {
		words = glossaryWordsByLanguage["en"]
	}
	c := &Chapter{File: g.document.File, Language: code, Name: GlossaryName,
		FrontMatter: FrontMatter{Title: words.title, Description: words.description}}
	var out bytes.Buffer
	mark := func(path string) {
		p := g.document.At(path, "", "")
		c.places = append(c.places, sourcePlace{out.Len(), p.Line, p.Column})
	}
	if g.broken {
		for _, id := range slices.Sorted(maps.Keys(g.Terms)) {
			mark("terms[" + id + "]")
			fmt.Fprintf(&out, "### %s {#%s}\n\n", id, id)
		}
		c.Source = out.Bytes()
		return c
	}
	letter := ""
	for _, id := range g.sorted(code) {
		t, path := g.Terms[id], "terms["+id+"]"
		mark(path + ".term[" + code + "]")
		if name, anchor := letterOf(g.key(id, code)); name != letter {
			fmt.Fprintf(&out, "## %s {#%s}\n\n", escape(name), anchor)
			letter = name
		}
		fmt.Fprintf(&out, "### %s {#%s}\n\n", escape(t.Term[code]), id)
		mark(path + ".definition[" + code + "]")
		fmt.Fprintf(&out, "%s\n\n", strings.TrimSpace(t.Definition[code]))
		more := 0
		say := func(path, name, text string) {
			if more++; more > 1 {
				out.WriteString(" · ") // on one line: where one ends beside Japanese is no space
			}
			mark(path)
			out.WriteString(name + words.colon + text)
		}
		if also := t.Also[code]; len(also) > 0 {
			escaped := make([]string, len(also))
			for i, a := range also {
				escaped[i] = escape(a)
			}
			say(path+".also", words.also, strings.Join(escaped, words.comma))
		}
		if t.Chapter != "" {
			say(path+".chapter", words.chapter, fmt.Sprintf("[%s](%s)", escape(t.title(b, code)), t.Chapter))
		}
		if t.Upstream != "" {
			host := t.Upstream
			if address, err := url.Parse(t.Upstream); err == nil {
				host = address.Host
			}
			say(path+".upstream", words.upstream, fmt.Sprintf("[%s](<%s>)", escape(host), strings.ReplaceAll(t.Upstream, ">", "%3E")))
		}
		if len(t.See) > 0 {
			see := make([]string, len(t.See))
			for i, other := range t.See {
				see[i] = fmt.Sprintf("[%s](#%s)", escape(g.Terms[other].Term[code]), other)
			}
			say(path+".see", words.see, strings.Join(see, words.comma))
		}
		if more > 0 {
			out.WriteString("\n\n")
		}
	}
	c.Source = out.Bytes()
	return c
}

// title is that of the chapter that a term leads to.
func (t Term) title(b *Book, code string) string {
	file, _, _ := strings.Cut(t.Chapter, "#")
	if chapter := b.Find(code, strings.TrimSuffix(file, ".md")); chapter != nil {
		return cmp.Or(chapter.Title, file) // without front matter it has none, which is told
	}
	return t.Chapter
}

// titles are those of all terms' chapters.
func (g *Glossary) titles(b *Book, code string) (out []string) {
	for _, id := range slices.Sorted(maps.Keys(g.Terms)) {
		if t := g.Terms[id]; t.Chapter != "" {
			out = append(out, t.title(b, code))
		}
	}
	return out
}

// key is what a term is sorted by.
func (g *Glossary) key(id, code string) string {
	return cmp.Or(g.Terms[id].Reading[code], g.Terms[id].Term[code])
}

// escape makes text of Markdown's signs.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]()<>#+!|~&$:", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

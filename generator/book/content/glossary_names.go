package content

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"kubewalk/generator/problem"
)

// Names are what a reader of a language may ask for, each with the term that the book has for
// it: what the glossary says under also and asked, and the terms of the book's first language,
// which readers of the others know from elsewhere.
func (b *Book) Names(code string) (out [][2]string) {
	if b.glossary == nil || b.glossary.broken {
		return nil
	}
	terms := b.glossary.Terms
	ids := slices.Sorted(maps.Keys(terms))
	for _, id := range ids {
		for _, word := range slices.Concat(terms[id].Also[code], terms[id].Asked[code]) {
			out = append(out, [2]string{word, terms[id].Term[code]})
		}
	}
	first := b.Site.Languages[0].Code
	for _, id := range ids {
		if t := terms[id].Term; folded(t[first]) != folded(t[code]) {
			out = append(out, [2]string{t[first], t[code]})
		}
	}
	return out
}

// Subjects are the glossary's terms in a language, each with the path of the chapter that explains it.
func (b *Book) Subjects(code string) (out [][2]string) {
	if b.glossary == nil || b.glossary.broken {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(b.glossary.Terms)) {
		t := b.glossary.Terms[id]
		file, _, _ := strings.Cut(t.Chapter, "#")
		if c := b.Find(code, strings.TrimSuffix(file, ".md")); t.Chapter != "" && c != nil {
			out = append(out, [2]string{t.Term[code], c.Path()})
		}
	}
	return out
}

// checkNames says which words would lead searches to more than one term, or nowhere else
// than they do by themselves.
func (g *Glossary) checkNames(site *Site, out *problem.List) {
	ids := slices.Sorted(maps.Keys(g.Terms))
	type owner struct {
		id   string
		term bool
	}
	for _, code := range site.Codes() {
		owners := map[string]owner{}
		for _, id := range ids {
			owners[folded(g.Terms[id].Term[code])] = owner{id, true}
		}
		for _, id := range ids {
			t := g.Terms[id]
			for _, list := range []struct {
				key   string
				words []string
			}{{"also", t.Also[code]}, {"asked", t.Asked[code]}} {
				for i, word := range list.words {
					path := fmt.Sprintf("terms[%s].%s[%s][%d]", id, list.key, code, i)
					key := folded(word)
					known, taken := owners[key]
					switch {
					case key == "":
						out.Add(g.document.At(path, fmt.Sprintf("%q of %q is not a word", word, id), "write what readers may call it, or remove it"))
					case !taken:
						owners[key] = owner{id, false}
					case known.id == id && known.term:
						out.Add(g.document.At(path, fmt.Sprintf("%q is the term %q itself", word, id),
							"remove it: a search finds the term by its own name, in upper and lower case, with and without hyphens"))
					case known.id == id:
						out.Add(g.document.At(path, fmt.Sprintf("%q of %q is listed twice", word, id), "remove one: also is shown and found, asked is found"))
					case known.term:
						out.Add(g.document.At(path, fmt.Sprintf("%q of %q is the term %q", word, id, known.id), "remove it, or name the other term under see"))
					default:
						out.Add(g.document.At(path, fmt.Sprintf("%q of %q already belongs to %q", word, id, known.id),
							"keep it in only one of them: a search leads to one term"))
					}
				}
			}
		}
	}
}

// folded is a word without what a search makes no difference of.
func folded(word string) string {
	word = strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(word))), " ")
	word = strings.NewReplacer("-", "", "_", "", ".", "", "/", "").Replace(word)
	if short := strings.TrimRight(word, "ー"); len(short) > len("ー") {
		word = short
	}
	return word
}

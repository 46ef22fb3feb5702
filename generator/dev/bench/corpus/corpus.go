// Package corpus writes books of any size for measuring: every page has about
// 620 words, six headings, two blocks of Go, a table, and links to other pages and
// their sections. The same size is the same bytes, wherever it is written.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// PerPart is the number of chapters in a part.
const PerPart = 50

// Language is the only one of the book.
const Language = "en"

// Write writes a book of that many chapters into a folder.
func Write(dir string, chapters int) error {
	files := map[string]string{"site.yaml": site(chapters), Language + "/index.md": home}
	for i := range chapters {
		files[Language+"/"+path(i)+".md"] = chapter(i, chapters)
	}
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const home = "---\ntitle: A book for measuring\ndescription: As many pages as are wanted, each of them different.\n---\n\nEvery page has the same parts, and other words.\n"

// path is where a chapter is in the book: "part-002/chapter-00051".
func path(i int) string { return fmt.Sprintf("part-%03d/chapter-%05d", i/PerPart+1, i+1) }

func site(chapters int) string {
	var b strings.Builder
	b.WriteString("title: {en: A book for measuring}\ndescription: {en: \"As many pages as are wanted, each of them different.\"}\nlanguages: [{code: en, name: English}]\nparts:\n")
	for part := range (chapters + PerPart - 1) / PerPart {
		fmt.Fprintf(&b, "  - {name: part-%03d, title: {en: \"Part %d: %s\"}}\n", part+1, part+1, nouns[part%len(nouns)])
	}
	return b.String()
}

// headings is the number of a chapter's headings.
const headings = 6

// chapter is a page's text. Chance is seeded by its number, so that the text of a page
// is the same in books of any size, but for where its links lead.
func chapter(i, chapters int) string {
	w := writer{Rand: rand.New(rand.NewPCG(uint64(i), 2026))}
	w.printf("---\ntitle: \"%s %d\"\ndescription: \"%s\"\norder: %d\n---\n\n", w.title(), i+1, w.sentence(10), i%PerPart+1)
	w.paragraph(45)
	for h := range headings {
		level := "##"
		if h%3 == 2 {
			level = "###"
		}
		w.printf("%s %s {#section-%d}\n\n", level, w.title(), h+1)
		w.paragraph(45)
		switch h {
		case 0, 3:
			w.code(h)
		case 1:
			w.table()
		case 2:
			w.list()
		}
		other := w.IntN(chapters)
		w.printf("%s See [%s](../%s.md#section-%d), and [%s](../%s.md).\n\n", w.sentence(22), w.some(nouns), path(other), w.IntN(headings)+1, w.some(nouns),
			path((other+7)%chapters))
	}
	w.printf("More is in [the documentation](https://kubernetes.io/docs/concepts/), and **%s** `%s` there.\n", w.sentence(4), w.name())
	return w.String()
}

type writer struct {
	*rand.Rand
	strings.Builder
}

func (w *writer) printf(format string, arguments ...any) { fmt.Fprintf(w, format, arguments...) }

func (w *writer) some(list []string) string { return list[w.IntN(len(list))] }

func (w *writer) title() string {
	noun := w.some(nouns)
	return strings.ToUpper(noun[:1]) + noun[1:] + " " + w.some(verbs) + " " + w.some(nouns)
}

func (w *writer) name() string {
	noun := w.some(nouns)
	return w.some(verbs) + strings.ToUpper(noun[:1]) + noun[1:]
}

// sentence has that many words.
func (w *writer) sentence(words int) string {
	var out []string
	for len(out) < words {
		out = append(out, "the", w.some(adjectives), w.some(nouns), w.some(verbs), w.some(little))
	}
	text := strings.Join(out[:words], " ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (w *writer) paragraph(words int) {
	for words > 0 {
		n := 8 + w.IntN(9)
		text := w.sentence(n)
		if w.IntN(4) == 0 {
			text += " It is `" + w.name() + "` that *" + w.some(verbs) + "*."
		}
		w.printf("%s\n", text)
		words -= n
	}
	w.printf("\n")
}

func (w *writer) code(n int) {
	name, other := w.name(), w.name()
	w.printf("```go\n// %s %s\nfunc (c *Controller) %s(ctx context.Context, key string) error {\n", name, w.sentence(8), name)
	w.printf("\t%s, err := c.%s.Get(key)\n\tif errors.IsNotFound(err) {\n\t\treturn nil // %s\n\t}\n", w.some(nouns), w.some(nouns), w.sentence(5))
	w.printf("\tfor i := range %d {\n\t\tif err := c.%s(ctx, i, \"%s\"); err != nil {\n", w.IntN(100), other, w.some(nouns))
	w.printf("\t\t\treturn fmt.Errorf(\"%s %%q: %%w\", key, err)\n\t\t}\n\t}\n\tc.queue.AddAfter(key, %d*time.Second)\n\treturn nil\n}\n```\n\n", w.some(verbs),
		w.IntN(60)+n)
}

func (w *writer) table() {
	w.printf("| what | who | when | how many |\n| --- | --- | --- | ---: |\n")
	for range 5 {
		w.printf("| %s | `%s` | %s %s | %d |\n", w.some(nouns), w.name(), w.some(little), w.some(nouns), w.IntN(1000))
	}
	w.printf("\n")
}

func (w *writer) list() {
	for range 3 {
		w.printf("- %s\n", w.sentence(9))
	}
	w.printf("\n")
}

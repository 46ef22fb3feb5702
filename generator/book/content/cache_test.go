package content

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatIsKeptBetweenLoads: site.yaml and the glossary stay the same until something is written that changes them.
func TestWhatIsKeptBetweenLoads(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const chapter = "---\ntitle: Queues\ndescription: d\n---\n"
	site := "title: B\ndescription: d\nlanguages: [{code: en, name: English}]\nparts: [{name: loop, title: L}]\n"
	terms := "terms:\n  key: {term: key, definition: A name., chapter: loop/queues.md}\n"
	write("site.yaml", site)
	write("glossary.yaml", terms)
	write("en/index.md", "---\ntitle: H\ndescription: d\n---\n")
	write("en/loop/queues.md", chapter)
	var cache Cache
	load := func(want string) *Book {
		t.Helper()
		cache.Forget([]string{filepath.ToSlash(filepath.Join(dir, "en/loop/queues.md"))}) // as serve does for what was saved
		book, err := cache.Load(dir, true)
		if got := ""; err != nil {
			if got = err.Error(); want == "" || !strings.Contains(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		} else if want != "" {
			t.Errorf("no problem, want %q", want)
		}
		return book
	}
	first, second := load(""), load("")
	if page := first.Glossaries["en"]; second.Glossaries["en"] != page || second.matter != first.matter || second.Site.Title["en"] != "B" && second.Site.Title[""] != "B" {
		t.Error("what is the same was read again")
	}
	write("en/loop/queues.md", strings.Replace(chapter, "Queues", "Rows", 1))
	if page := load("").Glossaries["en"]; !strings.Contains(string(page.Source), "[Rows](loop/queues.md)") {
		t.Errorf("the glossary has the chapter's old title:\n%s", page.Source)
	}
	write("glossary.yaml", strings.Replace(terms, "A name.", "A word.", 1))
	if page := load("").Glossaries["en"]; !strings.Contains(string(page.Source), "A word.") {
		t.Errorf("the glossary has the old definition:\n%s", page.Source)
	}
	// What is wrong is told each time, until it is mended.
	write("glossary.yaml", strings.Replace(terms, "definition", "defintion", 1))
	load(`unknown key "defintion"`)
	load(`unknown key "defintion"`)
	write("glossary.yaml", terms)
	load("")
	// The glossary is held against the languages of site.yaml.
	write("site.yaml", strings.Replace(site, "name: English}", "name: English}, {code: ja, name: J}", 1))
	write("ja/index.md", "---\ntitle: H\ndescription: d\n---\n")
	if book := load(""); book.Glossaries["ja"] == nil {
		t.Error("there is no glossary in the new language")
	}
	write("glossary.yaml", strings.Replace(terms, "term: key", "term: {en: key}", 1))
	load(`term of "key" is missing in "ja"`)
	write("site.yaml", site)
	load(`ja: chapters are in a language that the book does not have (add {code: ja, name: …} to languages in site.yaml`)
	write("site.yaml", site+"titel: x\n")
	load(`unknown key "titel"`)
	load(`unknown key "titel"`)
}

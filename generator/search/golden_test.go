package search

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/goccy/go-yaml"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/meetup"
	"kubewalk/generator/render/markdown"
	"kubewalk/site/pages"
)

// golden is a question of a reader and where the answer is.
type golden struct {
	Ask    string   `yaml:"ask"`
	First  string   `yaml:"first"`  // a page, or its section: "loop/expectations#old"
	Among  []string `yaml:"among"`  // the first three pages, or sections
	Here   string   `yaml:"here"`   // the page on which it is asked
	Taken  string   `yaml:"taken"`  // what is taken instead, of a slip or of what the book calls otherwise
	Nobody bool     `yaml:"nobody"` // there is nothing to find
}

const goldenFile = "testdata/golden.yaml"

// theBook is an index of the real chapters in each language. Demos are not run,
// so their captions are not in it.
func theBook(t testing.TB) map[string]*Index {
	t.Helper()
	book, err := content.Load("../../content")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*Index{}
	for _, l := range book.Site.Languages {
		titles := map[string]string{}
		for _, part := range book.Site.AllParts() {
			titles[part.Name] = part.Title[l.Code]
		}
		x := new(Index)
		for _, c := range book.Pages() {
			if c.Language != l.Code {
				continue
			}
			p := Page{URL: c.Path(), Title: c.Title, Description: c.Description, Part: titles[c.Part]}
			for _, s := range markdown.Parse(c).Sections(nil) {
				p.Sections = append(p.Sections, Section(s))
			}
			if m := book.MeetupOf(c); m != nil {
				p.Sections = slices.Insert(p.Sections, 1, programme(m, l.Code))
			}
			x.Add(p)
		}
		for _, n := range book.Names(l.Code) {
			x.Name(n[0], n[1])
		}
		x.NameKinds()
		for _, s := range book.Subjects(l.Code) {
			x.About(s[0], s[1])
		}
		out[l.Code] = x
	}
	return out
}

// programme is what sitebuild adds to the page of a meetup, as far as it is in the
// chapter's own words.
func programme(m *meetup.Meetup, language string) Section {
	var lines []string
	say := func(texts ...meetup.Text) {
		var words []string
		for _, t := range texts {
			if text, _ := t.In(language); text != "" {
				words = append(words, text)
			}
		}
		lines = append(lines, strings.Join(words, " – "))
	}
	say(m.Series)
	say(m.Place)
	say(m.Host)
	for _, t := range m.Talks {
		texts := []meetup.Text{t.Title}
		for _, s := range t.Speakers {
			texts = append(texts, s.Name)
		}
		say(texts...)
	}
	return Section{Anchor: pages.ProgrammeAnchor, Level: 2, Text: strings.Join(lines, "\n")}
}

// write puts indexes where ask.ts finds them.
func write(t testing.TB, indexes map[string]*Index) (folder string) {
	t.Helper()
	folder = t.TempDir()
	put := func(name string, data []byte) {
		full := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for language, x := range indexes {
		files := x.Files(language, "")
		put(language+".json", files.Manifest)
		for _, s := range files.Shards {
			put(s.Name, s.Data)
		}
	}
	return folder
}

type question struct {
	Language string `json:"language"`
	Question string `json:"question"`
	Here     string `json:"here"`
}

type answer struct {
	Found   []string `json:"found"`   // address, the page's score, the section's
	Instead []string `json:"instead"` // what was asked, a tab, what was taken
}

// ask lets the page's search answer, under Node.
func ask(t testing.TB, folder string, questions []question) []answer {
	t.Helper()
	script := filepath.Join(t.TempDir(), "ask.mjs")
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"testdata/ask.ts"}, Outfile: script, Bundle: true, Write: true,
		Platform: api.PlatformNode, Format: api.FormatESModule, Target: api.ES2022,
	})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors[0].Text)
	}
	asked, _ := json.Marshal(questions)
	node := exec.Command("node", script, folder)
	node.Stdin = bytes.NewReader(asked)
	var stderr bytes.Buffer
	node.Stderr = &stderr
	out, err := node.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, &stderr)
	}
	var answers []answer
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions, %v", len(answers), len(questions), err)
	}
	return answers
}

// goldenQuestions are those of the file, and what is expected.
func goldenQuestions(t testing.TB) (questions []question, expected []golden) {
	t.Helper()
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]golden
	if err := yaml.UnmarshalWithOptions(data, &all, yaml.DisallowUnknownField()); err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "ja"} {
		for _, g := range all[language] {
			expected = append(expected, g)
			here := ""
			if g.Here != "" {
				here = "/" + language + "/" + g.Here + "/"
			}
			questions = append(questions, question{language, g.Ask, here})
		}
	}
	return questions, expected
}

// TestGoldenQuestions: readers find what they ask for in the real book.
func TestGoldenQuestions(t *testing.T) {
	questions, expected := goldenQuestions(t)
	for i, a := range ask(t, write(t, theBook(t)), questions) {
		g, language := expected[i], questions[i].Language
		var found []string
		for _, line := range a.Found {
			found = append(found, strings.Fields(line)[0])
		}
		matches := func(want string, upTo int) bool {
			page, anchor, _ := strings.Cut(want, "#")
			address := "/" + language + "/" + page + "/"
			if anchor != "" {
				address += "#" + anchor
			}
			among := found
			if anchor == "" {
				among = pagesOf(found)
			}
			return slices.Contains(among[:min(upTo, len(among))], address)
		}
		switch {
		case g.Nobody && len(found) > 0, g.First != "" && !matches(g.First, 1), g.Taken != "" &&
			!slices.ContainsFunc(a.Instead, func(s string) bool { return strings.HasSuffix(s, "\t"+g.Taken) }):
			t.Errorf("%s: %q finds %q, instead %q; want %+v", language, g.Ask, a.Found, a.Instead, g)
		}
		for _, want := range g.Among {
			if !matches(want, 3) {
				t.Errorf("%s: %q finds %q; want %s among the first three", language, g.Ask, a.Found, want)
			}
		}
	}
}

// pagesOf are the pages that sections are of, once each.
func pagesOf(sections []string) (out []string) {
	for _, s := range sections {
		page, _, _ := strings.Cut(s, "#")
		if !slices.Contains(out, page) {
			out = append(out, page)
		}
	}
	return out
}

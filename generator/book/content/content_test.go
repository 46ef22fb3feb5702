package content

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/problem"
)

const site = `title: {en: Book, ja: 本}
description: {en: About, ja: 概要}
languages:
  - {code: en, name: English}
  - {code: ja, name: 日本語}
parts:
  - {name: start, title: {en: Start, ja: はじめに}}
  - {name: loop, title: {en: The loop, ja: ループ}}
`

const home = "---\ntitle: Home\ndescription: d\n---\nText\n"

func chapter(title string, order string) string {
	return "---\ntitle: " + title + "\ndescription: d\norder: " + order + "\n---\n# Text\n"
}

// folder writes the files of a small book; a value of "-" removes one.
func folder(t *testing.T, changes map[string]string) string {
	t.Helper()
	files := map[string]string{
		"site.yaml": site, "en/index.md": home, "ja/index.md": home,
		"en/loop/b.md": chapter("B", "1"), "ja/loop/b.md": chapter("B", "1"),
		"en/start/z.md": chapter("Z", "2"), "ja/start/z.md": chapter("Z", "2"),
		"en/start/a.md": chapter("A", "10"), "ja/start/a.md": chapter("A", "10"),
	}
	for name, text := range changes {
		files[name] = text
	}
	dir := t.TempDir()
	for name, text := range files {
		if text == "-" {
			continue
		}
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadInReadingOrder(t *testing.T) {
	book, err := Load(folder(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range book.Pages() {
		paths = append(paths, c.Path())
	}
	want := "/en/ /ja/ /en/start/z/ /en/start/a/ /en/loop/b/ /ja/start/z/ /ja/start/a/ /ja/loop/b/"
	if got := strings.Join(paths, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestProblemsNamePlaceAndCure(t *testing.T) {
	for name, test := range map[string]struct {
		changes map[string]string
		want    string // place and message; DIR stands for the folder
	}{
		"missing translation": {map[string]string{"ja/loop/b.md": "-"},
			`DIR/en/loop/b.md: chapter loop/b is missing in "ja" (write DIR/ja/loop/b.md; ` +
				"`kubewalk new chapter loop/b` creates its outline; until then the page shows this text)"},
		"translation without original": {map[string]string{"en/loop/b.md": "-"},
			`DIR/ja/loop/b.md: chapter loop/b is missing in "en"`},
		"unknown key": {map[string]string{"en/loop/b.md": "---\ndescription: d\ntitel: B\norder: 1\n---\n"},
			`DIR/en/loop/b.md:3:1: unknown key "titel" (did you mean "title"?)`},
		"repeated key": {map[string]string{"en/loop/b.md": "---\ntitle: d\norder: 1\ntitle: B\n---\n"},
			`DIR/en/loop/b.md:4:1: key "title" is given twice (keep one of them)`},
		"wrong type": {map[string]string{"en/loop/b.md": "---\ntitle: B\ndescription: d\norder: first\n---\n"},
			`DIR/en/loop/b.md:4:8: order has to be a whole number, and is the text "first"`},
		"no YAML": {map[string]string{"en/loop/b.md": "---\ntitle: [B\n---\n"}, `DIR/en/loop/b.md:2:`},
		"no title": {map[string]string{"en/loop/b.md": "---\ndescription: d\norder: 1\n---\n"},
			`DIR/en/loop/b.md:4:1: title is missing (add title: …, the chapter's title)`},
		"empty":           {map[string]string{"en/loop/b.md": "---\n---\n"}, `DIR/en/loop/b.md:2:1: title is missing`},
		"no front matter": {map[string]string{"en/loop/b.md": "# B\n"}, `DIR/en/loop/b.md:1: front matter is missing`},
		"not closed":      {map[string]string{"en/loop/b.md": "---\ntitle: B\n"}, `DIR/en/loop/b.md:3:1: front matter is not closed`},
		"different order": {map[string]string{"ja/loop/b.md": chapter("B", "7")}, `DIR/ja/loop/b.md:4:8: order 7 differs from 1 in DIR/en/loop/b.md`},
		"unknown part": {map[string]string{"en/lop/b.md": chapter("B", "7")},
			`DIR/en/lop/b.md: unknown part "lop" (list it in site.yaml, or move the file; did you mean "loop"?)`},
		"bad name":       {map[string]string{"en/loop/B b.md": chapter("B", "7")}, `DIR/en/loop/B b.md: file is not at en/PART/CHAPTER.md`},
		"stray file":     {map[string]string{"en/loop/b.txt": ""}, `DIR/en/loop/b.txt: file is neither a chapter nor an image`},
		"no home":        {map[string]string{"ja/index.md": "-"}, `DIR/en/index.md: home page is missing in "ja" (write DIR/ja/index.md`},
		"no home at all": {map[string]string{"en/index.md": "-"}, `DIR/en/index.md: file is missing`},
		"home is a draft": {map[string]string{"en/index.md": "---\ntitle: H\ndescription: d\ndraft: true\n---\n"},
			`DIR/en/index.md:4:8: home page is a draft`},
		"no site":   {map[string]string{"site.yaml": "-"}, `DIR/site.yaml: file is missing`},
		"site: key": {map[string]string{"site.yaml": site + "pats: 1\n"}, `DIR/site.yaml:9:1: unknown key "pats" (did you mean "parts"?)`},
		"site: text": {map[string]string{"site.yaml": strings.Replace(site, ", ja: ループ", "", 1)},
			`DIR/site.yaml:8:25: title of part "loop" is missing in "ja" (add ja: …)`},
		"site: language":  {map[string]string{"site.yaml": strings.Replace(site, "ja: 本", "ja: 本, fr: x", 1)}, `DIR/site.yaml:1:`},
		"byte order mark": {map[string]string{"en/loop/b.md": "\ufeff---\ntitle: B\n---\n"}, `DIR/en/loop/b.md: file starts with a byte order mark`},
		"site: not a slug": {map[string]string{"site.yaml": site + "  - {name: A b, title: {en: x, ja: y}}\n"},
			`DIR/site.yaml:9:12: name of parts[2] cannot be "A b" (use lower-case`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, test.changes)
			book, err := Load(dir)
			var problems problem.List
			problems.AddError(err)
			for _, p := range book.Untranslated {
				problems.Add(p)
			}
			if err = problems.Err(); err == nil {
				t.Fatal("no problem was found")
			}
			got := strings.ReplaceAll(err.Error(), filepath.ToSlash(dir), "DIR")
			if !strings.Contains("\n"+got, "\n"+test.want) {
				t.Errorf("got\n%s\nwant a line that begins with\n%s", got, test.want)
			}
		})
	}
}

func TestSourceKeepsOffsets(t *testing.T) {
	text := "---\r\ntitle: 本\ndescription: d\n--- \n# Text\n"
	c, err := ParseChapter("x.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Source) != len(text) || strings.TrimSpace(string(c.Source)) != "# Text" {
		t.Errorf("got %q", c.Source)
	}
	line, _ := problem.Place(c.Source, strings.Index(string(c.Source), "#"))
	if line != 5 {
		t.Errorf("text begins in line %d, want 5", line)
	}
}

func FuzzParseChapter(f *testing.F) {
	f.Add([]byte("---\ntitle: a\ndescription: b\norder: 1\n---\ntext"))
	f.Add([]byte("---\n- {[\n---"))
	f.Add([]byte("---"))
	f.Add([]byte("---\n&a *a: !!binary x\n---\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseChapter("x.md", text)
		if len(c.Source) != len(text) {
			t.Errorf("source has %d bytes, the file %d", len(c.Source), len(text))
		}
		for _, p := range problem.Of(err) {
			if p.File != "x.md" || p.Line == 1 && p.Column == 1 {
				t.Errorf("problem without a place: %v", p)
			}
		}
	})
}

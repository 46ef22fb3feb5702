package content

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"kubewalk/generator/book/schema"
	"kubewalk/generator/problem"
)

func TestSchemasAreFresh(t *testing.T) {
	for name, want := range Schemas() {
		got, err := os.ReadFile(filepath.Join("../../../docs/schema", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/schema/%s is not what the Go types say (%v): run `make generate`", name, err)
		}
	}
}

// TestEditorsMarkWhatTheBuildRefuses holds the checker and the JSON Schemas, as a
// validator of the field reads them, to the same verdicts.
func TestEditorsMarkWhatTheBuildRefuses(t *testing.T) {
	good := "title: T\ndescription: {en: d, ja: d}\nlanguages: [{code: en, name: E}, {code: ja, name: J}]\n"
	matter := "title: T\ndescription: d\n"
	for _, test := range []struct {
		file, text string
		right      bool
	}{
		{"site", good, true},
		{"site", good + "parts: []\n", true},
		{"site", good + "parts: [{name: a-b, title: {en: x}}]\n", true},
		{"site", good + "theme: {accent: {light: '#aabbcc', dark: '#AABBCC'}}\nmadeWith: false\nfooter: x\n", true},
		{"site", good + "redirects: {/a/: /b/}\ntranslations: complete\n", true},
		{"site", good + "theme: {}\n", true},
		{"site", good + "parts: [{name: a, title: x, posts: true}]\nauthors: {a-b: A B, c: {name: {en: C}, url: 'https://example.org/'}}\ntags: {a-b: x, c: {en: C}}\n", true},
		{"site", good + "parts: [{name: a, title: x, posts: 1}]\n", false},
		{"site", good + "authors: {A: A}\n", false},
		{"site", good + "authors: {a: {url: 'https://example.org/'}}\n", false},
		{"site", good + "authors: {a: {name: A, url: example.org}}\n", false},
		{"site", good + "authors: [A]\n", false},
		{"site", good + "tags: {A: x}\n", false},
		{"site", good + "tags: {a: 5}\n", false},
		{"site", "", false},
		{"site", "title: T\n", false},
		{"site", "[1]\n", false},
		{"site", "text\n", false},
		{"site", strings.Replace(good, "title: T", "title: 5", 1), false},
		{"site", strings.Replace(good, "title: T", "title: ' '", 1), false},
		{"site", strings.Replace(good, "title: T", "title: {}", 1), false},
		{"site", strings.Replace(good, "title: T", "title: [a]", 1), false},
		{"site", strings.Replace(good, "title: T", "title: {en: 1}", 1), false},
		{"site", strings.Replace(good, "title: T", "title:", 1), false},
		{"site", strings.Replace(good, "code: en", "code: EN", 1), false},
		{"site", strings.Replace(good, "{code: en, name: E}", "en", 1), false},
		{"site", strings.Replace(good, ", name: E}", "}", 1), false},
		{"site", good + "titel: x\n", false},
		{"site", good + "parts: {a: b}\n", false},
		{"site", good + "parts: [{name: a, title: x, more: y}]\n", false},
		{"site", good + "theme: {accent: {light: red, dark: '#aabbcc'}}\n", false},
		{"site", good + "theme: {accent: {light: '#aabbcc'}}\n", false},
		{"site", good + "madeWith: 'no'\n", false},
		{"site", good + "translations: perhaps\n", false},
		{"site", good + "redirects: [a]\n", false},
		{"site", good + "redirects: {/a/: 5}\n", false},
		{"site", good + "icon: icon.png\n", false},
		{"chapter", matter, true},
		{"chapter", matter + "order: 10\ndraft: true\naliases: [/en/x/]\nreviewed: 2026-01-31\n", true},
		{"chapter", matter + "reviewed: abcdef0\n", true},
		{"chapter", matter + "order: 0\n", true},
		{"chapter", matter + "order: -1\n", false},
		{"chapter", matter + "order: 1.5\n", false},
		{"chapter", matter + "order: first\n", false},
		{"chapter", matter + "draft: maybe\n", false},
		{"chapter", matter + "draft: 1\n", false},
		{"chapter", matter + "aliases: /en/x/\n", false},
		{"chapter", matter + "aliases: [en/x/]\n", false},
		{"chapter", matter + "aliases: [5]\n", false},
		{"chapter", matter + "reviewed: yesterday\n", false},
		{"chapter", matter + "meetup: {date: 2019-09-27, place: {en: A, ja: B}, talks: [{title: {ja: T}, speakers: [A, {name: B, url: 'https://example.org/'}], section: '#a'}]}\n", true},
		{"chapter", matter + "meetup: {date: 27.9.2019}\n", false},
		{"chapter", matter + "meetup: {date: 2019-09-27, talks: [{speakers: [A]}]}\n", false},
		{"chapter", matter + "meetup: {date: 2019-09-27, talks: [{title: T, speakers: [{url: 'https://example.org/'}]}]}\n", false},
		{"chapter", matter + "meetup: {date: 2019-09-27, talks: [{title: T, speakers: [5]}]}\n", false},
		{"chapter", matter + "meetup: {date: 2019-09-27, links: [{title: T, url: ftp://a}]}\n", false},
		{"chapter", matter + "meetup: text\n", false},
		{"chapter", "title: T\n", false},
		{"chapter", "title: ''\ndescription: d\n", false},
		{"chapter", matter + "keywords: [x]\n", false},
		{"chapter", matter + "date: 2026-01-31\nauthors: [A, B C]\ntags: [x, a-b]\n", true},
		{"chapter", matter + "date: 31.1.2026\n", false},
		{"chapter", matter + "authors: A\n", false},
		{"chapter", matter + "authors: [{name: A}]\n", false},
		{"chapter", matter + "tags: [Two words]\n", false},
		{"glossary", "terms: {a-b: {term: x, definition: {en: y}, also: {en: [z]}, see: [c], upstream: https://example.org/}}\n", true},
		{"glossary", "terms: {}\n", false},
		{"glossary", "terms: {A: {term: x, definition: y}}\n", false},
		{"glossary", "terms: {a: {term: x}}\n", false},
		{"glossary", "terms: {a: {term: x, definition: y, also: [z]}}\n", false},
		{"glossary", "terms: {a: {term: x, definition: y, upstream: http://example.org/}}\n", false},
	} {
		d := &schema.Document{File: "x", Text: []byte(test.text)}
		var ours error
		switch test.file {
		case "site":
			ours = d.Decode(new(Site))
		case "glossary":
			ours = d.Decode(new(Glossary))
		default:
			ours = d.Decode(new(FrontMatter))
		}
		theirs := validate(t, test.file+".schema.json", test.text)
		if (ours == nil) != test.right || (theirs == nil) != test.right {
			t.Errorf("%s:\n%s\nright: %v\nthe build says: %v\nan editor says: %v", test.file, test.text, test.right, ours, theirs)
		}
	}
}

func validate(t *testing.T, name, text string) error {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schemas()[name]))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	var value any = map[string]any{} // what an empty file is to an editor
	if strings.TrimSpace(text) != "" {
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
	}
	return compiled.Validate(plain(value))
}

// plain is YAML's value as JSON has it.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, inside := range v {
			v[k] = plain(inside)
		}
	case []any:
		for i, inside := range v {
			v[i] = plain(inside)
		}
	case uint64:
		return float64(v)
	case int64:
		return float64(v)
	}
	return v
}

func FuzzSite(f *testing.F) {
	f.Add([]byte(site))
	f.Add([]byte("title: &a [*a]\n"))
	f.Add([]byte("title: *a\nlanguages: [{code: en, name: English}]\n"))
	f.Add([]byte("? {a: b}\n: c\n"))
	f.Add([]byte("parts: [{name: a, title: {en: x}}, ]\n<<: {a: b}\n---\nx: y\n"))
	f.Add([]byte("redirects: {/a/: |\n text\n}"))
	f.Add([]byte("title: !!binary \"\"\ntheme: {accent: {light: \"#12345\", dark: !x y}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		book, d := Site{}, &schema.Document{File: "site.yaml", Text: text}
		begun := time.Now()
		err := d.Decode(&book)
		var problems problem.List
		problems.AddError(err)
		book.check(d, &problems)
		if spent := time.Since(begun); spent > 5*time.Second {
			t.Errorf("%d bytes took %v", len(text), spent)
		}
		for _, p := range problem.Of(problems.Err()) {
			if p.Message == "" || p.File != "site.yaml" || p.Line > bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte("\r"))+2 {
				t.Errorf("problem without a message or a place: %+v", p)
			}
		}
	})
}

package search

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the expected terms in testdata")

// fixture is what the page's terms.ts is held to as well.
type fixture struct {
	Terms [][]string        `json:"terms"` // a text, and its terms
	Stems map[string]string `json:"stems"`
}

const fixtureFile = "testdata/terms.json"

func TestTerms(t *testing.T) {
	data, err := os.ReadFile(fixtureFile)
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	for i, want := range f.Terms {
		got := []string{want[0]}
		terms(want[0], func(term string) { got = append(got, term) })
		if !slices.Equal(got, want) && !*rewrite {
			t.Errorf("%q: got %q, want %q (go test ./generator/search -rewrite accepts what it says now)", want[0], got[1:], want[1:])
		}
		f.Terms[i] = got
	}
	for word, want := range f.Stems {
		if got := stem(word); got != want && !*rewrite {
			t.Errorf("stem(%q) = %q, want %q", word, got, want)
		}
		f.Stems[word] = stem(word)
	}
	if *rewrite {
		var out strings.Builder
		out.WriteString("{\n  \"terms\": [\n")
		for i, row := range f.Terms {
			out.WriteString("    " + string(encode(row)) + map[bool]string{true: ",\n", false: "\n"}[i+1 < len(f.Terms)])
		}
		stems, _ := json.MarshalIndent(f.Stems, "  ", "  ")
		out.WriteString("  ],\n  \"stems\": " + string(stems) + "\n}\n")
		if err := os.WriteFile(fixtureFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormsOfAWord: what readers ask for and what stands in a text are often not the same form.
func TestFormsOfAWord(t *testing.T) {
	for _, forms := range []string{
		"pod pods", "schedule schedules scheduled scheduling", "retry retries retried retrying", "cache caches cached caching",
		"status statuses", "use used using uses", "stop stops stopped stopping", "need needs needed", "install installs installed installing",
		"process processes processing", "queue queues queued", "class classes", "crash crashes crashed crashing", "apply applies applied applying",
	} {
		all := strings.Fields(forms)
		for _, w := range all[1:] {
			if stem(w) != stem(all[0]) {
				t.Errorf("%s is %s, %s is %s", all[0], stem(all[0]), w, stem(w))
			}
		}
	}
	for _, pair := range []string{"scheduler schedule", "node note", "string str", "this thi", "kubelet kube", "user use", "ready read"} {
		a, b, _ := strings.Cut(pair, " ")
		if stem(a) == stem(b) {
			t.Errorf("%s and %s are taken for one word", a, b)
		}
	}
}

// FuzzTerms: any text has terms, in lower case and folded, that make themselves again.
func FuzzTerms(f *testing.F) {
	data, err := os.ReadFile(fixtureFile)
	if err != nil {
		f.Fatal(err)
	}
	var fixed fixture
	if err := json.Unmarshal(data, &fixed); err != nil {
		f.Fatal(err)
	}
	for _, row := range fixed.Terms {
		f.Add(row[0])
	}
	f.Add("a'\xff'bc’d--e._/ﾞー\u0301")
	f.Fuzz(func(t *testing.T, text string) {
		terms(text, func(term string) {
			switch {
			case term == "":
				t.Errorf("%q has an empty term", text)
			case utf8.ValidString(text) && lower(term) != term:
				t.Errorf("%q has term %q, which is not in lower case", text, term)
			case strings.ContainsAny(term, " \n_-/'"):
				t.Errorf("%q has term %q, in which a separator stands", text, term)
			case stopWords[term] && !strings.ContainsAny(text, ".-_/") && !strings.ContainsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }):
				t.Errorf("%q has a stop word", text)
			}
		})
		if len(text) < 100 {
			_ = stem(lower(text))
		}
	})
}

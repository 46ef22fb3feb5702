package markdown

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"kubewalk/generator/book/content"
)

func emphasised(t testing.TB, source []byte, extender goldmark.Extender) string {
	t.Helper()
	var out bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extender)).Convert(source, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func ours(source []byte) goldmark.Extender {
	return emphasis(&Document{Chapter: &content.Chapter{Source: source}})
}

// TestCJKFriendly runs all cases of tats-u/markdown-cjk-friendly, each a
// paragraph. What a case has to lead to is said by its file's name, as there.
func TestCJKFriendly(t *testing.T) {
	marked := regexp.MustCompile(`(\*\*|~~|__|_)(.+?)(\*\*|~~|__|_)`)
	always := func(string) bool { return true }
	never := func(string) bool { return false }
	cases := map[string]func(paragraph string) bool{
		"strong": always, "korean": always, "pseudo-emoji": always, "underscore-cjk-punct": always, "gfm-strikethrough": always,
		"non-bmp": never, "emoji-default-presentation": never,
		// A variation selector is looked for before a mark, not behind it, and is
		// no punctuation itself.
		"emoji-presentation-sequence": always,
		"text-presentation-sequence": func(paragraph string) bool {
			return strings.ContainsAny(paragraph, "〰〽🈂🈷㊗㊙")
		},
	}
	files, err := filepath.Glob("testdata/cjk-friendly/*.md")
	if err != nil || len(files) != len(cases) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for paragraph := range strings.SplitSeq(strings.TrimSpace(string(source)), "\n\n") {
			got := emphasised(t, []byte(paragraph), ours([]byte(paragraph)))
			became := !marked.MatchString(got) && (strings.Contains(got, "<strong>") || strings.Contains(got, "<em>") || strings.Contains(got, "<del>"))
			if want := cases[name](paragraph); became != want {
				t.Errorf("%s: %q became %s", name, paragraph, got)
			}
			// What became bold is what stands between the marks.
			if m := marked.FindStringSubmatch(paragraph); became && !strings.Contains(m[2], "](") && !strings.ContainsAny(m[2], "`\\\"") &&
				!strings.Contains(got, ">"+m[2]+"</") {
				t.Errorf("%s: of %q became %s", name, paragraph, got)
			}
		}
	}
}

// FuzzEmphasis: without Chinese, Japanese or Korean the rules are CommonMark's.
func FuzzEmphasis(f *testing.F) {
	for _, seed := range []string{"**a**b", "a**()**a", "*a **b***", "__a__b_c_", "~~a~~ ~b~ ~~~c~~~", "“**a**”", "a*\u00a0*b", "**\"x\"**y", "***a** b*",
		"a**🈯a**a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, r := range source {
			if isCJK(r) || isVariationSelector(r) || isIdeographicVariation(r) || r == '\ufffd' {
				_ = emphasised(t, []byte(source), ours([]byte(source)))
				return
			}
		}
		got, want := emphasised(t, []byte(source), ours([]byte(source))), emphasised(t, []byte(source), extension.Strikethrough)
		if got != want {
			t.Errorf("%q\n---- got\n%s---- CommonMark has\n%s", source, got, want)
		}
	})
}

// Emphasis dots belong over Japanese characters; words in Latin letters are English, and slanted.
func TestEnglishInJapanese(t *testing.T) {
	source := []byte("*Node* と*ノード*、*kubelet の仕事*、**Pod**、*a `b`*")
	d := &Document{Chapter: &content.Chapter{Source: source, Language: "ja"}}
	const want = "<p><em lang=\"en\">Node</em> と<em>ノード</em>、<em>kubelet の仕事</em>、<strong>Pod</strong>、<em>a <code>b</code></em></p>\n"
	if got := emphasised(t, source, emphasis(d)); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

package content

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/problem"
)

// withGlossary is a book of one chapter in two languages.
func withGlossary(t testing.TB, yaml string) (*Book, error) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"site.yaml":         "title: B\ndescription: d\nlanguages: [{code: en, name: English}, {code: ja, name: 日本語}]\nparts: [{name: loop, title: L}]\n",
		"en/index.md":       "---\ntitle: H\ndescription: d\n---\n",
		"ja/index.md":       "---\ntitle: H\ndescription: d\n---\n",
		"en/loop/queues.md": "---\ntitle: Queues [all]\ndescription: d\n---\n",
		"ja/loop/queues.md": "---\ntitle: キュー\ndescription: d\n---\n",
		"glossary.yaml":     yaml,
	} {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Load(dir)
}

func TestGlossaryIsAChapterOfEachLanguage(t *testing.T) {
	book, err := withGlossary(t, `terms:
  work-queue:
    term: {en: work queue, ja: ワークキュー}
    also: {en: [queue, Q*], ja: [キュー]}
    definition: {en: Keys that *wait*., ja: 待つキー。}
    chapter: loop/queues.md
    upstream: https://example.org/
    see: [key]
  key: {term: key, reading: {ja: キー}, definition: Name of an object.}
`)
	if err != nil {
		t.Fatal(err)
	}
	for language, want := range map[string]string{
		"en": "## K {#letter-k}\n\n### key {#key}\n\nName of an object.\n\n" +
			"## W {#letter-w}\n\n### work queue {#work-queue}\n\nKeys that *wait*.\n\nAlso: queue, Q\\* · In this book: [Queues \\[all\\]](loop/queues.md) · Documentation: [example.org](<https://example.org/>) · See also: [key](#key)\n\n",
		"ja": "## か {#row-ka}\n\n### key {#key}\n\nName of an object.\n\n" +
			"## わ {#row-wa}\n\n### ワークキュー {#work-queue}\n\n待つキー。\n\n別の呼び方：キュー · この本での説明：[キュー](loop/queues.md) · 公式ドキュメント：[example.org](<https://example.org/>) · 関連する用語：[key](#key)\n\n",
	} {
		c := book.Find(language, GlossaryName)
		if c == nil {
			t.Fatalf("no page in %s", language)
		}
		if got := string(c.Source); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", language, got, want)
		}
		if c.Path() != "/"+language+"/glossary/" {
			t.Errorf("path %s", c.Path())
		}
		// What is wrong in the page is said where it was written.
		if line, column := c.Place(strings.Index(want, "loop/queues.md")); line != 6 || column != 14 {
			t.Errorf("%s: the chapter is at %d:%d", language, line, column)
		}
	}
	if got := len(book.In("en")); got != 1 {
		t.Errorf("%d chapters: the glossary is none to be read in its turn", got)
	}
}

func TestGlossaryProblems(t *testing.T) {
	_, err := withGlossary(t, `terms:
  Bad id: {term: x, definition: x}
  one:
    term: {en: one, ja: 一つ}
    definition: {en: "A.\n\nB.", ja: 文。, de: Ein.}
    see: [tow, one]
    upstrem: https://example.org/
    upstream: http://example.org/
  two:
    term: {en: two}
    also: {fr: [deux]}
`)
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	for _, p := range problem.Of(err) {
		if p.Line < 1 || p.Column < 1 && !strings.Contains(p.Message, "missing") {
			t.Errorf("without a place: %v", p)
		}
	}
	for _, want := range []string{`Bad id`, `upstrem`, `begins with https://`, `definition`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s\n%v", want, err)
		}
	}
	_, err = withGlossary(t, `terms:
  one:
    term: {en: one, ja: 一つ}
    definition: {en: "A.\n\nB.", ja: 文。, de: Ein.}
    also: {fr: [un]}
    see: [tow, one]
  two: {term: {en: two}, definition: "- a list"}
`)
	for _, want := range []string{
		`glossary.yaml:3:11: term "一つ" has no reading`, `4:22: definition of "one" is more than one paragraph`, `4:42: definition of "one" is given in "de"`,
		`5:12: "fr" is not a language of the book`, `6:11: unknown term "tow" (did you mean "two"?)`, `6:16: term "one" leads to itself`,
		`7:15: term of "two" is missing in "ja" (add ja: …)`, `7:38: definition of "two" is more than one paragraph`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s\n%v", want, err)
		}
	}
}

func TestGlossaryNames(t *testing.T) {
	book, err := withGlossary(t, `terms:
  retry:
    term: {en: retry, ja: 再試行}
    reading: {ja: さいしこう}
    also: {ja: [リトライ]}
    asked: {en: [resend], ja: [再送]}
    definition: d
    chapter: loop/queues.md
  key: {term: key, definition: d}
`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(book.Names("en"), book.Names("ja")), "[[resend retry]] [[リトライ 再試行] [再送 再試行] [retry 再試行]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(book.Subjects("en"), book.Subjects("ja")), "[[retry /en/loop/queues/]] [[再試行 /ja/loop/queues/]]"; got != want {
		t.Errorf("subjects: got %s, want %s", got, want)
	}
	if page := string(book.Find("ja", GlossaryName).Source); strings.Contains(page, "再送") || !strings.Contains(page, "リトライ") {
		t.Errorf("the page has to show also, and not asked:\n%s", page)
	}

	book, err = withGlossary(t, `terms:
  back-off:
    term: {en: back-off, ja: バックオフ}
    also: {en: [Backoff, delay], ja: [待機, バックオフー]}
    asked: {en: [delay, retries, ""], fr: [x]}
    definition: d
  retry:
    term: {en: retries, ja: リトライ}
    also: {en: [ＤＥＬＡＹ], ja: [再送]}
    definition: d
`)
	for _, want := range []string{
		`glossary.yaml:4:17: "Backoff" is the term "back-off" itself (remove it`, `4:43: "バックオフー" is the term "back-off" itself`,
		`5:18: "delay" of "back-off" is listed twice`, `5:25: "retries" of "back-off" is the term "retry"`, `5:34: "" of "back-off" is not a word`,
		`5:39: "fr" is not a language`,
		`9:17: "ＤＥＬＡＹ" of "retry" already belongs to "back-off" (keep it in only one`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s\n%v", want, err)
		}
	}
	if len(book.Names("en")) > 0 {
		t.Errorf("names of a glossary with problems: %q", book.Names("en"))
	}
}

func TestKanaOrder(t *testing.T) {
	for text, want := range map[string]string{
		"コントローラー": "こんとろおらあ", "キューイングヒント": "きゆういんくひんと", "ガベージ": "かへえし", "ちょうせい": "ちようせい", "ﾊﾞｯｸｵﾌ": "はつくおふ", "Pod": "Pod",
	} {
		if got := kana(text); got != want {
			t.Errorf("kana(%q) = %q, want %q", text, got, want)
		}
	}
	for key, want := range map[string]string{"API": "A", "バインド": "は", "ゎ": "わ", "3-way": "0–9", "été": "E", "ьф": "Ь"} {
		if got, _ := letterOf(key); got != want {
			t.Errorf("letterOf(%q) = %q, want %q", key, got, want)
		}
	}
}

// FuzzGlossary: whatever is saved leads to pages or to problems with a place.
func FuzzGlossary(f *testing.F) {
	f.Add("terms:\n  a: {term: x, definition: y, see: [b]}\n  b: {term: {en: B, ja: 調}, definition: z}\n")
	f.Add("terms: {a: {also: {ja: [1]}}}")
	f.Add("- x")
	f.Fuzz(func(t *testing.T, yaml string) {
		book, err := withGlossary(t, yaml)
		for _, p := range problem.Of(err) {
			if !strings.HasSuffix(p.File, "glossary.yaml") {
				t.Errorf("%v", p)
			}
		}
		for _, c := range book.Glossaries {
			c.Place(len(c.Source))
		}
	})
}

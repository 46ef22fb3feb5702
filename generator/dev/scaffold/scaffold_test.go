package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/i18n"
	"kubewalk/playground/demo/demofile"
)

func book(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	home := "---\ntitle: H\ndescription: d\n---\n"
	for name, text := range map[string]string{
		"site.yaml": "title: {en: B, ja: B}\ndescription: {en: d, ja: d}\nlanguages: [{code: en, name: English}, {code: ja, name: 日本語}]\n" +
			"parts: [{name: loop, title: {en: L, ja: L}}]\n",
		"en/index.md": home, "ja/index.md": home,
		"en/loop/old.md": "---\ntitle: Old\ndescription: d\norder: 30\n---\n",
	} {
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

func TestPageInEveryLanguage(t *testing.T) {
	dir := book(t)
	loaded, _ := content.Load(dir)
	made, err := Page(loaded, "about")
	if err != nil || len(made) != 2 || !strings.HasSuffix(made[1], "/ja/about.md") {
		t.Fatalf("%v, %v", made, err)
	}
	if loaded, err = content.Load(dir); err != nil {
		t.Fatal(err)
	}
	if c := loaded.Find("en", "about"); c == nil || c.Title != "About" || c.Draft || c.Path() != "/en/about/" || !loaded.Find("ja", "about").Draft {
		t.Errorf("%+v", c)
	}
	for wrong, want := range map[string]string{"about": "is there in every language", "A b": "cannot be part of an address", "loop": "has the name of a part",
		"search": "a page that the build makes", "index": "is the home page"} {
		if _, err := Page(loaded, wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestChapterInEveryLanguage(t *testing.T) {
	dir := book(t)
	loaded, err := content.Load(dir)
	if err != nil || len(loaded.Untranslated) != 1 {
		t.Fatalf("%v, %v", loaded.Untranslated, err)
	}
	// The missing translation of what is there …
	made, err := Chapter(loaded, "loop/old")
	if err != nil || len(made) != 1 || !strings.HasSuffix(made[0], "/ja/loop/old.md") {
		t.Fatalf("%v, %v", made, err)
	}
	// … and a new chapter in all.
	if made, err = Chapter(loaded, "loop/work-queue"); err != nil || len(made) != 2 {
		t.Fatalf("%v, %v", made, err)
	}
	loaded, err = content.Load(dir)
	if err != nil || len(loaded.Untranslated) > 0 {
		t.Fatalf("what was made has problems: %v, %v", err, loaded.Untranslated)
	}
	for _, language := range []string{"en", "ja"} {
		c := loaded.Find(language, "loop/work-queue")
		if c == nil || c.Order != 40 || c.Title != "Work queue" || c.Draft != (language != "en") {
			t.Errorf("%s: %+v", language, c)
		}
	}
	// A build shows the original until the translation is one, and says where.
	built, err := new(content.Cache).Load(dir, false)
	if c := built.Find("ja", "loop/work-queue"); err != nil || c == nil || c.Original != built.Find("en", "loop/work-queue") {
		t.Errorf("%v: %+v", err, c)
	}
	if w := built.Untranslated; len(w) != 2 || !strings.HasSuffix(w[1].File, "ja/loop/work-queue.md") || w[1].Line != 5 ||
		!strings.Contains(w[1].Error(), `chapter loop/work-queue is a draft in "ja" (translate it and remove the line draft: true`) {
		t.Errorf("%v", w)
	}
	for key, want := range map[string]string{
		"loop/old": "is there in every language", "lop/x": `did you mean "loop"?`, "loop/A b": "cannot be part of an address",
		"loop": "cannot be part of an address",
	} {
		if made, err := Chapter(loaded, key); err == nil || len(made) > 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", key, made, err)
		}
	}
}

// TestMeetupIsRight: what is begun is read without a problem, in a part of its own, behind
// other meetups, or where somebody said.
func TestMeetupIsRight(t *testing.T) {
	dir := book(t)
	day := time.Date(2030, 1, 31, 0, 0, 0, 0, time.UTC)
	begin := func(key string) []string {
		t.Helper()
		loaded, err := content.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		made, err := Meetup(loaded, key, day)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	// site.yaml lists its parts in one line: nobody puts a part there.
	loaded, _ := content.Load(dir)
	if made, err := Meetup(loaded, "tokyo-1", day); err == nil || len(made) > 0 ||
		!strings.Contains(err.Error(),
			"the book has no part with meetups, and no part called meetups (add - {name: meetups, title: {en: Meetups, ja: ミートアップ}} to its parts; or say in which one it is to be, as in `kubewalk new meetup loop/NAME`)") {
		t.Errorf("%v, %v", made, err)
	}
	site := filepath.Join(dir, "site.yaml")
	text, _ := os.ReadFile(site)
	const footer = "footer: F\n"
	if err := os.WriteFile(site, []byte(strings.Replace(string(text), "parts: [{name: loop, title: {en: L, ja: L}}]\n",
		"parts:\n  - name: loop\n    title: {en: L, ja: L}\n\n# More.\n"+footer, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if made := begin("tokyo-1"); len(made) != 3 || made[0] != filepath.ToSlash(site) {
		t.Errorf("%v", made)
	}
	if text, _ = os.ReadFile(site); !strings.Contains(string(text),
		"    title: {en: L, ja: L}\n  - {name: meetups, title: {en: Meetups, ja: ミートアップ}}\n\n# More.\n"+footer) {
		t.Errorf("%s", text)
	}
	begin("tokyo-2")
	begin("loop/elsewhere")
	loaded, err := content.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for key, order := range map[string]int{"meetups/tokyo-1": 10, "meetups/tokyo-2": 20, "loop/elsewhere": 40} {
		c := loaded.Find("en", key)
		if c == nil || c.Order != order || loaded.MeetupOf(c) == nil || !loaded.MeetupOf(c).When().Begin.Equal(day) ||
			loaded.MeetupOf(c).Talks[0].Chapter == "" {
			t.Errorf("%s: %+v", key, c)
		}
		if c := loaded.Find("ja", key); c == nil || !c.Draft || loaded.MeetupOf(c) == nil {
			t.Errorf("the translation of %s: %+v", key, c)
		}
	}
	if _, err := Meetup(loaded, "Tokyo 3", day); err == nil || !strings.Contains(err.Error(), "cannot be part of an address") {
		t.Errorf("%v", err)
	}
	if _, err := Meetup(loaded, "tokyo-1", day); err == nil || !strings.Contains(err.Error(), "is there in every language") {
		t.Errorf("%v", err)
	}
}

// TestPostIsRight: what is begun is read without a problem, in a part of its own or where somebody said.
func TestPostIsRight(t *testing.T) {
	dir := book(t)
	day := time.Date(2030, 1, 31, 0, 0, 0, 0, time.UTC)
	begin := func(key string) ([]string, error) {
		t.Helper()
		loaded, err := content.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		return Post(loaded, key, day)
	}
	// site.yaml lists its parts in one line: nobody puts a part there.
	const line = "- {name: blog, title: {en: Blog, ja: ブログ}, posts: true}"
	if made, err := begin("hello"); err == nil || len(made) > 0 ||
		!strings.Contains(err.Error(), "the book has no part with posts, and no part called blog (add "+line+" to its parts)") {
		t.Errorf("%v, %v", made, err)
	}
	site := filepath.Join(dir, "site.yaml")
	text, _ := os.ReadFile(site)
	text = []byte(strings.Replace(string(text), "parts: [{name: loop, title: {en: L, ja: L}}]\n", "parts:\n  - {name: loop, title: {en: L, ja: L}}\n", 1))
	if err := os.WriteFile(site, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if made, err := begin("hello"); err != nil || len(made) != 3 || made[0] != filepath.ToSlash(site) {
		t.Errorf("%v, %v", made, err)
	}
	if text, _ = os.ReadFile(site); !strings.Contains(string(text), "\n  "+line+"\n") {
		t.Errorf("%s", text)
	}
	for _, key := range []string{"again", "blog/third"} {
		if made, err := begin(key); err != nil || len(made) != 2 {
			t.Errorf("%v, %v", made, err)
		}
	}
	loaded, err := content.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"blog/hello", "blog/again", "blog/third"} {
		for _, code := range []string{"en", "ja"} {
			if c := loaded.Find(code, key); c == nil || c.Draft != (code == "ja") || loaded.PostOf(c) == nil || !loaded.PostOf(c).Date.Equal(day) {
				t.Errorf("%s in %s: %+v", key, code, c)
			}
		}
	}
	for key, want := range map[string]string{
		"blog/hello": "blog/hello is there in every language", "Hello": "cannot be part of an address", "loop/x": `part "loop" of "loop/x" has no posts`,
	} {
		if made, err := begin(key); err == nil || len(made) > 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", key, made, err)
		}
	}
	if made, err := Chapter(loaded, "blog/x"); err == nil || len(made) > 0 || !strings.Contains(err.Error(), "`kubewalk new post blog/x`") {
		t.Errorf("%v, %v", made, err)
	}
}

func TestDemoIsValid(t *testing.T) {
	dir := book(t)
	made, err := Demo(dir, "work-queue", []string{"en", "ja"})
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v", made, err)
	}
	text, err := os.ReadFile(made[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, problems := demofile.Parse("work-queue", made[0], text, []string{"en", "ja"}); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	if strings.HasPrefix(string(text), "# yaml") {
		t.Error("a book without the schema is told of it")
	}
	if _, err := Demo(dir, "work-queue", []string{"en", "ja"}); err == nil ||
		!strings.Contains(err.Error(), `demo "work-queue" is there already: change `+made[0]+`, or choose another name`) {
		t.Errorf("a demo was replaced: %v", err)
	}
	if _, err := Demo(dir, "../x", nil); err == nil {
		t.Error("a demo outside of its folder")
	}
}

func TestBookIsRight(t *testing.T) {
	for _, languages := range []string{"", "en,ja", "ja", "fr,sw=Kiswahili"} {
		dir := filepath.Join(t.TempDir(), "my-book")
		made, err := Book(dir, BookOptions{Title: "It's \"mine\": all", Languages: languages})
		if err != nil {
			t.Fatalf("%s: %v", languages, err)
		}
		loaded, err := content.Load(filepath.Join(dir, "content"))
		if err != nil || len(loaded.Untranslated) > 0 {
			t.Fatalf("%s: %v, %v", languages, err, loaded.Untranslated)
		}
		first := loaded.Site.Languages[0].Code
		if got := loaded.Site.Title[first]; got != "It's \"mine\": all" || loaded.Find(first, "start/first-loop") == nil {
			t.Errorf("%s: title %q, files %v", languages, got, made)
		}
		file := filepath.Join(dir, "content/demos/first-loop.yaml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, problems := demofile.Parse("first-loop", file, text, loaded.Site.Codes()); len(problems) > 0 {
			t.Errorf("%s: %v", languages, problems)
		}
		// What is begun by hand later has the same schema.
		second, err := Demo(filepath.Join(dir, "content"), "second", loaded.Site.Codes())
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append(second, file) {
			text, _ := os.ReadFile(file)
			line, _, _ := strings.Cut(string(text), "\n")
			named, ok := strings.CutPrefix(line, "# yaml-language-server: $schema=")
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), named)); !ok || err != nil {
				t.Errorf("%s begins with %q: %v", file, line, err)
			}
		}
		if _, err := Book(dir, BookOptions{}); err == nil || !strings.Contains(err.Error(), "is not empty") {
			t.Errorf("a book over a book: %v", err)
		}
	}
	for languages, want := range map[string]string{"en,en": "given twice", "xx": "--languages sw=Kiswahili", "E N": "is not understood",
		"en,,ja": "is not understood"} {
		if made, err := Book(filepath.Join(t.TempDir(), "b"), BookOptions{Languages: languages}); err == nil || len(made) > 0 ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", languages, err)
		}
	}
}

// TestWords: a file for a language has all words, and what it lacks is added behind what is there.
func TestWords(t *testing.T) {
	dir := t.TempDir()
	made, err := Words(dir, "fr")
	if err != nil || len(made) != 1 {
		t.Fatal(made, err)
	}
	text, err := os.ReadFile(made[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"\n# pages\n", "\nskip: \"Skip to content\"\n", "\nplayer.units.event: \"event\"\n", "\n\"keys.names. \": \"Space\"\n",
		"\nphrase.queue.add: \""} {
		if !strings.Contains(string(text), line) {
			t.Errorf("no line %q", line)
		}
	}
	words, err := content.ReadWords(made[0], text)
	if missing := i18n.Missing(words.Table); err != nil || len(missing) > 0 {
		t.Errorf("%v: %v are missing", err, missing)
	}
	for name, word := range words.Table {
		if message, _ := i18n.Check(name, word); message != "" {
			t.Error(message)
		}
	}
	if _, err := Words(dir, "fr"); err == nil || !strings.Contains(err.Error(), "has all words already") {
		t.Errorf("again: %v", err)
	}
	if err := os.WriteFile(made[0], []byte("skip: Aller au texte # mine\nprint: \"\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Words(dir, "fr"); err != nil {
		t.Fatal(err)
	}
	text, _ = os.ReadFile(made[0])
	if !strings.HasPrefix(string(text), "skip: Aller au texte # mine\nprint: \"\"\n\n# pages\ncontents: ") || strings.Count(string(text), "\nskip:") > 0 ||
		strings.Count(string(text), "\nprint:") != 1 {
		t.Errorf("%.200s", text)
	}
}

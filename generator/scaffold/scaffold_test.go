package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/content"
	"kubewalk/playground/demofile"
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
		if c == nil || c.Order != 40 || c.Title != "Work queue" {
			t.Errorf("%s: %+v", language, c)
		}
	}
	for key, want := range map[string]string{
		"loop/old": "is there in every language", "lop/x": `did you mean "loop"?`, "loop/A b": "cannot be part of an address", "loop": "cannot be part of an address",
	} {
		if made, err := Chapter(loaded, key); err == nil || len(made) > 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", key, made, err)
		}
	}
}

func TestDemoIsValid(t *testing.T) {
	dir := book(t)
	made, err := Demo(dir, "work-queue")
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
	if _, err := Demo(dir, "work-queue"); err == nil {
		t.Error("a demo was replaced")
	}
	if _, err := Demo(dir, "../x"); err == nil {
		t.Error("a demo outside of its folder")
	}
}

package corpus

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kubewalk/generator/book/content"
)

// notProse is code, and rows of a table.
var notProse = regexp.MustCompile("(?s:```go.*?```)|(?m:^\\|.*$)|[#*`|-]")

func TestBookIsWhatItSays(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, 120); err != nil {
		t.Fatal(err)
	}
	book, err := content.Load(dir)
	if err != nil || len(book.Chapters) != 120 {
		t.Fatalf("%d chapters, %v", len(book.Chapters), err)
	}
	words := 0
	for _, c := range book.Chapters {
		text := string(c.Source)
		if n := len(strings.Fields(notProse.ReplaceAllString(text, ""))); n < 520 || n > 720 {
			t.Errorf("%s: %d words", c.File, n)
		} else {
			words += n
		}
		if n := strings.Count(text, "{#section-"); n != headings {
			t.Errorf("%s: %d headings", c.File, n)
		}
		if n := strings.Count(text, "```go"); n != 2 {
			t.Errorf("%s: %d blocks of Go", c.File, n)
		}
	}
	if mean := words / len(book.Chapters); mean < 600 || mean > 640 {
		t.Errorf("%d words a page", mean)
	}
}

func TestSameSizeIsTheSameBook(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		if err := Write(dir, 60); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(a, func(full string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(a, full)
		one, _ := os.ReadFile(full)
		other, err := os.ReadFile(filepath.Join(b, name))
		if string(one) != string(other) {
			t.Errorf("%s differs", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

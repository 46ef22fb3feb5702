package regularfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"kubewalk/generator/problem"
)

func TestRead(t *testing.T) {
	root := t.TempDir()
	content := filepath.Join(root, "book", "content")
	if err := os.MkdirAll(filepath.Join(content, "en"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"secret": "s", "book/notes": "n", "book/content/en/a.md": "a", "bookshelf": "b"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"zero": "/dev/zero", "out": "../../../secret", "beside": "../../../bookshelf", "notes": "../../notes", "folder": ".", "to-out": "out"} {
		if err := os.Symlink(to, filepath.Join(content, "en", link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"a.md": "", "notes": "",
		"zero": "file is a device (remove it, or put a regular file in its place)", "folder": "file is a folder",
		"out": "file is a symbolic link that leads out of the book's folder", "to-out": "leads out", "beside": "leads out",
	} {
		_, err := Text(content, filepath.Join(content, "en", name))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	large := filepath.Join(content, "large")
	if err := os.WriteFile(large, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, MostText+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Text(content, large); err == nil || !strings.Contains(err.Error(), "file has 4194305 bytes, more than 4194304 (make it smaller, or split it)") {
		t.Errorf("got %v", err)
	}
}

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"fine ä 本": "", "": "", "\ufffd": "",
		"a\nbä\xff":     "x.md:2:3: byte 0xff is not UTF-8 (save the file as UTF-8)",
		"a\n\x00\xff":   "x.md:2:1: character NUL is not text (remove it: the file may be damaged)",
		"\xff\xfea\x00": "(the file is in UTF-16: save it as UTF-8)",
		"\xed\xa0\x80":  "byte 0xed is not UTF-8",
		"\xc0\xaf":      "byte 0xc0 is not UTF-8",
		"本\xe6\x9c\n":   "x.md:1:2: byte 0xe6 is not UTF-8",
	} {
		err := Check("x.md", []byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzCheck: what passes is UTF-8 without NUL, and what does not is told with its place.
func FuzzCheck(f *testing.F) {
	f.Add([]byte("a\xffb"))
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		err := Check("x.md", text)
		if (err == nil) != (utf8.Valid(text) && !strings.Contains(string(text), "\x00")) {
			t.Errorf("%q: %v", text, err)
		}
		for _, p := range problem.Of(err) {
			if p.Line < 1 || p.Column < 1 || p.Cure == "" {
				t.Errorf("%q: %+v", text, p)
			}
		}
	})
}

//go:build unix

package sitebuild

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFilesThatAreNone: what cannot be read, or is nobody's business, is the same mistake
// when it is built and when it is served, and neither hangs.
func TestFilesThatAreNone(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("hunter2"), 0o644); err != nil {
		t.Fatal(err)
	}
	pipe := func(name string) error { return syscall.Mkfifo(name, 0o644) }
	link := func(to string) func(string) error { return func(name string) error { return os.Symlink(to, name) } }
	const included = "---\ntitle: T\ndescription: d\norder: 1\n---\n```text include=code/x\n```\n"
	for _, test := range []struct {
		file    string
		make    func(string) error
		chapter string
		want    string
	}{
		{"content/en/start/pipe.md", pipe, "", "en/start/pipe.md: file is a named pipe (remove it, or put a regular file in its place)"},
		{"content/en/start/pipe.png", pipe, "", "en/start/pipe.png: file is a named pipe"},
		{"content/demos/pipe.yaml", pipe, "", "demos/pipe.yaml: file is a named pipe"},
		{"content/glossary.yaml", pipe, "", "glossary.yaml: file is a named pipe"},
		{"content/static/pipe", pipe, "", "static/pipe: file is a named pipe"},
		{"content/static/out", link(outside), "", "static/out: file is a symbolic link that leads out"},
		{"content/words/en.yaml", pipe, "", "words/en.yaml: file is a named pipe"},
		{"content/en/start/zero.md", link("/dev/zero"), "", "en/start/zero.md: file is a device"},
		{"content/en/start/out.md", link(outside), "", "en/start/out.md: file is a symbolic link that leads out of the book's folder"},
		{"content/en/start/out.svg", link(outside), "", "en/start/out.svg: file is a symbolic link that leads out"},
		{"code/x", pipe, included, `en/start/tour.md:6:9: "code/x" is a named pipe (show a file of text)`},
		{"code/x", link(outside), included, `en/start/tour.md:6:9: file "code/x" leads out of the project by a symbolic link (put a copy of the file in the project)`},
		{"code/x", link("../.env"), included, `en/start/tour.md:6:9: file "code/x" is a symbolic link to a file whose name begins with a dot`},
	} {
		for _, dev := range []bool{false, true} {
			changes := map[string]string{"../.env": "hunter2"}
			if test.chapter != "" {
				changes["en/start/tour.md"] = test.chapter
			}
			root := writeBook(t, changes)
			file := filepath.Join(root, test.file)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(file)
			if err := test.make(file); err != nil {
				t.Fatal(err)
			}
			_, err := buildIn(t, root, dev, "")
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s, served %v: %v", test.file, dev, err)
			}
		}
	}
}

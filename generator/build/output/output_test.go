package output

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func tree(files ...string) *Tree {
	t := NewTree()
	t.Put(MarkerFile, []byte(Marker))
	for _, f := range files {
		t.Put(f, []byte(f))
	}
	return t
}

func list(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != ManifestFile {
			relative, _ := filepath.Rel(dir, name)
			out = append(out, filepath.ToSlash(relative))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func TestWriteReplacesTheWholeFolder(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "deep", "public")
	if err := tree("a/index.html", "b.txt").Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := tree("a/other.html").Write(dir); err != nil {
		t.Fatal(err)
	}
	if got := list(t, filepath.Dir(dir)); got != "public/_headers public/a/other.html" {
		t.Errorf("left behind: %s", got)
	}
}

func TestWriteLeavesTheLastGoodSite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	if err := tree("good.html").Write(dir); err != nil {
		t.Fatal(err)
	}
	bad := tree("page")
	bad.Put("page/index.html", nil) // a file and a folder of one name cannot both be written
	if err := bad.Write(dir); err == nil {
		t.Fatal("a tree that cannot be written was written")
	}
	if got := list(t, filepath.Dir(dir)); got != "public/_headers public/good.html" {
		t.Errorf("left behind: %s", got)
	}
}

func TestWriteRefusesFoldersOfOthers(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := tree("x").Write(dir)
	if err == nil || !strings.Contains(err.Error(), "--out") {
		t.Errorf("got %v", err)
	}
	if got := list(t, dir); got != "thesis.txt" {
		t.Errorf("the folder holds %s", got)
	}
}

func TestPutHashed(t *testing.T) {
	tr := NewTree()
	a, b := tr.PutHashed("assets/x.css", []byte("a")), tr.PutHashed("assets/x.css", []byte("b"))
	if c := tr.PutHashed("assets/x.dark.wasm.gz", []byte("c")); !regexp.MustCompile(`^assets/x\.dark-[0-9a-f]{10}\.wasm\.gz$`).MatchString(c) {
		t.Errorf("a compressed file is called %s", c)
	}
	if a == b || a != tr.PutHashed("assets/x.css", []byte("a")) || !strings.HasPrefix(a, "assets/x-") || !strings.HasSuffix(a, ".css") {
		t.Errorf("%s %s", a, b)
	}
}

func TestPutPanicsOnBrokenPaths(t *testing.T) {
	for _, name := range []string{"", "/a", "a/", "a/../b", "../a", "a//b", "twice"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was accepted", name)
				}
			}()
			tree("twice").Put(name, nil)
		}()
	}
}

func TestPutLaterMakesAFileOnceWhenItIsAskedFor(t *testing.T) {
	tr, made := tree("a"), 0
	tr.PutLater("late.md", func() []byte { made++; return []byte("late") })
	if !tr.Later("late.md") || tr.Later("a") || !strings.Contains(strings.Join(tr.Paths(), " "), "late.md") {
		t.Errorf("paths %v", tr.Paths())
	}
	_ = tr.Changed(NewTree())
	if made != 0 {
		t.Error("was made before anybody asked")
	}
	dir := filepath.Join(t.TempDir(), "public")
	if err := tr.Write(dir); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, "late.md"))
	data, ok := tr.Get("late.md")
	if err != nil || string(written) != "late" || string(data) != "late" || !ok || made != 1 {
		t.Errorf("%q %q %v, made %d times", written, data, err, made)
	}
}

func TestChangedAndOver(t *testing.T) {
	before, after := tree("same", "old", "gone"), tree("same", "new")
	after.Put("old", []byte("changed"))
	if got := strings.Join(after.Changed(before), " "); got != "gone new old" {
		t.Errorf("changed: %s", got)
	}
	over := after.Over(before)
	if got := strings.Join(over.Paths(), " "); got != "_headers gone new old same" {
		t.Errorf("over: %s", got)
	}
	if data, _ := over.Get("old"); string(data) != "changed" {
		t.Errorf("old holds %s", data)
	}
}

func TestPieces(t *testing.T) {
	shared := []byte("what all pages hold")
	before, after := tree(), tree()
	first := [][]byte{[]byte("a "), shared, []byte(" b")}
	before.PutPieces("x.html", first)
	before.PutPieces("y.html", first)
	after.PutPieces("x.html", first)
	after.PutPieces("y.html", [][]byte{[]byte("c "), shared, []byte(" b")})
	var room []byte
	for range 2 {
		if data, ok := after.GetInto(&room, "y.html"); !ok || string(data) != "c what all pages hold b" {
			t.Errorf("got %q", data)
		}
		if data, _ := after.GetInto(&room, MarkerFile); string(data) != Marker {
			t.Errorf("got %q", data)
		}
	}
	if got := strings.Join(after.Changed(before), " "); got != "y.html" {
		t.Errorf("changed: %s", got)
	}
	dir := filepath.Join(t.TempDir(), "public")
	if err := after.Write(dir); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "x.html")); string(data) != "a what all pages hold b" {
		t.Errorf("written: %q", data)
	}
}

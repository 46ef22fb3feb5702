package highlight

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func compare(t *testing.T, what, code string) {
	t.Helper()
	got, want := Tokens("go", code), byChroma("go", strings.TrimSuffix(strings.ReplaceAll(code, "\r\n", "\n"), "\n"))
	if slices.EqualFunc(got, want, slices.Equal) {
		return
	}
	for i := range want {
		if i >= len(got) || !slices.Equal(got[i], want[i]) {
			t.Errorf("%s:%d: got\n%q\nchroma says\n%q", what, i+1, got[min(i, len(got)-1)], want[i])
			return
		}
	}
}

// TestGoAsChromaDoes compares on files of this project.
func TestGoAsChromaDoes(t *testing.T) {
	files, own := 0, 0
	err := filepath.WalkDir("../../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || d.Name() == "node_modules" || d.Name() == "public") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		if files++; files%8 != 0 { // chroma takes its time
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || len(text) > 40_000 {
			return err
		}
		compare(t, name, string(text))
		if _, ok := golang(string(text)); ok {
			own++
		}
		return nil
	})
	if err != nil || files < 100 || own < files/8*2/3 {
		t.Errorf("%d files, %d of an eighth without chroma, %v", files, own, err)
	}
}

func FuzzGo(f *testing.F) {
	for _, code := range []string{
		"func (c *C) f(x int) (any, error) { return len(x), make([]int, 0x1F) }", "a\"b\\\"c\"\"d\" 'x' '\\n' '", "`raw` `{{.X}}`",
		"1.5e-3 08 0b11 .5i 1..2 3.e",
		"/* a\n */ // b\r\n//c", "//", "/*/", "überall äß(x)", "f (x) f\n(x) any(x) new (T) new(T)", "x\n\n", "\u00a0x", "#!@$?\\", "a.b.c() <- &^= := ...",
	} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		if _, ok := golang(code); ok {
			compare(t, "code", code)
		}
	})
}

func BenchmarkGo(b *testing.B) {
	text, err := os.ReadFile("golang.go")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Lines("go", string(text))
	}
}

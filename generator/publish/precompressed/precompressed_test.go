package precompressed

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/output"
)

func TestAdd(t *testing.T) {
	page := []byte(strings.Repeat("<p>A ReplicaSet makes Pods.</p>\n", 100))
	var first *output.Tree
	for range 2 {
		site := output.NewTree()
		site.Put("en/index.html", page)
		site.Put("en/short.html", page[:100])
		site.Put("_headers", page)
		site.Put("demos/x/wide.json.gz", compressed.Gzip(page))
		site.Put("a.png", page)
		site.Put("notes.txt", page)
		site.Put("notes.txt.gz", []byte("an author's own")) // of content/static
		Add(site)
		if list := strings.Join(site.Paths(), " "); list !=
			"_headers a.png demos/x/wide.json.gz en/index.html en/index.html.br en/index.html.gz en/short.html notes.txt notes.txt.br notes.txt.gz" {
			t.Fatalf("there are %s", list)
		}
		if own, _ := site.Get("notes.txt.gz"); string(own) != "an author's own" {
			t.Errorf("the author's file is %q", own)
		}
		if first == nil {
			first = site
		} else if changed := site.Changed(first); len(changed) > 0 {
			t.Errorf("the same site gets other bytes: %v", changed)
		}
	}
	zipped, _ := first.Get("en/index.html.gz")
	if back, err := compressed.Gunzip(zipped); err != nil || !bytes.Equal(back, page) {
		t.Errorf("gzip came back as %.40q, %v", back, err)
	}
	brotlied, _ := first.Get("en/index.html.br")
	if back, err := io.ReadAll(brotli.NewReader(bytes.NewReader(brotlied))); err != nil || !bytes.Equal(back, page) {
		t.Errorf("Brotli came back as %.40q, %v", back, err)
	}
}

// TestRemoved: the next build removes compressed files, and no other's.
func TestRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	for _, compress := range []bool{true, false} {
		site := output.NewTree()
		site.Put(output.MarkerFile, []byte(output.Marker))
		site.Put("index.html", []byte(strings.Repeat("<p>A ReplicaSet makes Pods.</p>\n", 100)))
		if compress {
			Add(site)
		}
		if err := site.Write(dir); err != nil {
			t.Fatal(err)
		}
		if compress {
			if err := os.WriteFile(filepath.Join(dir, "mine.html.br"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for name, there := range map[string]bool{"index.html": true, "index.html.br": compress, "index.html.gz": compress, "mine.html.br": true} {
			if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
				t.Errorf("compressed %t: %s is there: %t", compress, name, err == nil)
			}
		}
	}
}

// TestNotWorthwhile: texts that hardly become smaller.
func TestNotWorthwhile(t *testing.T) {
	site := output.NewTree()
	site.Put("random.txt", compressed.Gzip([]byte(noise(4000))))
	Add(site)
	if len(site.Paths()) != 1 {
		t.Errorf("there are %v", site.Paths())
	}
}

func noise(n int) string {
	var b strings.Builder
	for x := uint32(1); b.Len() < n; x = x*1664525 + 1013904223 {
		b.WriteByte(byte(x >> 24))
	}
	return b.String()
}

func TestOf(t *testing.T) {
	for name, want := range map[string][2]string{"x.html.br": {"x.html", "br"}, "x.html.gz": {"x.html", "gzip"}, "x.html": {}} {
		if original, coding, ok := Of(name); original != want[0] || coding != want[1] || ok != (coding != "") {
			t.Errorf("%s: %q, %q, %t", name, original, coding, ok)
		}
	}
}

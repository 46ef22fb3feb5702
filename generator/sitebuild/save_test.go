package sitebuild

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/build/output"
	"kubewalk/generator/dev/bench/corpus"
)

// BenchmarkSave is a save of one of a thousand chapters, until open pages are told
// (shown), and until all is checked.
func BenchmarkSave(b *testing.B) {
	root := b.TempDir()
	content := filepath.Join(root, "content")
	if err := corpus.Write(content, 1000); err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(content, "en/part-001/chapter-00007.md")
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	cache := new(Cache)
	o := Options{Root: root, Content: content, Dev: true, Demos: makeDemo, Assets: makeAssets,
		Phrases: func(string) ([]byte, error) { return []byte("{}"), nil }, Early: func(*output.Tree) {}}
	if _, err := Build(b.Context(), o, cache); err != nil {
		b.Fatal(err)
	}
	b.Run("shown", func(b *testing.B) {
		o := o
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			if err := os.WriteFile(file, []byte(strings.Replace(string(text), "\n\nThe", fmt.Sprintf("\n\nThe %d", i), 1)), 0o644); err != nil {
				b.Fatal(err)
			}
			o.Early = func(*output.Tree) { b.StopTimer() }
			b.StartTimer()
			cache.Saved(content, []string{file})
			if _, err := Build(b.Context(), o, cache); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
	b.Run("checked", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := os.WriteFile(file, []byte(strings.Replace(string(text), "\n\nThe", fmt.Sprintf("\n\nThe %d", i), 1)), 0o644); err != nil {
				b.Fatal(err)
			}
			cache.Saved(content, []string{file})
			if _, err := Build(b.Context(), o, cache); err != nil {
				b.Fatal(err)
			}
		}
	})
}

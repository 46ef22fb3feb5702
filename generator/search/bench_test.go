package search

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"testing"

	"kubewalk/generator/book/content"
	"kubewalk/generator/dev/bench/corpus"
	"kubewalk/generator/render/markdown"
)

// corpusPages are those of a book of any size.
func corpusPages(b *testing.B, chapters int) (out []Page) {
	b.Helper()
	dir := b.TempDir()
	if err := corpus.Write(dir, chapters); err != nil {
		b.Fatal(err)
	}
	book, err := content.Load(dir)
	if err != nil {
		b.Fatal(err)
	}
	language := book.Site.Codes()[0]
	for _, c := range book.In(language) {
		p := Page{URL: c.Path(), Title: c.Title, Description: c.Description, Part: c.Part}
		for _, s := range markdown.Parse(c).Sections(nil) {
			p.Sections = append(p.Sections, Section(s))
		}
		out = append(out, p)
	}
	return out
}

// BenchmarkIndex says what an index of a large book costs, and how large its files
// are: the time for each page has to be the same for any number of them.
func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			pages := corpusPages(b, n)
			b.ReportAllocs()
			var files Files
			for b.Loop() {
				x := new(Index)
				for _, p := range pages {
					x.Add(p)
				}
				files = x.Files("en", "")
			}
			var sizes []int
			all := 0
			for _, f := range files.Shards {
				sizes = append(sizes, zipped(f.Data))
				all += len(f.Data)
			}
			slices.Sort(sizes)
			b.ReportMetric(float64(zipped(files.Manifest)), "manifest-gz-B")
			b.ReportMetric(float64(sizes[len(sizes)/2]), "shard-gz-B")
			b.ReportMetric(float64(sizes[len(sizes)-1]), "largest-gz-B")
			b.ReportMetric(float64(len(sizes)), "shards")
			b.ReportMetric(float64(all)/1e6, "all-MB")
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(n)*1000, "ms/1000-pages")
		})
	}
}

func zipped(data []byte) int {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(data)
	_ = w.Close()
	return out.Len()
}

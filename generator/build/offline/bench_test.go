package offline

import (
	"bytes"
	"fmt"
	"testing"

	"kubewalk/generator/build/output"
)

// BenchmarkPut is what the worker and its list cost in a book of 1,000 pages.
func BenchmarkPut(b *testing.B) {
	tree := output.NewTree()
	for i := range 1000 {
		tree.Put(fmt.Sprintf("en/part/chapter-%d/index.html", i), bytes.Repeat([]byte("0123456789"), 9000))
	}
	for b.Loop() {
		if err := Put(tree, Site{Languages: []string{"en"}}); err != nil {
			b.Fatal(err)
		}
		tree.Remove(List, Worker)
	}
}

package main

import (
	"bytes"
	"strings"
	"testing"

	"kubewalk/generator/build/output"
)

func TestTotals(t *testing.T) {
	tree := output.NewTree()
	many := []byte(strings.Repeat("many ", 4000)) // 20 kB
	for _, name := range []string{"en/index.html", "ja/index.html", "embed/d/index.html", "_headers"} {
		tree.Put(name, many)
	}
	for _, name := range []string{"demos/d/wide.json.gz", "demos/d/narrow.rest.json.gz", "demos/d/details.json.gz", "source/a.go.json.gz"} {
		tree.Put(name, many[:10_000])
	}
	var out bytes.Buffer
	totals(&out, tree)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{
		"all .html\t0.04 MB\tgzip 0.00 MB, brotli 0.00 MB: 2 files",
		"all _headers\t0.02 MB\tgzip 0.00 MB, brotli 0.00 MB: 1 files",
		"all demos/ frames.json.gz\t0.02 MB\tgzip 0.02 MB, brotli 0.02 MB: 2 files",
		"all embed/ .html\t0.02 MB\tgzip 0.00 MB, brotli 0.00 MB: 1 files",
		"all demos/ details.json.gz\t0.01 MB\tgzip 0.01 MB, brotli 0.01 MB: 1 files",
		"all source/ .json.gz\t0.01 MB\tgzip 0.01 MB, brotli 0.01 MB: 1 files",
		"the site\t0.12 MB\tgzip 0.04 MB, brotli 0.04 MB: 8 files",
	} {
		if i >= len(lines) || lines[i] != want {
			t.Fatalf("line %d is not %q:\n%s", i, want, out.String())
		}
	}
}

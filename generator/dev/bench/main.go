// Command bench prints what the project measures of itself as one table: Go
// benchmarks, what a peer takes for the same work, the sizes of what a reader downloads,
// what each Go package adds to the WebAssembly, how long a build takes, and what a browser takes for the largest demos.
//
//	go run ./generator/dev/bench [benchmarks] [hosts] [peer] [books] [wasm] [site]
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/andybalholm/brotli"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/output"
	"kubewalk/generator/sitebuild"
	"kubewalk/playground/demo/phrase"
)

// packages are those whose benchmarks run. Add one when it has some.
var packages = []string{"./playground/...", "./generator/..."}

func main() {
	table := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "WHAT\tVALUE\tMORE")
	var err error
	for _, part := range []struct {
		name string
		run  func(*tabwriter.Writer) error
	}{
		{"benchmarks", benchmarks},
		{"hosts", func(t *tabwriter.Writer) error { return hosts(t) }},
		{"peer", func(t *tabwriter.Writer) error { return peer(t) }},
		{"books", func(t *tabwriter.Writer) error { return books(t) }},
		{"wasm", func(t *tabwriter.Writer) error { return packageCosts(t, ".") }},
		{"site", site},
	} {
		if wanted := os.Args[1:]; err == nil && (len(wanted) == 0 || slices.Contains(wanted, part.name)) {
			err = part.run(table)
		}
	}
	table.Flush()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// result is a line of go test: name, runs, then values with units.
var result = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.+)$`)

func benchmarks(table *tabwriter.Writer) error {
	arguments := append([]string{"test", "-p", "1", "-run", "^$", "-bench", ".", "-benchmem"}, packages...)
	command := exec.Command("go", arguments...)
	command.Stderr = os.Stderr
	text, err := command.Output()
	pkg := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = strings.TrimPrefix(name, "kubewalk/")
		}
		if m := result.FindStringSubmatch(line); m != nil {
			value, more, _ := strings.Cut(m[2], "\t")
			fmt.Fprintf(table, "%s %s\t%s\t%s\n", pkg, m[1], strings.TrimSpace(value), strings.Join(strings.Fields(more), " "))
		}
	}
	if err != nil {
		return fmt.Errorf("go test -bench: %w\n%s", err, text)
	}
	return nil
}

// site builds the book and weighs what readers load.
func site(table *tabwriter.Writer) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	options := sitebuild.Options{
		Root: root, Content: "content", Demos: demos.Run, Assets: new(assets.Maker).Make,
		Phrases: func(language string) ([]byte, error) { return phrase.Files[language], nil },
	}
	var cache sitebuild.Cache
	var tree *output.Tree
	for _, what := range []string{"build of the site", "build after a save"} {
		start := time.Now()
		if tree, err = sitebuild.Build(context.Background(), options, &cache); err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%v\t%d files\n", what, time.Since(start).Round(time.Millisecond), len(tree.Paths()))
	}
	for _, name := range tree.Paths() {
		if isLoaded(name) {
			data, _ := tree.Get(name)
			w := weigh(name, data)
			fmt.Fprintf(table, "%s\t%s\tgzip %s, brotli %s\n", name, kilo(w.raw), kilo(w.gzip), kilo(w.brotli))
		}
	}
	for _, language := range phrase.Languages() {
		var sizes []int
		for _, name := range tree.Paths() {
			if strings.HasPrefix(name, "assets/search/"+language+"-") {
				data, _ := tree.Get(name)
				sizes = append(sizes, len(data))
			}
		}
		if slices.Sort(sizes); len(sizes) > 0 {
			fmt.Fprintf(table, "search in %s\t%d files\tmedian %s, largest %s\n", language, len(sizes), kilo(sizes[len(sizes)/2]), kilo(sizes[len(sizes)-1]))
		}
	}
	totals(table, tree)
	return browser(table, tree)
}

// isLoaded tells which files are weighed one by one: what a page loads for itself and for its demos.
func isLoaded(name string) bool {
	switch top, rest, _ := strings.Cut(name, "/"); top {
	case "assets":
		return !strings.HasPrefix(rest, "search/") && slices.Contains([]string{compressed.Ext, ".js", ".css", ".json"}, path.Ext(name))
	case "demos":
		return path.Ext(name) == compressed.Ext
	}
	return false
}

func kilo(n int) string { return fmt.Sprintf("%.1f kB", float64(n)/1000) }

func gzipped(data []byte) int { return len(compressed.Gzip(data)) }

// brotlied uses level 9: the best that a host compresses with once for all readers,
// short of minutes for the wasm.
func brotlied(data []byte) int {
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, 9)
	_, _ = w.Write(data)
	_ = w.Close()
	return out.Len()
}

package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/output"
)

// weight is how many bytes files have: as they lie there, and as a host sends them.
type weight struct{ files, raw, gzip, brotli int }

func (w *weight) add(other weight) {
	w.files += other.files
	w.raw += other.raw
	w.gzip += other.gzip
	w.brotli += other.brotli
}

// weigh weighs a file alone. What is compressed already is sent as it is.
func weigh(name string, data []byte) weight {
	if isPacked(name) {
		return weight{1, len(data), len(data), len(data)}
	}
	return weight{1, len(data), gzipped(data), brotlied(data)}
}

// isPacked tells of what nothing becomes smaller by compressing.
func isPacked(name string) bool {
	return slices.Contains([]string{compressed.Ext, ".png", ".jpg", ".webp", ".avif", ".woff2", ".epub"}, path.Ext(name))
}

// kind is what a file counts as: its extension, behind the folder of what there is much of.
func kind(name string) string {
	top, _, _ := strings.Cut(name, "/")
	ext := path.Ext(name)
	if ext == compressed.Ext {
		ext = path.Ext(strings.TrimSuffix(name, ext)) + ext
	}
	switch {
	case ext == ".html" && top == "embed", ext == ".json"+compressed.Ext && top != "demos":
		return top + "/ " + ext
	case ext == ".json"+compressed.Ext: // details, managers, scenario, and a layout's frames
		file, _, _ := strings.Cut(path.Base(name), ".")
		if file == "wide" || file == "narrow" {
			file = "frames"
		}
		return top + "/ " + file + ext
	}
	return cmp.Or(ext, path.Base(name))
}

// totals prints what a site weighs by kind of file, the heaviest first, and as a whole.
func totals(table io.Writer, tree *output.Tree) {
	kinds, all := map[string]*weight{}, weight{}
	for _, name := range tree.Paths() {
		data, _ := tree.Get(name)
		w := weigh(name, data)
		if kinds[kind(name)] == nil {
			kinds[kind(name)] = &weight{}
		}
		kinds[kind(name)].add(w)
		all.add(w)
	}
	print := func(what string, w weight) {
		fmt.Fprintf(table, "%s\t%s\tgzip %s, brotli %s: %d files\n", what, mega(w.raw), mega(w.gzip), mega(w.brotli), w.files)
	}
	heaviest := func(a, b string) int { return cmp.Or(cmp.Compare(kinds[b].raw, kinds[a].raw), cmp.Compare(a, b)) }
	for _, k := range slices.SortedFunc(maps.Keys(kinds), heaviest) {
		print("all "+k, *kinds[k])
	}
	print("the site", all)
}

func mega(n int) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }

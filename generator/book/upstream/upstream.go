// Package upstream knows where Kubernetes' functions and types stand in the
// release that the book describes, so that a chapter links to a symbol and not
// to a line that somebody counted.
//
// symbols-VERSION.tsv.gz holds path, symbol, first and last line, taken from
// the release's source (gen). A link to a symbol that is not in it fails the build.
package upstream

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"kubewalk/generator/problem"
)

// Version is the release of Kubernetes that the table describes.
const Version = "v1.36.3"

//go:embed symbols-v1.36.3.tsv.gz
var compressed []byte

type lines struct{ first, last int }

// table is the text of all symbols, sorted by path, and where each path's are in
// it. It is read on first use, and a file's symbols when they are asked for: of
// thousands of files a book links to some dozens.
var table = sync.OnceValues(func() (text string, files map[string]span) {
	zipped, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		panic(fmt.Sprintf("upstream: symbol table: %v", err))
	}
	data, err := io.ReadAll(zipped)
	if err != nil {
		panic(fmt.Sprintf("upstream: symbol table: %v", err))
	}
	text, files = string(data), map[string]span{}
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n') + 1
		if path, _, ok := strings.Cut(text[at:end], "\t"); ok {
			known, seen := files[path]
			if !seen {
				known.from = at
			}
			files[path] = span{known.from, end}
		}
		at = end
	}
	return text, files
})

// span is a part of the table's text.
type span struct{ from, to int }

// symbolsOf are a file's symbols; ok is false for a file that is not in the table.
func symbolsOf(path string) (out map[string]lines, ok bool) {
	text, files := table()
	at, ok := files[path]
	if !ok {
		return nil, false
	}
	out = map[string]lines{}
	for line := range strings.Lines(text[at.from:at.to]) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 4 {
			panic("upstream: symbol table: " + line)
		}
		first, err1 := strconv.Atoi(fields[2])
		last, err2 := strconv.Atoi(fields[3])
		if err1 != nil || err2 != nil {
			panic("upstream: symbol table: no line numbers in " + line)
		}
		out[fields[1]] = lines{first, last}
	}
	return out, true
}

// declaring are the files that declare a symbol, sorted.
func declaring(symbol string) (paths []string) {
	text, _ := table()
	needle := "\t" + symbol + "\t"
	for at := 0; ; {
		i := strings.Index(text[at:], needle)
		if i < 0 {
			return paths
		}
		at += i
		paths = append(paths, text[strings.LastIndexByte(text[:at], '\n')+1:at])
		at += len(needle)
	}
}

// Link returns the address of "path#Symbol", of a whole file for "path", or of
// "#Symbol" that only one file declares, in the source on GitHub. The error is a
// problem.Problem without a place.
func Link(reference string) (string, error) {
	path, symbol, hasSymbol := strings.Cut(reference, "#")
	if path == "" && hasSymbol {
		switch found := declaring(symbol); len(found) {
		case 1:
			path = found[0]
		case 0:
			return "", problem.Problem{Message: fmt.Sprintf("unknown symbol %q in Kubernetes %s", symbol, Version), Cure: nearSymbol(symbol)}
		default:
			return "", problem.Problem{Message: fmt.Sprintf("symbol %q is in %d files of Kubernetes %s", symbol, len(found), Version),
				Cure: "write which one: k8s:" + strings.Join(found[:min(3, len(found))], "#"+symbol+", k8s:") + "#" + symbol}
		}
	}
	base := "https://github.com/kubernetes/kubernetes/blob/" + Version + "/" + path
	symbols, ok := symbolsOf(path)
	if !ok {
		return "", problem.Problem{
			Message: fmt.Sprintf("unknown file %q in Kubernetes %s", path, Version),
			Cure:    fileCure(path, symbol),
		}
	}
	if !hasSymbol {
		return base, nil
	}
	at, ok := symbols[symbol]
	if !ok {
		names := make([]string, 0, len(symbols))
		for name := range symbols {
			names = append(names, name)
		}
		cure := problem.DidYouMean(symbol, names)
		if problem.Nearest(symbol, names) == "" {
			if other := holding(symbol); other != "" {
				cure = fmt.Sprintf("it is in %s", other)
			}
		}
		return "", problem.Problem{Message: fmt.Sprintf("unknown symbol %q in %s of Kubernetes %s", symbol, path, Version), Cure: cure}
	}
	return fmt.Sprintf("%s#L%d-L%d", base, at.first, at.last), nil
}

// Title says in words what is at an address of Link's.
func Title(address string) string {
	_, file, _ := strings.Cut(address, "/blob/"+Version+"/")
	file, _, _ = strings.Cut(file, "#")
	return "kubernetes/kubernetes " + Version + " " + file
}

func fileCure(path, symbol string) string {
	if other := holding(symbol); symbol != "" && other != "" {
		return fmt.Sprintf("%s is in %s", symbol, other)
	}
	// Among ten thousand paths only those with the same file name, or in the
	// same folder, are worth comparing.
	folder, file := path[:strings.LastIndexByte(path, '/')+1], path[strings.LastIndexByte(path, '/')+1:]
	var near []string
	_, files := table()
	for p := range files {
		if strings.HasPrefix(p, folder) && folder != "" || strings.HasSuffix(p, "/"+file) {
			near = append(near, p)
		}
	}
	if best := problem.Nearest(path, near); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "paths start at the root of kubernetes/kubernetes: pkg/controller/replicaset/replica_set.go"
}

// holding returns the one file that declares the symbol, or "".
func holding(symbol string) string {
	if found := declaring(symbol); len(found) == 1 {
		return found[0]
	}
	return ""
}

// nearSymbol suggests one of all that there are.
func nearSymbol(symbol string) string {
	text, _ := table()
	var names []string
	for line := range strings.Lines(text) {
		if fields := strings.SplitN(line, "\t", 3); len(fields) == 3 && strings.EqualFold(fields[1][:1], symbol[:min(1, len(symbol))]) {
			names = append(names, fields[1])
		}
	}
	if near := problem.Nearest(symbol, slices.Compact(names)); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "write k8s:FILE#SYMBOL; a method is Type.Method"
}

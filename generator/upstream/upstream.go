// Package upstream knows where Kubernetes' functions and types stand in the
// release that the book describes, so that a chapter links to a symbol and not
// to a line that somebody counted.
//
// symbols-VERSION.tsv.gz holds path, symbol, first and last line, taken from
// the release's source. A link to a symbol that is not in it fails the build.
package upstream

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
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

// table is path → symbol → lines. It is read on first use.
var table = sync.OnceValue(func() map[string]map[string]lines {
	out := map[string]map[string]lines{}
	zipped, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		panic(fmt.Sprintf("upstream: symbol table: %v", err))
	}
	scanner := bufio.NewScanner(zipped)
	for scanner.Scan() {
		fields := strings.Split(scanner.Text(), "\t")
		if len(fields) != 4 {
			continue
		}
		first, err1 := strconv.Atoi(fields[2])
		last, err2 := strconv.Atoi(fields[3])
		if err1 != nil || err2 != nil {
			panic("upstream: symbol table: no line numbers in " + scanner.Text())
		}
		if out[fields[0]] == nil {
			out[fields[0]] = map[string]lines{}
		}
		out[fields[0]][fields[1]] = lines{first, last}
	}
	if err := scanner.Err(); err != nil {
		panic(fmt.Sprintf("upstream: symbol table: %v", err))
	}
	return out
})

// Link returns the address of "path#Symbol", or of a whole file for "path", in
// the source on GitHub. The error is a problem.Problem without a place.
func Link(reference string) (string, error) {
	path, symbol, hasSymbol := strings.Cut(reference, "#")
	base := "https://github.com/kubernetes/kubernetes/blob/" + Version + "/" + path
	symbols, ok := table()[path]
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
				cure = fmt.Sprintf("it stands in %s", other)
			}
		}
		return "", problem.Problem{Message: fmt.Sprintf("unknown symbol %q in %s of Kubernetes %s", symbol, path, Version), Cure: cure}
	}
	return fmt.Sprintf("%s#L%d-L%d", base, at.first, at.last), nil
}

func fileCure(path, symbol string) string {
	if other := holding(symbol); symbol != "" && other != "" {
		return fmt.Sprintf("%s stands in %s", symbol, other)
	}
	// Among ten thousand paths only those with the same file name, or in the
	// same folder, are worth comparing.
	folder, file := path[:strings.LastIndexByte(path, '/')+1], path[strings.LastIndexByte(path, '/')+1:]
	var near []string
	for p := range table() {
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
	found := ""
	for path, symbols := range table() {
		if _, ok := symbols[symbol]; ok {
			if found != "" {
				return ""
			}
			found = path
		}
	}
	return found
}

// Package source puts the control plane's own Go files on the site, coloured,
// so that a reader can open the line behind an event's call stack.
package source

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/output"
	"kubewalk/generator/render/highlight"
)

// Folder is where they are on the site: source/playground/controlplane/store/store.go.json.gz.
const Folder = "source"

// named is a file as call stacks name it.
var named = regexp.MustCompile(`(?:playground|wasm)/[a-z0-9_/]+\.go`)

// Named are the files on the site that a text names, such as a recording's call stacks. Not all of them need be there.
func Named(text []byte) (files []string) {
	for _, file := range named.FindAll(text, -1) {
		files = append(files, Folder+"/"+string(file)+".json"+compressed.Ext)
	}
	return files
}

// Page is one file.
type Page struct {
	File string `json:"file"` // as call stacks name it: "playground/controlplane/store/store.go"
	// Lines are classes and texts by turns: ["hl-keyword", "func", "", " main() {"]. The page makes its nodes of them, and
	// parses no HTML (Trusted Types).
	Lines [][]string `json:"lines"`
}

// Pages are the files of one process: their text doesn't change between builds,
// since a change of the code restarts it. The zero value is ready to use.
type Pages struct{ known map[string][]byte }

// checks are what tries the control plane out from outside: no call stack of a cluster has them.
const checks = "check"

// Put adds a page for each Go file below dir ("playground") of the project,
// but for tests, for checks, for files without functions, and for modules of their own.
func (p *Pages) Put(tree *output.Tree, root, dir string) error {
	if p.known == nil {
		known := map[string][]byte{}
		if err := read(known, root, dir); err != nil {
			return err
		}
		p.known = known
	}
	for name, data := range p.known {
		tree.Put(name, data)
	}
	return nil
}

func read(into map[string][]byte, root, dir string) error {
	return filepath.WalkDir(filepath.Join(root, dir), func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(full, "go.mod")); err == nil || d.Name() == "testdata" || full == filepath.Join(root, dir, checks) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(d.Name(), ".go") || strings.HasSuffix(d.Name(), "_test.go") {
			return nil
		}
		text, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		if !bytes.Contains(text, []byte("func")) {
			return nil // no call stack leads there
		}
		relative, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(relative)
		var data bytes.Buffer
		encoder := json.NewEncoder(&data)
		encoder.SetEscapeHTML(false) // it is never part of a page: "<" need not be six signs
		if err := encoder.Encode(Page{name, lines(string(text))}); err != nil {
			return err
		}
		into[Folder+"/"+name+".json"+compressed.Ext] = compressed.Gzip(data.Bytes())
		return nil
	})
}

func lines(text string) [][]string {
	tokens := highlight.Tokens("go", text)
	out := make([][]string, len(tokens))
	for i, line := range tokens {
		out[i] = make([]string, 0, 2*len(line))
		for _, token := range line {
			out[i] = append(out[i], token.Class, token.Text)
		}
	}
	return out
}

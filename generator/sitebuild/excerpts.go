package sitebuild

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/a-h/templ"

	"kubewalk/generator/book/excerpt"
	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/build/source"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/highlight"
	"kubewalk/site/pages"
)

// files are the project's files that chapters show parts of. Each is read once a
// build. The zero value is ready to use.
type files struct {
	mu   sync.Mutex
	read map[string]*projectFile
}

type projectFile struct {
	text   []byte
	digest uint64
	err    error
}

// file reads a file of the project, and of nothing outside.
func (b *build) file(name string) *projectFile {
	b.files.mu.Lock()
	defer b.files.mu.Unlock()
	known := b.files.read[name]
	if known == nil {
		known = b.readFile(name)
		if b.files.read == nil {
			b.files.read = map[string]*projectFile{}
		}
		b.files.read[name] = known
	}
	return known
}

func (b *build) readFile(name string) *projectFile {
	root, err := os.OpenRoot(b.options.Root)
	if err != nil {
		return &projectFile{err: err}
	}
	defer root.Close()
	var text []byte
	info, err := root.Stat(filepath.FromSlash(name))
	switch {
	case err != nil:
	case regularfile.Kind(info.Mode()) != "":
		err = problem.Problem{Message: fmt.Sprintf("%q is %s", name, regularfile.Kind(info.Mode())), Cure: "show a file of text"}
	case info.Size() > regularfile.MostText:
		err = problem.Problem{Message: fmt.Sprintf("file %q has %d bytes, more than %d", name, info.Size(), regularfile.MostText), Cure: "show a smaller file"}
	default:
		text, err = root.ReadFile(filepath.FromSlash(name))
	}
	var known problem.Problem
	switch {
	case errors.As(err, &known):
	case errors.Is(err, fs.ErrNotExist):
		err = problem.Problem{Message: fmt.Sprintf("no file %q in the project", name), Cure: b.nearFile(root, name)}
	case err != nil && outOf(b.options.Root, name):
		err = problem.Problem{Message: fmt.Sprintf("file %q leads out of the project by a symbolic link", name), Cure: "put a copy of the file in the project"}
	case err != nil:
		err = problem.Problem{Message: fmt.Sprintf("file %q cannot be read", name), Cure: strings.TrimSpace(err.Error())}
	case leadsToHidden(b.options.Root, name):
		text, err = nil, problem.Problem{Message: fmt.Sprintf("file %q is a symbolic link to a file whose name begins with a dot", name), Cure: hiddenCure}
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		err = problem.Problem{Message: fmt.Sprintf("file %q is not a text file", name), Cure: "show a file of text, in UTF-8"}
	}
	hash := fnv.New64a()
	hash.Write(text)
	return &projectFile{text, hash.Sum64(), err}
}

const hiddenCure = "such files are not for readers: they may hold passwords, or a repository's history"

// leadsToHidden tells whether a file is another one by a symbolic link, which a reference
// may not name.
func leadsToHidden(root, name string) bool {
	inside, ok := realPath(root, name)
	return !ok || regularfile.Hidden(inside)
}

// outOf tells whether a file that there is lies outside.
func outOf(root, name string) bool {
	inside, ok := realPath(root, name)
	return ok && !filepath.IsLocal(inside)
}

// realPath is a file's path below the root, with no symbolic link in it.
func realPath(root, name string) (inside string, ok bool) {
	folder, err := filepath.Abs(root)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return "", false
	}
	full, err := filepath.EvalSymlinks(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		return "", false
	}
	inside, err = filepath.Rel(folder, full)
	return inside, err == nil
}

// nearFile suggests a file of the nearest folder that there is.
func (b *build) nearFile(root *os.Root, name string) string {
	folder := path.Dir(name)
	entries, err := fs.ReadDir(root.FS(), folder)
	for err != nil && folder != "." {
		name, folder = folder, path.Dir(folder)
		entries, err = fs.ReadDir(root.FS(), folder)
	}
	var names []string
	for _, entry := range entries {
		if regularfile.Hidden(entry.Name()) {
			continue
		}
		names = append(names, path.Join(folder, entry.Name()))
	}
	if near := problem.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "name it from the root of the project: playground/controlplane/workqueue/queue.go"
}

// Excerpt is a piece of a file of the project.
func (b *build) Excerpt(r excerpt.Reference, doc bool) (*excerpt.Excerpt, error) {
	file := b.file(r.File)
	if file.err != nil {
		return nil, file.err
	}
	return excerpt.Of(r, file.text, doc)
}

// Source is the page of a file that chapters show parts of.
func (b *build) Source(file string, line int) (string, bool) {
	return b.Page(sourcePath(file)) + "#" + pages.LineAnchor(line), true
}

func sourcePath(file string) string { return "/" + source.Folder + "/" + file + "/" }

// sourcePages are the pages of all files that chapters show parts of. They are in
// the book's first language; search engines are led to the chapters instead.
func (b *build) sourcePages() (out []drawing) {
	language := b.book.Site.Languages[0].Code
	for _, file := range b.included() {
		text := b.file(file).text
		page := &pages.Source{Page: b.bare(language), File: file, Lines: highlight.Block(languageOf(file), string(text))}
		page.Path, page.Title, page.Description, page.NoIndex, page.Listings = sourcePath(file), file, file, true, true
		out = append(out, drawing{name: fileOf(page.Path), value: page, template: func() templ.Component { return pages.SourcePage(page) }})
	}
	return out
}

func languageOf(file string) string {
	if language := strings.TrimPrefix(path.Ext(file), "."); highlight.Known(language) {
		return language
	}
	return highlight.Plain
}

// included are the files that chapters show parts of, sorted.
func (b *build) included() (out []string) {
	for _, p := range b.pages {
		out = append(out, p.Document.Files...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Files are the files that the chapters of the last build show parts of, relative
// to the project's root. They may be outside of the content, and may not be there.
func (k *Cache) Files() []string { return k.included }

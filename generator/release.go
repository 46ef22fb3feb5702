package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"kubewalk/generator/build/output"
	"kubewalk/generator/format/epub"
	"kubewalk/generator/format/portable"
	"kubewalk/generator/publish/archive"
	"kubewalk/generator/sitebuild"
	"kubewalk/site/pages"
)

// release writes the book as files to hand out: an EPUB for each language, and
// the site as a zip, in the form that opens from a folder. The site itself is left in .cache/release for who prints it
// (site/release/pdf.mjs): make release does both.
func release(ctx context.Context, p *place, f flags, _ []string, out io.Writer) error {
	o, books := options(p, f), map[string][]byte{}
	o.Warned = warnings(out)
	var err error
	if o.Date, err = sourceDate(); err != nil {
		return err
	}
	name := ""
	o.Books = func(language string, book *epub.Book) error {
		var written bytes.Buffer
		if err := book.Write(&written); err != nil {
			return err
		}
		name = cmp.Or(name, fileName(book.Title)) // of the first language
		books[language] = written.Bytes()
		return epub.Check(written.Bytes())
	}
	tree, err := sitebuild.Build(ctx, o, new(sitebuild.Cache))
	if err != nil {
		return err
	}
	if err := tree.Write(filepath.Join(p.root, ".cache", "release")); err != nil {
		return err
	}
	dir := cmp.Or(f.out, "release")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := map[string][]byte{}
	for language, data := range books {
		files[name+"-"+language+".epub"] = data
	}
	folder, err := portable.Make(tree, sitePrefix(f.base), func(language string) string {
		words, ok := pages.WordsOf(language)
		if !ok {
			words, _ = pages.WordsOf("en")
		}
		return words.Unserved
	})
	if err != nil {
		return err
	}
	if files[name+"-site.zip"], err = zipped(folder); err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		full := filepath.Join(dir, file)
		if err := os.WriteFile(full, files[file], 0o644); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s (%.1f MB)\n", filepath.ToSlash(full), float64(len(files[file]))/1e6)
	}
	return nil
}

// sitePrefix is the path of the site's address: what addresses in its pages begin with.
func sitePrefix(base string) string {
	u, err := url.Parse(strings.TrimSuffix(base, "/"))
	if err != nil {
		return "" // the build has said so
	}
	return u.Path
}

// sourceDate is the time that a reproducible build is told
// (https://reproducible-builds.org/specs/source-date-epoch/); zero without one.
func sourceDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH %q is not a number of seconds", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// fileName is a title as the beginning of a file's name: "kubewalk".
func fileName(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return cmp.Or(strings.Join(words, "-"), "book")
}

// zipped is a site in one file.
func zipped(tree *output.Tree) ([]byte, error) {
	var files []archive.File
	for _, name := range tree.Paths() {
		data, _ := tree.Get(name)
		files = append(files, archive.File{Name: name, Data: data})
	}
	return archive.Zip(files...)
}

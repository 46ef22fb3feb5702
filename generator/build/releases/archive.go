package releases

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/source"
	"kubewalk/generator/problem"
)

// releaseFile says which release an archive is.
const releaseFile = "release.json"

// What an archive may hold at most: several times what a large book's does.
const (
	mostBytes   = 512 << 20
	mostFiles   = 50_000
	mostRelease = 1 << 20 // of release.json
)

// folders are those that a release has, besides the file embed.js.
var folders = []string{headers.Assets, headers.Demos, headers.Embed, source.Folder}

// Write makes the archive of a release.
func (r *Release) Write(w io.Writer, files *output.Tree) error {
	z := zip.NewWriter(w)
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	put := func(name string, data []byte) error {
		entry, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = entry.Write(data)
		}
		return err
	}
	if err := put(releaseFile, append(text, '\n')); err != nil {
		return err
	}
	for _, name := range files.Paths() {
		data, _ := files.Get(name)
		if err := put(name, data); err != nil {
			return err
		}
	}
	return z.Close()
}

// Read reads the archive of a release: what it says of itself, and its files. What is wrong with it is a problem of the file.
func Read(file string, archive []byte) (*Release, *output.Tree, error) {
	r, files, err := read(archive)
	if err != nil {
		cure := "get the archive anew from where you keep it, or make one with kubewalk keep; without it, links that were made with that release open in today's"
		if errors.Is(err, zip.ErrFormat) {
			err = errors.New("file is no zip, or a part of it is missing")
		}
		return nil, nil, problem.Problem{File: file, Message: err.Error(), Cure: cure}
	}
	return r, files, nil
}

func read(archive []byte) (*Release, *output.Tree, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, nil, err
	}
	if len(z.File) > mostFiles {
		return nil, nil, fmt.Errorf("archive has %d files, more than %d", len(z.File), mostFiles)
	}
	var r *Release
	files, room := output.NewTree(), int64(mostBytes)
	for _, f := range z.File {
		if f.Name == releaseFile && r == nil {
			text, err := contents(f, mostRelease)
			if err != nil {
				return nil, nil, err
			}
			if r, err = parse(text); err != nil {
				return nil, nil, err
			}
			continue
		}
		if err := check(f, files); err != nil {
			return nil, nil, err
		}
		data, err := contents(f, room)
		if err != nil {
			return nil, nil, err
		}
		room -= int64(len(data))
		files.Put(f.Name, data)
	}
	if r == nil {
		return nil, nil, fmt.Errorf("archive has no %s, so it is no release", releaseFile)
	}
	if id := r.id(files); id != r.ID {
		return nil, nil, fmt.Errorf("archive is not whole: it says that it is release %s, and its files are those of %s", r.ID, id)
	}
	for _, name := range files.Paths() {
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			if files.Has(folder) {
				return nil, nil, fmt.Errorf("archive has both a file and a folder %q", folder)
			}
		}
	}
	for demo := range r.Engines { // order: any of those that are missing is told
		for _, language := range r.Languages {
			if page := pageOf(demo, language, r.Languages); !files.Has(page) {
				return nil, nil, fmt.Errorf("archive has no %s", page)
			}
		}
	}
	return r, files, nil
}

// parse reads release.json.
func parse(text []byte) (*Release, error) {
	r := &Release{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", releaseFile, err)
	}
	for _, engine := range r.Engines { // order: any that is wrong is told
		if !isID.MatchString(engine) {
			return nil, fmt.Errorf("%s: engine %q is not 8 hexadecimal digits", releaseFile, engine)
		}
	}
	switch {
	case !isID.MatchString(r.ID):
		return nil, fmt.Errorf("%s: id %q is not 8 hexadecimal digits", releaseFile, r.ID)
	case !isDate.MatchString(r.Date):
		return nil, fmt.Errorf("%s: date %q is not one such as 2026-11-25", releaseFile, r.Date)
	case len(r.Languages) == 0 || len(r.Engines) == 0:
		return nil, fmt.Errorf("%s names no languages, or no demos", releaseFile)
	}
	return r, nil
}

// isName is the name of a file as builds make them; none begins with a dot.
var isName = regexp.MustCompile(`^[\pL\pN_][\pL\pN\pM_.+@~-]*$`)

// check refuses what no build has put into an archive.
func check(f *zip.File, files *output.Tree) error {
	top, rest, _ := strings.Cut(f.Name, "/")
	ours := f.Name == headers.EmbedScript || slices.Contains(folders, top) && rest != ""
	for part := range strings.SplitSeq(f.Name, "/") {
		ours = ours && isName.MatchString(part)
	}
	switch {
	case !ours || !fs.ValidPath(f.Name) || path.Clean(f.Name) != f.Name:
		return fmt.Errorf("archive has a file %q, which no release has", f.Name)
	case !f.Mode().IsRegular():
		return fmt.Errorf("%q in the archive is no regular file", f.Name)
	case files.Has(f.Name):
		return fmt.Errorf("archive has the file %q twice", f.Name)
	}
	return nil
}

// contents unpacks a file that may have so many bytes.
func contents(f *zip.File, most int64) ([]byte, error) {
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("archive holds more than a release may: with %s it has more than %d MB", f.Name, mostBytes>>20)
	}
	return data, nil
}

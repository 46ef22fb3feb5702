// Package embedded is what an installed kubewalk brings along, so that it builds
// a book where there is neither Go nor Node nor this project: styles, scripts and
// the control plane as WebAssembly, all of them made, and the pages of source
// code that call stacks lead to.
//
// They are an archive in the program itself. `kubewalk pack` makes the archive
// and compiles a generator around it, with the build tag "embedded"; a generator
// that was compiled otherwise carries nothing.
package embedded

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/output"
)

// Names in the archive.
const (
	setFile       = "set.json"
	assetsFolder  = "assets/"
	sourcesFolder = "sources/"
)

// ArchiveFile is where the archive is to be found when a generator is compiled
// with the tag, below the project's root. It is not in the repository.
const ArchiveFile = "generator/build/embedded/archive.zip"

// Theme is what a site is made of besides the book. Files are never to be changed.
type Theme struct {
	set     assets.Set
	assets  []file
	sources []file
}

type file struct {
	name string
	data []byte
}

// Open returns what this program carries; ok is false when it carries nothing.
func Open() (s *Theme, ok bool) {
	if len(archive) == 0 {
		return nil, false
	}
	s, err := read(archive)
	if err != nil {
		panic("embedded: " + err.Error()) // Write made it
	}
	return s, true
}

// Assets puts the assets into the tree. They are those of production, for the
// development server as well.
func (s *Theme) Assets(tree *output.Tree, _ assets.Options) (*assets.Set, error) {
	put(tree, s.assets)
	set := s.set
	return &set, nil
}

// WasmHash is that of the WebAssembly by which a demo is run (assets.Set).
func (s *Theme) WasmHash(cel bool) string { return s.set.Hash(cel) }

// Sources puts the pages of source code into the tree.
func (s *Theme) Sources(tree *output.Tree) error {
	put(tree, s.sources)
	return nil
}

func put(tree *output.Tree, files []file) {
	for _, f := range files {
		tree.Put(f.name, f.data)
	}
}

// Write makes an archive. The same files make the same bytes.
func Write(w io.Writer, set *assets.Set, made, sources *output.Tree) error {
	archive := zip.NewWriter(w)
	list, err := json.Marshal(set)
	if err != nil {
		return err
	}
	files := append([]file{{setFile, list}}, under(assetsFolder, made)...)
	files = append(files, under(sourcesFolder, sources)...)
	for _, f := range files {
		// Stored as they are: the program is mapped into memory, and a build takes
		// the files from there without unpacking anything.
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Store})
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return archive.Close()
}

func under(folder string, tree *output.Tree) (out []file) {
	for _, name := range tree.Paths() {
		data, _ := tree.Get(name)
		out = append(out, file{folder + name, data})
	}
	return out
}

func read(archive []byte) (*Theme, error) {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	s := &Theme{}
	for _, f := range files.File {
		begin, err := f.DataOffset()
		if err != nil {
			return nil, err
		}
		if f.Method != zip.Store {
			return nil, fmt.Errorf("%s is not stored as it is", f.Name)
		}
		end := begin + int64(f.UncompressedSize64)
		data := archive[begin:end:end]
		switch {
		case f.Name == setFile:
			if err := json.Unmarshal(data, &s.set); err != nil {
				return nil, err
			}
		case strings.HasPrefix(f.Name, assetsFolder):
			s.assets = append(s.assets, file{strings.TrimPrefix(f.Name, assetsFolder), data})
		case strings.HasPrefix(f.Name, sourcesFolder):
			s.sources = append(s.sources, file{strings.TrimPrefix(f.Name, sourcesFolder), data})
		default:
			return nil, fmt.Errorf("%s is in no folder that is known", f.Name)
		}
	}
	return s, nil
}

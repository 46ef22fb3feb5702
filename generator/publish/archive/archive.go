// Package archive writes archives of which the same files make the same bytes, on every machine: no times, owners or
// orders of folders get in.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/generator/build/compressed"
)

// File is a file of an archive. Programs may be run.
type File struct {
	Name    string
	Data    []byte
	Program bool
}

func (f File) mode() int64 {
	if f.Program {
		return 0o755
	}
	return 0o644
}

// epoch is the time of all files: the first one that zip knows.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// TarGz is an archive for Unix, with the files in the given order.
func TarGz(files ...File) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.Name, Mode: f.mode(), Size: int64(len(f.Data)), ModTime: epoch, Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return compressed.Gzip(out.Bytes()), nil
}

// Zip is an archive for Windows and for people, with the files in the given order.
func Zip(files ...File) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: epoch}
		header.SetMode(fs.FileMode(f.mode()))
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.Data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// Sums are the checksums of files by name, as `sha256sum --check` reads them.
func Sums(files map[string][]byte) []byte {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	return []byte(out.String())
}

package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"kubewalk/generator/build/compressed"
)

var files = []File{{"kubewalk", []byte(strings.Repeat("program ", 1000)), true}, {"LICENSE", []byte("a licence"), false}}

// check compares what is in an archive with files.
func check(t *testing.T, i int, name string, mode int64, year int, r io.Reader) {
	t.Helper()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	wanted := int64(0o644)
	if files[i].Program {
		wanted = 0o755
	}
	if name != files[i].Name || !bytes.Equal(data, files[i].Data) || mode != wanted || year != 1980 {
		t.Errorf("file %d is %s, %o, of %d, %d bytes", i, name, mode, year, len(data))
	}
}

func TestTarGz(t *testing.T) {
	made, err := TarGz(files...)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := TarGz(files...); err != nil || !bytes.Equal(made, again) {
		t.Errorf("the same files make other bytes, %v", err)
	}
	plain, err := compressed.Gunzip(made)
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(bytes.NewReader(plain))
	for i := range files {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Uname != "" || h.Gname != "" {
			t.Errorf("it is somebody's: %+v", h)
		}
		check(t, i, h.Name, h.Mode, h.ModTime.UTC().Year(), r)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("there is more: %v", err)
	}
}

func TestZip(t *testing.T) {
	made, err := Zip(files...)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Zip(files...); err != nil || !bytes.Equal(made, again) {
		t.Errorf("the same files make other bytes, %v", err)
	}
	r, err := zip.NewReader(bytes.NewReader(made), int64(len(made)))
	if err != nil || len(r.File) != len(files) {
		t.Fatal(err, r)
	}
	for i, f := range r.File {
		data, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		check(t, i, f.Name, int64(f.Mode().Perm()), f.Modified.UTC().Year(), data)
	}
}

func TestSums(t *testing.T) {
	if got, want := string(Sums(map[string][]byte{"b": []byte("2"), "a": []byte("1")})),
		fmt.Sprintf("%x  a\n%x  b\n", sha256.Sum256([]byte("1")), sha256.Sum256([]byte("2"))); got != want {
		t.Errorf("%s", got)
	}
}

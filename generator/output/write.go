package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A folder is only ever replaced when it is one that a build made: its headers
// file begins with this line.
const (
	Marker     = "# Written by the generator of Kubewalk: the next build replaces this folder.\n"
	MarkerFile = "_headers"
)

// Write puts the tree in the place of the folder: it is written beside it, then
// both are swapped. When anything fails the folder is what it was before.
func (t *Tree) Write(dir string) (err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if err := replaceable(dir); err != nil {
		return err
	}
	if marker, ok := t.Get(MarkerFile); !ok || !bytes.HasPrefix(marker, []byte(Marker)) {
		panic("output: tree has no " + MarkerFile + " that begins with the marker")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh) // what is left of it
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	for _, name := range t.Paths() {
		file := filepath.Join(fresh, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		data, _ := t.Get(name)
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return swap(fresh, dir)
}

// swap puts fresh in dir's place and removes what was there.
func swap(fresh, dir string) error {
	old := fresh + "-old"
	err := os.Rename(dir, old)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(fresh, dir)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}

// replaceable refuses folders that no build made.
func replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	marker, err := os.ReadFile(filepath.Join(dir, MarkerFile))
	if err != nil || !bytes.HasPrefix(marker, []byte(Marker)) {
		return fmt.Errorf("folder %s holds files that no build wrote: give another one with --out, or remove it yourself", dir)
	}
	return nil
}

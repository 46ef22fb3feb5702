package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// outFolder refuses folders in whose place no site may go: a build replaces the folder.
func outFolder(dir string, p *place, content string) error {
	real, err := realPath(dir)
	if err != nil {
		return err
	}
	const cure = "give a folder of its own with --out, such as --out public"
	home, _ := os.UserHomeDir()
	for _, kept := range []struct{ what, folder string }{
		{"the content folder " + filepath.ToSlash(content), content}, {"the project's folder", p.root}, {"your home folder", home},
	} {
		if kept.folder == "" {
			continue
		}
		folder, err := realPath(kept.folder)
		if err != nil {
			return err
		}
		switch {
		case sameFolder(real, folder):
			return fmt.Errorf("--out %s is %s, which a build would replace (%s)", dir, kept.what, cure)
		case within(folder, real):
			return fmt.Errorf("--out %s contains %s, which a build would replace (%s)", dir, kept.what, cure)
		case kept.folder == content && within(real, folder):
			return fmt.Errorf("--out %s is inside %s, which a build reads (%s)", dir, kept.what, cure)
		}
	}
	return nil
}

// realPath is a path without symbolic links, of which the end need not be there.
func realPath(name string) (string, error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(full)
	if parent := filepath.Dir(full); errors.Is(err, fs.ErrNotExist) && parent != full {
		above, err := realPath(parent)
		return filepath.Join(above, filepath.Base(full)), err
	}
	return real, err
}

// within tells whether a folder is inside another one, also where names differ in case
// or by what is mounted.
func within(inner, outer string) bool {
	for parent := filepath.Dir(inner); parent != inner; inner, parent = parent, filepath.Dir(parent) {
		if sameFolder(parent, outer) {
			return true
		}
	}
	return false
}

func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	two, erring := os.Stat(b)
	return err == nil && erring == nil && os.SameFile(one, two)
}

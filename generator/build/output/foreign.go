package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// others are the files in a folder that no build wrote, or that somebody changed since
// and that the site does not have any more; folders before what is in them.
type others []other

type other struct {
	name string // with slashes
	mode fs.FileMode
}

// foreign finds what is not the build's in a folder. The error is where the site has a
// file of its own: nobody can have both.
func foreign(dir string, before manifest, t *Tree) (others, error) {
	ours, folders := parents(before), map[string]bool{}
	for _, name := range t.Paths() {
		addParents(folders, name)
	}
	refuse := func(name, what string) error {
		return fmt.Errorf("%s was not written by a build, and %s: move it out of the folder, or give another one with --out; nothing was changed",
			filepath.Join(dir, filepath.FromSlash(name)), what)
	}
	var out others
	err := filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && full == dir {
			return filepath.SkipAll
		}
		if err != nil {
			return fmt.Errorf("%w: a build has to read all that it carries over: make it readable, or give another folder with --out", err)
		}
		relative, err := filepath.Rel(dir, full)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(relative)
		if name == "." || name == ManifestFile && d.Type().IsRegular() || d.IsDir() && (ours[name] || folders[name]) {
			return nil
		}
		wrote, listed := before[name]
		switch {
		case listed && d.Type().IsRegular() && t.Has(name):
			return nil
		case listed && d.Type().IsRegular():
			same, err := wrote.is(full)
			if same || err != nil {
				return err
			}
		case d.IsDir() && t.Has(name):
			return refuse(name, "the site has a file in the place of that folder")
		case t.Has(name):
			return refuse(name, "the site has a file of that name")
		}
		if !d.IsDir() && folders[name] {
			return refuse(name, "the site has a folder of that name")
		}
		for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
			if t.Has(parent) {
				return refuse(name, "the site has a file in the place of its folder")
			}
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out = append(out, other{name, info.Mode()})
		return nil
	})
	return out, err
}

// is tells whether a file is what was written.
func (e entry) is(full string) (bool, error) {
	info, err := os.Lstat(full)
	if err != nil || info.Size() != int64(e.Size) {
		return false, err
	}
	data, err := os.ReadFile(full)
	return err == nil && Hash(data) == e.Hash, err
}

func parents(m manifest) map[string]bool {
	out := map[string]bool{}
	for name := range m {
		addParents(out, name)
	}
	return out
}

func addParents(to map[string]bool, name string) {
	for parent := path.Dir(name); parent != "." && parent != "/" && !to[parent]; parent = path.Dir(parent) {
		to[parent] = true
	}
}

// carry puts them into a fresh folder as well. A file has two names then, so nothing is
// copied, whatever a repository weighs, and nothing is missing whenever the build ends.
func (o others) carry(dir, fresh string) error {
	var folders []other
	for _, each := range o {
		from, to := filepath.Join(dir, filepath.FromSlash(each.name)), filepath.Join(fresh, filepath.FromSlash(each.name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		var err error
		switch {
		case each.mode.IsDir():
			err = os.Mkdir(to, 0o755)
			folders = append(folders, each)
		case each.mode&fs.ModeSymlink != 0:
			var target string
			if target, err = os.Readlink(from); err == nil {
				err = os.Symlink(target, to)
			}
		default:
			err = link(from, to, each.mode)
		}
		if err != nil && !isFull(err) {
			err = fmt.Errorf("%s was not written by a build, and cannot be carried over (%w): "+
				"move it out of the folder, or give another one with --out; nothing was changed", from, err)
		}
		if err != nil {
			return err
		}
	}
	for i := len(folders) - 1; i >= 0; i-- { // a folder may not be writable
		if err := os.Chmod(filepath.Join(fresh, filepath.FromSlash(folders[i].name)), folders[i].mode.Perm()); err != nil {
			return err
		}
	}
	return nil
}

// link gives a file a second name; where the system has no such thing, it is copied.
func link(from, to string, mode fs.FileMode) error {
	err := os.Link(from, to)
	unsupported := errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EMLINK)
	if !unsupported || !mode.IsRegular() {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := writeFile(to, data, mode.Perm()); err != nil {
		return err
	}
	return errors.Join(os.Chmod(to, mode.Perm()), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// clearOld removes a folder that was in the place of dir: what a build wrote there, and
// what is in dir as well. What came into it while the build was at work goes over.
func clearOld(old, dir string, before manifest) error {
	if old == "" {
		return nil
	}
	left, err := clearFolder(old, dir, ".", before)
	if err == nil && len(left) == 0 { // last, for the next build to go on by it should this one be killed
		if err := os.Remove(filepath.Join(old, ManifestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.Remove(old)
	}
	if err == nil {
		return fmt.Errorf("%s changed while the site was written: %s is as it was before in %s, which is yours to look at and to remove",
			dir, strings.Join(left[:min(len(left), 3)], ", "), old)
	}
	return err
}

func clearFolder(old, dir, inside string, before manifest) (left []string, err error) {
	folder := filepath.Join(old, inside)
	if err := writable(folder); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := filepath.Join(inside, e.Name())
		from, to := filepath.Join(old, name), filepath.Join(dir, name)
		_, wrote := before[filepath.ToSlash(name)]
		var kept []string
		switch {
		case name == ManifestFile:
		case e.IsDir():
			kept, err = clearFolder(old, dir, name, before)
		case wrote && e.Type().IsRegular() || same(from, to):
			err = os.Remove(from)
		default:
			if _, missing := os.Lstat(to); !errors.Is(missing, fs.ErrNotExist) {
				kept = []string{filepath.ToSlash(name)}
				break
			}
			if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
				err = os.Rename(from, to)
			}
		}
		if err != nil {
			return nil, err
		}
		left = append(left, kept...)
	}
	if len(left) > 0 || inside == "." {
		return left, nil
	}
	return nil, os.Remove(folder)
}

// writable lets a folder be emptied whose mode forbids it: it is to go.
func writable(folder string) error {
	info, err := os.Lstat(folder)
	if err == nil && info.Mode().Perm()&0o700 != 0o700 {
		err = os.Chmod(folder, info.Mode().Perm()|0o700)
	}
	return err
}

// same tells whether two names are of one file, or of two that hold the same.
func same(a, b string) bool {
	one, err := os.Lstat(a)
	if err != nil {
		return false
	}
	two, err := os.Lstat(b)
	switch {
	case err != nil || one.Mode().Type() != two.Mode().Type():
		return false
	case os.SameFile(one, two):
		return true
	case one.Mode()&fs.ModeSymlink != 0:
		first, err := os.Readlink(a)
		second, erring := os.Readlink(b)
		return err == nil && erring == nil && first == second
	case !one.Mode().IsRegular() || one.Size() != two.Size():
		return false
	}
	first, err := os.ReadFile(a)
	if err != nil {
		return false
	}
	second, err := os.ReadFile(b)
	return err == nil && bytes.Equal(first, second)
}

// clearLeft removes what a build that was killed left beside dir. A folder that is no
// build's, whatever its name, stays.
func clearLeft(folder, dir string) error {
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return nil
	}
	if info, err := os.Lstat(filepath.Join(folder, unfinished)); err == nil && info.Mode().IsRegular() {
		return removeAll(folder)
	}
	before, err := readManifest(folder)
	if err != nil {
		_ = os.Remove(folder) // an empty one: the build was killed before it wrote anything
		return nil
	}
	if _, err := os.Lstat(dir); err != nil {
		return nil // nothing says that it was replaced
	}
	return clearOld(folder, dir, before)
}

// removeAll is os.RemoveAll of an unfinished folder, also of what is not writable in it.
// What says that it is unfinished goes last.
func removeAll(folder string) error {
	_ = filepath.WalkDir(folder, func(full string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return writable(full)
		}
		return err
	})
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if e.Name() != unfinished {
			if err := os.RemoveAll(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(folder)
}

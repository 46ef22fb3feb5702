package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// A folder is only ever replaced when it is one that a build made: its headers
// file begins with this line.
const (
	Marker     = "# Written by the generator of Kubewalk: the next build replaces this folder.\n"
	MarkerFile = "_headers"
)

// Write puts the tree in the place of the folder: it is written beside it, then
// both are swapped in one step. Whatever ends it before (an error, a full disk, the
// end of the process), the folder is what it was; after that it is the tree. What a
// build that was killed left beside the folder goes with the next one.
func (t *Tree) Write(dir string) (err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if err := recoverLeft(dir); err != nil {
		return err
	}
	if err := replaceable(dir); err != nil {
		return err
	}
	if marker, ok := t.Get(MarkerFile); !ok || !bytes.HasPrefix(marker, []byte(Marker)) {
		panic("output: tree has no " + MarkerFile + " that begins with the marker")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return full(err, "", dir)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), freshPrefix(dir))
	if err != nil {
		return full(err, "", dir)
	}
	defer os.RemoveAll(fresh)                    // what is left of it, or what was in its place before
	if release, err := hold(fresh); err == nil { // some file systems know no locks
		defer release()
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	if err := t.writeFiles(fresh); err != nil {
		return full(err, fresh, dir)
	}
	return swap(fresh, dir)
}

// full says that a disk has no room left, if that is the error, and for what: the
// system names a file in a folder that is gone by then.
func full(err error, fresh, dir string) error {
	var at *fs.PathError
	isFull := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		runtime.GOOS == "windows" && errors.Is(err, syscall.Errno(112)) // ERROR_DISK_FULL
	if !isFull || !errors.As(err, &at) {
		return err
	}
	name, inside := strings.CutPrefix(at.Path, fresh+string(filepath.Separator))
	if fresh == "" || !inside {
		name = filepath.Base(dir)
	}
	return fmt.Errorf("file %s: the disk is full: %w (make room, or name a folder on another disk with --out; %s is as it was)", filepath.ToSlash(name), at.Err,
		dir)
}

// writeFile is os.WriteFile, but for tests of disks that are full.
var writeFile = os.WriteFile

// writeFiles writes all files, several at once.
func (t *Tree) writeFiles(into string) error {
	names := t.Paths()
	made := map[string]bool{}
	for _, name := range names {
		if folder := path.Dir(name); !made[folder] {
			made[folder] = true
			if err := os.MkdirAll(filepath.Join(into, filepath.FromSlash(folder)), 0o755); err != nil {
				return err
			}
		}
	}
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var running sync.WaitGroup
	for range min(len(names), runtime.GOMAXPROCS(0)) {
		running.Go(func() {
			var room []byte
			for i := int(next.Add(1)) - 1; i < len(names) && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				data, _ := t.GetInto(&room, names[i])
				if err := writeFile(filepath.Join(into, filepath.FromSlash(names[i])), data, 0o644); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	running.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func freshPrefix(dir string) string { return "." + filepath.Base(dir) + "-new-" }

// away ends the name of a folder that was renamed to make room.
const away = "-old"

// recoverLeft ends what builds began that were killed: it removes what they wrote
// beside the folder, and puts the folder back should one have died while it was away.
func recoverLeft(dir string) error {
	left, err := filepath.Glob(filepath.Join(escape(filepath.Dir(dir)), escape(freshPrefix(dir))+"*"))
	if err != nil {
		return err
	}
	for _, folder := range left {
		release, err := hold(strings.TrimSuffix(folder, away))
		if err != nil {
			continue // a build that is at work has it
		}
		release()
		if _, err := os.Lstat(dir); strings.HasSuffix(folder, away) && errors.Is(err, fs.ErrNotExist) {
			if err := os.Rename(folder, dir); err != nil {
				return err
			}
			continue
		}
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	return nil
}

// escape has a name stand for itself in a pattern.
func escape(name string) string {
	if runtime.GOOS == "windows" {
		return name // there, patterns have no escapes
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// swap puts fresh in dir's place, and what was there in fresh's, or beside it when
// the system cannot exchange folders.
func swap(fresh, dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(fresh, dir)
	}
	err := exchange(fresh, dir)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := os.Rename(dir, fresh+away); err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return errors.Join(err, os.Rename(fresh+away, dir))
	}
	return os.RemoveAll(fresh + away)
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
		return fmt.Errorf("folder %s contains files that no build wrote: give another one with --out, or remove it yourself", dir)
	}
	return nil
}

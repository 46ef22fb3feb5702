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

// The headers file of every site begins with this line.
const (
	Marker     = "# Written by the generator of Kubewalk: the next build replaces this file.\n"
	MarkerFile = "_headers"
)

// Write puts the tree in the place of the folder: it is written beside it, then
// both are swapped in one step. Whatever ends it before (an error, a full disk, the
// end of the process), the folder is what it was; after that it is the tree. What a
// build that was killed left beside the folder goes with the next one.
//
// Of the folder that was there only goes what a build wrote, by its manifest. All
// other files (CNAME, .git, a worktree) are in the new folder as well before the swap,
// so they are there at every moment.
func (t *Tree) Write(dir string) (err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("folder %s is a symbolic link to nothing: make the folder that it names, or give another one with --out", dir)
	}
	if err := recoverLeft(dir); err != nil {
		return err
	}
	before, err := manifestOf(dir)
	if err != nil {
		return err
	}
	others, err := foreign(dir, before, t)
	if err != nil {
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
	written := false
	defer func() { // what is left of it; what was in its place before is cleared with more care
		if !written {
			_ = removeAll(fresh)
		}
	}()
	if release, err := hold(fresh); err == nil { // some file systems know no locks
		defer release()
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(fresh, unfinished), nil, 0o644); err != nil {
		return full(err, fresh, dir)
	}
	made, err := t.writeFiles(fresh)
	if err != nil {
		return full(err, fresh, dir)
	}
	if err := others.carry(dir, fresh); err != nil {
		return full(err, fresh, dir)
	}
	if err := made.write(fresh); err != nil {
		return full(err, fresh, dir)
	}
	if err := os.Remove(filepath.Join(fresh, unfinished)); err != nil {
		return err
	}
	old, err := swap(fresh, dir)
	if err != nil {
		return err
	}
	written = true
	return clearOld(old, dir, before)
}

// full says that a disk has no room left, if that is the error, and for what: the
// system names a file in a folder that is gone by then.
func full(err error, fresh, dir string) error {
	var at *fs.PathError
	var of *os.LinkError
	if !isFull(err) {
		return err
	}
	path, cause := "", err
	if errors.As(err, &at) {
		path, cause = at.Path, at.Err
	} else if errors.As(err, &of) {
		path, cause = of.New, of.Err
	}
	name, inside := strings.CutPrefix(path, fresh+string(filepath.Separator))
	if fresh == "" || !inside {
		name = filepath.Base(dir)
	}
	return fmt.Errorf("file %s: the disk is full: %w (make room, or name a folder on another disk with --out; %s is as it was)", filepath.ToSlash(name), cause,
		dir)
}

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		runtime.GOOS == "windows" && errors.Is(err, syscall.Errno(112)) // ERROR_DISK_FULL
}

// writeFile is os.WriteFile, but for tests of disks that are full.
var writeFile = os.WriteFile

// writeFiles writes all files, several at once, and returns what they are.
func (t *Tree) writeFiles(into string) (manifest, error) {
	names := t.Paths()
	made := map[string]bool{}
	for _, name := range names {
		if folder := path.Dir(name); !made[folder] {
			made[folder] = true
			if err := os.MkdirAll(filepath.Join(into, filepath.FromSlash(folder)), 0o755); err != nil {
				return nil, err
			}
		}
	}
	written := make([]entry, len(names))
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var running sync.WaitGroup
	for range min(len(names), runtime.GOMAXPROCS(0)) {
		running.Go(func() {
			var room []byte
			for i := int(next.Add(1)) - 1; i < len(names) && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				data, _ := t.GetInto(&room, names[i])
				written[i] = entryOf(data)
				if err := writeFile(filepath.Join(into, filepath.FromSlash(names[i])), data, 0o644); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	running.Wait()
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	out := manifest{}
	for i, name := range names {
		out[name] = written[i]
	}
	return out, nil
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
		if err := clearLeft(folder, dir); err != nil {
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

// swap puts fresh in dir's place. old is where what was there is now: in fresh's
// place, or beside it when the system cannot exchange folders; "" when there was none.
func swap(fresh, dir string) (old string, err error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", os.Rename(fresh, dir)
	}
	err = exchange(fresh, dir)
	if !errors.Is(err, errors.ErrUnsupported) {
		return fresh, err
	}
	if err := os.Rename(dir, fresh+away); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return "", errors.Join(err, os.Rename(fresh+away, dir))
	}
	return fresh + away, nil
}

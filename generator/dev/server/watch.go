package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long it has to be quiet after a save: editors write a file in
// several steps. The first of them empties it, or writes another beside it, whose
// name says nothing: then it is longer.
const (
	settle     = 3 * time.Millisecond
	settleHalf = 40 * time.Millisecond
)

// Watcher notices saves from the moment on at which it is made.
type Watcher struct{ files *fsnotify.Watcher }

// NewWatcher watches all files below the folders. Folders that appear later are
// watched as well.
func NewWatcher(folders []string) (*Watcher, error) {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if _, err := add(files, folder); err != nil {
			files.Close()
			return nil, err
		}
	}
	return &Watcher{files}, nil
}

// Also watches the folders of single files, which may be anywhere. A folder that is
// not there yet is passed over.
func (w *Watcher) Also(files []string) {
	for _, f := range files {
		_ = w.files.Add(filepath.Dir(f))
	}
}

// Run calls changed with the files that were written, made or removed, until the
// context ends. A change that comes while changed runs is told afterwards.
func (w *Watcher) Run(ctx context.Context, changed func(files []string)) {
	watcher := w.files
	defer watcher.Close()
	pending := map[string]bool{}
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	patient := false // the longer time was waited
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-watcher.Errors:
			// Events were lost: whatever it was, look at everything again.
			if err != nil {
				pending[""] = true
				timer.Reset(settle)
			}
		case event := <-watcher.Events:
			if ignored(event.Name) || event.Op == fsnotify.Chmod {
				continue
			}
			pending[filepath.ToSlash(event.Name)] = true
			if event.Has(fsnotify.Create) {
				// Files may have come with the folder, before it was watched.
				if files, err := add(watcher, event.Name); err == nil {
					for _, f := range files {
						pending[filepath.ToSlash(f)] = true
					}
				}
			}
			timer.Reset(settle)
		case <-timer.C:
			if !patient && anyHalf(pending) {
				patient = true
				timer.Reset(settleHalf)
				continue
			}
			patient = false
			files := make([]string, 0, len(pending))
			for f := range pending {
				files = append(files, f)
			}
			clear(pending)
			changed(files)
		}
	}
}

// anyHalf tells whether a file looks half written: there is nothing in it, or it has no
// extension.
func anyHalf(files map[string]bool) bool {
	for f := range files {
		if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() && (info.Size() == 0 || filepath.Ext(f) == "") {
			return true
		}
	}
	return false
}

// add watches a folder and all below it, and returns the files in them.
func add(watcher *fsnotify.Watcher, root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if name != root && ignored(name) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return watcher.Add(name)
		}
		files = append(files, name)
		return nil
	})
	return files, err
}

// ignored are what editors and tools leave beside the files.
func ignored(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(base, ".") && base != ".well-known" || strings.HasSuffix(base, "~") || strings.HasPrefix(base, "#") ||
		base == "4913" || base == "node_modules" || base == "testdata"
}

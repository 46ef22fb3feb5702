// Package history tells when each file of a folder was last changed, and by
// which commit, from git.
//
// What it does not know it does not say: a file that git does not track, that
// differs from what was committed, or whose last change lies behind the end of a
// shallow clone has no date. Neither has any file where there is no git, or no
// repository. The clock and the files' own times are never asked, so a commit
// gives the same dates wherever it is built.
package history

import (
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Change is a commit that changed a file.
type Change struct {
	Time time.Time // when its author made it, in UTC
	Hash string    // the commit, in full
}

// Files are the last changes of a folder's files. The zero value knows none.
type Files struct{ last map[string]Change }

// Last is the last change of a file, which is named relative to the folder, with
// slashes. ok is false when it is not known.
func (f Files) Last(file string) (c Change, ok bool) {
	c, ok = f.last[file]
	return c, ok
}

// Of reads the history of a folder. An error is git's own, about a repository
// that is there; the dates are only for show, so a build can go on without them.
func Of(dir string) (Files, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return Files{}, nil
	}
	r, ok := open(git, dir)
	if !ok {
		return Files{}, nil
	}
	// Both walk the folder: at the same time.
	type answer struct {
		changed map[string]bool
		err     error
	}
	uncommitted := make(chan answer, 1)
	go func() {
		changed, err := r.uncommitted()
		uncommitted <- answer{changed, err}
	}()
	committed, err := r.committed()
	now := <-uncommitted
	if err == nil {
		err = now.err
	}
	if err != nil {
		return Files{}, err
	}
	files := Files{last: make(map[string]Change, len(committed))}
	for name, change := range committed {
		if !now.changed[name] {
			files.last[name] = change
		}
	}
	return files, nil
}

// known keeps what was read of a commit: it never changes.
var known struct {
	sync.Mutex
	key   string
	files map[string]Change
}

// committed is the last change of each file of HEAD.
func (r *repository) committed() (map[string]Change, error) {
	dir, err := filepath.Abs(r.dir)
	if err != nil {
		return nil, err
	}
	key := r.head + " " + dir
	known.Lock()
	defer known.Unlock()
	if known.key == key {
		return known.files, nil
	}
	files, err := r.read()
	if err == nil {
		known.key, known.files = key, files
	}
	return files, err
}

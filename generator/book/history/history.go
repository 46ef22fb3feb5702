// Package history tells when each file of a folder was first committed and when it
// was last changed, and by which commits, from git. A file that was renamed within
// the folder, in a commit that left it as it was, began under its old name.
//
// What it does not know it does not say: a file that git does not track, that
// differs from what was committed, or whose last change lies behind the end of a
// shallow clone has no date; one that was changed since that end, but was there
// before, has a last change and no first. Neither has any file where there is no
// git, or no repository. The clock and the files' own times are never asked, so a
// commit gives the same dates wherever the whole history is there.
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

// Life is what is known of a file.
type Life struct {
	First Change // the commit that added it; zero when that is not known
	Last  Change
}

// Files are the lives of a folder's files. The zero value knows none.
type Files struct{ lives map[string]Life }

// First is the commit that added a file, which is named as for Last. ok is false
// when it is not known.
func (f Files) First(file string) (c Change, ok bool) {
	c = f.lives[file].First
	return c, c.Hash != ""
}

// Last is the last change of a file, which is named relative to the folder, with
// slashes. ok is false when it is not known.
func (f Files) Last(file string) (c Change, ok bool) {
	life, ok := f.lives[file]
	return life.Last, ok
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
	files := Files{lives: make(map[string]Life, len(committed))}
	for name, life := range committed {
		if !now.changed[name] {
			files.lives[name] = life
		}
	}
	return files, nil
}

// known keeps what was read of a commit: it never changes.
var known struct {
	sync.Mutex
	key   string
	files map[string]Life
}

// committed is the life of each file of HEAD.
func (r *repository) committed() (map[string]Life, error) {
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

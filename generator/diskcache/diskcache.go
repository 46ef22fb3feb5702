// Package diskcache keeps what took long to make, on disk from one build to the next:
// demos, pictures, cards, diagrams, formulas.
//
// A cache is a folder that may be removed at any time. A thing is found by its name
// and by a key that says all that it is made of, besides the program. A file that is not as it was written is
// none, and one that cannot be written is made again the next time: a cache never
// makes a build fail. Several processes may use one at once.
//
// What nobody asked for in a month is thrown away, as the go command does it with
// its build cache (src/cmd/go/internal/cache/cache.go, Trim).
package diskcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// unused is how long a thing stays that nobody asks for.
	unused = 30 * 24 * time.Hour
	// noted is how exactly it is known when a thing was asked for, and how often
	// what is unused is looked for.
	noted = 24 * time.Hour

	sweptFile = ".swept"
)

// Cache is a folder. The zero value keeps nothing.
type Cache struct {
	Dir string
	// Versions is how many things of one name stay; 0 is any number.
	Versions int
	// Any tells that what another program made is taken as well: the key says how it
	// is made.
	Any bool
}

// Get reads a thing into what a pointer points to, and tells whether it was there.
// Names are parts of file names.
func (c Cache) Get(name, key string, into any) bool {
	if c.Dir == "" {
		return false
	}
	file := c.file(name, key)
	data, err := os.ReadFile(file)
	if err != nil || len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return false
	}
	if gob.NewDecoder(bytes.NewReader(data[sha256.Size:])).Decode(into) != nil {
		return false
	}
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > noted {
		now := time.Now()
		_ = os.Chtimes(file, now, now)
	}
	return true
}

// Put writes a thing, and removes what there is too much of.
func (c Cache) Put(name, key string, thing any) {
	if c.Dir == "" || os.MkdirAll(c.Dir, 0o755) != nil {
		return
	}
	var data bytes.Buffer
	data.Write(make([]byte, sha256.Size))
	if gob.NewEncoder(&data).Encode(thing) != nil {
		return
	}
	sum := sha256.Sum256(data.Bytes()[sha256.Size:])
	copy(data.Bytes(), sum[:])
	fresh, err := os.CreateTemp(c.Dir, "."+name+"-")
	if err != nil {
		return
	}
	_, err = fresh.Write(data.Bytes())
	if closing := fresh.Close(); err != nil || closing != nil || os.Rename(fresh.Name(), c.file(name, key)) != nil {
		_ = os.Remove(fresh.Name())
		return
	}
	c.limit(name)
	c.sweep()
}

func (c Cache) file(name, key string) string {
	if !c.Any {
		key = program() + "\x00" + key
	}
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(c.Dir, name+"."+hex.EncodeToString(sum[:12])+".gob")
}

// limit removes those of a name that were asked for longest ago.
func (c Cache) limit(name string) {
	if c.Versions == 0 {
		return
	}
	type version struct {
		file string
		used time.Time
	}
	var versions []version
	files, _ := os.ReadDir(c.Dir)
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), name+".") {
			continue
		}
		if info, err := f.Info(); err == nil {
			versions = append(versions, version{f.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(versions, func(a, b version) int { return b.used.Compare(a.used) })
	for i := c.Versions; i < len(versions); i++ {
		_ = os.Remove(filepath.Join(c.Dir, versions[i].file))
	}
}

// sweep removes what is unused, whoever put it there; once a day at most.
func (c Cache) sweep() {
	mark := filepath.Join(c.Dir, sweptFile)
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()) < noted {
		return
	}
	if os.WriteFile(mark, nil, 0o644) != nil {
		return
	}
	now := time.Now()
	_ = os.Chtimes(mark, now, now)
	files, err := os.ReadDir(c.Dir)
	if err != nil {
		return
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > unused {
			_ = os.Remove(filepath.Join(c.Dir, f.Name()))
		}
	}
}

// program is the hash of what runs: the one thing that surely changes with its code.
// It is something else in each process where the program cannot be read.
var program = sync.OnceValue(func() string {
	if name, err := os.Executable(); err == nil {
		if data, err := os.ReadFile(name); err == nil {
			sum := sha256.Sum256(data)
			return hex.EncodeToString(sum[:])
		}
	}
	return time.Now().String()
})

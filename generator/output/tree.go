// Package output holds a site before anybody sees it: a tree of files in memory.
//
// A build fills a tree, the tree is checked, and only then it is written (build)
// or served (serve). So a failed build never leaves half a site behind.
package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// Tree is a site's files by path, with slashes and without one in front:
// "en/index.html". Several may put files at once. A tree is not changed any more
// once it is served.
type Tree struct {
	mu    sync.RWMutex
	files map[string][]byte
	later map[string]func() []byte // files that nobody has asked for yet have no data
}

// NewTree returns an empty tree.
func NewTree() *Tree { return &Tree{files: map[string][]byte{}, later: map[string]func() []byte{}} }

// Put adds a file. Two files of the same path are a broken invariant.
func (t *Tree) Put(name string, data []byte) {
	if name == "" || path.Clean("/" + name)[1:] != name {
		panic(fmt.Sprintf("output: path %q is not clean", name))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.files[name]; ok {
		panic(fmt.Sprintf("output: %q is written twice", name))
	}
	t.files[name] = data
}

// PutLater adds a file that is made when somebody asks for it. It has to follow
// from other files of the tree: Changed doesn't look at it.
func (t *Tree) PutLater(name string, make func() []byte) {
	t.Put(name, nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.later[name] = sync.OnceValue(make)
}

// Later tells whether a file is made when somebody asks for it.
func (t *Tree) Later(name string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.later[name] != nil
}

// PutHashed adds a file whose name holds a hash of its content, so that it may
// be cached for ever: "assets/page.css" becomes "assets/page-3f9a1c04b2.css". It returns
// that path. The same content twice is one file.
func (t *Tree) PutHashed(name string, data []byte) string {
	ext := path.Ext(name)
	hashed := strings.TrimSuffix(name, ext) + "-" + Hash(data) + ext
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[hashed] = data // what is there is the same
	return hashed
}

// Hash is a short name for content.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:10]
}

// Has tells whether there is a file.
func (t *Tree) Has(name string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, ok := t.files[name]
	return ok
}

// Get returns a file.
func (t *Tree) Get(name string) ([]byte, bool) {
	t.mu.RLock()
	data, ok := t.files[name]
	make := t.later[name]
	t.mu.RUnlock()
	if make != nil {
		data = make()
	}
	return data, ok
}

// Paths lists all files in order.
func (t *Tree) Paths() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]string, 0, len(t.files))
	for name := range t.files {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Add adds all files of another tree.
func (t *Tree) Add(other *Tree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.Copy(t.files, other.files)
	maps.Copy(t.later, other.later)
}

// Remove takes files away again.
func (t *Tree) Remove(names ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range names {
		delete(t.files, name)
		delete(t.later, name)
	}
}

// Over is the tree, with the files of another that it lacks.
func (t *Tree) Over(other *Tree) *Tree {
	out := NewTree()
	out.Add(other)
	for name := range t.files {
		delete(out.later, name)
	}
	out.Add(t)
	return out
}

// Changed are the files that differ from those of an earlier tree, new and removed
// ones among them, in order. Files that nobody has asked for yet follow from others.
func (t *Tree) Changed(since *Tree) []string {
	var out []string
	for name, data := range t.files {
		before, ok := since.files[name]
		same := ok && len(before) == len(data) && (unsafe.SliceData(before) == unsafe.SliceData(data) || bytes.Equal(before, data))
		if !same && t.later[name] == nil {
			out = append(out, name)
		}
	}
	for name := range since.files {
		if _, ok := t.files[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

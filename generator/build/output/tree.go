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

	"kubewalk/generator/build/compressed"
)

// Tree is a site's files by path, with slashes and without one in front:
// "en/index.html". Several may put files at once. A tree is not changed any more
// once it is served.
type Tree struct {
	mu    sync.RWMutex
	files map[string]file
}

// file has its bytes in one piece, in several, or when somebody asks for them.
type file struct {
	data   []byte
	pieces [][]byte // shared with other files
	later  func() []byte
}

// NewTree returns an empty tree.
func NewTree() *Tree { return &Tree{files: map[string]file{}} }

// Put adds a file. Two files of the same path are a broken invariant.
func (t *Tree) Put(name string, data []byte) { t.put(name, file{data: data}) }

// PutPieces adds a file that is made of pieces, most of which are parts of other
// files as well: what all pages hold is there once.
func (t *Tree) PutPieces(name string, pieces [][]byte) { t.put(name, file{pieces: pieces}) }

// PutLater adds a file that is made when somebody asks for it. It has to follow
// from other files of the tree: Changed doesn't look at it.
func (t *Tree) PutLater(name string, make func() []byte) {
	t.put(name, file{later: sync.OnceValue(make)})
}

func (t *Tree) put(name string, f file) {
	if name == "" || path.Clean("/" + name)[1:] != name {
		panic(fmt.Sprintf("output: path %q is not clean", name))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.files[name]; ok {
		panic(fmt.Sprintf("output: %q is written twice", name))
	}
	t.files[name] = f
}

// Later tells whether a file is made when somebody asks for it.
func (t *Tree) Later(name string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.files[name].later != nil
}

// PutHashed adds a file whose name holds a hash of its content, so that it may
// be cached for ever: "assets/page.css" becomes "assets/page-3f9a1c04b2.css". It returns
// that path. The same content twice is one file. "a.json.gz" becomes "a-3f9a1c04b2.json.gz".
func (t *Tree) PutHashed(name string, data []byte) string {
	ext := path.Ext(name)
	if ext == compressed.Ext || ext == compressed.ZstdExt {
		ext = path.Ext(strings.TrimSuffix(name, ext)) + ext
	}
	hashed := strings.TrimSuffix(name, ext) + "-" + Hash(data) + ext
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[hashed] = file{data: data} // what is there is the same
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

// Get returns a file. Its bytes are not to be changed.
func (t *Tree) Get(name string) (data []byte, ok bool) { return t.GetInto(new([]byte), name) }

// GetInto is Get with room for a file that has to be put together, for one file
// after the other.
func (t *Tree) GetInto(room *[]byte, name string) (data []byte, ok bool) {
	f, ok := t.file(name)
	return f.bytes(room), ok
}

// Identity is the same for a file of two trees only when its bytes are the same;
// nil when that is not known without looking at them.
func (t *Tree) Identity(name string) *byte {
	f, _ := t.file(name)
	return f.identity()
}

func (t *Tree) file(name string) (file, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	f, ok := t.files[name]
	return f, ok
}

func (f file) bytes(room *[]byte) []byte {
	switch {
	case f.later != nil:
		return f.later()
	case f.pieces != nil:
		*room = slices.Grow((*room)[:0], f.size())
		for _, p := range f.pieces {
			*room = append(*room, p...)
		}
		return *room
	}
	return f.data
}

// identity: no two files begin with the same piece of memory, since what pages
// share is not where they begin.
func (f file) identity() *byte {
	if len(f.pieces) > 0 {
		return unsafe.SliceData(f.pieces[0])
	}
	return unsafe.SliceData(f.data)
}

func (f file) size() (n int) {
	for _, p := range f.pieces {
		n += len(p)
	}
	return n + len(f.data)
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
}

// Remove takes files away again.
func (t *Tree) Remove(names ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range names {
		delete(t.files, name)
	}
}

// Over is the tree, with the files of another that it lacks.
func (t *Tree) Over(other *Tree) *Tree {
	out := NewTree()
	out.Add(other)
	out.Add(t)
	return out
}

// Changed are the files that differ from those of an earlier tree, new and removed
// ones among them, in order. Files that nobody has asked for yet follow from others.
func (t *Tree) Changed(since *Tree) []string {
	var out []string
	for name, f := range t.files {
		before, ok := since.files[name]
		switch {
		case f.later != nil:
		case !ok || before.later != nil || before.size() != f.size():
			out = append(out, name)
		case before.identity() != f.identity() && !bytes.Equal(before.bytes(new([]byte)), f.bytes(new([]byte))):
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

package cache

import (
	"slices"
	"strings"
)

// mostInChunk is how many entries lie in one piece: what comes in between moves
// no more than these, however many there are.
const mostInChunk = 256

// item is an object in an indexer, with the values under which each index has
// it. A change of the object alone moves no entry.
type item struct {
	key    string
	obj    any
	values [][]string // parallel to indexer.indexes
}

// entries are items in the order of their keys. Lists are read far more often
// than objects come and go, so they are kept ready.
type entries struct {
	chunks [][]*item // none is empty; each key is before those of the next
	n      int
}

// chunkOf is the number of the chunk that a key is in, or belongs into.
func (e *entries) chunkOf(key string) int {
	lo, hi := 1, len(e.chunks) // the first may be empty, on its way
	for lo < hi {
		if mid := (lo + hi) / 2; e.chunks[mid][0].key <= key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return max(lo-1, 0)
}

func byKey(i *item, key string) int { return strings.Compare(i.key, key) }

// set adds an item, in place of one that has its key.
func (e *entries) set(entry *item) {
	if len(e.chunks) == 0 {
		e.chunks = [][]*item{nil}
	}
	at := e.chunkOf(entry.key)
	c := e.chunks[at]
	if len(c) > 0 && len(c) < mostInChunk && at == len(e.chunks)-1 && c[len(c)-1].key < entry.key { // in order, as from a list
		e.chunks[at] = append(c, entry)
		e.n++
		return
	}
	i, found := slices.BinarySearchFunc(c, entry.key, byKey)
	if found {
		c[i] = entry
		return
	}
	e.n++
	if len(c) == mostInChunk {
		half := mostInChunk / 2
		if i == mostInChunk && at == len(e.chunks)-1 {
			half = mostInChunk // they come in order, as from a list: no chunk stays half empty
		}
		next := append(make([]*item, 0, mostInChunk), c[half:]...)
		clear(c[half:])
		e.chunks[at] = c[:half]
		e.chunks = slices.Insert(e.chunks, at+1, next)
		if i >= half {
			at, i = at+1, i-half
		}
	}
	e.chunks[at] = slices.Insert(e.chunks[at], i, entry)
}

func (e *entries) cut(key string) {
	if e.n == 0 {
		return
	}
	at := e.chunkOf(key)
	i, found := slices.BinarySearchFunc(e.chunks[at], key, byKey)
	if !found {
		return
	}
	e.n--
	if e.chunks[at] = slices.Delete(e.chunks[at], i, i+1); len(e.chunks[at]) == 0 {
		e.chunks = slices.Delete(e.chunks, at, at+1)
	}
}

// list copies the objects; of none, too, it makes a list.
func (e *entries) list() []any {
	if e == nil {
		return []any{}
	}
	out := make([]any, 0, e.n)
	for _, c := range e.chunks {
		for _, entry := range c {
			out = append(out, entry.obj)
		}
	}
	return out
}

// inNamespace are the entries whose keys begin with the namespace, or have none.
func (e *entries) inNamespace(namespace string) *entries {
	if namespace == "" {
		var out entries
		e.each(func(entry *item) {
			if !strings.Contains(entry.key, "/") {
				out.set(entry)
			}
		})
		return &out
	}
	c, i := e.search(namespace + "/")
	d, j := e.search(namespace + "0") // the first after all that begin with "namespace/"
	var out entries
	for ; c < len(e.chunks) && c <= d; c, i = c+1, 0 {
		chunk := e.chunks[c][i:]
		if c == d {
			chunk = e.chunks[c][i:j]
		}
		if len(chunk) > 0 {
			out.chunks = append(out.chunks, chunk)
			out.n += len(chunk)
		}
	}
	return &out
}

// search is the place of the first entry that does not come before a key: its chunk, and where it is in there.
func (e *entries) search(key string) (chunk, i int) {
	if e.n == 0 {
		return 0, 0
	}
	chunk = e.chunkOf(key)
	if i, _ = slices.BinarySearchFunc(e.chunks[chunk], key, byKey); i == len(e.chunks[chunk]) {
		return chunk + 1, 0
	}
	return chunk, i
}

// namespaces are those that the keys begin with.
func (e *entries) namespaces() []string {
	var out []string
	e.each(func(entry *item) {
		namespace, _, found := strings.Cut(entry.key, "/")
		if !found {
			namespace = ""
		}
		if !slices.Contains(out, namespace) {
			out = append(out, namespace)
		}
	})
	slices.Sort(out)
	return out
}

// names copies the keys.
func (e *entries) names() []string {
	if e == nil {
		return nil
	}
	out := make([]string, 0, e.n)
	e.each(func(entry *item) { out = append(out, entry.key) })
	return out
}

// each calls f for every entry, in order.
func (e *entries) each(f func(*item)) {
	if e == nil {
		return
	}
	for _, c := range e.chunks {
		for _, entry := range c {
			f(entry)
		}
	}
}

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

// names copies the keys.
func (e *entries) names() []string {
	out := make([]string, 0, e.n)
	e.each(func(entry *item) { out = append(out, entry.key) })
	return out
}

// each calls f for every entry, in order.
func (e *entries) each(f func(*item)) {
	for _, c := range e.chunks {
		for _, entry := range c {
			f(entry)
		}
	}
}

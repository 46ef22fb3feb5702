package cache

import "slices"

// mostInChunk is how many entries lie in one piece: what comes in between moves
// no more than these, however many there are.
const mostInChunk = 256

// entries are objects in the order of their keys. Lists are read far more often
// than objects change, so they are kept ready.
type entries struct {
	chunks []chunk // none is empty; each key is before those of the next
	n      int
}

// chunk is a piece of entries.
type chunk struct {
	keys []string
	objs []any // parallel to keys
}

// chunkOf is the number of the chunk that a key is in, or belongs into.
func (e *entries) chunkOf(key string) int {
	lo, hi := 1, len(e.chunks) // the first may be empty, on its way
	for lo < hi {
		if mid := (lo + hi) / 2; e.chunks[mid].keys[0] <= key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return max(lo-1, 0)
}

func (e *entries) set(key string, obj any) {
	if len(e.chunks) == 0 {
		e.chunks = []chunk{{}}
	}
	at := e.chunkOf(key)
	c := &e.chunks[at]
	i, found := slices.BinarySearch(c.keys, key)
	if found {
		c.objs[i] = obj
		return
	}
	e.n++
	if len(c.keys) == mostInChunk {
		half := mostInChunk / 2
		if i == mostInChunk && at == len(e.chunks)-1 {
			half = mostInChunk // they come in order, as from a list: no chunk stays half empty
		}
		next := chunk{append(make([]string, 0, mostInChunk), c.keys[half:]...), append(make([]any, 0, mostInChunk), c.objs[half:]...)}
		clear(c.keys[half:])
		clear(c.objs[half:])
		c.keys, c.objs = c.keys[:half], c.objs[:half]
		e.chunks = slices.Insert(e.chunks, at+1, next)
		if i >= half {
			at, i = at+1, i-half
		}
		c = &e.chunks[at]
	}
	c.keys, c.objs = slices.Insert(c.keys, i, key), slices.Insert(c.objs, i, obj)
}

func (e *entries) cut(key string) {
	if e.n == 0 {
		return
	}
	at := e.chunkOf(key)
	c := &e.chunks[at]
	i, found := slices.BinarySearch(c.keys, key)
	if !found {
		return
	}
	e.n--
	c.keys, c.objs = slices.Delete(c.keys, i, i+1), slices.Delete(c.objs, i, i+1)
	if len(c.keys) == 0 {
		e.chunks = slices.Delete(e.chunks, at, at+1)
	}
}

// list copies the objects; of none, too, it makes a list.
func (e *entries) list() []any {
	if e == nil {
		return []any{}
	}
	out := make([]any, 0, e.n)
	for i := range e.chunks {
		out = append(out, e.chunks[i].objs...)
	}
	return out
}

// names copies the keys.
func (e *entries) names() []string {
	out := make([]string, 0, e.n)
	for i := range e.chunks {
		out = append(out, e.chunks[i].keys...)
	}
	return out
}

// each calls f for every entry, in order.
func (e *entries) each(f func(key string, obj any)) {
	for i := range e.chunks {
		for j, key := range e.chunks[i].keys {
			f(key, e.chunks[i].objs[j])
		}
	}
}

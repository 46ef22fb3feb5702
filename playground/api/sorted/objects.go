// Package sorted holds API objects in the order of their keys, "namespace/name" or "name", which is the order of etcd's paths.
//
// It is what the store, the API server's watch caches and the informers' caches are made of. In a cluster of 150,000 Pods there are
// seven of them, so an object costs 40 bytes in each, and neither a key nor a hash is made for it. Objects come in order, most of them,
// since they come from lists.
package sorted

import (
	"slices"
	"strings"

	"kubewalk/playground/api"
)

// mostInChunk is how many items lie in one piece: what comes in between moves
// no more than these, however many there are.
const mostInChunk = 256

// Item is the place of an object. Objects that hold the same items see a change of its object together.
type Item struct{ Object api.Object }

// Key is "namespace/name", or "name" for what has no namespace.
func (i *Item) Key() string { return Key(i.Object.GetNamespace(), i.Object.GetName()) }

// Key joins a namespace and a name.
func Key(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// Objects are items in the order of their keys. The zero value holds none.
type Objects struct {
	spaces []space // none is empty
	n      int
	room   []Item // for those that Put makes
}

// space is the items of one namespace.
type space struct {
	namespace string
	chunks    []chunk // none is empty; all names are before those of the next
	n         int
}

// chunk is some items, beside their names: a search reads the names alone.
type chunk struct {
	names []string
	items []*Item
}

// Reserve makes room for so many items that Put will make.
func (o *Objects) Reserve(n int) { o.room = make([]Item, n) }

// Len is how many items there are.
func (o *Objects) Len() int {
	if o == nil {
		return 0
	}
	return o.n
}

// Get is the item of that name, nil if there is none.
func (o *Objects) Get(namespace, name string) *Item {
	at, found := o.space(namespace)
	if !found {
		return nil
	}
	s := &o.spaces[at]
	c := &s.chunks[s.chunkOf(name)]
	if i, found := slices.BinarySearch(c.names, name); found {
		return c.items[i]
	}
	return nil
}

// Find is Get by the key.
func (o *Objects) Find(key string) *Item {
	namespace, name, found := strings.Cut(key, "/")
	if !found {
		namespace, name = "", key
	}
	return o.Get(namespace, name)
}

// Put adds an object that is not there yet, and returns its item.
func (o *Objects) Put(obj api.Object) *Item {
	if len(o.room) == 0 {
		o.room = make([]Item, 1)
	}
	item := &o.room[0]
	o.room = o.room[1:]
	item.Object = obj
	o.Share(item)
	return item
}

// Share adds an item that others hold, too, in place of one that has its name.
func (o *Objects) Share(item *Item) {
	namespace, name := item.Object.GetNamespace(), item.Object.GetName()
	at, found := o.space(namespace)
	if !found {
		o.spaces = slices.Insert(o.spaces, at, space{namespace: namespace})
	}
	if o.spaces[at].set(name, item) {
		o.n++
	}
}

// Cut takes away the item of that name.
func (o *Objects) Cut(namespace, name string) {
	at, found := o.space(namespace)
	if !found || !o.spaces[at].cut(name) {
		return
	}
	o.n--
	if o.spaces[at].n == 0 {
		o.spaces = slices.Delete(o.spaces, at, at+1)
	}
}

// Each calls f for every item, in order.
func (o *Objects) Each(f func(*Item)) {
	if o == nil {
		return
	}
	for i := range o.spaces {
		for _, c := range o.spaces[i].chunks {
			for _, item := range c.items {
				f(item)
			}
		}
	}
}

// In are the items of a namespace, nil if there are none. They are good until these change.
func (o *Objects) In(namespace string) *Objects {
	at, found := o.space(namespace)
	if !found {
		return nil
	}
	return &Objects{spaces: o.spaces[at : at+1 : at+1], n: o.spaces[at].n}
}

// Namespaces are those in which there are items, sorted by their names.
func (o *Objects) Namespaces() []string {
	var out []string
	for i := range o.spaces {
		out = append(out, o.spaces[i].namespace)
	}
	slices.Sort(out)
	return out
}

// Clone copies the items, too.
func (o *Objects) Clone() *Objects {
	out := &Objects{}
	out.Reserve(o.n)
	o.Each(func(item *Item) { out.Put(item.Object) })
	return out
}

// space is where a namespace is, or belongs.
func (o *Objects) space(namespace string) (at int, found bool) {
	if len(o.spaces) == 1 && o.spaces[0].namespace == namespace {
		return 0, true
	}
	return slices.BinarySearchFunc(o.spaces, namespace, func(s space, namespace string) int { return compare(s.namespace, namespace) })
}

// compare orders namespaces as they are ordered with a slash behind them: team-a is before team.
func compare(a, b string) int {
	common := min(len(a), len(b))
	if c := strings.Compare(a[:common], b[:common]); c != 0 || len(a) == len(b) {
		return c
	}
	switch {
	case common == 0: // no namespace has no slash, either
		return len(a) - len(b)
	case len(a) == common:
		return int('/') - int(b[common])
	default:
		return int(a[common]) - int('/')
	}
}

// chunkOf is the number of the chunk that a name is in, or belongs into.
func (s *space) chunkOf(name string) int {
	lo, hi := 1, len(s.chunks)
	if hi > 1 && s.chunks[hi-1].names[0] <= name { // in order, as from a list
		return hi - 1
	}
	for lo < hi {
		if mid := (lo + hi) / 2; s.chunks[mid].names[0] <= name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

// set tells whether the name is new.
func (s *space) set(name string, item *Item) bool {
	if len(s.chunks) == 0 {
		s.chunks = []chunk{{}}
	}
	at := s.chunkOf(name)
	c := &s.chunks[at]
	i, found := len(c.names), false
	if i == 0 || c.names[i-1] >= name {
		i, found = slices.BinarySearch(c.names, name)
	}
	if found {
		c.items[i] = item
		return false
	}
	s.n++
	if len(c.names) == mostInChunk {
		half := mostInChunk / 2
		if i == mostInChunk && at == len(s.chunks)-1 {
			half = mostInChunk // they come in order, as from a list: no chunk stays half empty
		}
		next := c.split(half)
		s.chunks = slices.Insert(s.chunks, at+1, next)
		if i >= half {
			at, i = at+1, i-half
		}
		c = &s.chunks[at]
	}
	c.names, c.items = slices.Insert(c.names, i, name), slices.Insert(c.items, i, item)
	return true
}

// split leaves so many items and returns the others, with room for more.
func (c *chunk) split(keep int) chunk {
	next := chunk{
		append(make([]string, 0, mostInChunk), c.names[keep:]...),
		append(make([]*Item, 0, mostInChunk), c.items[keep:]...),
	}
	clear(c.names[keep:])
	clear(c.items[keep:])
	c.names, c.items = c.names[:keep], c.items[:keep]
	return next
}

// cut tells whether the name was there.
func (s *space) cut(name string) bool {
	at := s.chunkOf(name)
	c := &s.chunks[at]
	i, found := slices.BinarySearch(c.names, name)
	if !found {
		return false
	}
	s.n--
	c.names, c.items = slices.Delete(c.names, i, i+1), slices.Delete(c.items, i, i+1)
	if len(c.names) == 0 {
		s.chunks = slices.Delete(s.chunks, at, at+1)
	}
	return true
}

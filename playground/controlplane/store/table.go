package store

import (
	"maps"
	"slices"
	"sort"

	"kubewalk/playground/api"
)

// Table is the objects of one resource, in the order of their keys.
type Table struct {
	keys    []Key // sorted, but for new ones at the end: they are put in their places when a list is read
	sorted  int   // how many
	objects map[Key]api.Object
}

// NewTable makes an empty table.
func NewTable() *Table { return &Table{objects: map[Key]api.Object{}} }

// Clone makes a table of the same objects.
func (t *Table) Clone() *Table { return &Table{slices.Clone(t.keys), t.sorted, maps.Clone(t.objects)} }

// Len is the number of objects.
func (t *Table) Len() int { return len(t.keys) }

// Get returns the object under a key, nil if there is none.
func (t *Table) Get(key Key) api.Object {
	if obj, ok := t.objects[key]; ok {
		return obj
	}
	return nil
}

// List returns the objects in a namespace, or all if it is "", in the order of their keys.
func (t *Table) List(namespace string) []api.Object {
	t.sort()
	from := 0
	if namespace != "" {
		from = t.search(Key{Namespace: namespace})
	}
	var out []api.Object
	for _, key := range t.keys[from:] {
		if namespace != "" && key.Namespace != namespace {
			break
		}
		out = append(out, t.objects[key])
	}
	return out
}

// Set puts an object under a key, or removes the key when obj is nil.
func (t *Table) Set(key Key, obj api.Object) {
	_, had := t.objects[key]
	switch {
	case obj == nil && had:
		t.sort()
		i := t.search(key)
		t.sorted--
		t.keys = slices.Delete(t.keys, i, i+1)
		delete(t.objects, key)
	case obj != nil && !had:
		t.keys = append(t.keys, key)
		t.objects[key] = obj
	case obj != nil:
		t.objects[key] = obj
	}
}

func (t *Table) sort() {
	if t.sorted < len(t.keys) {
		slices.SortFunc(t.keys, Key.compare)
		t.sorted = len(t.keys)
	}
}

func (t *Table) search(key Key) int {
	return sort.Search(len(t.keys), func(i int) bool { return t.keys[i].compare(key) >= 0 })
}

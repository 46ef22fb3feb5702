package store

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"kubewalk/playground/api"
)

// Table is the objects of one resource, in the order of their keys.
type Table struct {
	names   []name // sorted, but for new ones at the end: they are put in their places when a list is read
	sorted  int    // how many
	gone    int    // how many names have none in objects any more, or are there twice: they are left out when a list is read
	objects map[name]api.Object
	listed  []api.Object // all of them in order, if they were listed since the last change: many list them when they start
}

// name is a Key without the resource, which is the same in all.
type name struct{ namespace, name string }

// compare orders names as the paths are ordered in etcd.
func (n name) compare(m name) int {
	if n.namespace != m.namespace {
		return strings.Compare(n.namespace, m.namespace)
	}
	return strings.Compare(n.name, m.name)
}

// NewTable makes an empty table with room for so many objects.
func NewTable(room int) *Table {
	return &Table{names: make([]name, 0, room), objects: make(map[name]api.Object, room)}
}

// Clone makes a table of the same objects.
func (t *Table) Clone() *Table {
	return &Table{slices.Clone(t.names), t.sorted, t.gone, maps.Clone(t.objects), t.listed}
}

// Len is the number of objects.
func (t *Table) Len() int { return len(t.objects) }

// Get returns the object under a key, nil if there is none.
func (t *Table) Get(key Key) api.Object { return t.objects[name{key.Namespace, key.Name}] }

// List returns the objects in a namespace, or all if it is "", in the order of their keys. The slice must not be changed.
func (t *Table) List(namespace string) []api.Object {
	if namespace == "" && t.listed != nil {
		return t.listed
	}
	t.sort()
	names := t.names
	if namespace != "" {
		from := t.search(name{namespace: namespace})
		n := sort.Search(len(names)-from, func(i int) bool { return names[from+i].namespace != namespace })
		names = names[from : from+n]
	}
	if len(names) == 0 {
		return nil
	}
	out := make([]api.Object, len(names))
	for i, n := range names {
		out[i] = t.objects[n]
	}
	if namespace == "" {
		t.listed = out
	}
	return out
}

// Set puts an object under a key, or removes the key when obj is nil.
func (t *Table) Set(key Key, obj api.Object) {
	t.listed = nil
	n := name{key.Namespace, key.Name}
	had := len(t.objects)
	switch {
	case obj != nil:
		if t.objects[n] = obj; len(t.objects) == had {
			return
		}
		if t.sorted == len(t.names) && (t.sorted == 0 || t.names[t.sorted-1].compare(n) < 0) {
			t.sorted++ // they come in order, as from a list
		}
		t.names = append(t.names, n)
	case t.objects[n] != nil:
		delete(t.objects, n)
		// Its name stays for now: moving up all that come after it takes long in a large table.
		if t.gone++; t.gone > len(t.objects)+1000 {
			t.sort()
		}
	}
}

// sort puts all names in order, each once, without those that are gone.
func (t *Table) sort() {
	if t.sorted == len(t.names) && t.gone == 0 {
		return
	}
	if t.sorted < len(t.names) {
		slices.SortFunc(t.names, name.compare)
	}
	if t.gone > 0 { // one that came back is there twice
		t.names = slices.DeleteFunc(slices.Compact(t.names), func(n name) bool { return t.objects[n] == nil })
		t.gone = 0
	}
	t.sorted = len(t.names)
}

func (t *Table) search(n name) int {
	return sort.Search(len(t.names), func(i int) bool { return t.names[i].compare(n) >= 0 })
}

package store

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/sorted"
)

// Table is the objects of one resource, in the order of their keys.
type Table struct {
	objects *sorted.Objects
	listed  []api.Object // all of them in order, if they were listed since the last change: many list them when they start
}

// NewTable makes an empty table with room for so many objects.
func NewTable(room int) *Table {
	t := &Table{objects: &sorted.Objects{}}
	t.objects.Reserve(room)
	return t
}

// Clone makes a table of the same objects.
func (t *Table) Clone() *Table { return &Table{t.objects.Clone(), t.listed} }

// Len is the number of objects.
func (t *Table) Len() int { return t.objects.Len() }

// Get returns the object under a key, nil if there is none.
func (t *Table) Get(key Key) api.Object {
	if item := t.objects.Get(key.Namespace, key.Name); item != nil {
		return item.Object
	}
	return nil
}

// List returns the objects in a namespace, or all if it is "", in the order of their keys. The slice must not be changed.
func (t *Table) List(namespace string) []api.Object {
	if namespace != "" {
		return list(t.objects.In(namespace))
	}
	if t.listed == nil {
		t.listed = list(t.objects)
	}
	return t.listed
}

func list(objects *sorted.Objects) []api.Object {
	if objects.Len() == 0 {
		return nil
	}
	out := make([]api.Object, 0, objects.Len())
	objects.Each(func(item *sorted.Item) { out = append(out, item.Object) })
	return out
}

// Set puts an object under its key, or removes the key when obj is nil.
func (t *Table) Set(key Key, obj api.Object) {
	t.listed = nil
	item := t.objects.Get(key.Namespace, key.Name)
	switch {
	case obj == nil:
		t.objects.Cut(key.Namespace, key.Name)
	case item != nil:
		item.Object = obj
	default:
		t.objects.Put(obj)
	}
}

package cache

import (
	"fmt"
	"slices"

	"kubewalk/playground/api"
)

// NamespaceIndex is the name of the index by namespace.
const NamespaceIndex = "namespace"

// IndexFunc says under which values an object is found.
type IndexFunc func(obj any) ([]string, error)

// Indexers are index functions by the name of their index.
type Indexers map[string]IndexFunc

// MetaNamespaceIndexFunc finds an object under its namespace.
func MetaNamespaceIndexFunc(obj any) ([]string, error) {
	o, ok := obj.(api.Object)
	if !ok {
		return nil, fmt.Errorf("object has no meta: %T is no API object", obj)
	}
	return []string{o.GetNamespace()}, nil
}

// Indexer is a Store that also finds objects by what an IndexFunc says of them.
// All lists are in the order of the keys.
// Upstream: client-go/tools/cache/index.go Indexer.
type Indexer interface {
	Store
	// Index returns the objects that share a value of the index with obj.
	Index(indexName string, obj any) ([]any, error)
	// IndexKeys returns the keys of the objects with that value.
	IndexKeys(indexName, indexedValue string) ([]string, error)
	// ListIndexFuncValues returns all values of an index, sorted.
	ListIndexFuncValues(indexName string) []string
	// ByIndex returns the objects with that value.
	ByIndex(indexName, indexedValue string) ([]any, error)
	GetIndexers() Indexers
	// AddIndexers adds indexes over what is in the store already.
	AddIndexers(newIndexers Indexers) error
	// OnChange has f called after each change of the store, and at once for what
	// is in it: old is nil for what is new, obj for what is gone. It is for who
	// keeps sums of what the store holds; handlers are told later. Not upstream.
	OnChange(f func(old, obj any))
}

// NewIndexer returns an empty indexer.
func NewIndexer(keyFunc KeyFunc, indexers Indexers) Indexer { return newIndexer(keyFunc, indexers) }

// indexer joins upstream's cache (store.go) and threadSafeMap
// (thread_safe_store.go): there are no threads.
type indexer struct {
	keyFunc  KeyFunc
	items    map[string]*item
	all      entries // items, sorted
	indexers Indexers
	indexes  []*index // but for the one by namespace
	changed  []func(old, obj any)
}

// index finds items by the values that an IndexFunc gives their objects. The one
// by namespace needs nothing: keys begin with the namespace, and are in order.
type index struct {
	name    string
	of      IndexFunc
	byValue map[string]*indexed // never empty
}

// indexed is the items under one value of an index.
type indexed struct {
	entries
	value []string // the value alone: what items of no other have in common
}

func newIndexer(keyFunc KeyFunc, indexers Indexers) *indexer {
	x := &indexer{keyFunc: keyFunc, items: map[string]*item{}, indexers: Indexers{}}
	if err := x.AddIndexers(indexers); err != nil {
		panic(err)
	}
	return x
}

func (x *indexer) Add(obj any) error {
	key, err := x.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	x.set(key, obj)
	return nil
}

func (x *indexer) Update(obj any) error { return x.Add(obj) }

func (x *indexer) Delete(obj any) error {
	key, err := x.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	x.remove(key)
	return nil
}

// swap is Update that tells the key and what was there before. It is for indexers of API
// objects by namespace and name.
func (x *indexer) swap(obj api.Object) (key string, old any, existed bool) {
	var room [128]byte
	name := room[:0]
	if namespace := obj.GetNamespace(); namespace != "" {
		name = append(append(name, namespace...), '/')
	}
	name = append(name, obj.GetName()...)
	if entry := x.items[string(name)]; entry != nil {
		old = entry.obj
		x.change(entry, obj)
		return entry.key, old, true
	}
	key = string(name)
	x.set(key, obj)
	return key, nil, false
}

func (x *indexer) set(key string, obj any) {
	if entry := x.items[key]; entry != nil {
		x.change(entry, obj)
		return
	}
	x.insert(&item{key: key, obj: obj, values: make([][]string, len(x.indexes))})
}

func (x *indexer) insert(entry *item) {
	x.items[entry.key] = entry
	x.all.set(entry)
	for i, index := range x.indexes {
		x.reindex(i, entry, index.values(entry.obj))
	}
	x.tell(nil, entry.obj)
}

func (x *indexer) change(entry *item, obj any) {
	old := entry.obj
	entry.obj = obj
	for i, index := range x.indexes {
		if values := index.values(obj); !slices.Equal(entry.values[i], values) {
			x.reindex(i, entry, values)
		}
	}
	x.tell(old, obj)
}

func (x *indexer) remove(key string) {
	entry := x.items[key]
	if entry == nil {
		return
	}
	for i := range x.indexes {
		x.reindex(i, entry, nil)
	}
	x.all.cut(key)
	delete(x.items, key)
	x.tell(entry.obj, nil)
}

// reindex moves an item to other values of an index.
func (x *indexer) reindex(i int, entry *item, after []string) {
	before, byValue := entry.values[i], x.indexes[i].byValue
	if len(before) == 0 && len(after) == 1 {
		under := byValue[after[0]]
		if under == nil {
			under = &indexed{value: []string{after[0]}}
			byValue[after[0]] = under
		}
		under.set(entry)
		entry.values[i] = under.value
		return
	}
	for _, v := range before {
		if slices.Contains(after, v) {
			continue
		}
		if byValue[v].cut(entry.key); byValue[v].n == 0 {
			delete(byValue, v)
		}
	}
	for _, v := range after {
		if slices.Contains(before, v) {
			continue
		}
		if byValue[v] == nil {
			byValue[v] = &indexed{value: []string{v}}
		}
		byValue[v].set(entry)
	}
	if len(after) == 1 {
		after = byValue[after[0]].value
	}
	entry.values[i] = after
}

// values asks the index function. One that fails is a programming error.
func (i *index) values(obj any) []string {
	values, err := i.of(obj)
	if err != nil {
		panic(fmt.Sprintf("unable to calculate an index entry on index %q: %v", i.name, err))
	}
	return values
}

func (x *indexer) tell(old, obj any) {
	for _, f := range x.changed {
		f(old, obj)
	}
}

func (x *indexer) OnChange(f func(old, obj any)) {
	x.changed = append(x.changed, f)
	x.all.each(func(entry *item) { f(nil, entry.obj) })
}

func (x *indexer) List() []any { return x.all.list() }

func (x *indexer) ListKeys() []string { return x.all.names() }

func (x *indexer) Get(obj any) (found any, exists bool, err error) {
	key, err := x.keyFunc(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return x.GetByKey(key)
}

func (x *indexer) GetByKey(key string) (found any, exists bool, err error) {
	if entry := x.items[key]; entry != nil {
		return entry.obj, true, nil
	}
	return nil, false, nil
}

func (x *indexer) Replace(list []any, resourceVersion string) error {
	if len(x.items) == 0 { // the first list: most are the only one
		return x.fill(list)
	}
	keep := make(map[string]bool, len(list))
	for _, obj := range list {
		key, err := x.keyFunc(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		keep[key] = true
	}
	for _, key := range x.ListKeys() {
		if !keep[key] {
			x.remove(key)
		}
	}
	for _, obj := range list {
		if err := x.Add(obj); err != nil {
			return err
		}
	}
	return nil
}

// fill is Replace of nothing: what it needs is made all at once.
func (x *indexer) fill(list []any) error {
	x.items = make(map[string]*item, len(list))
	n := len(x.indexes)
	items, values := make([]item, len(list)), make([][]string, len(list)*n)
	for i, obj := range list {
		key, err := x.keyFunc(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		if inOrder := i == 0 || items[i-1].key < key; !inOrder && x.items[key] != nil { // in order, none is there twice
			x.set(key, obj)
			continue
		}
		items[i] = item{key: key, obj: obj, values: values[i*n : (i+1)*n : (i+1)*n]}
		x.insert(&items[i])
	}
	return nil
}

// Resync is for stores that pass on what they hold; this one does not.
func (x *indexer) Resync() error { return nil }

func (x *indexer) Index(indexName string, obj any) ([]any, error) {
	index, err := x.index(indexName)
	if err != nil {
		return nil, err
	}
	values, err := index.of(obj)
	if err != nil {
		return nil, err
	}
	var union entries
	for _, v := range values {
		x.under(index, v).each(union.set)
	}
	return union.list(), nil
}

// under is the items with that value.
func (x *indexer) under(i *index, value string) *entries {
	if i.name == NamespaceIndex {
		return x.all.inNamespace(value)
	}
	if found := i.byValue[value]; found != nil {
		return &found.entries
	}
	return nil
}

func (x *indexer) IndexKeys(indexName, indexedValue string) ([]string, error) {
	index, err := x.index(indexName)
	if err != nil {
		return nil, err
	}
	return x.under(index, indexedValue).names(), nil
}

func (x *indexer) ListIndexFuncValues(indexName string) []string {
	index, err := x.index(indexName)
	if err != nil {
		return nil
	}
	if index.name == NamespaceIndex {
		return x.all.namespaces()
	}
	var values []string
	for v := range index.byValue {
		values = append(values, v)
	}
	slices.Sort(values)
	return values
}

func (x *indexer) ByIndex(indexName, indexedValue string) ([]any, error) {
	index, err := x.index(indexName)
	if err != nil {
		return nil, err
	}
	return x.under(index, indexedValue).list(), nil
}

func (x *indexer) index(name string) (*index, error) {
	for _, index := range x.indexes {
		if index.name == name {
			return index, nil
		}
	}
	if f := x.indexers[name]; f != nil {
		return &index{name: name, of: f}, nil
	}
	return nil, fmt.Errorf("index with name %s does not exist", name)
}

func (x *indexer) GetIndexers() Indexers { return x.indexers }

func (x *indexer) AddIndexers(newIndexers Indexers) error {
	var conflicts []string
	for name := range newIndexers {
		if x.indexers[name] != nil {
			conflicts = append(conflicts, name)
		}
	}
	if len(conflicts) > 0 {
		slices.Sort(conflicts)
		return fmt.Errorf("indexer conflict: %v", conflicts)
	}
	for name, f := range newIndexers { // order: no index depends on another
		if x.indexers[name] = f; name == NamespaceIndex {
			continue
		}
		at, added := len(x.indexes), &index{name, f, map[string]*indexed{}}
		x.indexes = append(x.indexes, added)
		x.all.each(func(entry *item) {
			entry.values = append(entry.values, nil)
			x.reindex(at, entry, added.values(entry.obj))
		})
	}
	return nil
}

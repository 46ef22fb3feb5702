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
}

// NewIndexer returns an empty indexer.
func NewIndexer(keyFunc KeyFunc, indexers Indexers) Indexer { return newIndexer(keyFunc, indexers) }

// indexer joins upstream's cache (store.go) and threadSafeMap
// (thread_safe_store.go): there are no threads.
type indexer struct {
	keyFunc  KeyFunc
	items    map[string]any
	all      entries // items, sorted
	indexers Indexers
	indices  map[string]map[string]*entries // index → value → items, sorted and never empty
}

func newIndexer(keyFunc KeyFunc, indexers Indexers) *indexer {
	x := &indexer{keyFunc: keyFunc, items: map[string]any{}, indexers: Indexers{}, indices: map[string]map[string]*entries{}}
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

func (x *indexer) set(key string, obj any) {
	old := x.items[key]
	x.all.set(key, obj)
	for name := range x.indexers { // order: no index depends on another
		x.reindex(name, key, old, obj)
	}
	x.items[key] = obj
}

func (x *indexer) remove(key string) {
	old, exists := x.items[key]
	if !exists {
		return
	}
	for name := range x.indexers { // order: no index depends on another
		x.reindex(name, key, old, nil)
	}
	x.all.cut(key)
	delete(x.items, key)
}

// reindex moves a key from the values of the old object to those of the new.
// Either may be nil. An index function that fails is a programming error.
func (x *indexer) reindex(name, key string, old, obj any) {
	before, after := x.values(name, old), x.values(name, obj)
	index := x.indices[name]
	for _, v := range before {
		if slices.Contains(after, v) {
			continue
		}
		if index[v].cut(key); index[v].n == 0 {
			delete(index, v)
		}
	}
	for _, v := range after {
		if index[v] == nil {
			index[v] = &entries{}
		}
		index[v].set(key, obj)
	}
}

func (x *indexer) values(name string, obj any) []string {
	if obj == nil {
		return nil
	}
	values, err := x.indexers[name](obj)
	if err != nil {
		panic(fmt.Sprintf("unable to calculate an index entry on index %q: %v", name, err))
	}
	return values
}

func (x *indexer) List() []any { return x.all.list() }

func (x *indexer) ListKeys() []string { return x.all.names() }

func (x *indexer) Get(obj any) (item any, exists bool, err error) {
	key, err := x.keyFunc(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return x.GetByKey(key)
}

func (x *indexer) GetByKey(key string) (item any, exists bool, err error) {
	item, exists = x.items[key]
	return item, exists, nil
}

func (x *indexer) Replace(list []any, resourceVersion string) error {
	if len(x.items) == 0 { // the first list: most are the only one
		x.items = make(map[string]any, len(list))
		for _, obj := range list {
			if err := x.Add(obj); err != nil {
				return err
			}
		}
		return nil
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

// Resync is for stores that pass on what they hold; this one does not.
func (x *indexer) Resync() error { return nil }

func (x *indexer) Index(indexName string, obj any) ([]any, error) {
	if err := x.known(indexName); err != nil {
		return nil, err
	}
	values, err := x.indexers[indexName](obj)
	if err != nil {
		return nil, err
	}
	var union entries
	for _, v := range values {
		if e := x.indices[indexName][v]; e != nil {
			e.each(union.set)
		}
	}
	return union.list(), nil
}

func (x *indexer) IndexKeys(indexName, indexedValue string) ([]string, error) {
	if err := x.known(indexName); err != nil {
		return nil, err
	}
	if e := x.indices[indexName][indexedValue]; e != nil {
		return e.names(), nil
	}
	return nil, nil
}

func (x *indexer) ListIndexFuncValues(indexName string) []string {
	var values []string
	for v := range x.indices[indexName] {
		values = append(values, v)
	}
	slices.Sort(values)
	return values
}

func (x *indexer) ByIndex(indexName, indexedValue string) ([]any, error) {
	if err := x.known(indexName); err != nil {
		return nil, err
	}
	return x.indices[indexName][indexedValue].list(), nil
}

func (x *indexer) known(indexName string) error {
	if x.indexers[indexName] == nil {
		return fmt.Errorf("index with name %s does not exist", indexName)
	}
	return nil
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
		x.indexers[name] = f
		x.indices[name] = map[string]*entries{}
		x.all.each(func(key string, obj any) { x.reindex(name, key, nil, obj) })
	}
	return nil
}

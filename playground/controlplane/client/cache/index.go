package cache

import (
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/sorted"
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
	// Find is GetByKey for who has no key at hand. Not upstream.
	Find(namespace, name string) (item any, exists bool)
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
func NewIndexer(indexers Indexers) Indexer { return newIndexer(indexers) }

// indexer joins upstream's cache (store.go) and threadSafeMap
// (thread_safe_store.go): there are no threads. It holds API objects by namespace and name.
type indexer struct {
	all      sorted.Objects
	indexers Indexers
	indexes  []*index // but for the one by namespace
	changed  []func(old, obj any)
}

// index finds objects by the values that an IndexFunc gives them. The one by
// namespace needs nothing: they are in the order of their namespaces.
type index struct {
	name    string
	of      IndexFunc
	byValue map[string]*sorted.Objects // none is empty
}

func newIndexer(indexers Indexers) *indexer {
	x := &indexer{indexers: Indexers{}}
	if err := x.AddIndexers(indexers); err != nil {
		panic(err)
	}
	return x
}

func (x *indexer) Add(obj any) error {
	o, err := object(obj)
	if err != nil {
		return err
	}
	x.swap(o)
	return nil
}

func (x *indexer) Update(obj any) error { return x.Add(obj) }

func (x *indexer) Delete(obj any) error {
	item, err := x.item(obj)
	if err != nil || item == nil {
		return err
	}
	x.remove(item)
	return nil
}

// object is what may be in an indexer.
func object(obj any) (api.Object, error) {
	if o, ok := obj.(api.Object); ok {
		return o, nil
	}
	_, err := MetaNamespaceKeyFunc(obj)
	return nil, KeyError{obj, err}
}

// item is where the object of that name is, nil if there is none.
func (x *indexer) item(obj any) (*sorted.Item, error) {
	if o, ok := obj.(api.Object); ok {
		return x.all.Get(o.GetNamespace(), o.GetName()), nil
	}
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return nil, KeyError{obj, err}
	}
	return x.all.Find(key), nil
}

// swap is Update that tells what was there before.
func (x *indexer) swap(obj api.Object) (old any, existed bool) {
	item := x.all.Get(obj.GetNamespace(), obj.GetName())
	if item == nil {
		x.insert(obj)
		return nil, false
	}
	old = item.Object
	x.change(item, obj)
	return old, true
}

func (x *indexer) insert(obj api.Object) {
	item := x.all.Put(obj)
	for _, index := range x.indexes {
		index.add(item, index.values(obj))
	}
	x.tell(nil, obj)
}

func (x *indexer) change(item *sorted.Item, obj api.Object) {
	old := item.Object
	for _, index := range x.indexes {
		if before, after := index.values(old), index.values(obj); !slices.Equal(before, after) {
			index.cut(item, before)
			item.Object = obj
			index.add(item, after)
			item.Object = old
		}
	}
	item.Object = obj
	x.tell(old, obj)
}

func (x *indexer) remove(item *sorted.Item) {
	obj := item.Object
	for _, index := range x.indexes {
		index.cut(item, index.values(obj))
	}
	x.all.Cut(obj.GetNamespace(), obj.GetName())
	x.tell(obj, nil)
}

func (i *index) add(item *sorted.Item, values []string) {
	for _, v := range values {
		if i.byValue[v] == nil {
			i.byValue[v] = &sorted.Objects{}
		}
		i.byValue[v].Share(item)
	}
}

func (i *index) cut(item *sorted.Item, values []string) {
	for _, v := range values {
		under := i.byValue[v]
		if under == nil {
			continue // the value is there twice
		}
		if under.Cut(item.Object.GetNamespace(), item.Object.GetName()); under.Len() == 0 {
			delete(i.byValue, v)
		}
	}
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
	x.all.Each(func(item *sorted.Item) { f(nil, item.Object) })
}

func (x *indexer) List() []any { return list(&x.all) }

func (x *indexer) ListKeys() []string { return keys(&x.all) }

// list copies the objects; of none, too, it makes a list.
func list(objects *sorted.Objects) []any {
	out := make([]any, 0, objects.Len())
	objects.Each(func(item *sorted.Item) { out = append(out, item.Object) })
	return out
}

func keys(objects *sorted.Objects) []string {
	out := make([]string, 0, objects.Len())
	objects.Each(func(item *sorted.Item) { out = append(out, item.Key()) })
	return out
}

func (x *indexer) Get(obj any) (found any, exists bool, err error) {
	item, err := x.item(obj)
	if err != nil || item == nil {
		return nil, false, err
	}
	return item.Object, true, nil
}

func (x *indexer) GetByKey(key string) (found any, exists bool, err error) {
	if item := x.all.Find(key); item != nil {
		return item.Object, true, nil
	}
	return nil, false, nil
}

func (x *indexer) Find(namespace, name string) (found any, exists bool) {
	if item := x.all.Get(namespace, name); item != nil {
		return item.Object, true
	}
	return nil, false
}

func (x *indexer) Replace(list []any, resourceVersion string) error {
	if x.all.Len() == 0 {
		return x.fill(list) // the first list: most are the only one
	}
	keep := sorted.Objects{}
	keep.Reserve(len(list))
	for _, obj := range list {
		o, err := object(obj)
		if err != nil {
			return err
		}
		keep.Put(o)
	}
	var gone []*sorted.Item
	x.all.Each(func(item *sorted.Item) {
		if keep.Get(item.Object.GetNamespace(), item.Object.GetName()) == nil {
			gone = append(gone, item)
		}
	})
	for _, item := range gone {
		x.remove(item)
	}
	for _, obj := range list {
		if err := x.Add(obj); err != nil {
			return err
		}
	}
	return nil
}

// fill is Replace of nothing.
func (x *indexer) fill(list []any) error {
	x.all.Reserve(len(list))
	namespace, last := "", ""
	for i, obj := range list {
		o, err := object(obj)
		if err != nil {
			return err
		}
		if i > 0 && o.GetNamespace() == namespace && o.GetName() > last { // in order, so it is not there yet
			x.insert(o)
		} else {
			x.swap(o)
		}
		namespace, last = o.GetNamespace(), o.GetName()
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
	var union sorted.Objects
	for _, v := range values {
		x.under(index, v).Each(union.Share)
	}
	return list(&union), nil
}

// under is the items with that value, nil if there are none.
func (x *indexer) under(i *index, value string) *sorted.Objects {
	if i.name == NamespaceIndex {
		return x.all.In(value)
	}
	return i.byValue[value]
}

func (x *indexer) IndexKeys(indexName, indexedValue string) ([]string, error) {
	index, err := x.index(indexName)
	if err != nil {
		return nil, err
	}
	return keys(x.under(index, indexedValue)), nil
}

func (x *indexer) ListIndexFuncValues(indexName string) []string {
	index, err := x.index(indexName)
	if err != nil {
		return nil
	}
	if index.name == NamespaceIndex {
		return x.all.Namespaces()
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
	return list(x.under(index, indexedValue)), nil
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
		added := &index{name, f, map[string]*sorted.Objects{}}
		x.indexes = append(x.indexes, added)
		x.all.Each(func(item *sorted.Item) { added.add(item, added.values(item.Object)) })
	}
	return nil
}

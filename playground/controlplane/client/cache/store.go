package cache

import (
	"fmt"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/sorted"
)

// Store holds objects by key. All lists are in the order of the keys.
// Upstream: client-go/tools/cache/store.go Store.
type Store interface {
	Add(obj any) error
	Update(obj any) error
	Delete(obj any) error
	// List returns all objects.
	List() []any
	ListKeys() []string
	Get(obj any) (item any, exists bool, err error)
	GetByKey(key string) (item any, exists bool, err error)
	// Replace makes the store hold these objects and no others.
	Replace(list []any, resourceVersion string) error
	Resync() error
}

// KeyFunc names an object within a store.
type KeyFunc func(obj any) (string, error)

// KeyError is what a KeyFunc failed with, and on what.
type KeyError struct {
	Obj any
	Err error
}

func (k KeyError) Error() string {
	return fmt.Sprintf("couldn't create key for object %+v: %v", k.Obj, k.Err)
}

// Unwrap returns what the KeyFunc failed with.
func (k KeyError) Unwrap() error { return k.Err }

// ExplicitKey is a key that stands for itself.
type ExplicitKey string

// MetaNamespaceKeyFunc makes the key "namespace/name", or "name" for what has no namespace.
func MetaNamespaceKeyFunc(obj any) (string, error) {
	switch o := obj.(type) {
	case ExplicitKey:
		return string(o), nil
	case api.Object:
		return sorted.Key(o.GetNamespace(), o.GetName()), nil
	}
	return "", fmt.Errorf("object has no meta: %T is no API object", obj)
}

// DeletionHandlingMetaNamespaceKeyFunc is MetaNamespaceKeyFunc that also knows DeletedFinalStateUnknown.
func DeletionHandlingMetaNamespaceKeyFunc(obj any) (string, error) {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return d.Key, nil
	}
	return MetaNamespaceKeyFunc(obj)
}

// SplitMetaNamespaceKey takes apart what MetaNamespaceKeyFunc made.
func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	namespace, name, found := strings.Cut(key, "/")
	switch {
	case !found:
		return "", key, nil
	case strings.Contains(name, "/"):
		return "", "", fmt.Errorf("unexpected key format: %q", key)
	}
	return namespace, name, nil
}

// DeletedFinalStateUnknown stands in OnDelete for an object whose deletion was
// missed: it was not in the next list. Obj is the last that was known of it.
// Upstream: delta_fifo.go DeletedFinalStateUnknown.
type DeletedFinalStateUnknown struct {
	Key string
	Obj any
}

// Package assumecache is an informer's cache with what the scheduler assumes on top.
//
// Upstream: pkg/scheduler/util/assumecache.
package assumecache

import (
	"fmt"
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/client/cache"
)

// Cache has objects as they will be once a request has been answered. The assumption goes when
// the watch brings something newer, or when it is restored. Upstream: AssumeCache.
type Cache[T api.Object] struct {
	indexer     cache.Indexer
	description string
	notFound    func(key, name string) error
	assumed     map[string]T
}

// New makes a cache of what an informer knows. notFound says that an object is not there.
func New[T api.Object](indexer cache.Indexer, description string, notFound func(key, name string) error) *Cache[T] {
	return &Cache[T]{indexer, description, notFound, map[string]T{}}
}

// GetAPIObj is what the watch said.
func (c *Cache[T]) GetAPIObj(key, name string) (T, error) {
	obj, exists, err := c.indexer.GetByKey(key)
	if err == nil && !exists {
		err = c.notFound(key, name)
	}
	if err != nil {
		var none T
		return none, err
	}
	return obj.(T), nil
}

// Get is what is assumed, or what the watch said.
func (c *Cache[T]) Get(key, name string) (T, error) {
	obj, err := c.GetAPIObj(key, name)
	assumed, ok := c.assumed[key]
	if !ok {
		return obj, err
	}
	if err != nil || Version(obj) > Version(assumed) {
		delete(c.assumed, key)
		return obj, err
	}
	return assumed, nil
}

// Assume has Get return obj. It is an error when the watch knows a newer version.
func (c *Cache[T]) Assume(key string, obj T) error {
	stored, err := c.Get(key, obj.GetName())
	if err != nil {
		return err
	}
	if have, assume := Version(stored), Version(obj); assume < have {
		return fmt.Errorf("%v %q is out of sync (stored: %d, assume: %d)", c.description, obj.GetName(), have, assume)
	}
	c.assumed[key] = obj
	return nil
}

// Restore takes an assumption back.
func (c *Cache[T]) Restore(key string) { delete(c.assumed, key) }

// List returns all objects, as Get would.
func (c *Cache[T]) List() []T {
	var out []T
	for _, key := range c.indexer.ListKeys() {
		if obj, err := c.Get(key, key); err == nil {
			out = append(out, obj)
		}
	}
	return out
}

// Version orders the versions of an object; every revision of the store is a
// number. Upstream: apiserver/pkg/storage, APIObjectVersioner.
func Version(o api.Object) int64 {
	n, err := strconv.ParseInt(o.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

package volumebinding

import (
	"fmt"
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/controlplane/client/cache"
)

// assumeCache is an informer's cache with what the scheduler assumes on top: an
// object as it will be once a request has been answered. The assumption goes when
// the watch brings something newer, or when it is restored.
// Upstream: pkg/scheduler/util/assumecache.
type assumeCache[T api.Object] struct {
	indexer  cache.Indexer
	resource api.GroupResource
	assumed  map[string]T
}

func newAssumeCache[T api.Object](indexer cache.Indexer, resource string) *assumeCache[T] {
	return &assumeCache[T]{indexer, api.GroupResource{Resource: resource}, map[string]T{}}
}

// GetAPIObj is what the watch said.
func (c *assumeCache[T]) GetAPIObj(key, name string) (T, error) {
	obj, exists, err := c.indexer.GetByKey(key)
	if err == nil && !exists {
		err = apierrors.NewNotFound(c.resource, name)
	}
	if err != nil {
		var none T
		return none, err
	}
	return obj.(T), nil
}

// Get is what is assumed, or what the watch said.
func (c *assumeCache[T]) Get(key, name string) (T, error) {
	obj, err := c.GetAPIObj(key, name)
	assumed, ok := c.assumed[key]
	if !ok {
		return obj, err
	}
	if err != nil || version(obj) > version(assumed) {
		delete(c.assumed, key)
		return obj, err
	}
	return assumed, nil
}

// Assume has Get return obj. It is an error when the watch knows a newer version.
func (c *assumeCache[T]) Assume(key string, obj T) error {
	stored, err := c.Get(key, obj.GetName())
	if err != nil {
		return err
	}
	if have, assume := version(stored), version(obj); assume < have {
		return fmt.Errorf("%v %q is out of sync (stored: %d, assume: %d)", c.resource.Resource, obj.GetName(), have, assume)
	}
	c.assumed[key] = obj
	return nil
}

// Restore takes an assumption back.
func (c *assumeCache[T]) Restore(key string) { delete(c.assumed, key) }

// List returns all objects, as Get would.
func (c *assumeCache[T]) List() []T {
	var out []T
	for _, key := range c.indexer.ListKeys() {
		if obj, err := c.Get(key, key); err == nil {
			out = append(out, obj)
		}
	}
	return out
}

// version orders the versions of an object; every revision of the store is a
// number. Upstream: apiserver/pkg/storage, APIObjectVersioner.
func version(o api.Object) int64 {
	n, err := strconv.ParseInt(o.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

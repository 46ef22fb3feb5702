// Package cache reads objects from informers, one for each kind that somebody has asked for.
// Upstream: controller-runtime/pkg/cache.
package cache

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/operator/controllerruntime/runtime"
	"kubewalk/playground/sim"
)

// Cache has the informers of one program.
type Cache struct {
	component *sim.Component
	transport client.Transport
	scheme    *runtime.Scheme
	informers map[api.GroupVersionKind]cache.SharedIndexInformer
}

// New returns a cache of nothing.
func New(component *sim.Component, t client.Transport, scheme *runtime.Scheme) *Cache {
	return &Cache{component, t, scheme, map[api.GroupVersionKind]cache.SharedIndexInformer{}}
}

// NoMatchError is that the server doesn't serve a kind. Upstream: apimachinery/pkg/api/meta, NoKindMatchError.
type NoMatchError struct{ Kind api.GroupVersionKind }

func (e *NoMatchError) Error() string {
	return fmt.Sprintf("no matches for kind %q in version %q", e.Kind.Kind, e.Kind.GroupVersion())
}

// KindFor is an object's kind as the server serves it now.
func (c *Cache) KindFor(obj api.Object) (*api.Kind, error) {
	gvk := c.scheme.KindFor(obj)
	if kind := c.Served(gvk); kind != nil {
		return kind, nil
	}
	return nil, &NoMatchError{gvk}
}

// Served is a kind as the server serves it now; nil if it doesn't.
func (c *Cache) Served(gvk api.GroupVersionKind) *api.Kind { return c.transport.Kinds().For(gvk) }

// syncPeriod is how often all objects are told of again. Upstream: pkg/cache/cache.go, defaultSyncPeriod; it varies by a tenth.
const syncPeriod = 10 * time.Hour

// GetInformer returns the informer of an object's kind, and starts it if it is the first time that anybody asks.
func (c *Cache) GetInformer(obj api.Object) (cache.SharedIndexInformer, error) {
	kind, err := c.KindFor(obj)
	if err != nil {
		return nil, err
	}
	informer := c.informers[kind.GroupVersionKind]
	if informer == nil {
		informer = cache.NewSharedIndexInformer(cache.NewListWatch(c.transport, kind.GroupVersionResource(), "", nil), kind.New(), syncPeriod, cache.Indexers{})
		c.informers[kind.GroupVersionKind] = informer
		c.component.Go("informer/"+kind.Resource, informer.Run)
	}
	return informer, nil
}

// Get finds an object of obj's kind. It is shared: it must not be changed. The first time for a kind, it waits until all objects of that kind,
// of all namespaces, were listed.
func (c *Cache) Get(p *sim.Proc, key types.NamespacedName, obj api.Object) (api.Object, error) {
	informer, err := c.GetInformer(obj)
	if err != nil {
		return nil, err
	}
	cache.WaitForCacheSync(p, informer.HasSynced)
	name := key.Name
	if key.Namespace != "" {
		name = key.Namespace + "/" + name
	}
	found, exists, err := informer.GetIndexer().GetByKey(name)
	if err == nil && !exists {
		kind, _ := c.KindFor(obj)
		err = apierrors.NewNotFound(kind.GroupResource(), key.Name)
	}
	if err != nil {
		return nil, err
	}
	return found.(api.Object), nil
}

// Package cacher is the API server's watch cache: a copy of one resource in the server's memory, and a window of its
// newest events. One watch on etcd feeds it; however many clients watch, etcd does not notice.
//
// It is why a watch from an old resourceVersion can fail: the window holds at most Capacity events, and after a restart
// of the server it begins at the moment of the restart, whatever etcd still has.
//
// Simplified: no indexes by selector, and watchers never block, because a client's connection takes any number of events.
// Upstream: apiserver/pkg/storage/cacher (watch_cache.go, cacher.go).
package cacher

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/controlplane/store"
)

// The window's size follows the rate of events. Upstream: watch_cache.go, the constants of those names.
const (
	lowerBoundCapacity = 100
	upperBoundCapacity = 100 * 1024
	eventFreshDuration = 75 * time.Second
)

// Cacher is the watch cache of one resource.
type Cacher struct {
	objects      *store.Table
	listRevision int64 // the first list was of this revision
	revision     int64 // everything up to it has been seen
	window       []store.Event
	capacity     int
	removed      bool // events since the list have left the window
	watchers     []*Watcher
}

// Watcher is one subscription.
type Watcher struct {
	cacher  *Cacher
	deliver func(store.Event)
	stopped bool
}

// New makes a cache of what a list at a revision returned.
func New(objects []api.Object, key func(api.Object) store.Key, revision int64) *Cacher {
	c := &Cacher{objects: store.NewTable(len(objects)), listRevision: revision, revision: revision, capacity: lowerBoundCapacity}
	for _, obj := range objects {
		c.objects.Set(key(obj), obj)
	}
	return c
}

// Revision is the one up to which the cache has seen everything, of this resource or any other.
func (c *Cacher) Revision() int64 { return c.revision }

// Progress tells the cache that nothing happened to its resource up to a revision, as etcd's progress notifications do.
func (c *Cacher) Progress(revision int64) { c.revision = max(c.revision, revision) }

// Len is the number of objects.
func (c *Cacher) Len() int { return c.objects.Len() }

// Get returns an object as the cache knows it, nil if there is none.
func (c *Cacher) Get(key store.Key) api.Object { return c.objects.Get(key) }

// List returns the objects in a namespace, or all if it is "", in the order of their keys. The slice must not be changed.
func (c *Cacher) List(namespace string) []api.Object { return c.objects.List(namespace) }

// Process takes the next event and hands it to the watchers, in the order in which they came.
// Upstream: watch_cache.go, watchCache.processEvent.
func (c *Cacher) Process(e store.Event) {
	c.resize(e.At)
	if len(c.window) == c.capacity {
		c.window = c.window[1:]
		c.removed = true
	}
	c.window = append(c.window, e)
	c.revision = e.Revision
	if e.Type == store.Deleted {
		c.objects.Set(e.Key, nil)
	} else {
		c.objects.Set(e.Key, e.Object)
	}
	for _, w := range c.watchers {
		if !w.stopped {
			w.deliver(e)
		}
	}
}

// resize doubles a full window whose oldest event is fresh, and halves one whose last quarter alone goes back far enough.
// Upstream: watch_cache.go, watchCache.resizeCacheLocked.
func (c *Cacher) resize(now time.Duration) {
	if len(c.window) < c.capacity {
		return
	}
	switch {
	case now-c.window[0].At < eventFreshDuration:
		c.capacity = min(c.capacity*2, upperBoundCapacity)
	case now-c.window[c.capacity-c.capacity/4].At > eventFreshDuration && c.capacity > lowerBoundCapacity:
		c.capacity = max(c.capacity/2, lowerBoundCapacity)
		drop := len(c.window) - c.capacity
		c.window = slices.Clone(c.window[drop:])
		c.removed = true
	}
}

// oldest is the revision from which on the window has everything.
func (c *Cacher) oldest() int64 {
	if c.removed {
		return c.window[0].Revision
	}
	return c.listRevision + 1
}

// Since returns the events after a revision that the cache has seen. The error, 410 Expired, says that the window no longer
// reaches back to it. Upstream: watch_cache.go, watchCache.getAllEventsSinceLocked.
func (c *Cacher) Since(revision int64) ([]store.Event, error) {
	if oldest := c.oldest(); revision < oldest-1 {
		return nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", revision, oldest-1))
	}
	i := sort.Search(len(c.window), func(i int) bool { return c.window[i].Revision > revision })
	return c.window[i:len(c.window):len(c.window)], nil
}

// Watch delivers every event from now on.
func (c *Cacher) Watch(deliver func(store.Event)) *Watcher {
	w := &Watcher{cacher: c, deliver: deliver}
	c.watchers = append(c.watchers, w)
	return w
}

// Stop ends the subscription. Stopping it twice does nothing.
func (w *Watcher) Stop() {
	w.stopped = true
	// A new slice: Process may be walking over the old one.
	w.cacher.watchers = slices.DeleteFunc(slices.Clone(w.cacher.watchers), func(o *Watcher) bool { return o == w })
}

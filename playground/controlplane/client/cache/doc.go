// Package cache keeps a copy of a resource's objects in a client, and tells
// handlers what changed.
//
// A Reflector lists a resource, then watches it from the revision of the list
// on. What it learns goes, in order, through a RealFIFO to the informer, which
// changes its Indexer and hands every change to each handler's own process. So
// there are three queues between the API server and a handler: the watch, the
// FIFO, and the handler's. That is why a cache may be stale, and why a handler
// may be later than the cache. What is guaranteed:
//
//   - A handler sees the changes of one object in the order in which they
//     happened. It may miss some in between, when the reflector had to list
//     again. What vanished meanwhile it sees as DeletedFinalStateUnknown.
//   - When a handler is called, the indexer is at least as new as what the
//     handler is told.
//   - An object is never seen older than it was seen before, except after a list
//     from another server that lags; there is one server here.
//
// Objects are shared by all who read the cache: DeepCopy before changing.
//
// In the trace: CacheReplace, CacheSet and CacheDelete, each due to the message
// that brought the news; a handler runs due to the cache's event. Resyncs change
// nothing in the cache, so they have only their log line.
//
// Upstream: k8s.io/client-go/tools/cache. A client of Kubernetes 1.36 opens by
// default one watch that begins with what is there (sendInitialEvents, feature
// WatchListClient) and falls back to list and watch. Here it is always list and
// watch. Upstream's watches wait for no rate limiter (rest/request.go,
// Request.Watch), so the controllers' informers have a client without one. Its FIFO delivers each list as one delta (feature AtomicFIFO), as here.
//
// Absent: DeltaFIFO, expiration caches, the mutation detector, metrics, and
// informers that end before their component does. Two informers of one resource
// in one component share their cells in the trace; use a shared one.
package cache

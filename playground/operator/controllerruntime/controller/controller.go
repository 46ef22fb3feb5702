// Package controller runs a reconciler: watches lead to requests, requests wait in a queue, and workers take them from it.
// Upstream: controller-runtime/pkg/controller, pkg/internal/controller, pkg/source, pkg/handler.
package controller

import (
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/workqueue"
	objects "kubewalk/playground/operator/controllerruntime/cache"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/predicate"
	"kubewalk/playground/operator/controllerruntime/reconcile"
	"kubewalk/playground/sim"
)

// Watch is one source of requests.
type Watch struct {
	// Type is an object of the kind that is watched.
	Type api.Object
	// Owner is whose request an event leads to: that of the controller of this kind; the zero value is the object itself.
	Owner api.GroupVersionKind
	// Map says which requests an event leads to; it goes before Owner. Upstream: handler.EnqueueRequestsFromMapFunc.
	Map        func(obj api.Object) []reconcile.Request
	Predicates []predicate.Predicate // all of them have to agree
}

// Controller is one queue and its workers.
type Controller struct {
	Name string
	// Kind is what is reconciled.
	Kind api.GroupVersionKind
	// Do is the author's part.
	Do      reconcile.Reconciler
	Watches []Watch

	Component *sim.Component
	Cache     *objects.Cache

	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
}

func (c *Controller) logger() sim.Logger {
	return c.Component.Kernel().Logger().WithValues("controller", c.Name, "controllerGroup", c.Kind.Group, "controllerKind", c.Kind.Kind)
}

// Start has all caches filled, and then one worker work: MaxConcurrentReconciles is 1 unless an author asks for more.
func (c *Controller) Start(p *sim.Proc) {
	// region queue
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
		5*time.Millisecond, 1000*time.Second)
	// endregion
	c.queue = workqueue.NewTypedRateLimitingQueueWithConfig(c.Component, limiter,
		workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{Name: c.Component.Name()})
	p.Fork("source", len(c.Watches), func(p *sim.Proc, i int) { c.listen(p, &c.Watches[i]) })
	c.logger().Info("Starting Controller")
	c.logger().Info("Starting workers", "worker count", 1)
	c.Component.Go("worker-1", func(p *sim.Proc) {
		for c.processNextWorkItem(p) {
		}
	})
}

// retryKind is how often it is tried again to watch a kind that isn't served.
const retryKind = 10 * time.Second

// listen connects a watch with the queue, and waits until the cache has everything. Upstream: pkg/internal/source/kind.go, Kind.Start.
func (c *Controller) listen(p *sim.Proc, watch *Watch) {
	c.logger().Info("Starting EventSource", "source", fmt.Sprintf("kind source: %T", watch.Type))
	informer, err := c.Cache.GetInformer(watch.Type)
	for err != nil {
		var missing *objects.NoMatchError
		if errors.As(err, &missing) {
			c.logger().Error(err, "if kind is a CRD, it should be installed before calling Start", "kind", missing.Kind.Kind+"."+missing.Kind.Group)
		}
		p.Sleep(retryKind)
		informer, err = c.Cache.GetInformer(watch.Type)
	}
	_, _ = informer.AddEventHandler(c.handler(watch))
	cache.WaitForCacheSync(p, informer.HasSynced)
}

// handler turns events into requests. Upstream: pkg/internal/source/event_handler.go.
func (c *Controller) handler(watch *Watch) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { c.enqueue(watch, obj.(api.Object)) },
		UpdateFunc: func(before, now any) {
			for _, p := range watch.Predicates {
				if !p.Update(before.(api.Object), now.(api.Object)) {
					return
				}
			}
			c.enqueue(watch, now.(api.Object))
		},
		DeleteFunc: func(obj any) {
			if tombstone, missed := obj.(cache.DeletedFinalStateUnknown); missed {
				obj = tombstone.Obj
			}
			c.enqueue(watch, obj.(api.Object))
		},
	}
}

// Watch adds a watch to a controller that runs, and waits until the cache has everything.
func (c *Controller) Watch(p *sim.Proc, watch *Watch) { c.listen(p, watch) }

// Enqueue adds requests that come from no watch of the cache, once the controller has started. Upstream: pkg/source, Func.
func (c *Controller) Enqueue(requests ...reconcile.Request) {
	for _, request := range requests {
		if c.queue != nil {
			c.queue.Add(request)
		}
	}
}

// enqueue adds the requests that an object leads to, if it leads to any. Upstream: pkg/handler, EnqueueRequestForObject, EnqueueRequestForOwner
// and EnqueueRequestsFromMapFunc.
func (c *Controller) enqueue(watch *Watch, obj api.Object) {
	if watch.Map != nil {
		for _, request := range watch.Map(obj) {
			c.queue.Add(request)
		}
		return
	}
	request := reconcile.Request{}
	request.Namespace, request.Name = obj.GetNamespace(), obj.GetName()
	if !watch.Owner.Empty() {
		owner := metav1.GetControllerOf(obj)
		if owner == nil || owner.Kind != watch.Owner.Kind || owner.APIVersion != watch.Owner.GroupVersion().String() {
			return
		}
		if kind := c.Cache.Served(watch.Owner); kind != nil && !kind.Namespaced {
			request.Namespace = ""
		}
		request.Name = owner.Name
	}
	c.queue.Add(request)
}

// processNextWorkItem handles one request, and waits for one if there is none.
func (c *Controller) processNextWorkItem(p *sim.Proc) bool {
	request, shutdown := c.queue.Get(p)
	if shutdown {
		return false
	}
	defer c.queue.Done(request)
	c.reconcileHandler(p, request)
	return true
}

func (c *Controller) reconcileHandler(p *sim.Proc, request reconcile.Request) {
	// region handler
	log := c.logger().WithValues(
		"namespace", request.Namespace,
		"name", request.Name)
	ctx := context.Context{Proc: p, Logger: log}
	log.V(5).Info("Reconciling")
	result, err := c.Do.Reconcile(ctx, request)
	switch {
	case err != nil:
		c.queue.AddRateLimited(request)
		log.Error(err, "Reconciler error")
	case result.RequeueAfter > 0:
		log.V(5).Info("Reconcile done, requeueing after " +
			result.RequeueAfter.String())
		c.queue.Forget(request)
		c.queue.AddAfter(request, result.RequeueAfter)
	default:
		log.V(5).Info("Reconcile successful")
		c.queue.Forget(request)
	}
	// endregion
}

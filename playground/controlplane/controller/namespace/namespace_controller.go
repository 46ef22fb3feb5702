// Package namespace empties namespaces that were deleted, and lets them go.
//
// A deleted namespace is Terminating for as long as its finalizer "kubernetes"
// is in its spec. Nothing new can be made in it. Five seconds after it saw the
// deletion, so that the API servers' caches know of it too, this controller
// deletes everything there, kind by kind, Pods first, and takes its finalizer
// away when nothing is left. What is left, and why, it writes into the
// namespace's conditions (package deletion).
//
// Simplified: the kinds are those that the API serves, without a request for them.
//
// Upstream: pkg/controller/namespace.
package namespace

import (
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/namespace/deletion"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "namespace-controller"

// ConcurrentNamespaceSyncs is how many namespaces are emptied at a time by default.
// Upstream: --concurrent-namespace-syncs.
const ConcurrentNamespaceSyncs = 10

// namespaceDeletionGracePeriod is how long a deletion is left alone, so that all
// API servers have heard of it and nobody makes anything new.
const namespaceDeletionGracePeriod = 5 * time.Second

// NamespaceController empties namespaces. Upstream: namespace_controller.go, NamespaceController.
type NamespaceController struct {
	component *sim.Component
	lister    listers.NamespaceLister
	synced    cache.InformerSynced
	queue     workqueue.TypedRateLimitingInterface[string]
	deleter   *deletion.NamespacedResourcesDeleter
}

// NewNamespaceController makes a controller of a component. The informer is not started here.
func NewNamespaceController(c *sim.Component, kubeClient *client.Clientset, namespaceInformer informers.NamespaceInformer) *NamespaceController {
	nm := &NamespaceController{
		component: c,
		lister:    namespaceInformer.Lister(),
		synced:    namespaceInformer.Informer().HasSynced,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c, nsControllerRateLimiter(c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "namespace"}),
		deleter: deletion.NewNamespacedResourcesDeleter(kubeClient, corev1.FinalizerKubernetes),
	}
	namespaceInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { nm.enqueueNamespace(obj.(*corev1.Namespace)) },
		UpdateFunc: func(_, cur any) { nm.enqueueNamespace(cur.(*corev1.Namespace)) },
	})
	return nm
}

// nsControllerRateLimiter is the default limiter, with a minute for the longest wait.
func nsControllerRateLimiter(c *sim.Component) workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedMaxOfRateLimiter(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 60*time.Second),
		workqueue.NewTypedBucketRateLimiter[string](c, 10, 100))
}

func (nm *NamespaceController) enqueueNamespace(ns *corev1.Namespace) {
	if ns.DeletionTimestamp != nil {
		nm.queue.AddAfter(ns.Name, namespaceDeletionGracePeriod)
	}
}

// Run starts the workers once the cache holds the cluster.
func (nm *NamespaceController) Run(p *sim.Proc, workers int) {
	p.Logger().Info("Starting namespace controller")
	cache.WaitForCacheSync(p, nm.synced)
	p.Logger().V(5).Info("Starting workers of namespace controller")
	for i := range workers {
		nm.component.Go(fmt.Sprintf("worker-%d", i+1), nm.worker)
	}
}

func (nm *NamespaceController) worker(p *sim.Proc) {
	for {
		key, quit := nm.queue.Get(p)
		if quit {
			return
		}
		var remaining *deletion.ResourcesRemainingError
		switch err := nm.syncNamespaceFromKey(p, key); {
		case err == nil:
			nm.queue.Forget(key)
		case errors.As(err, &remaining):
			wait := remaining.Estimate/2 + 1
			p.Logger().V(4).Info("Content remaining in namespace", "namespace", key, "waitSeconds", wait)
			nm.queue.AddAfter(key, time.Duration(wait)*time.Second)
		default:
			controller.HandleError(p.Logger(), fmt.Errorf("deletion of namespace %v failed: %w", key, err), "Unhandled Error")
			nm.queue.AddRateLimited(key)
		}
		nm.queue.Done(key)
	}
}

func (nm *NamespaceController) syncNamespaceFromKey(p *sim.Proc, key string) error {
	start := p.Now()
	ns, err := nm.lister.Get(key)
	if apierrors.IsNotFound(err) {
		p.Logger().Info("Namespace has been deleted", "namespace", key)
		return nil
	}
	if err == nil {
		err = nm.deleter.Delete(p, ns.Name)
	}
	p.Logger().V(4).Info("Finished syncing namespace", "namespace", key, "duration", p.Now()-start)
	return err
}

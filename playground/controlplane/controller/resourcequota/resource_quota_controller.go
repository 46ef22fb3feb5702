// Package resourcequota counts what is used of each ResourceQuota.
//
// The API server's admission counts up before it lets anything in (its plugin
// ResourceQuota). This controller counts anew: when a quota is new or its limits
// changed, when something that a quota counts was deleted or uses less, and every
// five minutes in any case. Quotas whose status says nothing yet have a queue of
// their own, since nothing is let in under them until it does.
//
// What an object uses, and whether a quota is about it, is in package api/quota,
// which admission asks as well.
//
// Simplified: a resource is watched from when the first quota counts it, where
// upstream watches everything that could be counted from the start; the watches
// stay. Usage is summed from informers' caches in both.
//
// Upstream: pkg/controller/resourcequota.
package resourcequota

import (
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/quota"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "resourcequota-controller"

const (
	// ConcurrentResourceQuotaSyncs is how many workers each queue has by default.
	// Upstream: --concurrent-resource-quota-syncs.
	ConcurrentResourceQuotaSyncs = 5
	// ResourceQuotaSyncPeriod is how often everything is counted anew.
	// Upstream: --resource-quota-sync-period.
	ResourceQuotaSyncPeriod = 5 * time.Minute
)

// Controller counts. Upstream: resource_quota_controller.go, Controller.
type Controller struct {
	component *sim.Component
	client    *client.Clientset
	rqLister  listers.ResourceQuotaLister
	synced    cache.InformerSynced
	queue     workqueue.TypedRateLimitingInterface[string]
	// missingUsageQueue holds quotas whose status does not say yet what is used.
	missingUsageQueue workqueue.TypedRateLimitingInterface[string]
	monitor           *QuotaMonitor
	resyncPeriod      time.Duration
}

// NewController makes a controller of a component. The informers are not started here.
func NewController(c *sim.Component, cl *client.Clientset, factory informers.SharedInformerFactory, resyncPeriod time.Duration) *Controller {
	quotas := factory.Core().V1().ResourceQuotas()
	rq := &Controller{
		component: c, client: cl,
		rqLister: quotas.Lister(), synced: quotas.Informer().HasSynced,
		queue:             newQueue[string](c, "resourcequota_primary"),
		missingUsageQueue: newQueue[string](c, "resourcequota_priority"),
		resyncPeriod:      resyncPeriod,
	}
	rq.monitor = newQuotaMonitor(c, factory, rq.kinds, rq.replenishQuota)
	quotas.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { rq.addQuota(obj.(*corev1.ResourceQuota)) },
		UpdateFunc: func(old, cur any) {
			// The status is written by this controller and by admission: it is no news.
			if a, b := old.(*corev1.ResourceQuota), cur.(*corev1.ResourceQuota); !quota.Equals(a.Spec.Hard, b.Spec.Hard) {
				rq.addQuota(b)
			}
		},
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			rq.queue.Add(controller.KeyFunc(obj.(api.Object)))
		},
	})
	return rq
}

func newQueue[T comparable](c *sim.Component, name string) workqueue.TypedRateLimitingInterface[T] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[T](c),
		workqueue.TypedRateLimitingQueueConfig[T]{Name: name})
}

// addQuota queues a quota: first those that lack what can be counted.
func (rq *Controller) addQuota(q *corev1.ResourceQuota) {
	key := controller.KeyFunc(q)
	if !quota.Equals(q.Spec.Hard, q.Status.Hard) {
		rq.missingUsageQueue.Add(key)
		return
	}
	for _, name := range quota.ResourceNames(q.Status.Hard) {
		if _, found := q.Status.Used[name]; !found && len(quota.EvaluatorsFor(rq.kinds(), []corev1.ResourceName{name})) > 0 {
			rq.missingUsageQueue.Add(key)
			return
		}
	}
	rq.queue.Add(key)
}

// Run starts the workers once the cache holds the quotas.
func (rq *Controller) Run(p *sim.Proc, workers int) {
	p.Logger().Info("Starting resource quota controller")
	rq.component.Go("monitor", rq.monitor.run)
	cache.WaitForCacheSync(p, rq.synced)
	for i := range workers {
		rq.component.Go(fmt.Sprintf("worker-%d", i+1), func(p *sim.Proc) { rq.worker(p, rq.queue) })
		rq.component.Go(fmt.Sprintf("priority-worker-%d", i+1), func(p *sim.Proc) { rq.worker(p, rq.missingUsageQueue) })
	}
	if rq.resyncPeriod <= 0 {
		p.Logger().Info("periodic quota controller resync disabled")
		return
	}
	for {
		p.Sleep(rq.resyncPeriod)
		rq.enqueueAll(p)
	}
}

// enqueueAll has everything counted anew.
func (rq *Controller) enqueueAll(p *sim.Proc) {
	all, err := rq.rqLister.List(labels.Everything())
	if err != nil {
		controller.HandleError(p.Logger(), err, "unable to enqueue all - error listing resource quotas")
		return
	}
	for _, q := range all {
		rq.queue.Add(controller.KeyFunc(q))
	}
	p.Logger().V(4).Info("Resource quota controller queued all resource quota for full calculation of usage", "quotas", len(all))
}

func (rq *Controller) worker(p *sim.Proc, queue workqueue.TypedRateLimitingInterface[string]) {
	for {
		key, quit := queue.Get(p)
		if quit {
			return
		}
		if err := rq.syncResourceQuotaFromKey(p, key); err != nil {
			controller.HandleError(p.Logger(), err, "Unhandled Error", "key", key)
			queue.AddRateLimited(key)
		} else {
			queue.Forget(key)
		}
		queue.Done(key)
	}
}

func (rq *Controller) syncResourceQuotaFromKey(p *sim.Proc, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	q, err := rq.rqLister.ResourceQuotas(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		p.Logger().Info("Resource quota has been deleted", "key", key)
		return nil
	}
	if err != nil {
		return err
	}
	return rq.syncResourceQuota(p, q)
}

// syncResourceQuota counts all that a quota limits, and writes it when the status says something else.
func (rq *Controller) syncResourceQuota(p *sim.Proc, q *corev1.ResourceQuota) error {
	dirty := !quota.Equals(q.Spec.Hard, q.Status.Hard) || q.Status.Hard == nil || q.Status.Used == nil
	used := quota.Add(corev1.ResourceList{}, q.Status.Used)
	hard := quota.Add(corev1.ResourceList{}, q.Spec.Hard)

	newUsage, calculateErr := rq.calculateUsage(p, q)
	for name, amount := range newUsage { // order: each is set by itself
		used[name] = amount
	}
	used = quota.Mask(used, quota.ResourceNames(hard))
	dirty = dirty || !quota.Equals(used, q.Status.Used)
	p.Logger().V(4).Info("Counted what is used of a quota", "resourceQuota", controller.KObj(q), "hard", quota.PrettyPrint(hard),
		"used", quota.PrettyPrint(used), "dirty", dirty)
	if !dirty {
		return calculateErr
	}
	usage := q.DeepCopy()
	usage.Status = corev1.ResourceQuotaStatus{Hard: hard, Used: used}
	_, err := rq.client.CoreV1().ResourceQuotas(q.Namespace).UpdateStatus(p, usage, metav1.UpdateOptions{})
	return errors.Join(calculateErr, err)
}

// kinds are those that the API server serves.
func (rq *Controller) kinds() api.KindSet { return rq.client.Transport().Kinds() }

// calculateUsage sums what the objects of the quota's namespace use of it.
// Upstream: k8s.io/apiserver/pkg/quota/v1/resources.go, CalculateUsage.
func (rq *Controller) calculateUsage(p *sim.Proc, q *corev1.ResourceQuota) (corev1.ResourceList, error) {
	names := quota.ResourceNames(q.Spec.Hard)
	scopes := quota.ScopeSelectors(q)
	out := corev1.ResourceList{}
	var errs []error
	for _, e := range quota.EvaluatorsFor(rq.kinds(), names) {
		matching := e.MatchingResources(names)
		sum := corev1.ResourceList{}
		for _, name := range matching {
			sum[name] = resource.Quantity{Format: resource.DecimalSI}
		}
		objects, err := rq.monitor.list(p, e.GroupResource(), q.Namespace)
		for _, obj := range objects {
			in, scopeErr := quota.MatchesScopes(scopes, e, obj)
			if err == nil {
				err = scopeErr
			}
			if in {
				sum = quota.Add(sum, e.Usage(obj, p.Time()))
			}
		}
		if err != nil {
			errs = append(errs, err) // what could not be counted stays as it was
			continue
		}
		out = quota.Add(out, quota.Mask(sum, matching))
	}
	return out, errors.Join(errs...)
}

// replenishQuota has the quotas of a namespace counted anew that count such objects.
func (rq *Controller) replenishQuota(log sim.Logger, r api.GroupResource, namespace string) {
	all, err := rq.rqLister.ResourceQuotas(namespace).List(labels.Everything())
	if err != nil {
		controller.HandleError(log, err, "error checking to see if namespace has any ResourceQuota associated with it", "namespace", namespace)
		return
	}
	e := quota.EvaluatorFor(r)
	for _, q := range all {
		if len(e.MatchingResources(quota.ResourceNames(q.Status.Hard))) > 0 {
			rq.queue.Add(controller.KeyFunc(q))
		}
	}
}

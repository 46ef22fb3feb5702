package resourcequota

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/quota"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// event is a deletion, or an update after which less may be used.
type event struct {
	eventType string
	resource  api.GroupResource
	namespace string
	name      string
	version   string
}

// String is the event's key in the queue. The version makes it the only one.
func (e *event) String() string {
	return e.eventType + " " + e.resource.String() + " " + e.namespace + "/" + e.name + "@" + e.version
}

// QuotaMonitor watches what quotas count, and says when something of it is free again.
// Upstream: resource_quota_monitor.go, QuotaMonitor.
type QuotaMonitor struct {
	kernel            *sim.Kernel
	factory           informers.SharedInformerFactory
	kinds             func() api.KindSet // that the API server serves
	monitors          map[api.GroupResource]cache.SharedIndexInformer
	resourceChanges   workqueue.TypedRateLimitingInterface[*event]
	replenishmentFunc func(log sim.Logger, resource api.GroupResource, namespace string)
}

func newQuotaMonitor(c *sim.Component, factory informers.SharedInformerFactory, kinds func() api.KindSet,
	replenish func(sim.Logger, api.GroupResource, string)) *QuotaMonitor {
	return &QuotaMonitor{
		kernel: c.Kernel(), factory: factory, kinds: kinds,
		monitors:          map[api.GroupResource]cache.SharedIndexInformer{},
		resourceChanges:   newQueue[*event](c, "resource_quota_controller_resource_changes"),
		replenishmentFunc: replenish,
	}
}

// list returns the objects of a namespace, of a resource that is watched from now on.
func (qm *QuotaMonitor) list(p *sim.Proc, r api.GroupResource, namespace string) ([]api.Object, error) {
	informer := qm.monitors[r]
	if informer == nil {
		informer = qm.controllerFor(p, r)
	}
	cache.WaitForCacheSync(p, informer.HasSynced)
	items, err := informer.GetIndexer().ByIndex(cache.NamespaceIndex, namespace)
	out := make([]api.Object, len(items))
	for i, item := range items {
		out[i] = item.(api.Object)
	}
	return out, err
}

// controllerFor starts to watch a resource.
func (qm *QuotaMonitor) controllerFor(p *sim.Proc, r api.GroupResource) cache.SharedIndexInformer {
	var kind *api.Kind
	for _, k := range qm.kinds() {
		if kind == nil && k.NewList != nil && k.GroupResource() == r {
			kind = k
		}
	}
	informer := qm.factory.InformerFor(kind.GroupVersionResource(), nil)
	add := func(eventType string, obj api.Object) {
		qm.resourceChanges.Add(&event{eventType, r, obj.GetNamespace(), obj.GetName(), obj.GetResourceVersion()})
	}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(old, cur any) {
			if qm.updateFilter(old, cur) {
				add("update", cur.(api.Object))
			}
		},
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			add("delete", obj.(api.Object))
		},
	})
	qm.monitors[r] = informer
	p.Logger().V(4).Info("QuotaMonitor using a shared informer", "resource", r.String())
	qm.factory.Start(p)
	return informer
}

// updateFilter tells whether an update may have set something free.
// Upstream: pkg/quota/v1/install/update_filter.go, DefaultUpdateFilter.
func (qm *QuotaMonitor) updateFilter(old, cur any) bool {
	switch cur := cur.(type) {
	case *corev1.Pod:
		old, now := old.(*corev1.Pod), qm.kernel.Time()
		if !quota.QuotaV1Pod(cur, now) {
			return quota.QuotaV1Pod(old, now)
		}
		return !quota.Equals(quota.Usage(old, now), quota.Usage(cur, now)) // it was resized
	case *corev1.Service:
		return serviceType(old.(*corev1.Service)) != serviceType(cur)
	case *corev1.PersistentVolumeClaim:
		now := qm.kernel.Time()
		return !quota.Equals(quota.Usage(old.(api.Object), now), quota.Usage(cur, now))
	}
	return false
}

// serviceType is "" for those that use no more than others.
func serviceType(s *corev1.Service) corev1.ServiceType {
	if t := s.Spec.Type; t == corev1.ServiceTypeNodePort || t == corev1.ServiceTypeLoadBalancer {
		return t
	}
	return ""
}

// run takes the changes one by one.
func (qm *QuotaMonitor) run(p *sim.Proc) {
	for {
		e, quit := qm.resourceChanges.Get(p)
		if quit {
			return
		}
		p.Logger().V(4).Info("QuotaMonitor process object", "resource", e.resource.String(), "object", e.namespace+"/"+e.name, "eventType", e.eventType)
		qm.replenishmentFunc(p.Logger(), e.resource, e.namespace)
		qm.resourceChanges.Forget(e)
		qm.resourceChanges.Done(e)
	}
}

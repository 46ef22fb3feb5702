package endpointslice

import (
	"fmt"
	"strconv"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/endpoint"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "endpointslice-controller"

const (
	// ConcurrentSyncs is how many workers there are. Upstream: --concurrent-service-endpoint-syncs.
	ConcurrentSyncs = 5
	// MaxEndpointsPerSlice is how full a slice becomes. Upstream: --max-endpoints-per-slice.
	MaxEndpointsPerSlice = 100
	// managedBy marks the slices of this controller.
	managedBy = "endpointslice-controller.k8s.io"

	maxRetries         = 15
	defaultSyncBackOff = 1 * time.Second
	maxSyncBackOff     = 1000 * time.Second
)

// StaleInformerCache is why a sync waits: a slice that was written has not come back yet.
// Upstream: pkg/controller/util/endpointslice/errors.go, StaleInformerCache.
type StaleInformerCache struct{}

func (StaleInformerCache) Error() string { return "EndpointSlice informer cache is out of date" }

// Controller syncs EndpointSlices with Services and Pods. Upstream: endpointslice_controller.go, Controller.
type Controller struct {
	component           *sim.Component
	client              *client.Clientset
	serviceLister       listers.ServiceLister
	pods                *controller.Selections
	nodeLister          listers.NodeLister
	endpointSliceLister listers.EndpointSliceLister
	synced              []cache.InformerSynced
	// serviceQueue holds the keys of Services that have to be synced.
	serviceQueue     workqueue.TypedRateLimitingInterface[string]
	tracker          *Tracker
	reconciler       *reconciler
	triggerTimes     *endpoint.TriggerTimeTracker
	eventBroadcaster *record.EventBroadcaster
	eventRecorder    record.EventRecorder
}

// NewController makes a controller of a component. The informers are not started here.
func NewController(c *sim.Component, podInformer informers.PodInformer, serviceInformer informers.ServiceInformer,
	nodeInformer informers.NodeInformer, endpointSliceInformer informers.EndpointSliceInformer, maxEndpointsPerSlice int,
	kubeClient *client.Clientset) *Controller {
	e := &Controller{
		component: c, client: kubeClient,
		serviceLister: serviceInformer.Lister(), pods: controller.NewSelections(podInformer.Informer().GetIndexer()),
		nodeLister: nodeInformer.Lister(), endpointSliceLister: endpointSliceInformer.Lister(),
		synced: []cache.InformerSynced{podInformer.Informer().HasSynced, serviceInformer.Informer().HasSynced,
			nodeInformer.Informer().HasSynced, endpointSliceInformer.Informer().HasSynced},
		serviceQueue: workqueue.NewTypedRateLimitingQueueWithConfig(c,
			workqueue.NewTypedMaxOfRateLimiter[string](
				workqueue.NewTypedItemExponentialFailureRateLimiter[string](defaultSyncBackOff, maxSyncBackOff),
				workqueue.NewTypedBucketRateLimiter[string](c, 10, 100)),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "endpoint_slice"}),
		tracker:          NewTracker(),
		triggerTimes:     endpoint.NewTriggerTimeTracker(),
		eventBroadcaster: record.NewBroadcaster(c),
	}
	e.eventRecorder = e.eventBroadcaster.NewRecorder(corev1.EventSource{Component: Name})
	e.reconciler = &reconciler{client: kubeClient, nodeLister: e.nodeLister, maxEndpointsPerSlice: maxEndpointsPerSlice, tracker: e.tracker,
		services: map[types.NamespacedName]*known{}}
	nodeInformer.Informer().GetIndexer().OnChange(func(_, _ any) { e.reconciler.nodeChanges++ })
	endpoint.WatchServices(serviceInformer.Informer(), e.serviceQueue)
	podInformer.Informer().AddEventHandler((&endpoint.ServicesByPod{Services: e.serviceLister, Queue: e.serviceQueue}).Handlers())
	endpointSliceInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { e.onEndpointSliceAdd(obj.(*discoveryv1.EndpointSlice)) },
		UpdateFunc: func(old, cur any) {
			e.onEndpointSliceUpdate(old.(*discoveryv1.EndpointSlice), cur.(*discoveryv1.EndpointSlice))
		},
		DeleteFunc: e.onEndpointSliceDelete,
	})
	return e
}

// Run starts the workers once the caches hold the cluster.
func (c *Controller) Run(p *sim.Proc, workers int) {
	c.eventBroadcaster.StartRecordingToSink(c.client)
	p.Logger().Info("Starting endpoint slice controller")
	if !cache.WaitForCacheSync(p, c.synced...) {
		return
	}
	p.Logger().V(2).Info("Starting service queue worker threads", "total", workers)
	for i := range workers {
		c.component.Go("worker-"+strconv.Itoa(i+1), c.serviceQueueWorker)
	}
}

func (c *Controller) serviceQueueWorker(p *sim.Proc) {
	for c.processNextServiceWorkItem(p) {
	}
}

func (c *Controller) processNextServiceWorkItem(p *sim.Proc) bool {
	key, quit := c.serviceQueue.Get(p)
	if quit {
		return false
	}
	c.handleErr(p, c.syncService(p, key), key)
	c.serviceQueue.Done(key)
	return true
}

func (c *Controller) handleErr(p *sim.Proc, err error, key string) {
	if err == nil {
		c.serviceQueue.Forget(key)
		return
	}
	log := p.Logger()
	if c.serviceQueue.NumRequeues(key) < maxRetries {
		log.Info("Error syncing endpoint slices for service, retrying", "key", key, "err", err.Error())
		c.serviceQueue.AddRateLimited(key)
		return
	}
	log.Info("Retry budget exceeded, dropping service out of the queue", "key", key, "err", err.Error())
	c.serviceQueue.Forget(key)
}

// syncService brings the slices of one Service up to date.
func (c *Controller) syncService(p *sim.Proc, key string) error {
	log := p.Logger()
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	svc, err := c.serviceLister.Services(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		// The slices have an owner: the garbage collector takes them.
		c.triggerTimes.DeleteService(namespace, name)
		c.tracker.DeleteService(namespace, name)
		c.pods.Forget(namespace, name)
		delete(c.reconciler.services, types.NamespacedName{Namespace: namespace, Name: name})
		return nil
	}
	if err != nil {
		return err
	}
	if svc.Spec.Type == corev1.ServiceTypeExternalName || len(svc.Spec.Selector) == 0 {
		return nil // DNS answers with another name, or somebody else writes the slices
	}
	log.V(5).Info("About to update endpoint slices for service", "key", key)
	slices, err := c.endpointSliceLister.EndpointSlices(namespace).List(labels.SelectorFromSet(labels.Set{
		discoveryv1.LabelServiceName: name, discoveryv1.LabelManagedBy: managedBy}))
	if err != nil {
		return c.warn(svc, "FailedToListEndpointSlices", "Error listing Endpoint Slices for Service %s/%s: %v", err)
	}
	// A slice that is being deleted is no place for endpoints.
	slices = dropEndpointSlicesPendingDeletion(slices)
	if c.tracker.StaleSlices(svc, slices) {
		return StaleInformerCache{}
	}
	selection := c.pods.Of(namespace, name, labels.SelectorFromSet(svc.Spec.Selector))
	trigger := c.triggerTimes.ComputeEndpointLastChangeTriggerTime(svc, selection.Changes())
	if err := c.reconciler.reconcile(p, svc, selection.Pods(), slices, trigger); err != nil {
		return c.warn(svc, "FailedToUpdateEndpointSlices", "Error updating Endpoint Slices for Service %s/%s: %v", err)
	}
	return nil
}

func (c *Controller) warn(svc *corev1.Service, reason, format string, err error) error {
	c.eventRecorder.Eventf(svc, corev1.EventTypeWarning, reason, format, svc.Namespace, svc.Name, err)
	return err
}

func dropEndpointSlicesPendingDeletion(slices []*discoveryv1.EndpointSlice) []*discoveryv1.EndpointSlice {
	out := make([]*discoveryv1.EndpointSlice, 0, len(slices))
	for _, s := range slices {
		if s.DeletionTimestamp == nil {
			out = append(out, s)
		}
	}
	return out
}

func managed(slice *discoveryv1.EndpointSlice) bool {
	return slice.Labels[discoveryv1.LabelManagedBy] == managedBy
}

// onEndpointSliceAdd wakes the Service of a slice that is not the one that was written here.
func (c *Controller) onEndpointSliceAdd(slice *discoveryv1.EndpointSlice) {
	if managed(slice) && c.tracker.ShouldSync(slice) {
		c.queueServiceForEndpointSlice(slice)
	}
}

func (c *Controller) onEndpointSliceUpdate(old, cur *discoveryv1.EndpointSlice) {
	// Somebody gave it to another Service: both have to look again.
	if old.Labels[discoveryv1.LabelServiceName] != cur.Labels[discoveryv1.LabelServiceName] {
		c.queueServiceForEndpointSlice(cur)
		c.queueServiceForEndpointSlice(old)
		return
	}
	if managed(old) != managed(cur) || managed(cur) && c.tracker.ShouldSync(cur) {
		c.queueServiceForEndpointSlice(cur)
	}
}

func (c *Controller) onEndpointSliceDelete(obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	slice, ok := obj.(*discoveryv1.EndpointSlice)
	if !ok || !managed(slice) || !c.tracker.Has(slice) {
		return
	}
	// It was to go only if a sync here deleted it.
	if !c.tracker.HandleDeletion(slice) {
		c.queueServiceForEndpointSlice(slice)
	}
}

func (c *Controller) queueServiceForEndpointSlice(slice *discoveryv1.EndpointSlice) {
	name := slice.Labels[discoveryv1.LabelServiceName]
	if name == "" {
		controller.HandleError(c.component.Kernel().Logger(), fmt.Errorf("missing %s label", discoveryv1.LabelServiceName),
			"Couldn't get key for EndpointSlice", "endpointSlice", controller.KObj(slice))
		return
	}
	c.serviceQueue.Add(slice.Namespace + "/" + name)
}

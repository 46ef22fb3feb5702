package endpointslicemirroring

import (
	"fmt"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/endpointslice"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "endpointslicemirroring-controller"

const (
	// ConcurrentSyncs is how many workers there are. Upstream: --mirroring-concurrent-service-endpoint-syncs.
	ConcurrentSyncs = 5
	// MaxEndpointsPerSubset is how many addresses of a subset are mirrored. Upstream: --mirroring-max-endpoints-per-subset.
	MaxEndpointsPerSubset = 1000
	// managedBy marks the slices of this controller.
	managedBy = "endpointslicemirroring-controller.k8s.io"

	maxRetries         = 15
	defaultSyncBackOff = 1 * time.Second
	maxSyncBackOff     = 100 * time.Second

	leaderElectionRecord = "control-plane.alpha.kubernetes.io/leader"
)

// Controller syncs EndpointSlices with Endpoints that nobody else makes slices for. Upstream: endpointslicemirroring_controller.go, Controller.
type Controller struct {
	component           *sim.Component
	client              *client.Clientset
	endpointsLister     listers.EndpointsLister
	endpointSliceLister listers.EndpointSliceLister
	serviceLister       listers.ServiceLister
	synced              []cache.InformerSynced
	// queue holds the keys of Endpoints, which are those of their Services.
	queue                 workqueue.TypedRateLimitingInterface[string]
	tracker               *endpointslice.Tracker
	maxEndpointsPerSubset int
	eventBroadcaster      *record.EventBroadcaster
	eventRecorder         record.EventRecorder
}

// NewController makes a controller of a component. The informers are not started here.
func NewController(c *sim.Component, endpointsInformer informers.EndpointsInformer, endpointSliceInformer informers.EndpointSliceInformer,
	serviceInformer informers.ServiceInformer, maxEndpointsPerSubset int, kubeClient *client.Clientset) *Controller {
	m := &Controller{
		component: c, client: kubeClient,
		endpointsLister: endpointsInformer.Lister(), endpointSliceLister: endpointSliceInformer.Lister(), serviceLister: serviceInformer.Lister(),
		synced: []cache.InformerSynced{endpointsInformer.Informer().HasSynced, endpointSliceInformer.Informer().HasSynced,
			serviceInformer.Informer().HasSynced},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c,
			workqueue.NewTypedMaxOfRateLimiter[string](
				workqueue.NewTypedItemExponentialFailureRateLimiter[string](defaultSyncBackOff, maxSyncBackOff),
				workqueue.NewTypedBucketRateLimiter[string](c, 10, 100)),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "endpoint_slice_mirroring"}),
		tracker: endpointslice.NewTracker(), maxEndpointsPerSubset: maxEndpointsPerSubset,
		eventBroadcaster: record.NewBroadcaster(c),
	}
	m.eventRecorder = m.eventBroadcaster.NewRecorder(corev1.EventSource{Component: "endpoint-slice-mirroring-controller"})
	endpointsInformer.Informer().AddEventHandler(m.endpointsHandlers())
	endpointSliceInformer.Informer().AddEventHandler(m.endpointSliceHandlers())
	serviceInformer.Informer().AddEventHandler(m.serviceHandlers())
	return m
}

// Run starts the workers once the caches hold the cluster.
func (c *Controller) Run(p *sim.Proc, workers int) {
	c.eventBroadcaster.StartRecordingToSink(c.client)
	p.Logger().Info("Starting EndpointSliceMirroring controller")
	if !cache.WaitForCacheSync(p, c.synced...) {
		return
	}
	p.Logger().V(2).Info("Starting worker threads", "total", workers)
	for i := range workers {
		c.component.Go("worker-"+strconv.Itoa(i+1), c.worker)
	}
}

func (c *Controller) worker(p *sim.Proc) {
	for c.processNextWorkItem(p) {
	}
}

func (c *Controller) processNextWorkItem(p *sim.Proc) bool {
	key, quit := c.queue.Get(p)
	if quit {
		return false
	}
	c.handleErr(p, c.syncEndpoints(p, key), key)
	c.queue.Done(key)
	return true
}

func (c *Controller) handleErr(p *sim.Proc, err error, key string) {
	if err == nil {
		c.queue.Forget(key)
		return
	}
	log := p.Logger()
	if c.queue.NumRequeues(key) < maxRetries {
		log.Info("Error mirroring EndpointSlices for Endpoints, retrying", "key", key, "err", err.Error())
		c.queue.AddRateLimited(key)
		return
	}
	log.Info("Retry budget exceeded, dropping Endpoints out of the queue", "key", key, "err", err.Error())
	c.queue.Forget(key)
}

// syncEndpoints brings the slices of one object of Endpoints up to date, or deletes them when nobody wants them any more.
func (c *Controller) syncEndpoints(p *sim.Proc, key string) error {
	log := p.Logger()
	log.V(4).Info("syncEndpoints", "key", key)
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	cleanUp := func(why, what string) error {
		log.V(4).Info(why+", cleaning up any mirrored EndpointSlices", what, key)
		return c.deleteMirroredSlices(p, namespace, name)
	}
	endpoints, err := c.endpointsLister.Endpoints(namespace).Get(name)
	switch {
	case apierrors.IsNotFound(err):
		return cleanUp("Endpoints not found", "endpoints")
	case err != nil:
		return err
	case !shouldMirror(endpoints):
		return cleanUp("Endpoints should not be mirrored", "endpoints")
	}
	svc, err := c.serviceLister.Services(namespace).Get(name)
	switch {
	case apierrors.IsNotFound(err):
		return cleanUp("Service not found", "service")
	case err != nil:
		return err
	case svc.Spec.Selector != nil:
		return cleanUp("Service now has selector", "service")
	}
	slices, err := c.mirroredSlices(namespace, name)
	if err != nil {
		return err
	}
	if c.tracker.StaleSlices(svc, slices) {
		return endpointslice.StaleInformerCache{}
	}
	return c.reconcile(p, endpoints, slices)
}

// shouldMirror is false for what somebody labelled so, and for what leaders were elected with. Upstream: the same name.
func shouldMirror(endpoints *corev1.Endpoints) bool {
	_, leader := endpoints.Annotations[leaderElectionRecord]
	return !leader && endpoints.Labels[discoveryv1.LabelSkipMirror] != "true"
}

func (c *Controller) mirroredSlices(namespace, name string) ([]*discoveryv1.EndpointSlice, error) {
	return c.endpointSliceLister.EndpointSlices(namespace).List(labels.SelectorFromSet(labels.Set{
		discoveryv1.LabelServiceName: name, discoveryv1.LabelManagedBy: managedBy}))
}

func managed(slice *discoveryv1.EndpointSlice) bool {
	return slice.Labels[discoveryv1.LabelManagedBy] == managedBy
}

func (c *Controller) queueEndpoints(obj api.Object) { c.queue.Add(controller.KeyFunc(obj)) }

// lastOf is what a deleted object was, as far as that is known.
func lastOf(obj any) any {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return gone.Obj
	}
	return obj
}

func (c *Controller) endpointsHandlers() cache.ResourceEventHandlerFuncs {
	queue := func(candidates ...*corev1.Endpoints) {
		for _, endpoints := range candidates {
			if shouldMirror(endpoints) {
				c.queueEndpoints(endpoints)
				return
			}
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { queue(obj.(*corev1.Endpoints)) },
		UpdateFunc: func(old, cur any) { queue(cur.(*corev1.Endpoints), old.(*corev1.Endpoints)) },
		DeleteFunc: func(obj any) {
			if endpoints, ok := lastOf(obj).(*corev1.Endpoints); ok {
				queue(endpoints)
			}
		},
	}
}

func (c *Controller) serviceHandlers() cache.ResourceEventHandlerFuncs {
	queue := func(svc *corev1.Service) {
		if svc.Spec.Selector == nil {
			c.queueEndpoints(svc)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { queue(obj.(*corev1.Service)) },
		UpdateFunc: func(old, cur any) {
			if (old.(*corev1.Service).Spec.Selector == nil) != (cur.(*corev1.Service).Spec.Selector == nil) {
				c.queueEndpoints(cur.(*corev1.Service))
			}
		},
		DeleteFunc: func(obj any) {
			if svc, ok := lastOf(obj).(*corev1.Service); ok {
				queue(svc)
			}
		},
	}
}

// endpointSliceHandlers wake the Endpoints of a slice that is not the one that was written here.
func (c *Controller) endpointSliceHandlers() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			if slice := obj.(*discoveryv1.EndpointSlice); managed(slice) && c.tracker.ShouldSync(slice) {
				c.queueEndpointsForEndpointSlice(slice)
			}
		},
		UpdateFunc: func(oldObj, curObj any) {
			old, cur := oldObj.(*discoveryv1.EndpointSlice), curObj.(*discoveryv1.EndpointSlice)
			if old.Labels[discoveryv1.LabelServiceName] != cur.Labels[discoveryv1.LabelServiceName] {
				c.queueEndpointsForEndpointSlice(cur)
				c.queueEndpointsForEndpointSlice(old)
				return
			}
			if managed(old) != managed(cur) || managed(cur) && c.tracker.ShouldSync(cur) {
				c.queueEndpointsForEndpointSlice(cur)
			}
		},
		DeleteFunc: func(obj any) {
			slice, ok := lastOf(obj).(*discoveryv1.EndpointSlice)
			// It was to go only if a sync here deleted it.
			if ok && managed(slice) && c.tracker.Has(slice) && !c.tracker.HandleDeletion(slice) {
				c.queueEndpointsForEndpointSlice(slice)
			}
		},
	}
}

func (c *Controller) queueEndpointsForEndpointSlice(slice *discoveryv1.EndpointSlice) {
	name := slice.Labels[discoveryv1.LabelServiceName]
	if name == "" {
		controller.HandleError(c.component.Kernel().Logger(), fmt.Errorf("EndpointSlice missing %s label", discoveryv1.LabelServiceName),
			"Couldn't get key for EndpointSlice", "endpointSlice", controller.KObj(slice))
		return
	}
	c.queue.Add(slice.Namespace + "/" + name)
}

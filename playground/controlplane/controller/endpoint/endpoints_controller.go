package endpoint

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "endpoint-controller"

const (
	// ConcurrentSyncs is how many workers there are. Upstream: --concurrent-endpoint-syncs.
	ConcurrentSyncs = 5
	// maxCapacity is how many addresses an Endpoints object lists at most.
	maxCapacity    = 1000
	maxRetries     = 15
	labelManagedBy = "endpoints.kubernetes.io/managed-by"
)

// Controller syncs Endpoints with Services and Pods. Upstream: endpoints_controller.go, Controller.
type Controller struct {
	component       *sim.Component
	client          *client.Clientset
	serviceLister   listers.ServiceLister
	pods            *controller.Selections
	endpointsLister listers.EndpointsLister
	synced          []cache.InformerSynced
	queue           workqueue.TypedRateLimitingInterface[string]
	broadcaster     *record.EventBroadcaster
	recorder        record.EventRecorder
	triggerTimes    *TriggerTimeTracker
	// stale is the version of each object that was replaced last: when the cache shows it again, the cache is behind.
	// Upstream: endpoints_tracker.go, staleEndpointsTracker.
	stale map[string]string
	lists map[string]*addressList // by Service, as of its last sync
}

// NewEndpointController makes a controller of a component. The informers are not started here.
func NewEndpointController(c *sim.Component, podInformer informers.PodInformer, serviceInformer informers.ServiceInformer,
	endpointsInformer informers.EndpointsInformer, kubeClient *client.Clientset) *Controller {
	e := &Controller{
		component: c, client: kubeClient,
		serviceLister: serviceInformer.Lister(), pods: controller.NewSelections(podInformer.Informer().GetIndexer()), endpointsLister: endpointsInformer.Lister(),
		synced: []cache.InformerSynced{serviceInformer.Informer().HasSynced, podInformer.Informer().HasSynced, endpointsInformer.Informer().HasSynced},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "endpoint"}),
		broadcaster:  record.NewBroadcaster(c),
		triggerTimes: NewTriggerTimeTracker(),
		stale:        map[string]string{},
		lists:        map[string]*addressList{},
	}
	e.recorder = e.broadcaster.NewRecorder(corev1.EventSource{Component: Name})
	WatchServices(serviceInformer.Informer(), e.queue)
	podInformer.Informer().AddEventHandler((&ServicesByPod{Services: e.serviceLister, Queue: e.queue}).Handlers())
	endpointsInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			e.queue.Add(gone.Key)
			return
		}
		e.queue.Add(controller.KeyFunc(obj.(api.Object))) // somebody deleted it by hand, or with its Service
	}})
	return e
}

// Run starts the workers once the caches hold the cluster, and clears up what earlier Services left.
func (e *Controller) Run(p *sim.Proc, workers int) {
	e.broadcaster.StartRecordingToSink(e.client)
	p.Logger().Info("Starting endpoint controller")
	if !cache.WaitForCacheSync(p, e.synced...) {
		return
	}
	for i := range workers {
		e.component.Go("worker-"+strconv.Itoa(i+1), e.worker)
	}
	e.checkLeftoverEndpoints()
}

// checkLeftoverEndpoints looks at all Endpoints once: a Service may have gone while nobody watched.
func (e *Controller) checkLeftoverEndpoints() {
	list, err := e.endpointsLister.List(labels.Everything())
	if err != nil {
		return
	}
	for _, ep := range list {
		if ep.Annotations["control-plane.alpha.kubernetes.io/leader"] == "" {
			e.queue.Add(controller.KeyFunc(ep))
		}
	}
}

func (e *Controller) worker(p *sim.Proc) {
	for e.processNextWorkItem(p) {
	}
}

func (e *Controller) processNextWorkItem(p *sim.Proc) bool {
	key, quit := e.queue.Get(p)
	if quit {
		return false
	}
	err := e.syncService(p, key)
	switch {
	case err == nil:
		e.queue.Forget(key)
	case e.queue.NumRequeues(key) < maxRetries:
		p.Logger().V(2).Info("Error syncing endpoints, retrying", "service", key, "err", err.Error())
		e.queue.AddRateLimited(key)
	default:
		p.Logger().Info("Dropping service out of the queue", "service", key, "err", err.Error())
		e.queue.Forget(key)
	}
	e.queue.Done(key)
	return true
}

// syncService brings the Endpoints of one Service up to date.
func (e *Controller) syncService(p *sim.Proc, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	svc, err := e.serviceLister.Services(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		// There is nothing to own Endpoints, so no garbage collector would clear them up.
		err := e.client.CoreV1().Endpoints(namespace).Delete(p, name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		e.triggerTimes.DeleteService(namespace, name)
		delete(e.stale, key)
		delete(e.lists, key)
		e.pods.Forget(namespace, name)
		return nil
	}
	if err != nil || len(svc.Spec.Selector) == 0 {
		return err
	}
	log := p.Logger()
	log.V(5).Info("About to update endpoints for service", "service", controller.KObj(svc))
	selection := e.pods.Of(namespace, name, labels.SelectorFromSet(svc.Spec.Selector))
	trigger := e.triggerTimes.ComputeEndpointLastChangeTriggerTime(svc, selection.Changes())
	list := e.lists[key]
	if list == nil {
		list = &addressList{}
		e.lists[key] = list
	}
	subsets, ready, notReady := list.subsetsOf(svc, selection.Pods())

	current, err := e.endpointsLister.Endpoints(namespace).Get(name)
	create := apierrors.IsNotFound(err)
	if err != nil && !create {
		return err
	}
	if !create && e.stale[key] == current.ResourceVersion {
		return fmt.Errorf("endpoints informer cache is out of date, resource version %s already processed for endpoints %s", current.ResourceVersion, key)
	}
	wanted := maps.Clone(svc.Labels)
	if wanted == nil {
		wanted = map[string]string{}
	}
	delete(wanted, corev1.IsHeadlessService)
	if isHeadless(svc) {
		wanted[corev1.IsHeadlessService] = ""
	}
	wanted[labelManagedBy] = "endpoint-controller"
	if !create && sameSubsets(current.Subsets, subsets) && maps.Equal(current.Labels, wanted) && capacityAnnotationSetCorrectly(current) {
		log.V(5).Info("endpoints are equal, skipping update", "service", controller.KObj(svc))
		return nil
	}
	next := &corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	if !create {
		next = &corev1.Endpoints{TypeMeta: current.TypeMeta, ObjectMeta: *current.ObjectMeta.DeepCopy()}
	}
	next.Labels = wanted
	if next.Annotations == nil {
		next.Annotations = map[string]string{}
	}
	if trigger.IsZero() {
		delete(next.Annotations, corev1.EndpointsLastChangeTriggerTime)
	} else {
		next.Annotations[corev1.EndpointsLastChangeTriggerTime] = trigger.UTC().Format(time.RFC3339Nano)
	}
	var truncated bool
	if next.Subsets, truncated = truncate(subsets, ready, notReady); truncated {
		next.Annotations[corev1.EndpointsOverCapacity] = "truncated"
	} else {
		delete(next.Annotations, corev1.EndpointsOverCapacity)
	}
	log.V(4).Info("Update endpoints", "service", controller.KObj(svc), "readyEndpoints", ready, "notReadyEndpoints", notReady)
	var updated *corev1.Endpoints
	if create {
		_, err = e.client.CoreV1().Endpoints(namespace).Create(p, next, metav1.CreateOptions{})
	} else {
		updated, err = e.client.CoreV1().Endpoints(namespace).Update(p, next, metav1.UpdateOptions{})
	}
	switch {
	case err == nil:
		// What changes nothing, as an object that is truncated may, keeps the version.
		if !create && updated.ResourceVersion != current.ResourceVersion {
			e.stale[key] = current.ResourceVersion
		}
		return nil
	case create && apierrors.IsForbidden(err):
		// The namespace goes away, or somebody forbids it: the key comes back with the next change.
		log.V(5).Info("Forbidden from creating endpoints", "error", err.Error())
		return err
	case create:
		e.recorder.Eventf(next, corev1.EventTypeWarning, "FailedToCreateEndpoint", "Failed to create endpoint for service %v/%v: %v", namespace, name, err)
	default:
		e.recorder.Eventf(next, corev1.EventTypeWarning, "FailedToUpdateEndpoint", "Failed to update endpoint %v/%v: %v", namespace, name, err)
	}
	return err
}

package replicaset

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/consistency"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component, the user agent of its requests, and the
// source of its events.
const Name = "replicaset-controller"

const (
	// BurstReplicas is how many Pods one sync creates or deletes at most.
	BurstReplicas = 500
	// ConcurrentRSSyncs is how many workers there are by default.
	// Upstream: --concurrent-replicaset-syncs.
	ConcurrentRSSyncs = 5
	// statusUpdateRetries is how often a status that was refused is tried again
	// before the whole sync is.
	statusUpdateRetries = 1
	// controllerUIDIndex finds the ReplicaSets of one Deployment.
	controllerUIDIndex = "controllerUID"
)

var (
	controllerKind = api.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"}
	replicaSets    = api.GroupResource{Group: "apps", Resource: "replicasets"}
	pods           = api.GroupResource{Resource: "pods"}
)

// kind is what a controller syncs, and what is its own.
type kind struct {
	api.GroupVersionKind
	component, queue string
	// sets is the way to them in the API.
	sets func(c *client.Clientset, namespace string) sets
	// stale says that a controller notices when its cache is behind its writes.
	stale bool
	// terminating says that a status counts Pods that are being deleted.
	terminating bool
}

// sets are the ReplicaSets of a namespace, in the API.
type sets interface {
	Get(p *sim.Proc, name string, opts metav1.GetOptions) (*appsv1.ReplicaSet, error)
	UpdateStatus(p *sim.Proc, rs *appsv1.ReplicaSet, opts metav1.UpdateOptions) (*appsv1.ReplicaSet, error)
}

var replicaSetKind = kind{
	GroupVersionKind: controllerKind, component: Name, queue: "replicaset", stale: true, terminating: true,
	sets: func(c *client.Clientset, namespace string) sets { return c.AppsV1().ReplicaSets(namespace) },
}

// ReplicaSetController syncs ReplicaSets, or ReplicationControllers, with the Pods that exist.
// Upstream: replica_set.go, ReplicaSetController.
type ReplicaSetController struct {
	kind

	kernel        *sim.Kernel
	component     *sim.Component
	kubeClient    *client.Clientset
	podControl    controller.PodControlInterface
	burstReplicas int

	// expectations are the Pods that were asked for and not seen yet.
	expectations *controller.UIDTrackingControllerExpectations
	// consistencyStore knows the newest versions that were written.
	consistencyStore *consistency.Store

	rsLister  listers.ReplicaSetLister
	rsIndexer cache.Indexer
	rsSynced  cache.InformerSynced

	podLister  listers.PodLister
	podIndexer cache.Indexer
	podSynced  cache.InformerSynced
	tallies    tallies

	// syncHandler is syncReplicaSet; a field, as upstream's, so that another can
	// take its place.
	syncHandler func(p *sim.Proc, key string) error

	// queue holds the keys of ReplicaSets that have to be synced.
	queue workqueue.TypedRateLimitingInterface[string]

	eventBroadcaster *record.EventBroadcaster
}

// NewReplicaSetController makes a controller of a component and registers its
// handlers. The informers are not started here.
func NewReplicaSetController(c *sim.Component, rsInformer informers.ReplicaSetInformer, podInformer informers.PodInformer,
	kubeClient *client.Clientset, burstReplicas int) *ReplicaSetController {
	return newController(c, replicaSetKind, rsInformer.Informer(), podInformer, kubeClient, burstReplicas)
}

// newController makes a controller of one of the two kinds. The informer's objects are ReplicaSets.
// Upstream: replica_set.go, NewBaseController.
func newController(c *sim.Component, of kind, rsInformer cache.SharedIndexInformer, podInformer informers.PodInformer,
	kubeClient *client.Clientset, burstReplicas int) *ReplicaSetController {
	k := c.Kernel()
	broadcaster := record.NewBroadcaster(c)
	caches := map[api.GroupResource]consistency.LastSyncRVGetter{}
	if of.stale {
		caches[replicaSets], caches[pods] = rsInformer, podInformer.Informer()
	}
	rsc := &ReplicaSetController{
		kind:             of,
		kernel:           k,
		component:        c,
		kubeClient:       kubeClient,
		burstReplicas:    burstReplicas,
		tallies:          tallies{},
		expectations:     controller.NewUIDTrackingControllerExpectations(controller.NewControllerExpectations(c)),
		consistencyStore: consistency.NewConsistencyStore(c, caches),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c,
			workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: of.queue}),
		eventBroadcaster: broadcaster,
	}
	rsc.podControl = controller.RealPodControl{
		KubeClient: kubeClient,
		Recorder:   broadcaster.NewRecorder(corev1.EventSource{Component: of.component}),
		OnWrite: func(pod *corev1.Pod, ref *metav1.OwnerReference) {
			owner := types.NamespacedName{Namespace: pod.Namespace, Name: ref.Name}
			rsc.consistencyStore.WroteAt(owner, ref.UID, pods, pod.ResourceVersion)
		},
	}
	rsc.syncHandler = rsc.syncReplicaSet
	rsc.watch(rsInformer, podInformer)
	if c.Is(sim.EdgeTriggered) {
		rsc.onEdges(rsInformer, podInformer)
	}
	return rsc
}

// Run starts the workers once the caches hold the cluster, and ends with the
// component. Until the first list is in, every ReplicaSet would seem to have no Pods.
func (rsc *ReplicaSetController) Run(p *sim.Proc, workers int) {
	rsc.eventBroadcaster.StartRecordingToSink(rsc.kubeClient)
	log := p.Logger()
	log.Info("Starting controller", "name", strings.ToLower(rsc.Kind))
	if !cache.WaitForCacheSync(p, rsc.podSynced, rsc.rsSynced) {
		return
	}
	for i := range workers {
		rsc.component.Go(fmt.Sprintf("worker-%d", i+1), rsc.worker)
	}
}

// worker takes keys until the queue shuts down. The queue never hands out a key
// that another worker has.
func (rsc *ReplicaSetController) worker(p *sim.Proc) {
	for rsc.processNextWorkItem(p) {
	}
}

func (rsc *ReplicaSetController) processNextWorkItem(p *sim.Proc) bool {
	key, quit := rsc.queue.Get(p)
	if quit {
		return false
	}
	err := rsc.syncHandler(p, key)
	if err == nil {
		rsc.queue.Forget(key)
	} else {
		controller.HandleError(p.Logger(), err, "Error syncing", "key", key)
		rsc.queue.AddRateLimited(key)
	}
	rsc.queue.Done(key)
	return true
}

// syncReplicaSet brings one ReplicaSet nearer to what it asks for. It acts on
// Pods only when everything it did before has been seen, and writes the status
// in any case. It is never called for the same key twice at a time.
func (rsc *ReplicaSetController) syncReplicaSet(p *sim.Proc, key string) error {
	log := p.Logger()
	start := p.Now()
	defer func() {
		if rsc.component.Running() && log.Enabled() {
			log.V(4).Info("Finished syncing", "kind", rsc.Kind, "key", key, "duration", p.Now()-start)
		}
	}()

	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	owner := types.NamespacedName{Namespace: namespace, Name: name}
	if err := rsc.consistencyStore.EnsureReady(owner); err != nil {
		return err
	}
	rs, err := rsc.rsLister.ReplicaSets(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		log.V(4).Info("deleted", "kind", rsc.Kind, "key", key)
		rsc.consistencyStore.Clear(owner, "")
		rsc.expectations.DeleteExpectations(log, key)
		return nil
	}
	if err != nil {
		return err
	}

	rsNeedsSync := rsc.expectations.SatisfiedExpectations(log, key)
	selector, err := labels.LabelSelectorAsSelector(rs.Spec.Selector)
	if err != nil {
		controller.HandleError(log, err, "Error converting pod selector to selector for rs", "replicaSet", controller.KObj(rs))
		return nil
	}

	var manageReplicasErr error
	var activePods []*corev1.Pod
	manage := rsNeedsSync && rs.DeletionTimestamp == nil
	now := p.Time()
	sum, ok := rsc.counted(log, rs, selector, manage)
	if !ok {
		// The Pods that refer to this ReplicaSet, whether or not they still match
		// its selector, and the orphans that it may adopt.
		allRSPods, err := controller.FilterPodsByOwner(rsc.podIndexer, rs, rsc.Kind, true)
		if err != nil {
			return err
		}
		activePods, err = rsc.claimPods(p, rs, selector, controller.FilterActivePods(log, allRSPods))
		if err != nil {
			return err
		}
		terminatingPods := controller.FilterClaimedPods(rs, selector, controller.FilterTerminatingPods(allRSPods))
		if manage {
			manageReplicasErr = rsc.manageReplicas(p, activePods, rs)
		}
		// One time for the status and for when to look again.
		now = p.Time()
		sum = countPods(rs, activePods, terminatingPods, now)
	}
	newStatus := calculateStatus(rs, sum, manageReplicasErr, now)
	if !rsc.terminating {
		newStatus.TerminatingReplicas = nil
	}
	updated, err := updateReplicaSetStatus(p, rsc.sets(rsc.kubeClient, namespace), rs, newStatus)
	if err != nil {
		// The sync is tried again; its status then says what went wrong now.
		return err
	}
	rsc.consistencyStore.WroteAt(owner, rs.UID, replicaSets, updated.ResourceVersion)
	if manageReplicasErr != nil {
		return manageReplicasErr
	}
	rsc.checkAvailabilityLater(p, key, updated, activePods, now)
	return nil
}

// checkAvailabilityLater comes back when the next Pod will have been ready for
// long enough: nothing else happens at that moment that would wake the controller.
func (rsc *ReplicaSetController) checkAvailabilityLater(p *sim.Proc, key string, rs *appsv1.ReplicaSet, activePods []*corev1.Pod, evaluated time.Time) {
	if rs.Spec.MinReadySeconds <= 0 || rs.Status.ReadyReplicas == rs.Status.AvailableReplicas {
		return
	}
	after := time.Duration(rs.Spec.MinReadySeconds) * time.Second
	if d, ok := controller.FindMinNextPodAvailabilityCheck(activePods, rs.Spec.MinReadySeconds, evaluated, p.Time()); ok {
		after = d
	}
	rsc.queue.AddAfter(key, after)
}

func (rsc *ReplicaSetController) claimPods(p *sim.Proc, rs *appsv1.ReplicaSet, selector labels.Selector, filteredPods []*corev1.Pod) ([]*corev1.Pod, error) {
	// Before the first adoption the ReplicaSet is read from the API server,
	// past every cache: one that is being deleted must not adopt.
	canAdopt := controller.RecheckDeletionTimestamp(func(p *sim.Proc) (api.Object, error) {
		fresh, err := rsc.sets(rsc.kubeClient, rs.Namespace).Get(p, rs.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if fresh.UID != rs.UID {
			return nil, fmt.Errorf("original %v %v/%v is gone: got uid %v, wanted %v", rsc.Kind, rs.Namespace, rs.Name, fresh.UID, rs.UID)
		}
		return fresh, nil
	})
	manager := controller.NewPodControllerRefManager(rsc.podControl, rs, selector, rsc.GroupVersionKind, canAdopt)
	return manager.ClaimPods(p, filteredPods)
}

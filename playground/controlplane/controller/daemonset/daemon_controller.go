package daemonset

import (
	"fmt"

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

// Name is the controller's component and the user agent of its requests, which
// upstream takes from its service account.
const Name = "daemon-set-controller"

// eventSource is what its events say that they come from.
const eventSource = "daemonset-controller"

const (
	// BurstReplicas is how many Pods one sync creates or deletes at most.
	BurstReplicas = 250
	// ConcurrentDaemonSetSyncs is how many workers there are by default.
	// Upstream: --concurrent-daemonset-syncs.
	ConcurrentDaemonSetSyncs = 2
	// StatusUpdateRetries is how often a status that was refused is tried again
	// before the whole sync is.
	StatusUpdateRetries = 1
)

// Reasons of events. Upstream: daemon_controller.go.
const (
	SelectingAllReason       = "SelectingAll"
	FailedDaemonPodReason    = "FailedDaemonPod"
	SucceededDaemonPodReason = "SucceededDaemonPod"
)

var (
	controllerKind = api.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DaemonSet"}
	daemonSets     = api.GroupResource{Group: "apps", Resource: "daemonsets"}
	pods           = api.GroupResource{Resource: "pods"}
)

// DaemonSetsController syncs DaemonSets with nodes and Pods.
// Upstream: daemon_controller.go, DaemonSetsController.
type DaemonSetsController struct {
	kernel        *sim.Kernel
	component     *sim.Component
	kubeClient    *client.Clientset
	podControl    controller.PodControlInterface
	burstReplicas int

	eventBroadcaster *record.EventBroadcaster
	eventRecorder    record.EventRecorder

	// expectations are the Pods that were asked for, or deleted, and not seen yet.
	expectations *controller.ControllerExpectations
	// consistencyStore knows the newest versions that were written.
	consistencyStore *consistency.Store

	dsLister      listers.DaemonSetLister
	dsSynced      cache.InformerSynced
	historyLister listers.ControllerRevisionLister
	historySynced cache.InformerSynced
	podIndexer    cache.Indexer
	podChanges    int // how often a Pod in it has changed
	podSynced     cache.InformerSynced
	nodeLister    listers.NodeLister
	nodeSynced    cache.InformerSynced

	// queue holds the keys of DaemonSets that have to be synced; nodeUpdateQueue
	// the names of nodes that changed, of which it is still to be found out whom that concerns.
	queue           workqueue.TypedRateLimitingInterface[string]
	nodeUpdateQueue workqueue.TypedRateLimitingInterface[string]

	failedPodsBackoff *backoff
	known             map[types.UID]*knownPods  // during a sync
	daemonPods        map[types.UID]*daemonPods // as of the last one
}

// NewDaemonSetsController makes a controller of a component and registers its
// handlers. The informers are not started here.
func NewDaemonSetsController(c *sim.Component, daemonSetInformer informers.DaemonSetInformer, historyInformer informers.ControllerRevisionInformer,
	podInformer informers.PodInformer, nodeInformer informers.NodeInformer, kubeClient *client.Clientset) *DaemonSetsController {
	k := c.Kernel()
	broadcaster := record.NewBroadcaster(c)
	dsc := &DaemonSetsController{
		kernel:           k,
		component:        c,
		known:            map[types.UID]*knownPods{},
		daemonPods:       map[types.UID]*daemonPods{},
		kubeClient:       kubeClient,
		burstReplicas:    BurstReplicas,
		eventBroadcaster: broadcaster,
		eventRecorder:    broadcaster.NewRecorder(corev1.EventSource{Component: eventSource}),
		expectations:     controller.NewControllerExpectations(c),
		consistencyStore: consistency.NewConsistencyStore(c, map[api.GroupResource]consistency.LastSyncRVGetter{
			daemonSets: daemonSetInformer.Informer(),
			pods:       podInformer.Informer(),
		}),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c,
			workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "daemonset"}),
		nodeUpdateQueue: workqueue.NewTypedRateLimitingQueueWithConfig(c,
			workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "daemonset-node-updates"}),
		failedPodsBackoff: newBackoff(),
	}
	dsc.podControl = controller.RealPodControl{
		KubeClient: kubeClient,
		Recorder:   dsc.eventRecorder,
		OnWrite: func(pod *corev1.Pod, ref *metav1.OwnerReference) {
			dsc.consistencyStore.WroteAt(types.NamespacedName{Namespace: pod.Namespace, Name: ref.Name}, ref.UID, pods, pod.ResourceVersion)
		},
	}
	dsc.watch(daemonSetInformer, historyInformer, podInformer, nodeInformer)
	return dsc
}

// Run starts the workers once the caches hold the cluster, and ends with the component.
func (dsc *DaemonSetsController) Run(p *sim.Proc, workers int) {
	dsc.eventBroadcaster.StartRecordingToSink(dsc.kubeClient)
	p.Logger().Info("Starting daemon sets controller")
	if !cache.WaitForCacheSync(p, dsc.podSynced, dsc.nodeSynced, dsc.historySynced, dsc.dsSynced) {
		return
	}
	for i := range workers {
		dsc.component.Go(fmt.Sprintf("worker-%d", i+1), dsc.runWorker)
	}
	dsc.component.Go("node-update-worker", dsc.runNodeUpdateWorker)
}

func (dsc *DaemonSetsController) runWorker(p *sim.Proc) {
	for dsc.processNextWorkItem(p) {
	}
}

func (dsc *DaemonSetsController) processNextWorkItem(p *sim.Proc) bool {
	key, quit := dsc.queue.Get(p)
	if quit {
		return false
	}
	if err := dsc.syncDaemonSet(p, key); err != nil {
		controller.HandleError(p.Logger(), err, "Failed to sync daemon set", "key", key)
		dsc.queue.AddRateLimited(key)
	} else {
		dsc.queue.Forget(key)
	}
	dsc.queue.Done(key)
	return true
}

// syncDaemonSet brings one DaemonSet nearer to what it asks for. It acts on
// Pods only when everything it did before has been seen.
func (dsc *DaemonSetsController) syncDaemonSet(p *sim.Proc, key string) error {
	log, start := p.Logger(), p.Now()
	defer func() {
		if dsc.component.Running() {
			log.V(4).Info("Finished syncing daemon set", "daemonset", key, "time", p.Now()-start)
		}
	}()
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	defer clear(dsc.known)
	owner := types.NamespacedName{Namespace: namespace, Name: name}
	if err := dsc.consistencyStore.EnsureReady(owner); err != nil {
		return err
	}
	ds, err := dsc.dsLister.DaemonSets(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		log.V(3).Info("Daemon set has been deleted", "daemonset", key)
		dsc.consistencyStore.Clear(owner, "")
		dsc.expectations.DeleteExpectations(log, key)
		return nil
	}
	if err != nil {
		return fmt.Errorf("unable to retrieve ds %v from store: %v", key, err)
	}
	nodeList, err := dsc.nodeLister.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("couldn't get list of nodes when syncing daemon set %v: %v", key, err)
	}
	if s := ds.Spec.Selector; s == nil || len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		dsc.eventRecorder.Event(ds, corev1.EventTypeWarning, SelectingAllReason, "This daemon set is selecting all pods. A non-empty selector is required.")
		return nil
	}
	if ds.DeletionTimestamp != nil {
		return nil // its Pods are the garbage collector's
	}

	// The revision of the template as it is now: new Pods are labelled with its hash.
	cur, old, err := dsc.constructHistory(p, ds)
	if err != nil {
		return fmt.Errorf("failed to construct revisions of DaemonSet: %w", err)
	}
	hash := cur.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]

	if !dsc.expectations.SatisfiedExpectations(log, key) {
		// The generation has not been acted on: the status does not claim it.
		return dsc.updateDaemonSetStatus(p, ds, nodeList, hash, false)
	}
	err = dsc.updateDaemonSet(p, ds, nodeList, hash, key, old)
	statusErr := dsc.updateDaemonSetStatus(p, ds, nodeList, hash, true)
	if err != nil {
		if statusErr != nil {
			log.Error(statusErr, "Failed to update status", "daemonset", controller.KObj(ds))
		}
		return err
	}
	return statusErr
}

// updateDaemonSet creates and deletes Pods, moves on with an update, and keeps the history short.
func (dsc *DaemonSetsController) updateDaemonSet(p *sim.Proc, ds *appsv1.DaemonSet, nodeList []*corev1.Node, hash, key string,
	old []*appsv1.ControllerRevision) error {
	if err := dsc.manage(p, ds, nodeList, hash); err != nil {
		return err
	}
	if dsc.expectations.SatisfiedExpectations(p.Logger(), key) && ds.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		if err := dsc.rollingUpdate(p, ds, nodeList, hash); err != nil {
			return err
		}
	}
	if err := dsc.cleanupHistory(p, ds, old); err != nil {
		return fmt.Errorf("failed to clean up revisions of DaemonSet: %w", err)
	}
	return nil
}

func (dsc *DaemonSetsController) canAdopt(ds *appsv1.DaemonSet) func(p *sim.Proc) error {
	return controller.RecheckDeletionTimestamp(func(p *sim.Proc) (api.Object, error) {
		fresh, err := dsc.kubeClient.AppsV1().DaemonSets(ds.Namespace).Get(p, ds.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if fresh.UID != ds.UID {
			return nil, fmt.Errorf("original DaemonSet %v/%v is gone: got uid %v, wanted %v", ds.Namespace, ds.Name, fresh.UID, ds.UID)
		}
		return fresh, nil
	})
}

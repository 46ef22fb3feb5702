package deployment

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
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component, the user agent of its requests, and the
// source of its events.
const Name = "deployment-controller"

const (
	// ConcurrentDeploymentSyncs is how many workers there are by default.
	// Upstream: --concurrent-deployment-syncs.
	ConcurrentDeploymentSyncs = 5
	// maxRetries is how often a Deployment that fails is tried again, at growing
	// intervals, before only its next change brings it back.
	maxRetries = 15
)

// controllerKind is what owns the ReplicaSets.
var controllerKind = api.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}

// DeploymentController syncs Deployments with the ReplicaSets that exist.
// Upstream: deployment_controller.go, DeploymentController.
type DeploymentController struct {
	kernel    *sim.Kernel
	component *sim.Component
	client    *client.Clientset

	eventBroadcaster *record.EventBroadcaster
	eventRecorder    record.EventRecorder

	dLister  listers.DeploymentLister
	dSynced  cache.InformerSynced
	rsLister listers.ReplicaSetLister
	rsSynced cache.InformerSynced
	// podIndexer is only read to tell when a Deployment that is recreated has no Pod left.
	podIndexer cache.Indexer
	podSynced  cache.InformerSynced

	// queue holds the keys of Deployments that have to be synced.
	queue workqueue.TypedRateLimitingInterface[string]
}

// NewDeploymentController makes a controller of a component and registers its
// handlers. The informers are not started here.
func NewDeploymentController(c *sim.Component, dInformer informers.DeploymentInformer, rsInformer informers.ReplicaSetInformer,
	podInformer informers.PodInformer, kubeClient *client.Clientset) *DeploymentController {
	broadcaster := record.NewBroadcaster(c)
	dc := &DeploymentController{
		kernel:           c.Kernel(),
		component:        c,
		client:           kubeClient,
		eventBroadcaster: broadcaster,
		eventRecorder:    broadcaster.NewRecorder(corev1.EventSource{Component: Name}),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c,
			workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "deployment"}),
	}
	dc.watch(dInformer, rsInformer, podInformer)
	return dc
}

// Run starts the workers once the caches hold the cluster, and ends with the component.
func (dc *DeploymentController) Run(p *sim.Proc, workers int) {
	dc.eventBroadcaster.StartRecordingToSink(dc.client)
	p.Logger().Info("Starting controller", "controller", "deployment")
	if !cache.WaitForCacheSync(p, dc.dSynced, dc.rsSynced, dc.podSynced) {
		return
	}
	for i := range workers {
		dc.component.Go(fmt.Sprintf("worker-%d", i+1), dc.worker)
	}
}

// worker takes keys until the queue shuts down. The queue never hands out a key
// that another worker has.
func (dc *DeploymentController) worker(p *sim.Proc) {
	for dc.processNextWorkItem(p) {
	}
}

func (dc *DeploymentController) processNextWorkItem(p *sim.Proc) bool {
	key, quit := dc.queue.Get(p)
	if quit {
		return false
	}
	dc.handleErr(p, dc.syncDeployment(p, key), key)
	dc.queue.Done(key)
	return true
}

func (dc *DeploymentController) handleErr(p *sim.Proc, err error, key string) {
	// In a namespace that goes away nothing can be created, now or later.
	if err == nil || apierrors.HasStatusCause(err, controller.NamespaceTerminatingCause) {
		dc.queue.Forget(key)
		return
	}
	log := p.Logger()
	if retries := dc.queue.NumRequeues(key); retries < maxRetries {
		log.V(2).Info("Error syncing deployment", "deployment", key, "err", err.Error(), "retries", retries)
		dc.queue.AddRateLimited(key)
		return
	}
	controller.HandleError(log, err, "Dropping deployment out of the queue", "deployment", key)
	dc.queue.Forget(key)
}

// syncDeployment takes one step towards what a Deployment asks for. It is never
// called for the same key twice at a time.
func (dc *DeploymentController) syncDeployment(p *sim.Proc, key string) error {
	log := p.Logger()
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	start := p.Now()
	log.V(4).Info("Started syncing deployment", "deployment", key)
	defer func() {
		if dc.component.Running() {
			log.V(4).Info("Finished syncing deployment", "deployment", key, "duration", p.Now()-start)
		}
	}()

	deployment, err := dc.dLister.Deployments(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		log.V(2).Info("Deployment has been deleted", "deployment", key)
		return nil
	}
	if err != nil {
		return err
	}
	d := deployment.DeepCopy() // conditions and annotations are changed on the way

	if s := d.Spec.Selector; s == nil || len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		dc.eventRecorder.Event(d, corev1.EventTypeWarning, "SelectingAll", "This deployment is selecting all pods. A non-empty selector is required.")
		if d.Status.ObservedGeneration < d.Generation {
			d.Status.ObservedGeneration = d.Generation
			dc.updateStatus(p, d)
		}
		return nil
	}

	rsList, err := dc.getReplicaSetsForDeployment(p, d)
	if err != nil {
		return err
	}
	if d.DeletionTimestamp != nil {
		return dc.syncStatusOnly(p, d, rsList)
	}
	// Paused or resumed: the deadline stands still meanwhile.
	if err := dc.checkPausedConditions(p, d); err != nil {
		return err
	}
	if d.Spec.Paused {
		return dc.sync(p, d, rsList)
	}
	scalingEvent, err := dc.isScalingEvent(p, d, rsList)
	if err != nil {
		return err
	}
	if scalingEvent {
		return dc.sync(p, d, rsList)
	}
	switch d.Spec.Strategy.Type {
	case appsv1.RecreateDeploymentStrategyType:
		// Upstream lists the Pods before it knows whether somebody wants them, in each sync.
		podMap, err := dc.getPodMapForDeployment(d, rsList)
		if err != nil {
			return err
		}
		return dc.rolloutRecreate(p, d, rsList, podMap)
	case appsv1.RollingUpdateDeploymentStrategyType:
		return dc.rolloutRolling(p, d, rsList)
	}
	return fmt.Errorf("unexpected deployment strategy type: %s", d.Spec.Strategy.Type)
}

// getReplicaSetsForDeployment returns the ReplicaSets of a Deployment, after
// adopting those that match and belong to nobody, and releasing those that no
// longer match.
func (dc *DeploymentController) getReplicaSetsForDeployment(p *sim.Proc, d *appsv1.Deployment) ([]*appsv1.ReplicaSet, error) {
	rsList, err := dc.rsLister.ReplicaSets(d.Namespace).List(labels.Everything())
	if err != nil {
		return nil, err
	}
	selector, err := labels.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("deployment %s/%s has invalid label selector: %v", d.Namespace, d.Name, err)
	}
	canAdopt := controller.RecheckDeletionTimestamp(func(p *sim.Proc) (api.Object, error) {
		fresh, err := dc.client.AppsV1().Deployments(d.Namespace).Get(p, d.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if fresh.UID != d.UID {
			return nil, fmt.Errorf("original Deployment %v/%v is gone: got uid %v, wanted %v", d.Namespace, d.Name, fresh.UID, d.UID)
		}
		return fresh, nil
	})
	return controller.NewReplicaSetControllerRefManager(dc.client, d, selector, controllerKind, canAdopt).ClaimReplicaSets(p, rsList)
}

// getPodMapForDeployment returns the Pods of each ReplicaSet, by its UID.
func (dc *DeploymentController) getPodMapForDeployment(_ *appsv1.Deployment, rsList []*appsv1.ReplicaSet) (map[types.UID][]*corev1.Pod, error) {
	podMap := make(map[types.UID][]*corev1.Pod, len(rsList))
	for _, rs := range rsList {
		pods, err := controller.FilterPodsByOwner(dc.podIndexer, rs, "ReplicaSet", false)
		if err != nil {
			return nil, err
		}
		podMap[rs.UID] = pods
	}
	return podMap, nil
}

// updateStatus writes a Deployment's status, and its annotations, as they are
// at this moment; d may be changed afterwards. What the API server answers is
// dropped, as upstream drops it: a second write in the same sync is a conflict,
// and has the whole sync done again on the newest version.
func (dc *DeploymentController) updateStatus(p *sim.Proc, d *appsv1.Deployment) error {
	_, err := dc.client.AppsV1().Deployments(d.Namespace).UpdateStatus(p, d.DeepCopy(), metav1.UpdateOptions{})
	return err
}

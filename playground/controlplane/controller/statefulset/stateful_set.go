package statefulset

import (
	"errors"
	"fmt"
	"maps"
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
	"kubewalk/playground/controlplane/controller/history"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component, the user agent of its requests, and the
// source of its events.
const Name = "statefulset-controller"

// ConcurrentStatefulSetSyncs is how many workers there are by default.
// Upstream: --concurrent-statefulset-syncs.
const ConcurrentStatefulSetSyncs = 5

var (
	controllerKind = api.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"}
	podKind        = api.GroupVersionKind{Version: "v1", Kind: "Pod"}

	statefulSets           = api.GroupResource{Group: "apps", Resource: "statefulsets"}
	pods                   = api.GroupResource{Resource: "pods"}
	persistentVolumeClaims = api.GroupResource{Resource: "persistentvolumeclaims"}

	errTombstone = errors.New("couldn't get object from tombstone")
)

// StatefulSetController feeds the control with StatefulSets and their Pods.
// Upstream: stateful_set.go, StatefulSetController.
type StatefulSetController struct {
	kernel     *sim.Kernel
	component  *sim.Component
	kubeClient *client.Clientset
	control    StatefulSetControlInterface
	podControl controller.PodControlInterface

	// consistencyStore knows the newest versions that were written.
	consistencyStore *consistency.Store

	// crews are the Pods of each set.
	crews           crews
	podLister       listers.PodLister
	podIndexer      cache.Indexer
	podListerSynced cache.InformerSynced
	setLister       listers.StatefulSetLister
	setListerSynced cache.InformerSynced
	pvcListerSynced cache.InformerSynced
	revListerSynced cache.InformerSynced

	// queue holds the keys of StatefulSets that have to be synced.
	queue workqueue.TypedRateLimitingInterface[string]

	eventBroadcaster *record.EventBroadcaster
}

// NewStatefulSetController makes a controller of a component and registers its
// handlers. The informers are not started here.
func NewStatefulSetController(c *sim.Component, podInformer informers.PodInformer, setInformer informers.StatefulSetInformer,
	pvcInformer informers.PersistentVolumeClaimInformer, revInformer informers.ControllerRevisionInformer, kubeClient *client.Clientset) *StatefulSetController {
	broadcaster := record.NewBroadcaster(c)
	recorder := broadcaster.NewRecorder(corev1.EventSource{Component: Name})
	store := consistency.NewConsistencyStore(c, map[api.GroupResource]consistency.LastSyncRVGetter{
		statefulSets:           setInformer.Informer(),
		pods:                   podInformer.Informer(),
		persistentVolumeClaims: pvcInformer.Informer(),
	})
	ssc := &StatefulSetController{
		kernel:           c.Kernel(),
		component:        c,
		kubeClient:       kubeClient,
		consistencyStore: store,
		control: &defaultStatefulSetControl{
			podControl: &StatefulPodControl{
				client: kubeClient, podLister: podInformer.Lister(), claimLister: pvcInformer.Lister(), recorder: recorder, wrote: store.WroteAt,
			},
			statusUpdater:     &realStatefulSetStatusUpdater{kubeClient, setInformer.Lister(), store.WroteAt},
			controllerHistory: history.NewHistory(kubeClient, revInformer.Lister()),
		},
		podControl: controller.RealPodControl{
			KubeClient: kubeClient,
			Recorder:   recorder,
			OnWrite: func(pod *corev1.Pod, ref *metav1.OwnerReference) {
				store.WroteAt(types.NamespacedName{Namespace: pod.Namespace, Name: ref.Name}, ref.UID, pods, pod.ResourceVersion)
			},
		},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c,
			workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "statefulset"}),
		eventBroadcaster: broadcaster,
		crews:            crews{},
	}

	podInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: ssc.addPod, UpdateFunc: ssc.updatePod, DeleteFunc: ssc.deletePod})
	controller.AddPodControllerIndexer(podInformer.Informer())
	podInformer.Informer().GetIndexer().OnChange(ssc.crews.change)
	ssc.podLister, ssc.podListerSynced = podInformer.Lister(), podInformer.Informer().HasSynced
	ssc.podIndexer = podInformer.Informer().GetIndexer()
	setInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: ssc.enqueueStatefulSet,
		UpdateFunc: func(old, cur any) {
			oldSet, curSet := old.(*appsv1.StatefulSet), cur.(*appsv1.StatefulSet)
			if oldSet.Status.Replicas != curSet.Status.Replicas {
				ssc.kernel.Logger().V(4).Info("Observed updated replica count for StatefulSet", "statefulSet", controller.KObj(curSet),
					"oldReplicas", oldSet.Status.Replicas, "newReplicas", curSet.Status.Replicas)
			}
			if oldSet.UID != curSet.UID {
				ssc.consistencyStore.Clear(types.NamespacedName{Namespace: oldSet.Namespace, Name: oldSet.Name}, oldSet.UID)
			}
			ssc.enqueueStatefulSet(cur)
		},
		DeleteFunc: func(obj any) {
			if set, ok := orTombstone[*appsv1.StatefulSet](obj); ok {
				ssc.consistencyStore.Clear(types.NamespacedName{Namespace: set.Namespace, Name: set.Name}, set.UID)
			}
			ssc.enqueueStatefulSet(obj)
		},
	})
	ssc.setLister, ssc.setListerSynced = setInformer.Lister(), setInformer.Informer().HasSynced
	ssc.pvcListerSynced, ssc.revListerSynced = pvcInformer.Informer().HasSynced, revInformer.Informer().HasSynced
	return ssc
}

func orTombstone[T any](obj any) (T, bool) {
	if tombstone, is := obj.(cache.DeletedFinalStateUnknown); is {
		obj = tombstone.Obj
	}
	t, ok := obj.(T)
	return t, ok
}

// Run starts the workers once the caches hold the cluster, and ends with the component.
func (ssc *StatefulSetController) Run(p *sim.Proc, workers int) {
	ssc.eventBroadcaster.StartRecordingToSink(ssc.kubeClient)
	p.Logger().Info("Starting stateful set controller")
	if !cache.WaitForCacheSync(p, ssc.podListerSynced, ssc.setListerSynced, ssc.pvcListerSynced, ssc.revListerSynced) {
		return
	}
	for i := range workers {
		ssc.component.Go(fmt.Sprintf("worker-%d", i+1), ssc.worker)
	}
}

// addPod wakes the set of a Pod, or all that match an orphan.
func (ssc *StatefulSetController) addPod(obj any) {
	pod := obj.(*corev1.Pod)
	if pod.DeletionTimestamp != nil {
		// Seen for the first time after a restart, and on its way out already.
		ssc.deletePod(pod)
		return
	}
	log := ssc.kernel.Logger()
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
		if set := ssc.resolveControllerRef(pod.Namespace, ref); set != nil {
			log.V(4).Info("Pod created with labels", "pod", controller.KObj(pod), "labels", labels.FormatLabels(pod.Labels))
			ssc.enqueueStatefulSet(set)
		}
		return
	}
	for i, set := range ssc.getStatefulSetsForPod(pod) {
		if i == 0 {
			log.V(4).Info("Orphan Pod created with labels", "pod", controller.KObj(pod), "labels", labels.FormatLabels(pod.Labels))
		}
		ssc.enqueueStatefulSet(set)
	}
}

// updatePod wakes the sets that a Pod belongs to, belonged to, or may belong to now.
func (ssc *StatefulSetController) updatePod(old, cur any) {
	oldPod, curPod := old.(*corev1.Pod), cur.(*corev1.Pod)
	if curPod.ResourceVersion == oldPod.ResourceVersion {
		return
	}
	log := ssc.kernel.Logger()
	curRef, oldRef := metav1.GetControllerOfNoCopy(curPod), metav1.GetControllerOfNoCopy(oldPod)
	refChanged := (curRef == nil) != (oldRef == nil) || curRef != nil && curRef.UID != oldRef.UID
	if refChanged && oldRef != nil {
		if set := ssc.resolveControllerRef(oldPod.Namespace, oldRef); set != nil {
			ssc.enqueueStatefulSet(set)
		}
	}
	if curRef != nil {
		set := ssc.resolveControllerRef(curPod.Namespace, curRef)
		if set == nil {
			return
		}
		log.V(4).Info("Pod objectMeta updated", "pod", controller.KObj(curPod), "statefulSet", controller.KObj(set))
		ssc.enqueueStatefulSet(set)
		// It becomes available by time alone.
		if !controller.IsPodReady(oldPod) && controller.IsPodReady(curPod) && set.Spec.MinReadySeconds > 0 {
			log.V(2).Info("StatefulSet will be enqueued after minReadySeconds for availability check", "statefulSet", controller.KObj(set), "minReadySeconds",
				set.Spec.MinReadySeconds)
			ssc.enqueueSSAfter(set, time.Duration(set.Spec.MinReadySeconds)*time.Second+time.Second)
		}
		return
	}
	if refChanged || !maps.Equal(curPod.Labels, oldPod.Labels) {
		for i, set := range ssc.getStatefulSetsForPod(curPod) {
			if i == 0 {
				log.V(4).Info("Orphan Pod objectMeta updated", "pod", controller.KObj(curPod))
			}
			ssc.enqueueStatefulSet(set)
		}
	}
}

func (ssc *StatefulSetController) deletePod(obj any) {
	log := ssc.kernel.Logger()
	pod, ok := orTombstone[*corev1.Pod](obj)
	if !ok {
		log.Error(errTombstone, "Unexpected object in delete handler")
		return
	}
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return
	}
	if set := ssc.resolveControllerRef(pod.Namespace, ref); set != nil {
		log.V(4).Info("Pod deleted.", "pod", controller.KObj(pod), "terminating", pod.DeletionTimestamp != nil)
		ssc.enqueueStatefulSet(set)
	}
}

// getPodsForStatefulSet returns the Pods that belong to a set, after adopting
// orphans that match, in label and in name, and releasing those that no longer do.
func (ssc *StatefulSetController) getPodsForStatefulSet(p *sim.Proc, set *appsv1.StatefulSet, selector labels.Selector) ([]*member, error) {
	claimed, others := ssc.crews.claimed(set, selector)
	orphans, err := controller.OrphanPods(ssc.podIndexer, set.Namespace)
	if err != nil || len(others)+len(orphans) == 0 {
		return claimed, err
	}
	named := func(pod *corev1.Pod) bool { return isMemberOf(set, pod) }
	adopted, err := controller.NewPodControllerRefManager(ssc.podControl, set, selector, controllerKind, ssc.canAdoptFunc(set)).ClaimPods(p,
		append(others, orphans...), named)
	for _, pod := range adopted {
		claimed = append(claimed, newMember(pod))
	}
	return claimed, err
}

func (ssc *StatefulSetController) canAdoptFunc(set *appsv1.StatefulSet) func(p *sim.Proc) error {
	return controller.RecheckDeletionTimestamp(func(p *sim.Proc) (api.Object, error) {
		fresh, err := ssc.kubeClient.AppsV1().StatefulSets(set.Namespace).Get(p, set.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if fresh.UID != set.UID {
			return nil, fmt.Errorf("original StatefulSet %v/%v is gone: got uid %v, wanted %v", set.Namespace, set.Name, fresh.UID, set.UID)
		}
		return fresh, nil
	})
}

// adoptOrphanRevisions makes the set the owner of revisions that match it and have none.
func (ssc *StatefulSetController) adoptOrphanRevisions(p *sim.Proc, set *appsv1.StatefulSet) error {
	revisions, err := ssc.control.ListRevisions(set)
	if err != nil {
		return err
	}
	var orphans []*appsv1.ControllerRevision
	for _, r := range revisions {
		if metav1.GetControllerOfNoCopy(r) == nil {
			orphans = append(orphans, r)
		}
	}
	if len(orphans) == 0 {
		return nil
	}
	if err := ssc.canAdoptFunc(set)(p); err != nil {
		return fmt.Errorf("can't adopt ControllerRevisions: %v", err)
	}
	return ssc.control.AdoptOrphanRevisions(p, set, orphans)
}

// getStatefulSetsForPod returns the sets whose selectors match an orphan.
func (ssc *StatefulSetController) getStatefulSetsForPod(pod *corev1.Pod) []*appsv1.StatefulSet {
	all, err := ssc.setLister.StatefulSets(pod.Namespace).List(labels.Everything())
	if err != nil || len(pod.Labels) == 0 {
		return nil
	}
	var out []*appsv1.StatefulSet
	for _, set := range all {
		selector, err := labels.LabelSelectorAsSelector(set.Spec.Selector)
		if err == nil && !selector.Empty() && selector.Matches(labels.Set(pod.Labels)) {
			out = append(out, set)
		}
	}
	if len(out) > 1 {
		ssc.kernel.Logger().Error(nil, "User error: more than one StatefulSet is selecting pods with the same labels", "pod", controller.KObj(pod), "labels",
			labels.FormatLabels(pod.Labels))
	}
	return out
}

// resolveControllerRef returns the set that a reference means, or nil.
func (ssc *StatefulSetController) resolveControllerRef(namespace string, ref *metav1.OwnerReference) *appsv1.StatefulSet {
	if ref.Kind != controllerKind.Kind {
		return nil
	}
	set, err := ssc.setLister.StatefulSets(namespace).Get(ref.Name)
	if err != nil || set.UID != ref.UID {
		return nil
	}
	return set
}

func (ssc *StatefulSetController) enqueueStatefulSet(obj any) {
	if set, ok := orTombstone[*appsv1.StatefulSet](obj); ok {
		ssc.queue.Add(controller.KeyFunc(set))
	}
}

func (ssc *StatefulSetController) enqueueSSAfter(set *appsv1.StatefulSet, d time.Duration) {
	ssc.queue.AddAfter(controller.KeyFunc(set), d)
}

func (ssc *StatefulSetController) processNextWorkItem(p *sim.Proc) bool {
	key, quit := ssc.queue.Get(p)
	if quit {
		return false
	}
	if err := ssc.sync(p, key); err != nil {
		controller.HandleError(p.Logger(), err, "Error syncing StatefulSet, requeuing", "key", key)
		ssc.queue.AddRateLimited(key)
	} else {
		ssc.queue.Forget(key)
	}
	ssc.queue.Done(key)
	return true
}

func (ssc *StatefulSetController) worker(p *sim.Proc) {
	for ssc.processNextWorkItem(p) {
	}
}

// sync brings one set nearer to what it asks for. It is never called for the
// same key twice at a time.
func (ssc *StatefulSetController) sync(p *sim.Proc, key string) error {
	log, start := p.Logger(), p.Now()
	defer func() {
		if ssc.component.Running() {
			log.V(4).Info("Finished syncing statefulset", "key", key, "time", p.Now()-start)
		}
	}()
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	owner := types.NamespacedName{Namespace: namespace, Name: name}
	if err := ssc.consistencyStore.EnsureReady(owner); err != nil {
		return err
	}
	set, err := ssc.setLister.StatefulSets(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		log.Info("StatefulSet has been deleted", "key", key)
		ssc.consistencyStore.Clear(owner, "")
		return nil
	}
	if err != nil {
		return err
	}
	selector, err := labels.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		controller.HandleError(log, err, "Error converting StatefulSet selector", "statefulSet", controller.KObj(set))
		return nil // the same until the set is changed
	}
	if err := ssc.adoptOrphanRevisions(p, set); err != nil {
		return err
	}
	claimed, err := ssc.getPodsForStatefulSet(p, set, selector)
	if err != nil {
		return err
	}
	return ssc.syncStatefulSet(p, set, claimed)
}

// syncStatefulSet has the control act, and comes back when the next Pod becomes available.
func (ssc *StatefulSetController) syncStatefulSet(p *sim.Proc, set *appsv1.StatefulSet, claimed []*member) error {
	log := p.Logger()
	log.V(4).Info("Syncing StatefulSet with pods", "statefulSet", controller.KObj(set), "pods", len(claimed))
	now := p.Time()
	status, err := ssc.control.UpdateStatefulSet(p, set, claimed, now)
	if err != nil {
		return err
	}
	log.V(4).Info("Successfully synced StatefulSet", "statefulSet", controller.KObj(set))
	if set.Spec.MinReadySeconds > 0 && status != nil {
		pods := make([]*corev1.Pod, len(claimed))
		for i, m := range claimed {
			pods[i] = m.pod
		}
		if d, ok := controller.FindMinNextPodAvailabilityCheck(pods, set.Spec.MinReadySeconds, now, p.Time()); ok {
			ssc.enqueueSSAfter(set, d)
		} else if status.AvailableReplicas != *set.Spec.Replicas {
			ssc.enqueueSSAfter(set, time.Duration(set.Spec.MinReadySeconds)*time.Second)
		}
	}
	return nil
}

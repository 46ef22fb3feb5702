package daemonset

import (
	"errors"
	"maps"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

var errTombstone = errors.New("couldn't get object from tombstone")

// watch registers what is to happen when DaemonSets, revisions, Pods and nodes change.
func (dsc *DaemonSetsController) watch(daemonSetInformer informers.DaemonSetInformer, historyInformer informers.ControllerRevisionInformer,
	podInformer informers.PodInformer, nodeInformer informers.NodeInformer) {
	daemonSetInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: dsc.addDaemonset, UpdateFunc: dsc.updateDaemonset, DeleteFunc: dsc.deleteDaemonset,
	})
	historyInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: dsc.addHistory, UpdateFunc: dsc.updateHistory, DeleteFunc: dsc.deleteHistory,
	})
	podInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: dsc.addPod, UpdateFunc: dsc.updatePod, DeleteFunc: dsc.deletePod,
	})
	controller.AddPodControllerIndexer(podInformer.Informer())
	controller.AddPodNodeNameIndexer(podInformer.Informer())
	nodeInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: dsc.addNode, UpdateFunc: dsc.updateNode})

	dsc.dsLister, dsc.dsSynced = daemonSetInformer.Lister(), daemonSetInformer.Informer().HasSynced
	dsc.historyLister, dsc.historySynced = historyInformer.Lister(), historyInformer.Informer().HasSynced
	dsc.podSynced = podInformer.Informer().HasSynced
	dsc.podIndexer = podInformer.Informer().GetIndexer()
	dsc.podIndexer.OnChange(func(_, _ any) { dsc.podChanges++ })
	dsc.nodeLister, dsc.nodeSynced = nodeInformer.Lister(), nodeInformer.Informer().HasSynced
}

func (dsc *DaemonSetsController) enqueue(ds *appsv1.DaemonSet) { dsc.queue.Add(controller.KeyFunc(ds)) }

func (dsc *DaemonSetsController) enqueueDaemonSetAfter(ds *appsv1.DaemonSet, after time.Duration) {
	dsc.queue.AddAfter(controller.KeyFunc(ds), after)
}

func orTombstone[T any](obj any) (T, bool) {
	if tombstone, is := obj.(cache.DeletedFinalStateUnknown); is {
		obj = tombstone.Obj
	}
	t, ok := obj.(T)
	return t, ok
}

func (dsc *DaemonSetsController) addDaemonset(obj any) {
	ds := obj.(*appsv1.DaemonSet)
	dsc.kernel.Logger().V(4).Info("Adding daemon set", "daemonset", controller.KObj(ds))
	dsc.enqueue(ds)
}

func (dsc *DaemonSetsController) updateDaemonset(old, cur any) {
	oldDS, curDS := old.(*appsv1.DaemonSet), cur.(*appsv1.DaemonSet)
	if curDS.UID != oldDS.UID {
		dsc.deleteDaemonset(cache.DeletedFinalStateUnknown{Key: controller.KeyFunc(oldDS), Obj: oldDS})
	}
	dsc.kernel.Logger().V(4).Info("Updating daemon set", "daemonset", controller.KObj(oldDS))
	dsc.enqueue(curDS)
}

func (dsc *DaemonSetsController) deleteDaemonset(obj any) {
	log := dsc.kernel.Logger()
	ds, ok := orTombstone[*appsv1.DaemonSet](obj)
	if !ok {
		log.Error(errTombstone, "Unexpected object in delete handler")
		return
	}
	log.V(4).Info("Deleting daemon set", "daemonset", controller.KObj(ds))
	key := controller.KeyFunc(ds)
	dsc.consistencyStore.Clear(types.NamespacedName{Namespace: ds.Namespace, Name: ds.Name}, ds.UID)
	delete(dsc.daemonPods, ds.UID)
	// A new DaemonSet of the same name must not wait for this one's Pods.
	dsc.expectations.DeleteExpectations(log, key)
	dsc.queue.Add(key)
}

// resolveControllerRef returns the DaemonSet that a reference means, or nil.
func (dsc *DaemonSetsController) resolveControllerRef(namespace string, ref *metav1.OwnerReference) *appsv1.DaemonSet {
	if ref.Kind != controllerKind.Kind {
		return nil
	}
	ds, err := dsc.dsLister.DaemonSets(namespace).Get(ref.Name)
	if err != nil || ds.UID != ref.UID {
		return nil
	}
	return ds
}

// matching returns the DaemonSets whose selectors match an orphan. Upstream:
// getDaemonSetsForPod and getDaemonSetsForHistory.
func (dsc *DaemonSetsController) matching(obj api.Object) []*appsv1.DaemonSet {
	if len(obj.GetLabels()) == 0 {
		return nil
	}
	all, err := dsc.dsLister.DaemonSets(obj.GetNamespace()).List(labels.Everything())
	if err != nil {
		return nil
	}
	var out []*appsv1.DaemonSet
	for _, ds := range all {
		if selector := selectorOf(ds.Spec.Selector); selector != nil && selector.Matches(labels.Set(obj.GetLabels())) {
			out = append(out, ds)
		}
	}
	if len(out) > 1 {
		dsc.kernel.Logger().V(4).Info("User error! more than one DaemonSet is selecting objects with the same labels",
			"object", controller.KObj(obj), "labels", labels.FormatLabels(obj.GetLabels()))
	}
	return out
}

func (dsc *DaemonSetsController) addHistory(obj any) {
	history := obj.(*appsv1.ControllerRevision)
	if history.DeletionTimestamp != nil {
		dsc.deleteHistory(history)
		return
	}
	if ref := metav1.GetControllerOfNoCopy(history); ref != nil {
		if ds := dsc.resolveControllerRef(history.Namespace, ref); ds != nil {
			dsc.kernel.Logger().V(4).Info("Observed a ControllerRevision", "controllerRevision", controller.KObj(history))
		}
		return // its own doing: the sync that made it goes on
	}
	for _, ds := range dsc.matching(history) {
		dsc.kernel.Logger().V(4).Info("Orphan ControllerRevision added", "controllerRevision", controller.KObj(history))
		dsc.enqueue(ds)
	}
}

func (dsc *DaemonSetsController) updateHistory(old, cur any) {
	oldH, curH := old.(*appsv1.ControllerRevision), cur.(*appsv1.ControllerRevision)
	if curH.ResourceVersion == oldH.ResourceVersion {
		return
	}
	curRef, oldRef := metav1.GetControllerOfNoCopy(curH), metav1.GetControllerOfNoCopy(oldH)
	refChanged := !sameOwner(curRef, oldRef)
	if refChanged && oldRef != nil {
		if ds := dsc.resolveControllerRef(oldH.Namespace, oldRef); ds != nil {
			dsc.enqueue(ds)
		}
	}
	if curRef != nil {
		if ds := dsc.resolveControllerRef(curH.Namespace, curRef); ds != nil {
			dsc.kernel.Logger().V(4).Info("Observed an update to a ControllerRevision", "controllerRevision", controller.KObj(curH))
			dsc.enqueue(ds)
		}
		return
	}
	if refChanged || !maps.Equal(curH.Labels, oldH.Labels) {
		for _, ds := range dsc.matching(curH) {
			dsc.enqueue(ds)
		}
	}
}

func (dsc *DaemonSetsController) deleteHistory(obj any) {
	history, ok := orTombstone[*appsv1.ControllerRevision](obj)
	if !ok {
		dsc.kernel.Logger().Error(errTombstone, "Unexpected object in delete handler")
		return
	}
	if ref := metav1.GetControllerOfNoCopy(history); ref != nil {
		if ds := dsc.resolveControllerRef(history.Namespace, ref); ds != nil {
			dsc.kernel.Logger().V(4).Info("ControllerRevision deleted", "controllerRevision", controller.KObj(history))
			dsc.enqueue(ds)
		}
	}
}

func sameOwner(a, b *metav1.OwnerReference) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.UID == b.UID
}

func (dsc *DaemonSetsController) addPod(obj any) {
	pod := obj.(*corev1.Pod)
	log := dsc.kernel.Logger()
	if pod.DeletionTimestamp != nil {
		// Seen for the first time after a restart, and on its way out already.
		dsc.deletePod(pod)
		return
	}
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
		ds := dsc.resolveControllerRef(pod.Namespace, ref)
		if ds == nil {
			return
		}
		log.V(4).Info("Pod added", "pod", controller.KObj(pod), "daemonset", controller.KObj(ds))
		dsc.expectations.CreationObserved(log, controller.KeyFunc(ds))
		dsc.enqueue(ds)
		return
	}
	for _, ds := range dsc.matching(pod) {
		log.V(4).Info("Orphan Pod added", "pod", controller.KObj(pod), "daemonset", controller.KObj(ds))
		dsc.enqueue(ds)
	}
}

func (dsc *DaemonSetsController) updatePod(old, cur any) {
	oldPod, curPod := old.(*corev1.Pod), cur.(*corev1.Pod)
	if curPod.ResourceVersion == oldPod.ResourceVersion {
		return
	}
	if curPod.DeletionTimestamp != nil {
		// A graceful deletion shows first as an update, and counts from then on.
		dsc.deletePod(curPod)
		return
	}
	log := dsc.kernel.Logger()
	curRef, oldRef := metav1.GetControllerOfNoCopy(curPod), metav1.GetControllerOfNoCopy(oldPod)
	refChanged := !sameOwner(curRef, oldRef)
	if refChanged && oldRef != nil {
		if ds := dsc.resolveControllerRef(oldPod.Namespace, oldRef); ds != nil {
			dsc.enqueue(ds)
		}
	}
	if curRef != nil {
		ds := dsc.resolveControllerRef(curPod.Namespace, curRef)
		if ds == nil {
			return
		}
		log.V(4).Info("Pod updated", "pod", controller.KObj(curPod), "daemonset", controller.KObj(ds))
		dsc.enqueue(ds)
		// It becomes available by time alone.
		if !controller.IsPodReady(oldPod) && controller.IsPodReady(curPod) && ds.Spec.MinReadySeconds > 0 {
			dsc.enqueueDaemonSetAfter(ds, time.Duration(ds.Spec.MinReadySeconds)*time.Second+time.Second)
		}
		return
	}
	if refChanged || !maps.Equal(curPod.Labels, oldPod.Labels) {
		for _, ds := range dsc.matching(curPod) {
			log.V(4).Info("Orphan Pod updated", "pod", controller.KObj(curPod), "daemonset", controller.KObj(ds))
			dsc.enqueue(ds)
		}
	}
}

func (dsc *DaemonSetsController) deletePod(obj any) {
	log := dsc.kernel.Logger()
	pod, ok := orTombstone[*corev1.Pod](obj)
	if !ok {
		log.Error(errTombstone, "Unexpected object in delete handler")
		return
	}
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return
	}
	ds := dsc.resolveControllerRef(pod.Namespace, ref)
	if ds == nil {
		return
	}
	log.V(4).Info("Pod deleted", "pod", controller.KObj(pod), "terminating", pod.DeletionTimestamp != nil, "daemonset", controller.KObj(ds))
	dsc.expectations.DeletionObserved(log, controller.KeyFunc(ds))
	dsc.enqueue(ds)
}

func (dsc *DaemonSetsController) addNode(obj any) { dsc.nodeUpdateQueue.Add(obj.(*corev1.Node).Name) }

func (dsc *DaemonSetsController) updateNode(old, cur any) {
	oldNode, curNode := old.(*corev1.Node), cur.(*corev1.Node)
	if shouldIgnoreNodeUpdate(oldNode, curNode) {
		return
	}
	dsc.nodeUpdateQueue.Add(curNode.Name)
}

func (dsc *DaemonSetsController) runNodeUpdateWorker(p *sim.Proc) {
	for dsc.processNextNodeUpdate(p) {
	}
}

func (dsc *DaemonSetsController) processNextNodeUpdate(p *sim.Proc) bool {
	nodeName, quit := dsc.nodeUpdateQueue.Get(p)
	if quit {
		return false
	}
	if err := dsc.syncNodeUpdate(p, nodeName); err != nil {
		controller.HandleError(p.Logger(), err, "Failed to sync node update", "key", nodeName)
		dsc.nodeUpdateQueue.AddRateLimited(nodeName)
	} else {
		dsc.nodeUpdateQueue.Forget(nodeName)
	}
	dsc.nodeUpdateQueue.Done(nodeName)
	return true
}

// syncNodeUpdate wakes the DaemonSets for which a changed node makes a
// difference: it is to get a Pod and has none, has one and would get none now,
// or has one that may have been counted as such.
func (dsc *DaemonSetsController) syncNodeUpdate(p *sim.Proc, nodeName string) error {
	log := p.Logger()
	node, err := dsc.nodeLister.Get(nodeName)
	if apierrors.IsNotFound(err) {
		log.V(3).Info("Node not found during syncNodeUpdate, skipping", "node", nodeName)
		return nil // its Pods are collected with it, and each wakes its DaemonSet
	}
	if err != nil {
		return err
	}
	all, err := dsc.dsLister.List(labels.Everything())
	if err != nil {
		return err
	}
	podsOnNode, err := controller.PodsOnNode(dsc.podIndexer, nodeName)
	if err != nil {
		return err
	}
	scheduled := map[types.UID]bool{} // DaemonSets with a Pod here
	for _, pod := range podsOnNode {
		if ref := metav1.GetControllerOfNoCopy(pod); ref != nil && ref.Kind == controllerKind.Kind {
			scheduled[ref.UID] = true
		}
	}
	for _, ds := range all {
		shouldRun, shouldContinueRunning := NodeShouldRunDaemonPod(node, ds)
		if shouldRun != scheduled[ds.UID] || scheduled[ds.UID] && ds.Status.NumberMisscheduled > 0 {
			log.V(4).Info("Node changed", "node", nodeName, "daemonset", controller.KObj(ds), "shouldRun", shouldRun,
				"shouldContinueRunning", shouldContinueRunning, "scheduled", scheduled[ds.UID])
			dsc.enqueue(ds)
		}
	}
	return nil
}

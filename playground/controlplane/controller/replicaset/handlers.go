package replicaset

import (
	"maps"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
)

// watch registers what is to happen when ReplicaSets and Pods change.
func (rsc *ReplicaSetController) watch(rsInformer cache.SharedIndexInformer, podInformer informers.PodInformer) {
	rsInformer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    rsc.addRS,
		UpdateFunc: rsc.updateRS,
		DeleteFunc: rsc.deleteRS,
	})
	rsInformer.AddIndexers(cache.Indexers{controllerUIDIndex: func(obj any) ([]string, error) {
		if ref := metav1.GetControllerOfNoCopy(obj.(*appsv1.ReplicaSet)); ref != nil {
			return []string{string(ref.UID)}, nil
		}
		return nil, nil
	}})
	rsc.rsIndexer = rsInformer.GetIndexer()
	rsc.rsLister = listers.NewReplicaSetLister(rsc.rsIndexer)
	rsc.rsSynced = rsInformer.HasSynced

	podInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    rsc.addPod,
		UpdateFunc: rsc.updatePod,
		DeleteFunc: rsc.deletePod,
	})
	controller.AddPodControllerIndexer(podInformer.Informer())
	rsc.podIndexer = podInformer.Informer().GetIndexer()
	rsc.podIndexer.OnChange(func(old, obj any) { rsc.tallies.change(rsc.Kind, old, obj) })
	rsc.podLister = podInformer.Lister()
	rsc.podSynced = podInformer.Informer().HasSynced
}

// getReplicaSetsWithSameController returns the ReplicaSets of the Deployment
// that rs belongs to, itself included; none when it belongs to none.
func (rsc *ReplicaSetController) getReplicaSetsWithSameController(rs *appsv1.ReplicaSet) []*appsv1.ReplicaSet {
	ref := metav1.GetControllerOfNoCopy(rs)
	if ref == nil {
		controller.HandleError(rsc.kernel.Logger(), errNoController, "Error finding related ReplicaSets", "replicaSet", controller.KObj(rs))
		return nil
	}
	objs, err := rsc.rsIndexer.ByIndex(controllerUIDIndex, string(ref.UID))
	if err != nil {
		controller.HandleError(rsc.kernel.Logger(), err, "Error finding related ReplicaSets", "replicaSet", controller.KObj(rs))
		return nil
	}
	related := make([]*appsv1.ReplicaSet, 0, len(objs))
	for _, obj := range objs {
		related = append(related, obj.(*appsv1.ReplicaSet))
	}
	return related
}

// getPodReplicaSets returns the ReplicaSets whose selectors match an orphan.
func (rsc *ReplicaSetController) getPodReplicaSets(pod *corev1.Pod) []*appsv1.ReplicaSet {
	all, err := rsc.rsLister.ReplicaSets(pod.Namespace).List(labels.Everything())
	if err != nil {
		return nil
	}
	var out []*appsv1.ReplicaSet
	for _, rs := range all {
		selector, err := labels.LabelSelectorAsSelector(rs.Spec.Selector)
		// An empty selector matches everything for lists, and nothing for a ReplicaSet.
		if err != nil || selector.Empty() || !selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		out = append(out, rs)
	}
	if len(out) > 1 {
		rsc.kernel.Logger().Error(nil, "user error! more than one ReplicaSet is selecting pods with the same labels",
			"pod", controller.KObj(pod), "labels", labels.FormatLabels(pod.Labels))
	}
	return out
}

// resolveControllerRef returns the ReplicaSet that a reference means, or nil
// when it means something else, or one that is gone.
func (rsc *ReplicaSetController) resolveControllerRef(namespace string, ref *metav1.OwnerReference) *appsv1.ReplicaSet {
	if ref.Kind != rsc.Kind {
		return nil
	}
	// Before the ReplicaSets are listed none of them is there, for each of a large cluster's Pods.
	rs, ok := rsc.rsLister.ReplicaSets(namespace).Find(ref.Name)
	if !ok || rs.UID != ref.UID {
		return nil
	}
	return rs
}

func (rsc *ReplicaSetController) enqueueRS(rs *appsv1.ReplicaSet) {
	rsc.queue.Add(controller.KeyFunc(rs))
}

func (rsc *ReplicaSetController) enqueueRSAfter(rs *appsv1.ReplicaSet, d time.Duration) {
	rsc.queue.AddAfter(controller.KeyFunc(rs), d)
}

func (rsc *ReplicaSetController) addRS(obj any) {
	rs := obj.(*appsv1.ReplicaSet)
	rsc.kernel.Logger().V(4).Info("Adding", "replicaSet", controller.KObj(rs))
	rsc.enqueueRS(rs)
}

// updateRS enqueues whatever changed, the status too: a sync that finds nothing
// to do is cheap, and a resync then revives a ReplicaSet that got stuck.
func (rsc *ReplicaSetController) updateRS(old, cur any) {
	oldRS, curRS := old.(*appsv1.ReplicaSet), cur.(*appsv1.ReplicaSet)
	// A watch that broke in between can show "deleted, and created again under
	// the same name" as one update.
	if curRS.UID != oldRS.UID {
		rsc.deleteRS(cache.DeletedFinalStateUnknown{Key: controller.KeyFunc(oldRS), Obj: oldRS})
	}
	if *oldRS.Spec.Replicas != *curRS.Spec.Replicas {
		rsc.kernel.Logger().V(4).Info("replicaSet updated. Desired pod count change.", "replicaSet", controller.KObj(oldRS),
			"oldReplicas", *oldRS.Spec.Replicas, "newReplicas", *curRS.Spec.Replicas)
	}
	rsc.enqueueRS(curRS)
}

func (rsc *ReplicaSetController) deleteRS(obj any) {
	log := rsc.kernel.Logger()
	rs, ok := obj.(*appsv1.ReplicaSet)
	if !ok {
		tombstone, isTombstone := obj.(cache.DeletedFinalStateUnknown)
		if rs, ok = tombstone.Obj.(*appsv1.ReplicaSet); !ok {
			log.Error(errTombstone, "Unexpected object in delete handler", "tombstone", isTombstone)
			return
		}
	}
	key := controller.KeyFunc(rs)
	log.V(4).Info("Deleting", "replicaSet", controller.KObj(rs))
	rsc.consistencyStore.Clear(types.NamespacedName{Namespace: rs.Namespace, Name: rs.Name}, rs.UID)
	// A new ReplicaSet of the same name must not wait for this one's Pods.
	rsc.expectations.DeleteExpectations(log, key)
	rsc.queue.Add(key)
}

func (rsc *ReplicaSetController) addPod(obj any) {
	pod := obj.(*corev1.Pod)
	log := rsc.kernel.Logger()
	if pod.DeletionTimestamp != nil {
		// Seen for the first time after a restart, and on its way out already:
		// nobody waits for it to appear.
		rsc.deletePod(pod)
		return
	}
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
		rs := rsc.resolveControllerRef(pod.Namespace, ref)
		if rs == nil {
			return
		}
		log.V(4).Info("Pod created", "pod", controller.KObj(pod), "replicaSet", controller.KObj(rs))
		rsc.expectations.CreationObserved(log, controller.KeyFunc(rs))
		rsc.enqueueRS(rs)
		return
	}
	// An orphan. Whoever matches it may adopt it; nobody waits for it.
	rss := rsc.getPodReplicaSets(pod)
	if len(rss) == 0 {
		return
	}
	log.V(4).Info("Orphan Pod created", "pod", controller.KObj(pod))
	for _, rs := range rss {
		rsc.enqueueRS(rs)
	}
}

// updatePod wakes the ReplicaSets that a Pod belongs to, belonged to, or may
// belong to now.
func (rsc *ReplicaSetController) updatePod(old, cur any) {
	oldPod, curPod := old.(*corev1.Pod), cur.(*corev1.Pod)
	if curPod.ResourceVersion == oldPod.ResourceVersion {
		return // a resync: nothing has changed
	}
	log := rsc.kernel.Logger()
	labelChanged := !maps.Equal(curPod.Labels, oldPod.Labels)
	if curPod.DeletionTimestamp != nil {
		// A graceful deletion shows first as an update. The replacement is due
		// now, not when the containers have stopped.
		rsc.deletePod(curPod)
		if labelChanged {
			rsc.deletePod(oldPod)
		}
		return
	}

	curRef, oldRef := metav1.GetControllerOfNoCopy(curPod), metav1.GetControllerOfNoCopy(oldPod)
	refChanged := !sameRef(curRef, oldRef)
	if refChanged && oldRef != nil {
		if rs := rsc.resolveControllerRef(oldPod.Namespace, oldRef); rs != nil {
			rsc.enqueueRS(rs)
		}
	}
	if curRef != nil {
		rs := rsc.resolveControllerRef(curPod.Namespace, curRef)
		if rs == nil {
			return
		}
		if log.Enabled() {
			log.V(4).Info("Pod objectMeta updated.", "pod", controller.KObj(oldPod),
				"oldResourceVersion", oldPod.ResourceVersion, "curResourceVersion", curPod.ResourceVersion)
		}
		rsc.enqueueRS(rs)
		if !controller.IsPodReady(oldPod) && controller.IsPodReady(curPod) && rs.Spec.MinReadySeconds > 0 {
			after := time.Duration(rs.Spec.MinReadySeconds) * time.Second
			log.V(2).Info("pod will be enqueued after a while for availability check", "duration", after,
				"kind", rsc.Kind, "pod", controller.KObj(oldPod))
			rsc.enqueueRSAfter(rs, after)
		}
		return
	}
	// An orphan, maybe since now.
	if !labelChanged && !refChanged {
		return
	}
	rss := rsc.getPodReplicaSets(curPod)
	if len(rss) == 0 {
		return
	}
	log.V(4).Info("Orphan Pod objectMeta updated.", "pod", controller.KObj(oldPod),
		"oldResourceVersion", oldPod.ResourceVersion, "curResourceVersion", curPod.ResourceVersion)
	for _, rs := range rss {
		rsc.enqueueRS(rs)
	}
}

// deletePod takes a Pod, or a tombstone: a Pod whose deletion was missed while
// a watch was broken, as it was when last seen.
func (rsc *ReplicaSetController) deletePod(obj any) {
	log := rsc.kernel.Logger()
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		tombstone, isTombstone := obj.(cache.DeletedFinalStateUnknown)
		if pod, ok = tombstone.Obj.(*corev1.Pod); !ok {
			log.Error(errTombstone, "Unexpected object in delete handler", "tombstone", isTombstone)
			return
		}
	}
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return // nobody cares about orphans that go
	}
	rs := rsc.resolveControllerRef(pod.Namespace, ref)
	if rs == nil {
		return
	}
	key := controller.KeyFunc(rs)
	log.V(4).Info("Pod deleted", "pod", controller.KObj(pod), "terminating", pod.DeletionTimestamp != nil, "replicaSet", key)
	rsc.expectations.DeletionObserved(log, key, controller.PodKey(pod))
	rsc.queue.Add(key)
}

// sameRef compares two references by what they say; nil equals only nil.
func sameRef(a, b *metav1.OwnerReference) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.APIVersion == b.APIVersion && a.Kind == b.Kind && a.Name == b.Name && a.UID == b.UID &&
		sameBool(a.Controller, b.Controller) && sameBool(a.BlockOwnerDeletion, b.BlockOwnerDeletion)
}

func sameBool(a, b *bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

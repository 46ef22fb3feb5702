package replicaset

import (
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// edgeTriggered is what this controller is not: one that acts on what it is told
// has happened. A new ReplicaSet, a change of its replicas and a Pod that goes
// make it create or delete that many Pods, once. It does not count the Pods that
// are there, so what it was not told, and what failed, is never made up for.
//
// It exists for counterfactuals only (sim.EdgeTriggered).
type edgeTriggered struct {
	*ReplicaSetController
	// due is how many Pods are to be created, or deleted when it is negative.
	due map[string]int
	// deleted are the Pods that it deleted itself: their end is no news.
	deleted map[string]bool
}

// onEdges has a controller act on events. Its own handlers still fill its queue.
func (rsc *ReplicaSetController) onEdges(rsInformer cache.SharedIndexInformer, podInformer informers.PodInformer) {
	e := &edgeTriggered{rsc, map[string]int{}, map[string]bool{}}
	rsc.syncHandler = e.sync
	rsInformer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{AddFunc: e.addRS, UpdateFunc: e.updateRS})
	podInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: e.updatePod, DeleteFunc: e.deletePod})
}

// addRS: what was there before the controller was is no event.
func (e *edgeTriggered) addRS(obj any, isInInitialList bool) {
	if rs := obj.(*appsv1.ReplicaSet); !isInInitialList {
		e.happened(rs, int(*rs.Spec.Replicas), "ReplicaSet added")
	}
}

func (e *edgeTriggered) updateRS(old, cur any) {
	oldRS, curRS := old.(*appsv1.ReplicaSet), cur.(*appsv1.ReplicaSet)
	if change := int(*curRS.Spec.Replicas - *oldRS.Spec.Replicas); change != 0 {
		e.happened(curRS, change, "Replicas changed")
	}
}

// updatePod: a graceful deletion begins with an update.
func (e *edgeTriggered) updatePod(old, cur any) {
	oldPod, curPod := old.(*corev1.Pod), cur.(*corev1.Pod)
	if oldPod.DeletionTimestamp == nil && curPod.DeletionTimestamp != nil {
		e.lost(curPod)
	}
}

// deletePod: a tombstone is no event, but what a list has found missing.
func (e *edgeTriggered) deletePod(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok && pod.DeletionTimestamp == nil {
		e.lost(pod)
	}
}

func (e *edgeTriggered) lost(pod *corev1.Pod) {
	key := controller.PodKey(pod)
	ref := metav1.GetControllerOfNoCopy(pod)
	if own := e.deleted[key]; own || ref == nil {
		delete(e.deleted, key)
		return
	}
	if rs := e.resolveControllerRef(pod.Namespace, ref); rs != nil {
		e.happened(rs, 1, "Pod deleted")
	}
}

func (e *edgeTriggered) happened(rs *appsv1.ReplicaSet, change int, what string) {
	key := controller.KeyFunc(rs)
	e.due[key] += change
	e.kernel.Logger().V(2).Info("Edge-triggered: "+what, "replicaSet", key, "change", change)
	e.queue.Add(key)
}

// sync does what is due and writes the status. What fails is logged and given up.
func (e *edgeTriggered) sync(p *sim.Proc, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	rs, err := e.rsLister.ReplicaSets(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		delete(e.due, key)
		return nil
	}
	if err != nil {
		return err
	}
	all, err := controller.FilterPodsByOwner(e.podIndexer, rs, e.Kind, true)
	if err != nil {
		return err
	}
	active := controller.FilterActivePods(p.Logger(), all)
	change := e.due[key]
	delete(e.due, key)
	switch {
	case rs.DeletionTimestamp != nil:
	case change > 0:
		err = e.createPods(p, rs, min(change, e.burstReplicas))
	case change < 0:
		victims := min(-change, len(active), e.burstReplicas)
		first, _ := getPodsToDelete(active, active, victims, p.Time())
		for _, pod := range first {
			e.deleted[controller.PodKey(pod)] = true
		}
		err = e.deletePods(p, rs, active, victims)
	}
	controller.HandleError(p.Logger(), err, "Edge-triggered: given up", "replicaSet", key)
	now := p.Time()
	status := calculateStatus(rs, countPods(rs, active, controller.FilterTerminatingPods(all), now), nil, now)
	_, err = updateReplicaSetStatus(p, e.sets(e.kubeClient, namespace), rs, status)
	return err
}

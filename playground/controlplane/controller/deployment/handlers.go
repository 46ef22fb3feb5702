package deployment

import (
	"errors"
	"maps"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/controller"
)

var errTombstone = errors.New("couldn't get object from tombstone")

// watch registers what is to happen when Deployments, ReplicaSets and Pods change.
func (dc *DeploymentController) watch(dInformer informers.DeploymentInformer, rsInformer informers.ReplicaSetInformer, podInformer informers.PodInformer) {
	dInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    dc.addDeployment,
		UpdateFunc: dc.updateDeployment,
		DeleteFunc: dc.deleteDeployment,
	})
	rsInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    dc.addReplicaSet,
		UpdateFunc: dc.updateReplicaSet,
		DeleteFunc: dc.deleteReplicaSet,
	})
	podInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: dc.deletePod})
	controller.AddPodControllerIndexer(podInformer.Informer())

	dc.dLister, dc.dSynced = dInformer.Lister(), dInformer.Informer().HasSynced
	dc.rsLister, dc.rsSynced = rsInformer.Lister(), rsInformer.Informer().HasSynced
	dc.podIndexer, dc.podSynced = podInformer.Informer().GetIndexer(), podInformer.Informer().HasSynced
}

func (dc *DeploymentController) enqueue(d *appsv1.Deployment) { dc.queue.Add(controller.KeyFunc(d)) }

func (dc *DeploymentController) enqueueRateLimited(d *appsv1.Deployment) {
	dc.queue.AddRateLimited(controller.KeyFunc(d))
}

func (dc *DeploymentController) enqueueAfter(d *appsv1.Deployment, after time.Duration) {
	dc.queue.AddAfter(controller.KeyFunc(d), after)
}

func (dc *DeploymentController) addDeployment(obj any) {
	d := obj.(*appsv1.Deployment)
	dc.kernel.Logger().V(4).Info("Adding deployment", "deployment", controller.KObj(d))
	dc.enqueue(d)
}

func (dc *DeploymentController) updateDeployment(_, cur any) {
	d := cur.(*appsv1.Deployment)
	dc.kernel.Logger().V(4).Info("Updating deployment", "deployment", controller.KObj(d))
	dc.enqueue(d)
}

func (dc *DeploymentController) deleteDeployment(obj any) {
	log := dc.kernel.Logger()
	d, ok := orTombstone[*appsv1.Deployment](obj)
	if !ok {
		log.Error(errTombstone, "Unexpected object in delete handler")
		return
	}
	log.V(4).Info("Deleting deployment", "deployment", controller.KObj(d))
	dc.enqueue(d)
}

// orTombstone takes an object as the delete handlers get it: itself, or as it
// was when last seen.
func orTombstone[T any](obj any) (T, bool) {
	if tombstone, is := obj.(cache.DeletedFinalStateUnknown); is {
		obj = tombstone.Obj
	}
	t, ok := obj.(T)
	return t, ok
}

func (dc *DeploymentController) addReplicaSet(obj any) {
	rs := obj.(*appsv1.ReplicaSet)
	if rs.DeletionTimestamp != nil {
		// Seen for the first time after a restart, and on its way out already.
		dc.deleteReplicaSet(rs)
		return
	}
	log := dc.kernel.Logger()
	if ref := metav1.GetControllerOfNoCopy(rs); ref != nil {
		if d := dc.resolveControllerRef(rs.Namespace, ref); d != nil {
			log.V(4).Info("ReplicaSet added", "replicaSet", controller.KObj(rs), "deployment", controller.KObj(d))
			dc.enqueue(d)
		}
		return
	}
	// An orphan: whoever matches it may adopt it.
	for i, d := range dc.getDeploymentsForReplicaSet(rs) {
		if i == 0 {
			log.V(4).Info("Orphan ReplicaSet added", "replicaSet", controller.KObj(rs))
		}
		dc.enqueue(d)
	}
}

// getDeploymentsForReplicaSet returns the Deployments whose selectors match a ReplicaSet.
func (dc *DeploymentController) getDeploymentsForReplicaSet(rs *appsv1.ReplicaSet) []*appsv1.Deployment {
	if len(rs.Labels) == 0 {
		return nil
	}
	all, err := dc.dLister.Deployments(rs.Namespace).List(labels.Everything())
	if err != nil {
		return nil
	}
	var out []*appsv1.Deployment
	for _, d := range all {
		selector, err := labels.LabelSelectorAsSelector(d.Spec.Selector)
		if err != nil || selector.Empty() || !selector.Matches(labels.Set(rs.Labels)) {
			continue
		}
		out = append(out, d)
	}
	if len(out) > 1 {
		dc.kernel.Logger().V(4).Info("user error! more than one deployment is selecting replica set", "replicaSet", controller.KObj(rs),
			"labels", labels.FormatLabels(rs.Labels), "deployment", controller.KObj(out[0]))
	}
	return out
}

// updateReplicaSet wakes the Deployments that a ReplicaSet belongs to, belonged
// to, or may belong to now.
func (dc *DeploymentController) updateReplicaSet(old, cur any) {
	oldRS, curRS := old.(*appsv1.ReplicaSet), cur.(*appsv1.ReplicaSet)
	if curRS.ResourceVersion == oldRS.ResourceVersion {
		return // a resync: nothing has changed
	}
	curRef, oldRef := metav1.GetControllerOfNoCopy(curRS), metav1.GetControllerOfNoCopy(oldRS)
	refChanged := (curRef == nil) != (oldRef == nil) || curRef != nil && curRef.UID != oldRef.UID
	if refChanged && oldRef != nil {
		if d := dc.resolveControllerRef(oldRS.Namespace, oldRef); d != nil {
			dc.enqueue(d)
		}
	}
	log := dc.kernel.Logger()
	if curRef != nil {
		if d := dc.resolveControllerRef(curRS.Namespace, curRef); d != nil {
			log.V(4).Info("ReplicaSet updated", "replicaSet", controller.KObj(curRS),
				"replicas", curRS.Status.Replicas, "readyReplicas", curRS.Status.ReadyReplicas, "availableReplicas", curRS.Status.AvailableReplicas)
			dc.enqueue(d)
		}
		return
	}
	if !refChanged && maps.Equal(curRS.Labels, oldRS.Labels) {
		return
	}
	for i, d := range dc.getDeploymentsForReplicaSet(curRS) {
		if i == 0 {
			log.V(4).Info("Orphan ReplicaSet updated", "replicaSet", controller.KObj(curRS))
		}
		dc.enqueue(d)
	}
}

func (dc *DeploymentController) deleteReplicaSet(obj any) {
	log := dc.kernel.Logger()
	rs, ok := orTombstone[*appsv1.ReplicaSet](obj)
	if !ok {
		log.Error(errTombstone, "Unexpected object in delete handler")
		return
	}
	ref := metav1.GetControllerOfNoCopy(rs)
	if ref == nil {
		return
	}
	d := dc.resolveControllerRef(rs.Namespace, ref)
	if d == nil {
		return
	}
	log.V(4).Info("ReplicaSet deleted", "replicaSet", controller.KObj(rs), "deployment", controller.KObj(d))
	dc.enqueue(d)
}

// deletePod wakes a Deployment that waits for its last old Pod to go before it
// makes new ones. All others learn enough from their ReplicaSets.
func (dc *DeploymentController) deletePod(obj any) {
	log := dc.kernel.Logger()
	pod, ok := orTombstone[*corev1.Pod](obj)
	if !ok {
		log.Error(errTombstone, "Unexpected object in delete handler")
		return
	}
	d := dc.getDeploymentForPod(pod)
	if d == nil || d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
		return
	}
	rsList, err := dc.rsLister.ReplicaSets(d.Namespace).List(labels.Everything())
	if err != nil {
		return
	}
	numPods := 0
	for _, rs := range rsList {
		if metav1.IsControlledBy(rs, d) {
			pods, err := controller.FilterPodsByOwner(dc.podIndexer, rs, "ReplicaSet", false)
			if err != nil {
				return
			}
			numPods += len(pods)
		}
	}
	log.V(4).Info("Pod deleted", "pod", controller.KObj(pod), "deployment", controller.KObj(d), "numPods", numPods)
	if numPods == 0 {
		dc.enqueue(d)
	}
}

// getDeploymentForPod returns the Deployment of the ReplicaSet that a Pod belongs to.
func (dc *DeploymentController) getDeploymentForPod(pod *corev1.Pod) *appsv1.Deployment {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil || ref.Kind != "ReplicaSet" {
		return nil
	}
	rs, err := dc.rsLister.ReplicaSets(pod.Namespace).Get(ref.Name)
	if err != nil || rs.UID != ref.UID {
		return nil
	}
	if ref = metav1.GetControllerOfNoCopy(rs); ref == nil {
		return nil
	}
	return dc.resolveControllerRef(rs.Namespace, ref)
}

// resolveControllerRef returns the Deployment that a reference means, or nil
// when it means something else, or one that is gone.
func (dc *DeploymentController) resolveControllerRef(namespace string, ref *metav1.OwnerReference) *appsv1.Deployment {
	if ref.Kind != controllerKind.Kind {
		return nil
	}
	d, err := dc.dLister.Deployments(namespace).Get(ref.Name)
	if err != nil || d.UID != ref.UID {
		return nil
	}
	return d
}

package deployment

import (
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// isScalingEvent tells whether the Deployment wants another number of Pods than
// when its ReplicaSets were last scaled.
func (dc *DeploymentController) isScalingEvent(p *sim.Proc, d *appsv1.Deployment, rsList []*appsv1.ReplicaSet) (bool, error) {
	newRS, oldRSs, err := dc.getAllReplicaSetsAndSyncRevision(p, d, rsList, false)
	if err != nil {
		return false, err
	}
	for _, rs := range controller.FilterActiveReplicaSets(withNew(oldRSs, newRS)) {
		if desired, ok := GetDesiredReplicasAnnotation(rs); ok && desired != *d.Spec.Replicas {
			p.Logger().V(4).Info("Deployment was scaled", "deployment", controller.KObj(d), "oldReplicas", desired, "newReplicas", *d.Spec.Replicas)
			return true, nil
		}
	}
	return false, nil
}

// scale brings the number of Pods to what the Deployment wants without moving
// any to another version: the only ReplicaSet follows; a saturated new one sends
// the others home; otherwise, in the middle of a rolling update, all grow or
// shrink in proportion, so that a failing new version does not get them all.
func (dc *DeploymentController) scale(p *sim.Proc, d *appsv1.Deployment, newRS *appsv1.ReplicaSet, oldRSs []*appsv1.ReplicaSet) error {
	if only := FindActiveOrLatest(newRS, oldRSs); only != nil {
		if *only.Spec.Replicas == *d.Spec.Replicas {
			return nil
		}
		_, _, err := dc.scaleReplicaSet(p, only, *d.Spec.Replicas, d)
		return err
	}
	if IsSaturated(d, newRS) {
		for _, old := range controller.FilterActiveReplicaSets(oldRSs) {
			if _, _, err := dc.scaleReplicaSet(p, old, 0, d); err != nil {
				return err
			}
		}
		return nil
	}
	if !IsRollingUpdate(d) {
		return nil // several that are active and Recreate: only a change of strategy leads here, and upstream does nothing either
	}

	allRSs := controller.FilterActiveReplicaSets(withNew(oldRSs, newRS))
	allRSsReplicas := GetReplicaCountForReplicaSets(allRSs)
	allowedSize := int32(0)
	if *d.Spec.Replicas > 0 {
		allowedSize = *d.Spec.Replicas + MaxSurge(d)
	}
	toAdd := allowedSize - allRSsReplicas
	// The largest takes what rounding leaves. Growing, new ones come before old
	// ones of the same size; shrinking, the other way round.
	if toAdd > 0 {
		controller.SortReplicaSetsBySizeNewer(allRSs)
	} else if toAdd < 0 {
		controller.SortReplicaSetsBySizeOlder(allRSs)
	}
	sizes, added := make([]int32, len(allRSs)), int32(0)
	for i, rs := range allRSs {
		sizes[i] = *rs.Spec.Replicas
		if toAdd != 0 {
			proportion := GetReplicaSetProportion(rs, d, toAdd, added)
			sizes[i] += proportion
			added += proportion
		}
	}
	if len(sizes) > 0 && toAdd != 0 {
		sizes[0] = max(0, sizes[0]+toAdd-added)
	}
	p.Logger().V(4).Info("Scaling proportionally", "deployment", controller.KObj(d), "replicas", *d.Spec.Replicas, "maxSurge", MaxSurge(d),
		"allowedSize", allowedSize, "allRSsReplicas", allRSsReplicas, "deploymentReplicasToAdd", toAdd, "deploymentReplicasAdded", added, "sizes",
		sizesText(allRSs, sizes))
	for i, rs := range allRSs {
		if _, _, err := dc.scaleReplicaSet(p, rs, sizes[i], d); err != nil {
			return err
		}
	}
	return nil
}

// scaleReplicaSet writes a number of replicas, and the annotations that go with
// it, unless they are there. scaled tells whether the number is another one.
func (dc *DeploymentController) scaleReplicaSet(p *sim.Proc, rs *appsv1.ReplicaSet, newScale int32, d *appsv1.Deployment) (scaled bool,
	updated *appsv1.ReplicaSet, err error) {
	oldScale, most := *rs.Spec.Replicas, *d.Spec.Replicas+MaxSurge(d)
	if oldScale == newScale && !ReplicasAnnotationsNeedUpdate(rs, *d.Spec.Replicas, most) {
		return false, rs, nil
	}
	p.Logger().V(4).Info("Scaling replica set", "deployment", controller.KObj(d), "replicaSet", rs.Name, "oldReplicas", oldScale, "newReplicas", newScale)
	rs = rs.DeepCopy()
	*rs.Spec.Replicas = newScale
	SetReplicasAnnotations(rs, *d.Spec.Replicas, most)
	rs, err = dc.client.AppsV1().ReplicaSets(rs.Namespace).Update(p, rs, metav1.UpdateOptions{})
	if err != nil || oldScale == newScale {
		return false, rs, err
	}
	operation := "down"
	if oldScale < newScale {
		operation = "up"
	}
	dc.eventRecorder.Eventf(d, corev1.EventTypeNormal, "ScalingReplicaSet", "Scaled %s replica set %s from %d to %d", operation, rs.Name, oldScale, newScale)
	return true, rs, nil
}

// cleanupDeployment deletes the oldest ReplicaSets that nobody uses any more,
// until spec.revisionHistoryLimit are left to go back to.
func (dc *DeploymentController) cleanupDeployment(p *sim.Proc, oldRSs []*appsv1.ReplicaSet, d *appsv1.Deployment) error {
	if !HasRevisionHistoryLimit(d) {
		return nil
	}
	log := p.Logger()
	cleanable := controller.FilterReplicaSets(oldRSs, func(rs *appsv1.ReplicaSet) bool { return rs != nil && rs.DeletionTimestamp == nil })
	diff := len(cleanable) - int(*d.Spec.RevisionHistoryLimit)
	if diff <= 0 {
		return nil
	}
	SortReplicaSetsByRevision(cleanable)
	log.V(4).Info("Looking to cleanup old replica sets for deployment", "deployment", controller.KObj(d),
		"oldRSs", len(cleanable), "revisionHistoryLimit", *d.Spec.RevisionHistoryLimit, "cleanupCount", diff)
	for _, rs := range cleanable[:diff] {
		// One that may still have Pods is left for a later sync.
		if rs.Status.Replicas != 0 || *rs.Spec.Replicas != 0 || rs.Generation > rs.Status.ObservedGeneration {
			continue
		}
		log.V(4).Info("Trying to cleanup replica set for deployment", "replicaSet", controller.KObj(rs), "deployment", controller.KObj(d))
		err := dc.client.AppsV1().ReplicaSets(rs.Namespace).Delete(p, rs.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

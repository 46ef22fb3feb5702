package deployment

import (
	"fmt"
	"strconv"
	"strings"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// rolloutRolling takes one step of a rolling update: up with the new ReplicaSet,
// else down with the old ones, else clean up. Upstream: rolling.go.
func (dc *DeploymentController) rolloutRolling(p *sim.Proc, d *appsv1.Deployment, rsList []*appsv1.ReplicaSet) error {
	newRS, oldRSs, err := dc.getAllReplicaSetsAndSyncRevision(p, d, rsList, true)
	if err != nil {
		return err
	}
	allRSs := withNew(oldRSs, newRS)

	scaledUp, err := dc.reconcileNewReplicaSet(p, allRSs, newRS, d)
	if err != nil {
		return err
	}
	if scaledUp {
		return dc.syncRolloutStatus(p, allRSs, newRS, d)
	}
	scaledDown, err := dc.reconcileOldReplicaSets(p, allRSs, controller.FilterActiveReplicaSets(oldRSs), newRS, d)
	if err != nil {
		return err
	}
	if scaledDown {
		return dc.syncRolloutStatus(p, allRSs, newRS, d)
	}
	if DeploymentComplete(d, &d.Status) {
		if err := dc.cleanupDeployment(p, oldRSs, d); err != nil {
			return err
		}
	}
	return dc.syncRolloutStatus(p, allRSs, newRS, d)
}

// reconcileNewReplicaSet scales the new ReplicaSet as far as the surge allows.
func (dc *DeploymentController) reconcileNewReplicaSet(p *sim.Proc, allRSs []*appsv1.ReplicaSet, newRS *appsv1.ReplicaSet, d *appsv1.Deployment) (bool, error) {
	if *newRS.Spec.Replicas == *d.Spec.Replicas {
		return false, nil
	}
	if *newRS.Spec.Replicas > *d.Spec.Replicas {
		scaled, _, err := dc.scaleReplicaSet(p, newRS, *d.Spec.Replicas, d)
		return scaled, err
	}
	newReplicasCount, err := NewRSNewReplicas(p, d, allRSs, newRS)
	if err != nil {
		return false, err
	}
	scaled, _, err := dc.scaleReplicaSet(p, newRS, newReplicasCount, d)
	return scaled, err
}

// reconcileOldReplicaSets scales the old ReplicaSets down as far as the
// availability allows. Of the new one's Pods those that are not available yet
// are taken as if they never will be: if the new version fails, that leaves
// what is needed. So it scales down when the new Pods have become available, or
// when old ones are of no use anyway.
func (dc *DeploymentController) reconcileOldReplicaSets(p *sim.Proc, allRSs, oldRSs []*appsv1.ReplicaSet, newRS *appsv1.ReplicaSet, d *appsv1.Deployment) (bool,
	error) {
	log := p.Logger()
	oldPodsCount := GetReplicaCountForReplicaSets(oldRSs)
	if oldPodsCount == 0 {
		return false, nil
	}
	allPodsCount := GetReplicaCountForReplicaSets(allRSs)
	maxUnavailable := MaxUnavailable(d)
	minAvailable := *d.Spec.Replicas - maxUnavailable
	newRSUnavailablePodCount := *newRS.Spec.Replicas - newRS.Status.AvailableReplicas
	maxScaledDown := allPodsCount - minAvailable - newRSUnavailablePodCount
	log.V(4).Info("New replica set's available pods", "deployment", controller.KObj(d), "newRS", newRS.Name, "availableReplicas", newRS.Status.AvailableReplicas,
		"allPodsCount", allPodsCount, "oldPodsCount", oldPodsCount, "maxUnavailable", maxUnavailable, "minAvailable", minAvailable,
		"newRSUnavailablePodCount", newRSUnavailablePodCount, "maxScaledDown", maxScaledDown)
	if maxScaledDown <= 0 {
		return false, nil
	}

	// Old Pods that don't work go first, or they would block the roll-out.
	oldRSs, cleanupCount, err := dc.cleanupUnhealthyReplicas(p, oldRSs, d, maxScaledDown)
	if err != nil {
		return false, nil
	}
	log.V(4).Info("Cleaned up unhealthy replicas from old RSes", "deployment", controller.KObj(d), "cleanupCount", cleanupCount)

	scaledDownCount, err := dc.scaleDownOldReplicaSetsForRollingUpdate(p, withNew(oldRSs, newRS), oldRSs, d)
	if err != nil {
		return false, nil
	}
	log.V(4).Info("Scaled down old RSes", "deployment", controller.KObj(d), "count", scaledDownCount)
	return cleanupCount+scaledDownCount > 0, nil
}

// cleanupUnhealthyReplicas scales old ReplicaSets down by their Pods that are
// not available, the oldest first. It returns them as they then are.
func (dc *DeploymentController) cleanupUnhealthyReplicas(p *sim.Proc, oldRSs []*appsv1.ReplicaSet, d *appsv1.Deployment,
	maxCleanupCount int32) ([]*appsv1.ReplicaSet, int32, error) {
	log := p.Logger()
	controller.SortReplicaSetsByCreationTimestamp(oldRSs)
	total := int32(0)
	for i, rs := range oldRSs {
		if total >= maxCleanupCount {
			break
		}
		if *rs.Spec.Replicas == 0 {
			continue
		}
		log.V(4).Info("Found available pods in old RS", "replicaSet", controller.KObj(rs), "availableReplicas", rs.Status.AvailableReplicas, "replicas",
			*rs.Spec.Replicas)
		if *rs.Spec.Replicas == rs.Status.AvailableReplicas {
			continue
		}
		scaledDownCount := min(maxCleanupCount-total, *rs.Spec.Replicas-rs.Status.AvailableReplicas)
		newReplicasCount := *rs.Spec.Replicas - scaledDownCount
		if newReplicasCount > *rs.Spec.Replicas {
			return nil, 0, fmt.Errorf("when cleaning up unhealthy replicas, got invalid request to scale down %s/%s %d -> %d", rs.Namespace, rs.Name, *rs.Spec.Replicas,
				newReplicasCount)
		}
		_, updated, err := dc.scaleReplicaSet(p, rs, newReplicasCount, d)
		if err != nil {
			return nil, total, err
		}
		total += scaledDownCount
		oldRSs[i] = updated
	}
	return oldRSs, total, nil
}

// scaleDownOldReplicaSetsForRollingUpdate scales old ReplicaSets down by as many
// Pods as are available beyond what is needed, the oldest first.
func (dc *DeploymentController) scaleDownOldReplicaSetsForRollingUpdate(p *sim.Proc, allRSs, oldRSs []*appsv1.ReplicaSet, d *appsv1.Deployment) (int32, error) {
	maxUnavailable := MaxUnavailable(d)
	minAvailable := *d.Spec.Replicas - maxUnavailable
	availablePodCount := GetAvailableReplicaCountForReplicaSets(allRSs)
	if availablePodCount <= minAvailable {
		p.Logger().V(4).Info("Cannot scale down old RSes", "deployment", controller.KObj(d), "availablePodCount", availablePodCount, "minAvailable", minAvailable)
		return 0, nil
	}
	p.Logger().V(4).Info("Found available pods in deployment, scaling down old RSes", "deployment", controller.KObj(d),
		"availablePodCount", availablePodCount, "minAvailable", minAvailable, "totalScaleDownCount", availablePodCount-minAvailable)

	controller.SortReplicaSetsByCreationTimestamp(oldRSs)
	total, totalScaleDownCount := int32(0), availablePodCount-minAvailable
	for _, rs := range oldRSs {
		if total >= totalScaleDownCount {
			break
		}
		if *rs.Spec.Replicas == 0 {
			continue
		}
		scaleDownCount := min(*rs.Spec.Replicas, totalScaleDownCount-total)
		newReplicasCount := *rs.Spec.Replicas - scaleDownCount
		if _, _, err := dc.scaleReplicaSet(p, rs, newReplicasCount, d); err != nil {
			return total, err
		}
		total += scaleDownCount
	}
	return total, nil
}

// sizesText is what each ReplicaSet is scaled to, for a log line.
func sizesText(sets []*appsv1.ReplicaSet, sizes []int32) string {
	out := make([]string, len(sets))
	for i, rs := range sets {
		out[i] = rs.Name + "=" + strconv.Itoa(int(sizes[i]))
	}
	return strings.Join(out, " ")
}

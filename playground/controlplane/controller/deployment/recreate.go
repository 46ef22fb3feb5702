package deployment

import (
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// rolloutRecreate ends all old Pods and, when the last is gone, starts the new
// ones: never are two versions up at once. Upstream: recreate.go.
func (dc *DeploymentController) rolloutRecreate(p *sim.Proc, d *appsv1.Deployment, rsList []*appsv1.ReplicaSet, podMap map[types.UID][]*corev1.Pod) error {
	// The new ReplicaSet is not created yet: it would start Pods at once.
	newRS, oldRSs, err := dc.getAllReplicaSetsAndSyncRevision(p, d, rsList, false)
	if err != nil {
		return err
	}
	allRSs := withNew(oldRSs, newRS)

	scaledDown, err := dc.scaleDownOldReplicaSetsForRecreate(p, controller.FilterActiveReplicaSets(oldRSs), d)
	if err != nil {
		return err
	}
	if scaledDown {
		return dc.syncRolloutStatus(p, allRSs, newRS, d)
	}
	if running := oldPodsRunning(newRS, oldRSs, podMap); running {
		p.Logger().V(4).Info("Waiting for old pods to end", "deployment", controller.KObj(d), "oldPods", GetActualReplicaCountForReplicaSets(oldRSs))
		return dc.syncRolloutStatus(p, allRSs, newRS, d)
	}
	if newRS == nil {
		newRS, oldRSs, err = dc.getAllReplicaSetsAndSyncRevision(p, d, rsList, true)
		if err != nil {
			return err
		}
		allRSs = withNew(oldRSs, newRS)
	}
	if _, err := dc.scaleUpNewReplicaSetForRecreate(p, newRS, d); err != nil {
		return err
	}
	if DeploymentComplete(d, &d.Status) {
		if err := dc.cleanupDeployment(p, oldRSs, d); err != nil {
			return err
		}
	}
	return dc.syncRolloutStatus(p, allRSs, newRS, d)
}

func (dc *DeploymentController) scaleDownOldReplicaSetsForRecreate(p *sim.Proc, oldRSs []*appsv1.ReplicaSet, d *appsv1.Deployment) (bool, error) {
	scaled := false
	for _, rs := range oldRSs {
		did, _, err := dc.scaleReplicaSet(p, rs, 0, d)
		if err != nil {
			return false, err
		}
		scaled = scaled || did
	}
	return scaled, nil
}

// oldPodsRunning tells whether a Pod of an old ReplicaSet still runs, or may:
// ReplicaSets don't count those that are being deleted, so it looks at the Pods too.
func oldPodsRunning(newRS *appsv1.ReplicaSet, oldRSs []*appsv1.ReplicaSet, podMap map[types.UID][]*corev1.Pod) bool {
	if GetActualReplicaCountForReplicaSets(oldRSs) > 0 {
		return true
	}
	for uid, pods := range podMap { // order: any that runs decides
		if newRS != nil && newRS.UID == uid {
			continue
		}
		for _, pod := range pods {
			if !controller.IsPodTerminal(pod) {
				return true
			}
		}
	}
	return false
}

func (dc *DeploymentController) scaleUpNewReplicaSetForRecreate(p *sim.Proc, newRS *appsv1.ReplicaSet, d *appsv1.Deployment) (bool, error) {
	scaled, _, err := dc.scaleReplicaSet(p, newRS, *d.Spec.Replicas, d)
	return scaled, err
}

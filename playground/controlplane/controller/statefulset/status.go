package statefulset

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/retry"
	"kubewalk/playground/sim"
)

// wroteFunc is told of each version that was written for a set.
type wroteFunc func(owner types.NamespacedName, uid types.UID, resource api.GroupResource, version string)

// StatefulSetStatusUpdaterInterface writes statuses.
type StatefulSetStatusUpdaterInterface interface {
	// UpdateStatefulSetStatus writes a status, again on the newest version after a conflict.
	UpdateStatefulSetStatus(p *sim.Proc, set *appsv1.StatefulSet, status *appsv1.StatefulSetStatus) error
}

// realStatefulSetStatusUpdater writes through a client. Upstream: stateful_set_status_updater.go.
type realStatefulSetStatusUpdater struct {
	client    *client.Clientset
	setLister listers.StatefulSetLister
	wrote     wroteFunc
}

func (u *realStatefulSetStatusUpdater) UpdateStatefulSetStatus(p *sim.Proc, set *appsv1.StatefulSet, status *appsv1.StatefulSetStatus) error {
	return retry.RetryOnConflict(p, retry.DefaultRetry, func() error {
		toUpdate := set.DeepCopy()
		toUpdate.Status = *status.DeepCopy()
		updated, err := u.client.AppsV1().StatefulSets(set.Namespace).UpdateStatus(p, toUpdate, metav1.UpdateOptions{})
		if err == nil {
			u.wrote(types.NamespacedName{Namespace: set.Namespace, Name: set.Name}, set.UID, statefulSets, updated.ResourceVersion)
			return nil
		}
		// The cache may have come further meanwhile.
		if fresh, getErr := u.setLister.StatefulSets(set.Namespace).Get(set.Name); getErr == nil && fresh.UID == set.UID {
			set = fresh
		}
		return err
	})
}

// inconsistentStatus tells whether a status says something that the set's does not.
func inconsistentStatus(set *appsv1.StatefulSet, status *appsv1.StatefulSetStatus) bool {
	old := &set.Status
	return status.ObservedGeneration > old.ObservedGeneration ||
		status.Replicas != old.Replicas || status.CurrentReplicas != old.CurrentReplicas || status.ReadyReplicas != old.ReadyReplicas ||
		status.UpdatedReplicas != old.UpdatedReplicas || status.AvailableReplicas != old.AvailableReplicas ||
		status.CurrentRevision != old.CurrentRevision || status.UpdateRevision != old.UpdateRevision
}

// completeRollingUpdate makes the update revision the current one when all Pods are of it, and ready.
func completeRollingUpdate(set *appsv1.StatefulSet, status *appsv1.StatefulSetStatus) {
	if set.Spec.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType && status.UpdatedReplicas == *set.Spec.Replicas &&
		status.ReadyReplicas == *set.Spec.Replicas && status.Replicas == *set.Spec.Replicas {
		status.CurrentReplicas = status.UpdatedReplicas
		status.CurrentRevision = status.UpdateRevision
	}
}

func (ssc *defaultStatefulSetControl) updateStatefulSetStatus(p *sim.Proc, set *appsv1.StatefulSet, status *appsv1.StatefulSetStatus) error {
	completeRollingUpdate(set, status)
	if !inconsistentStatus(set, status) {
		return nil
	}
	return ssc.statusUpdater.UpdateStatefulSetStatus(p, set, status)
}

package controller

import (
	"fmt"
	"sort"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// FilterActiveReplicaSets keeps the ReplicaSets that ask for Pods.
func FilterActiveReplicaSets(sets []*appsv1.ReplicaSet) []*appsv1.ReplicaSet {
	return FilterReplicaSets(sets, func(rs *appsv1.ReplicaSet) bool { return rs != nil && *rs.Spec.Replicas > 0 })
}

// FilterReplicaSets keeps what a condition holds for.
func FilterReplicaSets(sets []*appsv1.ReplicaSet, keep func(*appsv1.ReplicaSet) bool) []*appsv1.ReplicaSet {
	var out []*appsv1.ReplicaSet
	for _, rs := range sets {
		if keep(rs) {
			out = append(out, rs)
		}
	}
	return out
}

// SortReplicaSetsByCreationTimestamp puts the oldest first; of the same second, by name.
// Upstream: ReplicaSetsByCreationTimestamp.
func SortReplicaSetsByCreationTimestamp(sets []*appsv1.ReplicaSet) {
	sort.SliceStable(sets, func(i, j int) bool { return older(sets[i], sets[j]) })
}

// SortReplicaSetsBySizeOlder puts the largest first, of equals the oldest: the
// order in which they shrink. Upstream: ReplicaSetsBySizeOlder.
func SortReplicaSetsBySizeOlder(sets []*appsv1.ReplicaSet) {
	sort.SliceStable(sets, func(i, j int) bool {
		if a, b := *sets[i].Spec.Replicas, *sets[j].Spec.Replicas; a != b {
			return a > b
		}
		return older(sets[i], sets[j])
	})
}

// SortReplicaSetsBySizeNewer puts the largest first, of equals the newest: the
// order in which they grow. Upstream: ReplicaSetsBySizeNewer.
func SortReplicaSetsBySizeNewer(sets []*appsv1.ReplicaSet) {
	sort.SliceStable(sets, func(i, j int) bool {
		if a, b := *sets[i].Spec.Replicas, *sets[j].Spec.Replicas; a != b {
			return a > b
		}
		return older(sets[j], sets[i])
	})
}

func older(a, b *appsv1.ReplicaSet) bool {
	if a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.Name < b.Name
	}
	return a.CreationTimestamp.Before(&b.CreationTimestamp)
}

// ReplicaSetControllerRefManager claims ReplicaSets, for a Deployment.
// Upstream: pkg/controller/controller_ref_manager.go, the type of that name.
type ReplicaSetControllerRefManager struct {
	BaseControllerRefManager
	controllerKind api.GroupVersionKind
	client         *client.Clientset
}

// NewReplicaSetControllerRefManager claims ReplicaSets for a controller of that
// kind; canAdopt is called before the first adoption.
func NewReplicaSetControllerRefManager(c *client.Clientset, owner api.Object, selector labels.Selector,
	kind api.GroupVersionKind, canAdopt func(p *sim.Proc) error) *ReplicaSetControllerRefManager {
	return &ReplicaSetControllerRefManager{
		BaseControllerRefManager: BaseControllerRefManager{Controller: owner, Selector: selector, CanAdoptFunc: canAdopt},
		controllerKind:           kind,
		client:                   c,
	}
}

// ClaimReplicaSets returns those that belong to the controller now, and the
// first error of those that could not be claimed or released.
func (m *ReplicaSetControllerRefManager) ClaimReplicaSets(p *sim.Proc, sets []*appsv1.ReplicaSet) ([]*appsv1.ReplicaSet, error) {
	match := func(obj api.Object) bool { return m.Selector.Matches(labels.Set(obj.GetLabels())) }
	var claimed []*appsv1.ReplicaSet
	var first error
	for _, rs := range sets {
		ok, err := m.ClaimObject(p, rs, match, m.AdoptReplicaSet, m.ReleaseReplicaSet)
		if err != nil && first == nil {
			first = err
		}
		if ok {
			claimed = append(claimed, rs)
		}
	}
	return claimed, first
}

// AdoptReplicaSet writes the controller into the owner references.
func (m *ReplicaSetControllerRefManager) AdoptReplicaSet(p *sim.Proc, rs api.Object) error {
	if err := m.CanAdopt(p); err != nil {
		return fmt.Errorf("can't adopt ReplicaSet %v/%v (%v): %w", rs.GetNamespace(), rs.GetName(), rs.GetUID(), err)
	}
	patch, err := ownerRefControllerPatch(m.Controller, m.controllerKind, rs.GetUID())
	if err != nil {
		return err
	}
	_, err = m.client.AppsV1().ReplicaSets(rs.GetNamespace()).Patch(p, rs.GetName(), types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

// ReleaseReplicaSet takes the controller out of the owner references.
func (m *ReplicaSetControllerRefManager) ReleaseReplicaSet(p *sim.Proc, rs api.Object) error {
	p.Logger().V(2).Info("Patching ReplicaSet to remove its controllerRef", "replicaSet", KObj(rs),
		"gvk", m.controllerKind, "controller", m.Controller.GetName())
	patch, err := GenerateDeleteOwnerRefStrategicMergeBytes(rs.GetUID(), []types.UID{m.Controller.GetUID()})
	if err != nil {
		return err
	}
	_, err = m.client.AppsV1().ReplicaSets(rs.GetNamespace()).Patch(p, rs.GetName(), types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return releasedUnless(err)
}

// releasedUnless makes nothing of the errors which say that somebody else has
// released the object: it is gone, or has another UID or no such reference by now.
func releasedUnless(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		return nil
	}
	return err
}

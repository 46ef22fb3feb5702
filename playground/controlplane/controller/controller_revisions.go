package controller

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// ControllerRevisionControllerRefManager claims ControllerRevisions, for a DaemonSet.
// Upstream: pkg/controller/controller_ref_manager.go, the type of that name.
type ControllerRevisionControllerRefManager struct {
	BaseControllerRefManager
	controllerKind api.GroupVersionKind
	client         *client.Clientset
}

// NewControllerRevisionControllerRefManager claims ControllerRevisions for a
// controller of that kind; canAdopt is called before the first adoption.
func NewControllerRevisionControllerRefManager(c *client.Clientset, owner api.Object, selector labels.Selector,
	kind api.GroupVersionKind, canAdopt func(p *sim.Proc) error) *ControllerRevisionControllerRefManager {
	return &ControllerRevisionControllerRefManager{
		BaseControllerRefManager: BaseControllerRefManager{Controller: owner, Selector: selector, CanAdoptFunc: canAdopt},
		controllerKind:           kind,
		client:                   c,
	}
}

// ClaimControllerRevisions returns those that belong to the controller now, and
// the first error of those that could not be claimed or released.
func (m *ControllerRevisionControllerRefManager) ClaimControllerRevisions(p *sim.Proc, histories []*appsv1.ControllerRevision) ([]*appsv1.ControllerRevision,
	error) {
	match := func(obj api.Object) bool { return m.Selector.Matches(labels.Set(obj.GetLabels())) }
	var claimed []*appsv1.ControllerRevision
	var first error
	for _, h := range histories {
		ok, err := m.ClaimObject(p, h, match, m.AdoptControllerRevision, m.ReleaseControllerRevision)
		if err != nil && first == nil {
			first = err
		}
		if ok {
			claimed = append(claimed, h)
		}
	}
	return claimed, first
}

// AdoptControllerRevision writes the controller into the owner references.
func (m *ControllerRevisionControllerRefManager) AdoptControllerRevision(p *sim.Proc, history api.Object) error {
	if err := m.CanAdopt(p); err != nil {
		return fmt.Errorf("can't adopt ControllerRevision %v/%v (%v): %w", history.GetNamespace(), history.GetName(), history.GetUID(), err)
	}
	patch, err := ownerRefControllerPatch(m.Controller, m.controllerKind, history.GetUID())
	if err != nil {
		return err
	}
	_, err = m.client.AppsV1().ControllerRevisions(history.GetNamespace()).Patch(p, history.GetName(), types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

// ReleaseControllerRevision takes the controller out of the owner references.
func (m *ControllerRevisionControllerRefManager) ReleaseControllerRevision(p *sim.Proc, history api.Object) error {
	p.Logger().V(2).Info("Patching ControllerRevision to remove its controllerRef", "controllerRevision", KObj(history),
		"gvk", m.controllerKind, "controller", m.Controller.GetName())
	patch, err := GenerateDeleteOwnerRefStrategicMergeBytes(history.GetUID(), []types.UID{m.Controller.GetUID()})
	if err != nil {
		return err
	}
	_, err = m.client.AppsV1().ControllerRevisions(history.GetNamespace()).Patch(p, history.GetName(), types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return releasedUnless(err)
}

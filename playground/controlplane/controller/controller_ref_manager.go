package controller

import (
	"encoding/json"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// BaseControllerRefManager decides for one controller which objects are its
// own, adopts orphans that its selector matches, and releases what it no longer
// matches. Whether it may adopt is asked at most once.
//
// Upstream: pkg/controller/controller_ref_manager.go, BaseControllerRefManager.
type BaseControllerRefManager struct {
	Controller api.Object
	Selector   labels.Selector

	CanAdoptFunc func(p *sim.Proc) error
	asked        bool
	canAdoptErr  error
}

// CanAdopt asks whether the controller, as the API server knows it now, may
// take on more: a cache may not show yet that it is being deleted.
func (m *BaseControllerRefManager) CanAdopt(p *sim.Proc) error {
	if !m.asked && m.CanAdoptFunc != nil {
		m.asked = true
		m.canAdoptErr = m.CanAdoptFunc(p)
	}
	return m.canAdoptErr
}

// ClaimObject tells whether an object belongs to the controller, after adopting
// or releasing it where that is due. That somebody else was faster, or that the
// object is gone, is no error: it does not belong to the controller.
func (m *BaseControllerRefManager) ClaimObject(p *sim.Proc, obj api.Object,
	match func(api.Object) bool, adopt, release func(*sim.Proc, api.Object) error) (bool, error) {
	if ref := metav1.GetControllerOfNoCopy(obj); ref != nil {
		switch {
		case ref.UID != m.Controller.GetUID():
			return false, nil // somebody else's
		case match(obj):
			return true, nil
		case m.Controller.GetDeletionTimestamp() != nil:
			return false, nil // the garbage collector decides about its dependents
		}
		if err := release(p, obj); err != nil && !apierrors.IsNotFound(err) {
			return false, err
		}
		return false, nil
	}
	if m.Controller.GetDeletionTimestamp() != nil || !match(obj) || obj.GetDeletionTimestamp() != nil {
		return false, nil
	}
	if ns := m.Controller.GetNamespace(); ns != "" && ns != obj.GetNamespace() {
		return false, nil
	}
	if err := adopt(p, obj); err != nil {
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return false, err
	}
	return true, nil
}

// PodControllerRefManager claims Pods.
type PodControllerRefManager struct {
	BaseControllerRefManager
	controllerKind api.GroupVersionKind
	podControl     PodControlInterface
	finalizers     []string
}

// NewPodControllerRefManager claims Pods for a controller of that kind.
// canAdopt is called before the first adoption; RecheckDeletionTimestamp makes
// one. It is made anew for every sync, so that its answer is never old.
func NewPodControllerRefManager(podControl PodControlInterface, controller api.Object, selector labels.Selector,
	kind api.GroupVersionKind, canAdopt func(p *sim.Proc) error, finalizers ...string) *PodControllerRefManager {
	return &PodControllerRefManager{
		BaseControllerRefManager: BaseControllerRefManager{Controller: controller, Selector: selector, CanAdoptFunc: canAdopt},
		controllerKind:           kind,
		podControl:               podControl,
		finalizers:               finalizers,
	}
}

// ClaimPods returns those Pods that belong to the controller now. With filters,
// Pods must pass all of them to be adopted or kept. An error does not keep it
// from trying the rest; the first one is returned, with what was claimed.
// (Upstream aggregates all errors into one message.)
func (m *PodControllerRefManager) ClaimPods(p *sim.Proc, pods []*corev1.Pod, filters ...func(*corev1.Pod) bool) ([]*corev1.Pod, error) {
	match := func(obj api.Object) bool {
		pod := obj.(*corev1.Pod)
		if !m.Selector.Matches(labels.Set(pod.Labels)) {
			return false
		}
		for _, filter := range filters {
			if !filter(pod) {
				return false
			}
		}
		return true
	}
	adopt := func(p *sim.Proc, obj api.Object) error { return m.AdoptPod(p, obj.(*corev1.Pod)) }
	release := func(p *sim.Proc, obj api.Object) error { return m.ReleasePod(p, obj.(*corev1.Pod)) }

	claimed := make([]*corev1.Pod, 0, len(pods))
	var first error
	for _, pod := range pods {
		ok, err := m.ClaimObject(p, pod, match, adopt, release)
		if err != nil && first == nil {
			first = err
		}
		if ok {
			claimed = append(claimed, pod)
		}
	}
	return claimed, first
}

// AdoptPod writes the controller into the Pod's owner references. The patch
// holds the UID, so that it fails on another Pod of the same name.
func (m *PodControllerRefManager) AdoptPod(p *sim.Proc, pod *corev1.Pod) error {
	if err := m.CanAdopt(p); err != nil {
		return fmt.Errorf("can't adopt Pod %v/%v (%v): %w", pod.Namespace, pod.Name, pod.UID, err)
	}
	patch, err := ownerRefControllerPatch(m.Controller, m.controllerKind, pod.UID, m.finalizers...)
	if err != nil {
		return err
	}
	return m.podControl.PatchPod(p, pod.Namespace, pod.Name, patch)
}

// ReleasePod takes the controller out of the Pod's owner references.
func (m *PodControllerRefManager) ReleasePod(p *sim.Proc, pod *corev1.Pod) error {
	p.Logger().V(2).Info("Patching pod to remove its controllerRef", "pod", KObj(pod),
		"gvk", m.controllerKind, "controller", m.Controller.GetName())
	patch, err := GenerateDeleteOwnerRefStrategicMergeBytes(pod.UID, []types.UID{m.Controller.GetUID()}, m.finalizers...)
	if err != nil {
		return err
	}
	err = m.podControl.PatchPod(p, pod.Namespace, pod.Name, patch)
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		// Gone; or, when invalid, another Pod has the name by now, or it has no
		// such owner reference any more: released in each case.
		return nil
	}
	return err
}

// RecheckDeletionTimestamp makes a canAdopt function of one that gets the
// controller from the API server.
func RecheckDeletionTimestamp(get func(p *sim.Proc) (api.Object, error)) func(p *sim.Proc) error {
	return func(p *sim.Proc) error {
		obj, err := get(p)
		if err != nil {
			return fmt.Errorf("can't recheck DeletionTimestamp: %v", err)
		}
		if obj.GetDeletionTimestamp() != nil {
			return fmt.Errorf("%v/%v has just been deleted at %v", obj.GetNamespace(), obj.GetName(), timeText(obj.GetDeletionTimestamp()))
		}
		return nil
	}
}

type addOwnerRefPatch struct {
	Metadata addOwnerRefMeta `json:"metadata"`
}

type addOwnerRefMeta struct {
	OwnerReferences []metav1.OwnerReference `json:"ownerReferences"`
	UID             types.UID               `json:"uid"`
	Finalizers      []string                `json:"finalizers,omitempty"`
}

func ownerRefControllerPatch(controller api.Object, kind api.GroupVersionKind, uid types.UID, finalizers ...string) ([]byte, error) {
	return json.Marshal(addOwnerRefPatch{addOwnerRefMeta{
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(controller, kind)},
		UID:             uid,
		Finalizers:      finalizers,
	}})
}

type deleteOwnerRefPatch struct {
	Metadata deleteOwnerRefMeta `json:"metadata"`
}

type deleteOwnerRefMeta struct {
	OwnerReferences  []map[string]string `json:"ownerReferences"`
	UID              types.UID           `json:"uid"`
	DeleteFinalizers []string            `json:"$deleteFromPrimitiveList/finalizers,omitempty"`
}

// GenerateDeleteOwnerRefStrategicMergeBytes makes the strategic merge patch
// that takes owners, and finalizers, off a dependent of that UID.
func GenerateDeleteOwnerRefStrategicMergeBytes(dependent types.UID, owners []types.UID, finalizers ...string) ([]byte, error) {
	var refs []map[string]string
	for _, owner := range owners {
		refs = append(refs, map[string]string{"$patch": "delete", "uid": string(owner)})
	}
	return json.Marshal(deleteOwnerRefPatch{deleteOwnerRefMeta{refs, dependent, finalizers}})
}

// Package volume is what the scheduler and the controller of volumes have to
// agree on: which volume suits a claim, what a binding looks like, and the
// annotations by which they tell each other how far it is.
//
// Upstream: k8s.io/component-helpers/storage/volume.
package volume

import (
	"errors"
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/nodeaffinity"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/storagev1"
)

// Annotations. What some are set to does not matter.
const (
	// AnnBindCompleted, on a claim: it has been bound once.
	AnnBindCompleted = "pv.kubernetes.io/bind-completed"
	// AnnBoundByController, on either: the controller chose the other side; a person did not.
	AnnBoundByController = "pv.kubernetes.io/bound-by-controller"
	// AnnSelectedNode, on a claim: the scheduler wants a volume made for that node.
	AnnSelectedNode = "volume.kubernetes.io/selected-node"
	// AnnDynamicallyProvisioned, on a volume: which provisioner made it.
	AnnDynamicallyProvisioned = "pv.kubernetes.io/provisioned-by"
	// AnnStorageProvisioner, on a claim: which provisioner is to make its volume.
	AnnStorageProvisioner     = "volume.kubernetes.io/storage-provisioner"
	AnnBetaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner"
)

// NotSupportedProvisioner is the provisioner of classes whose volumes people make.
const NotSupportedProvisioner = "kubernetes.io/no-provisioner"

// PVDeletionProtectionFinalizer keeps a volume until its provisioner has deleted what it stands for.
const PVDeletionProtectionFinalizer = "external-provisioner.volume.kubernetes.io/finalizer"

// GetPersistentVolumeClaimClass is the name of the claim's class; "" is none.
func GetPersistentVolumeClaimClass(claim *corev1.PersistentVolumeClaim) string {
	if class, found := claim.Annotations[corev1.BetaStorageClassAnnotation]; found {
		return class
	}
	if claim.Spec.StorageClassName != nil {
		return *claim.Spec.StorageClassName
	}
	return ""
}

// GetPersistentVolumeClass is the name of the volume's class; "" is none.
func GetPersistentVolumeClass(volume *corev1.PersistentVolume) string {
	if class, found := volume.Annotations[corev1.BetaStorageClassAnnotation]; found {
		return class
	}
	return volume.Spec.StorageClassName
}

// IsDelayBindingProvisioning tells whether the scheduler has said for which node
// to make the volume.
func IsDelayBindingProvisioning(claim *corev1.PersistentVolumeClaim) bool {
	_, ok := claim.Annotations[AnnSelectedNode]
	return ok
}

// IsDelayBindingMode tells whether the claim is to wait for a Pod. class is nil
// when there is none by that name.
func IsDelayBindingMode(class *storagev1.StorageClass) (bool, error) {
	if class == nil {
		return false, nil
	}
	if class.VolumeBindingMode == nil {
		return false, fmt.Errorf("VolumeBindingMode not set for StorageClass %q", class.Name)
	}
	return *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer, nil
}

// IsVolumeBoundToClaim tells whether the volume names the claim, with its UID or without one.
func IsVolumeBoundToClaim(volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil && ref.Name == claim.Name && ref.Namespace == claim.Namespace && (ref.UID == "" || ref.UID == claim.UID)
}

// GetBindVolumeToClaim is the volume with the claim's name in it; dirty says that it had to be changed.
func GetBindVolumeToClaim(volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) (bound *corev1.PersistentVolume, dirty bool) {
	bound = volume.DeepCopy()
	chosenByUs := !IsVolumeBoundToClaim(volume, claim)
	if ref := volume.Spec.ClaimRef; ref == nil || ref.Name != claim.Name || ref.Namespace != claim.Namespace || ref.UID != claim.UID {
		bound.Spec.ClaimRef = ClaimReference(claim)
		dirty = true
	}
	if _, has := bound.Annotations[AnnBoundByController]; chosenByUs && !has {
		SetAnnotation(&bound.Annotations, AnnBoundByController, "yes")
		dirty = true
	}
	return bound, dirty
}

// ClaimReference is how a volume names its claim.
func ClaimReference(claim *corev1.PersistentVolumeClaim) *corev1.ObjectReference {
	return &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace,
		Name: claim.Name, UID: claim.UID, ResourceVersion: claim.ResourceVersion}
}

// SetAnnotation makes the map if there is none.
func SetAnnotation(annotations *map[string]string, key, value string) {
	if *annotations == nil {
		*annotations = map[string]string{}
	}
	(*annotations)[key] = value
}

// FindMatchingVolume finds the smallest volume that is large enough and suits
// the claim otherwise, or that names the claim already. The scheduler asks for a
// node; the controller asks for none, and with delayBinding only for a volume
// that names the claim. nil is none; the error is in the claim's selector.
func FindMatchingVolume(claim *corev1.PersistentVolumeClaim, volumes []*corev1.PersistentVolume, node *corev1.Node,
	excluded map[string]*corev1.PersistentVolume, delayBinding bool) (*corev1.PersistentVolume, error) {
	var selector labels.Selector
	if claim.Spec.Selector != nil {
		var err error
		if selector, err = labels.LabelSelectorAsSelector(claim.Spec.Selector); err != nil {
			return nil, fmt.Errorf("error creating internal label selector for claim: %v/%v: %v", claim.Namespace, claim.Name, err)
		}
	}
	var smallest *corev1.PersistentVolume
	var smallestQty resource.Quantity
	requested := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	for _, v := range volumes {
		capacity := v.Spec.Capacity[corev1.ResourceStorage]
		boundToClaim := IsVolumeBoundToClaim(v, claim)
		if excluded[v.Name] != nil || v.Spec.ClaimRef != nil && !boundToClaim || capacity.Cmp(requested) < 0 ||
			CheckVolumeModeMismatches(&claim.Spec, &v.Spec) ||
			attributesClass(claim.Spec.VolumeAttributesClassName) != attributesClass(v.Spec.VolumeAttributesClassName) ||
			v.DeletionTimestamp != nil {
			continue
		}
		fits := node == nil || CheckNodeAffinity(v, node) == nil
		if boundToClaim {
			if !fits {
				return nil, nil
			}
			return v, nil
		}
		if node == nil && delayBinding || v.Status.Phase != corev1.VolumeAvailable || selector != nil && !selector.Matches(labels.Set(v.Labels)) ||
			GetPersistentVolumeClass(v) != GetPersistentVolumeClaimClass(claim) || !fits || node != nil && !CheckAccessModes(claim, v) {
			continue
		}
		if smallest == nil || smallestQty.Cmp(capacity) > 0 {
			smallest, smallestQty = v, capacity
		}
	}
	return smallest, nil
}

func attributesClass(name *string) string {
	if name == nil {
		return ""
	}
	return *name
}

// CheckVolumeModeMismatches tells whether one is a file system and the other a block device.
func CheckVolumeModeMismatches(claim *corev1.PersistentVolumeClaimSpec, volume *corev1.PersistentVolumeSpec) bool {
	return volumeMode(claim.VolumeMode) != volumeMode(volume.VolumeMode)
}

func volumeMode(m *corev1.PersistentVolumeMode) corev1.PersistentVolumeMode {
	if m == nil {
		return corev1.PersistentVolumeFilesystem
	}
	return *m
}

// CheckAccessModes tells whether the volume offers all that the claim wants.
func CheckAccessModes(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) bool {
	for _, want := range claim.Spec.AccessModes {
		found := false
		for _, have := range volume.Spec.AccessModes {
			found = found || have == want
		}
		if !found {
			return false
		}
	}
	return true
}

var errNoMatchingTerms = errors.New("no matching NodeSelectorTerms")

// CheckNodeAffinity is an error when the volume cannot be reached from the node.
func CheckNodeAffinity(volume *corev1.PersistentVolume, node *corev1.Node) error {
	a := volume.Spec.NodeAffinity
	if a == nil || a.Required == nil {
		return nil
	}
	// Only labels count: a volume does not name nodes.
	labelled := &corev1.Node{}
	labelled.Labels = node.Labels
	if !nodeaffinity.Match(a.Required, labelled) {
		return errNoMatchingTerms
	}
	return nil
}

// EphemeralClaimName is the name of the claim that is made for a Pod's ephemeral volume.
// Upstream: component-helpers/storage/ephemeral, VolumeClaimName.
func EphemeralClaimName(pod *corev1.Pod, volume *corev1.Volume) string {
	return pod.Name + "-" + volume.Name
}

// ClaimName is the claim behind a Pod's volume; "" when it has none.
func ClaimName(pod *corev1.Pod, volume *corev1.Volume) (name string, ephemeral bool) {
	switch {
	case volume.PersistentVolumeClaim != nil:
		return volume.PersistentVolumeClaim.ClaimName, false
	case volume.Ephemeral != nil:
		return EphemeralClaimName(pod, volume), true
	}
	return "", false
}

// EphemeralClaimIsForPod is an error when somebody else owns a claim of that name.
// Upstream: component-helpers/storage/ephemeral, VolumeIsForPod.
func EphemeralClaimIsForPod(pod *corev1.Pod, claim *corev1.PersistentVolumeClaim) error {
	for _, owner := range claim.OwnerReferences {
		if owner.Controller != nil && *owner.Controller && owner.UID == pod.UID && claim.Namespace == pod.Namespace {
			return nil
		}
	}
	return fmt.Errorf("PVC %s/%s was not created for pod %s/%s (pod is not owner)", claim.Namespace, claim.Name, pod.Namespace, pod.Name)
}

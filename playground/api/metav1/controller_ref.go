package metav1

import "kubewalk/playground/api/schema"

// IsControlledBy says that owner is obj's controller, by UID.
func IsControlledBy(obj, owner Object) bool {
	ref := GetControllerOfNoCopy(obj)
	return ref != nil && ref.UID == owner.GetUID()
}

// GetControllerOf returns a copy of the owner reference that has controller: true, or nil.
// Upstream: apimachinery/pkg/apis/meta/v1/controller_ref.go, GetControllerOf.
func GetControllerOf(obj Object) *OwnerReference { return GetControllerOfNoCopy(obj).DeepCopy() }

// GetControllerOfNoCopy is GetControllerOf with a pointer into obj, to be read only.
func GetControllerOfNoCopy(obj Object) *OwnerReference {
	refs := obj.GetOwnerReferences()
	for i := range refs {
		if refs[i].Controller != nil && *refs[i].Controller {
			return &refs[i]
		}
	}
	return nil
}

// NewControllerRef makes the reference by which owner, of that kind, controls an object: deleting the owner in the
// foreground waits for the object. Upstream: controller_ref.go, NewControllerRef.
func NewControllerRef(owner Object, gvk schema.GroupVersionKind) *OwnerReference {
	yes, block := true, true
	return &OwnerReference{
		APIVersion:         gvk.GroupVersion().String(),
		Kind:               gvk.Kind,
		Name:               owner.GetName(),
		UID:                owner.GetUID(),
		BlockOwnerDeletion: &block,
		Controller:         &yes,
	}
}

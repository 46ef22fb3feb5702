package statefulset

import (
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// getPersistentVolumeClaimName is the template's name, the set's, and the ordinal: data-web-0.
func getPersistentVolumeClaimName(set *appsv1.StatefulSet, claim *corev1.PersistentVolumeClaim, ordinal int) string {
	return claim.Name + "-" + set.Name + "-" + strconv.Itoa(ordinal)
}

// getPersistentVolumeClaims makes a Pod's claims, in the order of their
// templates, whose names are those of the volumes.
func getPersistentVolumeClaims(set *appsv1.StatefulSet, pod *corev1.Pod) []*corev1.PersistentVolumeClaim {
	ordinal := getOrdinal(pod)
	out := make([]*corev1.PersistentVolumeClaim, 0, len(set.Spec.VolumeClaimTemplates))
	for i := range set.Spec.VolumeClaimTemplates {
		claim := set.Spec.VolumeClaimTemplates[i].DeepCopy()
		claim.Name = getPersistentVolumeClaimName(set, claim, ordinal)
		claim.Namespace = set.Namespace
		claim.Status = corev1.PersistentVolumeClaimStatus{}
		if claim.Labels == nil {
			claim.Labels = map[string]string{}
		}
		for k, v := range set.Spec.Selector.MatchLabels { // order: each fills its own key
			claim.Labels[k] = v
		}
		out = append(out, claim)
	}
	return out
}

// updateStorage makes a Pod's claims its volumes, instead of volumes of the same names.
func updateStorage(set *appsv1.StatefulSet, pod *corev1.Pod) {
	var volumes []corev1.Volume
	taken := map[string]bool{}
	for i, claim := range getPersistentVolumeClaims(set, pod) {
		name := set.Spec.VolumeClaimTemplates[i].Name
		taken[name] = true
		volumes = append(volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}}})
	}
	for _, v := range pod.Spec.Volumes {
		if !taken[v.Name] {
			volumes = append(volumes, v)
		}
	}
	pod.Spec.Volumes = volumes
}

// storageMatches tells whether a Pod has its claims as volumes.
func storageMatches(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	ordinal := getOrdinal(pod)
	if ordinal < 0 {
		return false
	}
	for i := range set.Spec.VolumeClaimTemplates {
		template := &set.Spec.VolumeClaimTemplates[i]
		found := false
		for _, v := range pod.Spec.Volumes {
			found = found || v.Name == template.Name && v.PersistentVolumeClaim != nil &&
				v.PersistentVolumeClaim.ClaimName == getPersistentVolumeClaimName(set, template, ordinal)
		}
		if !found {
			return false
		}
	}
	return true
}

// getPersistentVolumeClaimRetentionPolicy is the policy; Retain where it says nothing.
func getPersistentVolumeClaimRetentionPolicy(set *appsv1.StatefulSet) appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy {
	policy := appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
		WhenDeleted: appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
		WhenScaled:  appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
	}
	if p := set.Spec.PersistentVolumeClaimRetentionPolicy; p != nil {
		policy = *p
	}
	return policy
}

// claimOwners says who is to own a Pod's claims, so that the garbage collector
// deletes them with their owner: the set, when claims go with it; the Pod, when
// claims go with Pods that are scaled away and this is one; else nobody.
func claimOwners(set *appsv1.StatefulSet, pod *corev1.Pod) (ownedBySet, ownedByPod bool) {
	policy := getPersistentVolumeClaimRetentionPolicy(set)
	ownedByPod = policy.WhenScaled == appsv1.DeletePersistentVolumeClaimRetentionPolicyType && !podInOrdinalRange(pod, set)
	ownedBySet = policy.WhenDeleted == appsv1.DeletePersistentVolumeClaimRetentionPolicyType && !ownedByPod
	return ownedBySet, ownedByPod
}

// isClaimOwnerUpToDate tells whether a claim's owners are those. One that
// somebody else controls is left alone.
func isClaimOwnerUpToDate(claim *corev1.PersistentVolumeClaim, set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	if hasUnexpectedController(claim, set, pod) {
		return true
	}
	if hasNonControllerOwner(claim, set, pod) {
		return false
	}
	ownedBySet, ownedByPod := claimOwners(set, pod)
	return hasOwnerRef(claim, set) == ownedBySet && hasOwnerRef(claim, pod) == ownedByPod
}

// updateClaimOwnerRefForSetAndPod makes them so. Other owners stay.
func updateClaimOwnerRefForSetAndPod(claim *corev1.PersistentVolumeClaim, set *appsv1.StatefulSet, pod *corev1.Pod) {
	var refs []metav1.OwnerReference
	for i := range claim.OwnerReferences {
		ref := &claim.OwnerReferences[i]
		if !matchesRef(ref, set, controllerKind) && !matchesRef(ref, pod, podKind) {
			refs = append(refs, *ref)
		}
	}
	ownedBySet, ownedByPod := claimOwners(set, pod)
	if ownedBySet {
		refs = append(refs, *metav1.NewControllerRef(set, controllerKind))
	}
	if ownedByPod {
		refs = append(refs, *metav1.NewControllerRef(pod, podKind))
	}
	claim.OwnerReferences = refs
}

// matchesRef compares all but the UID.
func matchesRef(ref *metav1.OwnerReference, obj api.Object, gvk api.GroupVersionKind) bool {
	return ref.APIVersion == gvk.GroupVersion().String() && ref.Kind == gvk.Kind && ref.Name == obj.GetName()
}

// hasUnexpectedController: somebody else is the controller, or an earlier set or Pod of that name.
func hasUnexpectedController(claim *corev1.PersistentVolumeClaim, set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	policy := getPersistentVolumeClaimRetentionPolicy(set)
	if policy.WhenScaled == appsv1.RetainPersistentVolumeClaimRetentionPolicyType && policy.WhenDeleted == appsv1.RetainPersistentVolumeClaimRetentionPolicyType {
		return false // nobody is to own it: the set's own references are taken off below
	}
	ref := metav1.GetControllerOfNoCopy(claim)
	if ref == nil {
		return false
	}
	if matchesRef(ref, set, controllerKind) {
		return ref.UID != set.UID
	}
	if matchesRef(ref, pod, podKind) {
		return ref.UID != pod.UID
	}
	return true
}

// hasNonControllerOwner: the set or the Pod owns it, but not as its controller.
func hasNonControllerOwner(claim *corev1.PersistentVolumeClaim, set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	for i := range claim.OwnerReferences {
		ref := &claim.OwnerReferences[i]
		if (ref.UID == set.UID || ref.UID == pod.UID) && (ref.Controller == nil || !*ref.Controller) {
			return true
		}
	}
	return false
}

func hasOwnerRef(target, owner api.Object) bool {
	for i := range target.GetOwnerReferences() {
		if target.GetOwnerReferences()[i].UID == owner.GetUID() {
			return true
		}
	}
	return false
}

// hasStaleOwnerRef: it is owned by one of that kind and name that is another by now.
func hasStaleOwnerRef(target, obj api.Object, gvk api.GroupVersionKind) bool {
	refs := target.GetOwnerReferences()
	for i := range refs {
		if matchesRef(&refs[i], obj, gvk) {
			return refs[i].UID != obj.GetUID()
		}
	}
	return false
}

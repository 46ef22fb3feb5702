package quota

import (
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
)

// pvcEvaluator is upstream's pkg/quota/v1/evaluator/core/persistent_volume_claims.go.
type pvcEvaluator struct{}

const (
	pvcObjectCount corev1.ResourceName = "count/persistentvolumeclaims"
	// storageClassSuffix comes between a storage class and what is limited of it:
	// "fast.storageclass.storage.k8s.io/requests.storage".
	storageClassSuffix = ".storageclass.storage.k8s.io/"
)

var pvcResources = []corev1.ResourceName{pvcObjectCount, corev1.ResourcePersistentVolumeClaims, corev1.ResourceRequestsStorage}

func (pvcEvaluator) GroupResource() api.GroupResource {
	return api.GroupResource{Resource: "persistentvolumeclaims"}
}

// Handles wants updates too: claims can grow.
func (pvcEvaluator) Handles(op Operation, subresource string, _, _ api.Object) bool {
	return (op == Create || op == Update) && subresource == ""
}

func (pvcEvaluator) MatchingResources(names []corev1.ResourceName) []corev1.ResourceName {
	return filtered(names, func(name corev1.ResourceName) bool {
		if Contains(pvcResources, name) {
			return true
		}
		_, of, found := strings.Cut(string(name), storageClassSuffix)
		return found && (of == string(corev1.ResourceRequestsStorage) || of == string(corev1.ResourcePersistentVolumeClaims))
	})
}

func (pvcEvaluator) Usage(obj api.Object, _ time.Time) corev1.ResourceList {
	pvc := obj.(*corev1.PersistentVolumeClaim)
	class := pvc.Annotations[corev1.BetaStorageClassAnnotation]
	if class == "" && pvc.Spec.StorageClassName != nil {
		class = *pvc.Spec.StorageClassName
	}
	out := counted(pvcObjectCount, corev1.ResourcePersistentVolumeClaims)
	size, sized := pvc.Spec.Resources.Requests[corev1.ResourceStorage]
	if given, ok := pvc.Status.AllocatedResources[corev1.ResourceStorage]; ok && sized && given.Cmp(size) > 0 {
		size = given // it was asked to grow, and the wish was taken back
	}
	if sized {
		out[corev1.ResourceRequestsStorage] = size
	}
	if class != "" {
		prefix := corev1.ResourceName(class + storageClassSuffix)
		out[prefix+corev1.ResourcePersistentVolumeClaims] = out[corev1.ResourcePersistentVolumeClaims]
		if sized {
			out[prefix+corev1.ResourceRequestsStorage] = size
		}
	}
	return out
}

// MatchesScope knows only volume attributes classes: the one asked for, the one
// in effect, and the one on its way.
func (pvcEvaluator) MatchesScope(scope corev1.ScopedResourceSelectorRequirement, obj api.Object) (bool, error) {
	if scope.ScopeName != corev1.ResourceQuotaScopeVolumeAttributesClass {
		return false, nil
	}
	pvc := obj.(*corev1.PersistentVolumeClaim)
	var names []string
	for _, name := range []*string{pvc.Spec.VolumeAttributesClassName, pvc.Status.CurrentVolumeAttributesClassName} {
		if name != nil && *name != "" {
			names = append(names, *name)
		}
	}
	if m := pvc.Status.ModifyVolumeStatus; m != nil && m.TargetVolumeAttributesClassName != "" {
		names = append(names, m.TargetVolumeAttributesClassName)
	}
	if len(names) == 0 {
		return selects(scope, "")
	}
	for _, name := range names {
		if in, err := selects(scope, name); in || err != nil {
			return in, err
		}
	}
	return false, nil
}

func (pvcEvaluator) Constraints([]corev1.ResourceName, api.Object) error { return nil }

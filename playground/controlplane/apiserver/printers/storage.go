package printers

import (
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/storagev1"
)

// accessModes are upstream's pkg/apis/core/helper/helpers.go, GetAccessModesAsString.
func accessModes(modes []corev1.PersistentVolumeAccessMode) string {
	var out []string
	for _, m := range []struct {
		mode  corev1.PersistentVolumeAccessMode
		short string
	}{{corev1.ReadWriteOnce, "RWO"}, {corev1.ReadOnlyMany, "ROX"}, {corev1.ReadWriteMany, "RWX"}, {corev1.ReadWriteOncePod, "RWOP"}} {
		for _, has := range modes {
			if has == m.mode {
				out = append(out, m.short)
				break
			}
		}
	}
	return strings.Join(out, ",")
}

// storageClass is the class by its old annotation, or by its field.
// Upstream: pkg/apis/core/helper/helpers.go, GetPersistentVolumeClass and GetPersistentVolumeClaimClass.
func storageClass(annotations map[string]string, field string) string {
	if class, ok := annotations[corev1.BetaStorageClassAnnotation]; ok {
		return class
	}
	return field
}

func (p printer) printPersistentVolume(o *corev1.PersistentVolume) []any {
	claim := ""
	if ref := o.Spec.ClaimRef; ref != nil {
		claim = ref.Namespace + "/" + ref.Name
	}
	phase := string(o.Status.Phase)
	if o.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	size := o.Spec.Capacity[corev1.ResourceStorage]
	return []any{o.Name, size.String(), accessModes(o.Spec.AccessModes), string(o.Spec.PersistentVolumeReclaimPolicy), phase, claim,
		storageClass(o.Annotations, o.Spec.StorageClassName), some(o.Spec.VolumeAttributesClassName, "<unset>"), o.Status.Reason, p.created(o),
		some(o.Spec.VolumeMode, "<unset>")}
}

func (p printer) printPersistentVolumeClaim(o *corev1.PersistentVolumeClaim) []any {
	phase := string(o.Status.Phase)
	if o.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	modes, capacity := "", ""
	if o.Spec.VolumeName != "" {
		size := o.Status.Capacity[corev1.ResourceStorage]
		modes, capacity = accessModes(o.Status.AccessModes), size.String()
	}
	return []any{o.Name, phase, o.Spec.VolumeName, capacity, modes, storageClass(o.Annotations, some(o.Spec.StorageClassName, "")),
		some(o.Spec.VolumeAttributesClassName, "<unset>"), p.created(o), some(o.Spec.VolumeMode, "<unset>")}
}

func (p printer) printStorageClass(o *storagev1.StorageClass) []any {
	name := o.Name
	for _, key := range []string{"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"} {
		if o.Annotations[key] == "true" {
			name += " (default)"
			break
		}
	}
	return []any{name, o.Provisioner, some(o.ReclaimPolicy, string(corev1.PersistentVolumeReclaimDelete)),
		some(o.VolumeBindingMode, string(storagev1.VolumeBindingImmediate)), yes(o.AllowVolumeExpansion), p.created(o)}
}

func (p printer) printCSIDriver(o *storagev1.CSIDriver) []any {
	var modes, audiences []string
	for _, m := range o.Spec.VolumeLifecycleModes {
		modes = append(modes, string(m))
	}
	tokens := "<unset>"
	if o.Spec.TokenRequests != nil {
		for _, t := range o.Spec.TokenRequests {
			audiences = append(audiences, t.Audience)
		}
		tokens = strings.Join(audiences, ",")
	}
	return []any{o.Name, o.Spec.AttachRequired == nil || *o.Spec.AttachRequired, yes(o.Spec.PodInfoOnMount), yes(o.Spec.StorageCapacity),
		tokens, yes(o.Spec.RequiresRepublish), or(strings.Join(modes, ","), "<none>"), p.created(o)}
}

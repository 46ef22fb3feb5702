package defaults

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/schedulingv1"
	"kubewalk/playground/api/storagev1"
)

// Upstream: pkg/apis/core/v1/defaults.go, SetDefaults_PersistentVolume and its neighbours;
// pkg/apis/storage/v1/defaults.go; pkg/apis/scheduling/v1/defaults.go.

func setPersistentVolume(v *corev1.PersistentVolume) {
	if v.Status.Phase == "" {
		v.Status.Phase = corev1.VolumePending
	}
	if v.Spec.PersistentVolumeReclaimPolicy == "" {
		v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	}
	orElse(&v.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	if h := v.Spec.HostPath; h != nil {
		orElse(&h.Type, corev1.HostPathUnset)
	}
}

func setPersistentVolumeClaim(c *corev1.PersistentVolumeClaim) {
	if c.Status.Phase == "" {
		c.Status.Phase = corev1.ClaimPending
	}
	orElse(&c.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
}

func setStorageClass(c *storagev1.StorageClass) {
	orElse(&c.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
	orElse(&c.VolumeBindingMode, storagev1.VolumeBindingImmediate)
}

func setCSIDriver(d *storagev1.CSIDriver) {
	orElse(&d.Spec.AttachRequired, true)
	orElse(&d.Spec.PodInfoOnMount, false)
	orElse(&d.Spec.StorageCapacity, false)
	orElse(&d.Spec.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
	if len(d.Spec.VolumeLifecycleModes) == 0 {
		d.Spec.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
	}
	orElse(&d.Spec.RequiresRepublish, false)
	orElse(&d.Spec.SELinuxMount, false)
}

func setPriorityClass(c *schedulingv1.PriorityClass) {
	orElse(&c.PreemptionPolicy, corev1.PreemptLowerPriority)
}

package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/sim"
)

func init() {
	register("/persistentvolumes", volumeStrategy{})
	register("/persistentvolumes/status", volumeStatusStrategy{})
	register("/persistentvolumeclaims", claimStrategy{})
	register("/persistentvolumeclaims/status", claimStatusStrategy{})
	register("storage.k8s.io/storageclasses", storageClassStrategy{})
	register("storage.k8s.io/volumeattachments", volumeAttachmentStrategy{})
	register("storage.k8s.io/volumeattachments/status", volumeAttachmentStatusStrategy{})
	register("storage.k8s.io/csinodes", csiNodeStrategy{})
	register("storage.k8s.io/csidrivers", csiDriverStrategy{})
	register("storage.k8s.io/csistoragecapacities", csiStorageCapacityStrategy{})
	register("storage.k8s.io/volumeattributesclasses", volumeAttributesClassStrategy{})
}

// volumeStrategy is upstream's pkg/registry/core/persistentvolume/strategy.go.
type volumeStrategy struct{ plain }

type volumeStatusStrategy struct{ volumeStrategy }

func (volumeStrategy) PrepareForCreate(obj api.Object) {
	v := obj.(*corev1.PersistentVolume)
	// When that was is set by BeginCreate, which knows the time.
	v.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumePending, LastPhaseTransitionTime: v.Status.LastPhaseTransitionTime}
}

// BeginCreate implements allocating: a volume's status tells since when it has its phase.
func (volumeStrategy) BeginCreate(p *sim.Proc, _ *Store, obj api.Object, _ bool) (finishFunc, error) {
	obj.(*corev1.PersistentVolume).Status.LastPhaseTransitionTime = ptr(now(p))
	return finishNothing, nil
}

func (volumeStrategy) BeginUpdate(*sim.Proc, *Store, api.Object, api.Object, bool) (finishFunc, error) {
	return finishNothing, nil
}

func (volumeStrategy) AfterDelete(*sim.Proc, *Store, api.Object) {}

func (volumeStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidatePersistentVolume(obj.(*corev1.PersistentVolume))
}

func (volumeStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.PersistentVolume).Status = old.(*corev1.PersistentVolume).Status
}

func (volumeStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidatePersistentVolumeUpdate(obj.(*corev1.PersistentVolume), old.(*corev1.PersistentVolume))
}

// SelectableFields lists what upstream's PersistentVolumeToSelectableFields does.
func (volumeStrategy) SelectableFields(obj api.Object) fields.Set {
	if v, _ := obj.(*corev1.PersistentVolume); v != nil {
		return fields.Set{"name": v.Name}
	}
	return fields.Set{"name": ""}
}

func (volumeStatusStrategy) BeginUpdate(p *sim.Proc, _ *Store, obj, old api.Object, _ bool) (finishFunc, error) {
	is, was := &obj.(*corev1.PersistentVolume).Status, &old.(*corev1.PersistentVolume).Status
	switch {
	case is.Phase == was.Phase && is.LastPhaseTransitionTime == nil:
		is.LastPhaseTransitionTime = was.LastPhaseTransitionTime
	case is.Phase != was.Phase && (is.LastPhaseTransitionTime == nil || is.LastPhaseTransitionTime.Equal(was.LastPhaseTransitionTime)):
		is.LastPhaseTransitionTime = ptr(now(p))
	}
	return finishNothing, nil
}

func (volumeStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.PersistentVolume).Spec = old.(*corev1.PersistentVolume).Spec
}

func (volumeStatusStrategy) ValidateUpdate(_, _ api.Object) field.ErrorList { return nil }

// claimStrategy is upstream's pkg/registry/core/persistentvolumeclaim/strategy.go.
type claimStrategy struct{ plain }

type claimStatusStrategy struct{ claimStrategy }

func (claimStrategy) PrepareForCreate(obj api.Object) {
	c := obj.(*corev1.PersistentVolumeClaim)
	c.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}
	normalizeDataSources(&c.Spec)
}

// normalizeDataSources keeps the old name of a field and the new one alike.
// Upstream: pkg/api/persistentvolumeclaim/util.go, NormalizeDataSources.
func normalizeDataSources(spec *corev1.PersistentVolumeClaimSpec) {
	switch {
	case spec.DataSource != nil && spec.DataSourceRef == nil:
		spec.DataSourceRef = &corev1.TypedObjectReference{APIGroup: spec.DataSource.APIGroup, Kind: spec.DataSource.Kind, Name: spec.DataSource.Name}
	case spec.DataSourceRef != nil && spec.DataSource == nil && (spec.DataSourceRef.Namespace == nil || *spec.DataSourceRef.Namespace == ""):
		spec.DataSource = &corev1.TypedLocalObjectReference{APIGroup: spec.DataSourceRef.APIGroup, Kind: spec.DataSourceRef.Kind, Name: spec.DataSourceRef.Name}
	}
}

func (claimStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidatePersistentVolumeClaim(obj.(*corev1.PersistentVolumeClaim))
}

func (claimStrategy) PrepareForUpdate(obj, old api.Object) {
	c := obj.(*corev1.PersistentVolumeClaim)
	c.Status = old.(*corev1.PersistentVolumeClaim).Status
	normalizeDataSources(&c.Spec)
}

func (claimStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidatePersistentVolumeClaimUpdate(obj.(*corev1.PersistentVolumeClaim), old.(*corev1.PersistentVolumeClaim))
}

// SelectableFields lists what upstream's PersistentVolumeClaimToSelectableFields does.
func (claimStrategy) SelectableFields(obj api.Object) fields.Set {
	if c, _ := obj.(*corev1.PersistentVolumeClaim); c != nil {
		return fields.Set{"name": c.Name}
	}
	return fields.Set{"name": ""}
}

func (claimStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.PersistentVolumeClaim).Spec = old.(*corev1.PersistentVolumeClaim).Spec
}

func (claimStatusStrategy) ValidateUpdate(_, _ api.Object) field.ErrorList { return nil }

// storageClassStrategy is upstream's pkg/registry/storage/storageclass/strategy.go.
type storageClassStrategy struct{ plain }

func (storageClassStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateStorageClass(obj.(*storagev1.StorageClass))
}

func (storageClassStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	errs := validation.ValidateStorageClass(obj.(*storagev1.StorageClass))
	return append(errs, validation.ValidateStorageClassUpdate(obj.(*storagev1.StorageClass), old.(*storagev1.StorageClass))...)
}

// volumeAttachmentStrategy is upstream's pkg/registry/storage/volumeattachment/strategy.go.
type volumeAttachmentStrategy struct{ plain }

type volumeAttachmentStatusStrategy struct{ volumeAttachmentStrategy }

func (volumeAttachmentStrategy) PrepareForCreate(obj api.Object) {
	obj.(*storagev1.VolumeAttachment).Status = storagev1.VolumeAttachmentStatus{}
}

func (volumeAttachmentStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateVolumeAttachment(obj.(*storagev1.VolumeAttachment))
}

func (volumeAttachmentStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*storagev1.VolumeAttachment).Status = old.(*storagev1.VolumeAttachment).Status
}

func (volumeAttachmentStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	errs := validation.ValidateVolumeAttachment(obj.(*storagev1.VolumeAttachment))
	return append(errs, validation.ValidateVolumeAttachmentUpdate(obj.(*storagev1.VolumeAttachment), old.(*storagev1.VolumeAttachment))...)
}

func (volumeAttachmentStrategy) AllowUnconditionalUpdate() bool { return false }

func (volumeAttachmentStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*storagev1.VolumeAttachment).Spec = old.(*storagev1.VolumeAttachment).Spec
}

// csiNodeStrategy is upstream's pkg/registry/storage/csinode/strategy.go.
type csiNodeStrategy struct{ plain }

func (csiNodeStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateCSINode(obj.(*storagev1.CSINode))
}

func (s csiNodeStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList { return s.Validate(obj) }
func (csiNodeStrategy) AllowUnconditionalUpdate() bool                     { return false }

// csiDriverStrategy is upstream's pkg/registry/storage/csidriver/strategy.go.
type csiDriverStrategy struct{ plain }

func (csiDriverStrategy) PrepareForCreate(obj api.Object) { obj.(*storagev1.CSIDriver).Generation = 1 }

func (csiDriverStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateCSIDriver(obj.(*storagev1.CSIDriver))
}

func (csiDriverStrategy) PrepareForUpdate(obj, old api.Object) {
	d, was := obj.(*storagev1.CSIDriver), old.(*storagev1.CSIDriver)
	if !api.SemanticDeepEqual(d.Spec, was.Spec) {
		d.Generation = was.Generation + 1
	}
}

func (csiDriverStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateCSIDriverUpdate(obj.(*storagev1.CSIDriver), old.(*storagev1.CSIDriver))
}

func (csiDriverStrategy) AllowUnconditionalUpdate() bool { return false }

// csiStorageCapacityStrategy is upstream's pkg/registry/storage/csistoragecapacity/strategy.go.
type csiStorageCapacityStrategy struct{ plain }

func (csiStorageCapacityStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateCSIStorageCapacity(obj.(*storagev1.CSIStorageCapacity))
}

func (csiStorageCapacityStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateCSIStorageCapacityUpdate(obj.(*storagev1.CSIStorageCapacity), old.(*storagev1.CSIStorageCapacity))
}

func (csiStorageCapacityStrategy) AllowUnconditionalUpdate() bool { return false }

// volumeAttributesClassStrategy is upstream's pkg/registry/storage/volumeattributesclass/strategy.go.
type volumeAttributesClassStrategy struct{ plain }

func (volumeAttributesClassStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateVolumeAttributesClass(obj.(*storagev1.VolumeAttributesClass))
}

func (volumeAttributesClassStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateVolumeAttributesClassUpdate(obj.(*storagev1.VolumeAttributesClass), old.(*storagev1.VolumeAttributesClass))
}

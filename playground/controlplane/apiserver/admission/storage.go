package admission

import (
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// defaultStorageClass gives a claim that names no class the default one, if there is one.
// Upstream: plugin/pkg/admission/storage/storageclass/setdefault/admission.go, claimDefaulterPlugin.
type defaultStorageClass struct{ store *store.Store }

const (
	isDefaultStorageClass     = "storageclass.kubernetes.io/is-default-class"
	betaIsDefaultStorageClass = "storageclass.beta.kubernetes.io/is-default-class"
)

func (*defaultStorageClass) Name() string { return "DefaultStorageClass" }

func (d *defaultStorageClass) Admit(_ *sim.Proc, a *Attributes) error {
	claim, ok := a.Object.(*corev1.PersistentVolumeClaim)
	if !ok || a.Operation != Create || a.Subresource != "" {
		return nil
	}
	if _, has := claim.Annotations[corev1.BetaStorageClassAnnotation]; has || claim.Spec.StorageClassName != nil {
		return nil
	}
	class := newest(d.store, "storageclasses", isDefaultStorageClass, betaIsDefaultStorageClass)
	if class != nil {
		name := class.GetName()
		claim.Spec.StorageClassName = &name
		a.changed(d)
	}
	return nil
}

// newest is the object that is annotated as default; of several the youngest, of several of one second the first by name.
// Upstream: pkg/volume/util/storageclass.go, GetDefaultClass; plugin/pkg/admission/network/defaultingressclass.
func newest(st *store.Store, resource string, annotations ...string) api.Object {
	var found api.Object
	for _, obj := range st.At(resource, "", st.Revision()) { // by name
		marked := slices.ContainsFunc(annotations, func(key string) bool { return obj.GetAnnotations()[key] == "true" })
		if marked && (found == nil || obj.GetCreationTimestamp().After(found.GetCreationTimestamp().Time)) {
			found = obj
		}
	}
	return found
}

// storageObjectInUseProtection gives claims and volumes the finalizer that keeps them while somebody uses them.
// Upstream: plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go, storageProtectionPlugin.
type storageObjectInUseProtection struct{}

// The finalizers. Upstream: pkg/volume/util/finalizer.go.
const (
	pvcProtectionFinalizer = "kubernetes.io/pvc-protection"
	pvProtectionFinalizer  = "kubernetes.io/pv-protection"
)

func (storageObjectInUseProtection) Name() string { return "StorageObjectInUseProtection" }

func (u storageObjectInUseProtection) Admit(_ *sim.Proc, a *Attributes) error {
	if a.Operation != Create || a.Subresource != "" {
		return nil
	}
	finalizer := ""
	switch a.Object.(type) {
	case *corev1.PersistentVolumeClaim:
		finalizer = pvcProtectionFinalizer
	case *corev1.PersistentVolume:
		finalizer = pvProtectionFinalizer
	default:
		return nil
	}
	if list := a.Object.GetFinalizers(); !slices.Contains(list, finalizer) {
		a.Object.SetFinalizers(append(slices.Clone(list), finalizer))
		a.changed(u)
	}
	return nil
}

// claimResize lets a claim grow only where that can be done.
// Upstream: plugin/pkg/admission/storage/persistentvolume/resize/admission.go, persistentVolumeClaimResize.
type claimResize struct{ store *store.Store }

func (*claimResize) Name() string { return "PersistentVolumeClaimResize" }

func (r *claimResize) Validate(_ *sim.Proc, a *Attributes) error {
	claim, ok := a.Object.(*corev1.PersistentVolumeClaim)
	if !ok || a.Operation != Update || a.Subresource != "" {
		return nil
	}
	old := a.OldObject.(*corev1.PersistentVolumeClaim)
	size, was := claim.Spec.Resources.Requests[corev1.ResourceStorage], old.Spec.Resources.Requests[corev1.ResourceStorage]
	if size.Cmp(was) <= 0 {
		return nil
	}
	if old.Status.Phase != corev1.ClaimBound {
		return a.forbidden(fmt.Errorf("Only bound persistent volume claims can be expanded"))
	}
	name := ""
	if claim.Spec.StorageClassName != nil {
		name = *claim.Spec.StorageClassName
	}
	class, _ := r.store.Current(store.Key{Resource: "storageclasses", Name: name}).(*storagev1.StorageClass)
	if class == nil || class.AllowVolumeExpansion == nil || !*class.AllowVolumeExpansion {
		return a.forbidden(fmt.Errorf("only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"))
	}
	return nil
}

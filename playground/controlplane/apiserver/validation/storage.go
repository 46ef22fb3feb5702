package validation

import (
	"path"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/validate"
)

var (
	accessModes     = []corev1.PersistentVolumeAccessMode{corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOnce, corev1.ReadWriteOncePod}
	reclaimPolicies = []corev1.PersistentVolumeReclaimPolicy{corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRecycle,
		corev1.PersistentVolumeReclaimRetain}
	volumeModes      = []corev1.PersistentVolumeMode{corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem}
	isGreaterThan0   = "must be greater than zero"
	storageResources = []corev1.ResourceName{corev1.ResourceStorage}
)

// ValidatePersistentVolume is upstream's pkg/apis/core/validation/validation.go, ValidatePersistentVolumeSpec. Of the
// sources, hostPath, nfs, local and csi are looked into.
func ValidatePersistentVolume(v *corev1.PersistentVolume) field.ErrorList {
	spec, at := &v.Spec, specPath
	var errs field.ErrorList
	if len(spec.AccessModes) == 0 {
		errs = append(errs, field.Required(at.Child("accessModes"), ""))
	}
	errs = append(errs, validateAccessModes(spec.AccessModes, at.Child("accessModes"))...)
	if len(spec.Capacity) == 0 {
		errs = append(errs, field.Required(at.Child("capacity"), ""))
	}
	if size, ok := spec.Capacity[corev1.ResourceStorage]; !ok || len(spec.Capacity) > 1 {
		errs = append(errs, field.NotSupported(at.Child("capacity"), spec.Capacity, storageResources))
	} else {
		errs = append(errs, validatePositiveQuantity(size, at.Child("capacity").Key("storage"))...)
	}
	if p := spec.PersistentVolumeReclaimPolicy; p != "" && !slices.Contains(reclaimPolicies, p) {
		errs = append(errs, field.NotSupported(at.Child("persistentVolumeReclaimPolicy"), p, reclaimPolicies))
	}
	affinity := false
	if spec.NodeAffinity != nil {
		affinity = spec.NodeAffinity.Required != nil
		errs = append(errs, validateVolumeNodeAffinity(spec.NodeAffinity, at.Child("nodeAffinity"))...)
	}
	errs = append(errs, validateVolumeSource(&spec.PersistentVolumeSource, affinity, at)...)
	if spec.HostPath != nil && path.Clean(spec.HostPath.Path) == "/" && spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRecycle {
		errs = append(errs, field.Forbidden(at.Child("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'"))
	}
	if spec.StorageClassName != "" {
		errs = append(errs, invalidFor(at.Child("storageClassName"), spec.StorageClassName, validate.IsDNS1123Subdomain(spec.StorageClassName))...)
	}
	if spec.VolumeMode != nil && !slices.Contains(volumeModes, *spec.VolumeMode) {
		errs = append(errs, field.NotSupported(at.Child("volumeMode"), *spec.VolumeMode, volumeModes))
	}
	if name := spec.VolumeAttributesClassName; name != nil {
		if *name == "" {
			errs = append(errs, field.Required(at.Child("volumeAttributesClassName"), "an empty string is disallowed"))
		} else {
			errs = append(errs, invalidFor(at.Child("volumeAttributesClassName"), *name, validate.IsDNS1123Subdomain(*name))...)
		}
		if spec.CSI == nil {
			errs = append(errs, field.Required(at.Child("csi"), "has to be specified when using volumeAttributesClassName"))
		}
	}
	return errs
}

func validateAccessModes(modes []corev1.PersistentVolumeAccessMode, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	oncePod, other := false, false
	for _, mode := range modes {
		switch {
		case !slices.Contains(accessModes, mode):
			errs = append(errs, field.NotSupported(at, mode, accessModes))
		case mode == corev1.ReadWriteOncePod:
			oncePod = true
		default:
			other = true
		}
	}
	if oncePod && other {
		errs = append(errs, field.Forbidden(at, "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

func validatePositiveQuantity(q resource.Quantity, at *field.Path) field.ErrorList {
	if q.Sign() > 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(at, q.String(), isGreaterThan0)}
}

func validateVolumeSource(s *corev1.PersistentVolumeSource, affinity bool, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	n := 0
	// one counts a source, and says whether it is the first.
	one := func(has bool, name string) bool {
		if !has {
			return false
		}
		if n++; n > 1 {
			errs = append(errs, field.Forbidden(at.Child(name), "may not specify more than 1 volume type"))
		}
		return n == 1
	}
	if one(s.HostPath != nil, "hostPath") {
		errs = append(errs, validatePathNoBacksteps(s.HostPath.Path, at.Child("hostPath", "path"))...)
	}
	one(s.GCEPersistentDisk != nil, "gcePersistentDisk")
	one(s.AWSElasticBlockStore != nil, "awsElasticBlockStore")
	one(s.Glusterfs != nil, "glusterfs")
	one(s.Flocker != nil, "flocker")
	if one(s.NFS != nil, "nfs") {
		if s.NFS.Server == "" {
			errs = append(errs, field.Required(at.Child("nfs", "server"), ""))
		}
		switch {
		case s.NFS.Path == "":
			errs = append(errs, field.Required(at.Child("nfs", "path"), ""))
		case !path.IsAbs(s.NFS.Path):
			errs = append(errs, field.Invalid(at.Child("nfs", "path"), s.NFS.Path, "must be an absolute path"))
		}
	}
	one(s.RBD != nil, "rbd")
	one(s.Quobyte != nil, "quobyte")
	one(s.CephFS != nil, "cephFS")
	one(s.ISCSI != nil, "iscsi")
	one(s.Cinder != nil, "cinder")
	one(s.FC != nil, "fc")
	one(s.FlexVolume != nil, "flexVolume")
	one(s.AzureFile != nil, "azureFile")
	one(s.VsphereVolume != nil, "vsphereVolume")
	one(s.PhotonPersistentDisk != nil, "photonPersistentDisk")
	one(s.PortworxVolume != nil, "portworxVolume")
	one(s.AzureDisk != nil, "azureDisk")
	one(s.ScaleIO != nil, "scaleIO")
	if one(s.Local != nil, "local") {
		errs = append(errs, validatePathNoBacksteps(s.Local.Path, at.Child("local", "path"))...)
		if !affinity {
			errs = append(errs, field.Required(at.Child("nodeAffinity"), "Local volume requires node affinity"))
		}
	}
	one(s.StorageOS != nil, "storageos")
	if one(s.CSI != nil, "csi") {
		errs = append(errs, validateCSIDriverName(s.CSI.Driver, at.Child("csi", "driver"))...)
		if s.CSI.VolumeHandle == "" {
			errs = append(errs, field.Required(at.Child("csi", "volumeHandle"), ""))
		}
	}
	if n == 0 {
		errs = append(errs, field.Required(at, "must specify a volume type"))
	}
	return errs
}

func validatePathNoBacksteps(p string, at *field.Path) field.ErrorList {
	if p == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	if slices.Contains(strings.Split(p, "/"), "..") {
		return field.ErrorList{field.Invalid(at, p, "must not contain '..'")}
	}
	return nil
}

func validateCSIDriverName(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	if len(name) > 63 {
		return field.ErrorList{field.TooLong(at, name, 63)}
	}
	lower := strings.ToLower(name)
	return invalidFor(at, name, validate.IsDNS1123Subdomain(lower))
}

func validateVolumeNodeAffinity(a *corev1.VolumeNodeAffinity, at *field.Path) field.ErrorList {
	if a.Required == nil {
		return field.ErrorList{field.Required(at.Child("required"), "must specify required node constraints")}
	}
	return validateNodeSelector(a.Required, at.Child("required"))
}

// validateNodeSelector is upstream's ValidateNodeSelector.
func validateNodeSelector(s *corev1.NodeSelector, at *field.Path) field.ErrorList {
	terms := at.Child("nodeSelectorTerms")
	if len(s.NodeSelectorTerms) == 0 {
		return field.ErrorList{field.Required(terms, "must have at least one node selector term")}
	}
	var errs field.ErrorList
	for i := range s.NodeSelectorTerms {
		term := &s.NodeSelectorTerms[i]
		for j := range term.MatchExpressions {
			errs = append(errs, validateNodeSelectorRequirement(&term.MatchExpressions[j], terms.Index(i).Child("matchExpressions").Index(j))...)
		}
		for j := range term.MatchFields {
			r, at := &term.MatchFields[j], terms.Index(i).Child("matchFields").Index(j)
			if r.Operator != corev1.NodeSelectorOpIn && r.Operator != corev1.NodeSelectorOpNotIn {
				errs = append(errs, field.Invalid(at.Child("operator"), r.Operator, "not a valid selector operator"))
			} else if len(r.Values) != 1 {
				errs = append(errs, field.Required(at.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
			}
			if r.Key != "metadata.name" {
				errs = append(errs, field.Invalid(at.Child("key"), r.Key, "not a valid field selector key"))
			}
		}
	}
	return errs
}

func validateNodeSelectorRequirement(r *corev1.NodeSelectorRequirement, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch r.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(r.Values) == 0 {
			errs = append(errs, field.Required(at.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'"))
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			errs = append(errs, field.Forbidden(at.Child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if len(r.Values) != 1 {
			errs = append(errs, field.Required(at.Child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'"))
		}
	default:
		errs = append(errs, field.Invalid(at.Child("operator"), r.Operator, "not a valid selector operator"))
	}
	return append(errs, invalidFor(at.Child("key"), r.Key, validate.IsLabelKey(r.Key))...)
}

// ValidatePersistentVolumeUpdate lets all be changed but the source and the mode. Upstream adds what differs.
func ValidatePersistentVolumeUpdate(v, old *corev1.PersistentVolume) field.ErrorList {
	errs := ValidatePersistentVolume(v)
	if !api.SemanticDeepEqual(v.Spec.PersistentVolumeSource, old.Spec.PersistentVolumeSource) {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "persistentvolumesource"), "spec.persistentvolumesource is immutable after creation"))
	}
	errs = append(errs, objectmeta.Immutable(v.Spec.VolumeMode, old.Spec.VolumeMode, field.NewPath("volumeMode"))...)
	if old.Spec.NodeAffinity != nil && !api.SemanticDeepEqual(v.Spec.NodeAffinity, old.Spec.NodeAffinity) {
		errs = append(errs, field.Invalid(field.NewPath("nodeAffinity"), v.Spec.NodeAffinity, fieldImmutable))
	}
	if old.Spec.VolumeAttributesClassName != nil && v.Spec.VolumeAttributesClassName == nil {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "volumeAttributesClassName"), "update from non-nil value to nil is forbidden"))
	}
	return errs
}

// ValidatePersistentVolumeClaim is upstream's function of that name.
func ValidatePersistentVolumeClaim(c *corev1.PersistentVolumeClaim) field.ErrorList {
	return ValidatePersistentVolumeClaimSpec(&c.Spec, specPath)
}

// ValidatePersistentVolumeClaimSpec is for claims, and for templates of them.
func ValidatePersistentVolumeClaimSpec(spec *corev1.PersistentVolumeClaimSpec, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(spec.AccessModes) == 0 {
		errs = append(errs, field.Required(at.Child("accessModes"), "at least 1 access mode is required"))
	}
	if spec.Selector != nil {
		errs = append(errs, ValidateLabelSelector(spec.Selector, at.Child("selector"))...)
	}
	errs = append(errs, validateAccessModes(spec.AccessModes, at.Child("accessModes"))...)
	size := at.Child("resources").Key("storage")
	if q, ok := spec.Resources.Requests[corev1.ResourceStorage]; !ok {
		errs = append(errs, field.Required(size, ""))
	} else {
		errs = append(errs, validatePositiveQuantity(q, size)...)
	}
	if name := spec.StorageClassName; name != nil && *name != "" {
		errs = append(errs, invalidFor(at.Child("storageClassName"), *name, validate.IsDNS1123Subdomain(*name))...)
	}
	if spec.VolumeMode != nil && !slices.Contains(volumeModes, *spec.VolumeMode) {
		errs = append(errs, field.NotSupported(at.Child("volumeMode"), *spec.VolumeMode, volumeModes))
	}
	if s := spec.DataSource; s != nil {
		errs = append(errs, validateDataSource(s.APIGroup, s.Kind, s.Name, at.Child("dataSource"))...)
	}
	if s := spec.DataSourceRef; s != nil {
		errs = append(errs, validateDataSource(s.APIGroup, s.Kind, s.Name, at.Child("dataSourceRef"))...)
	}
	if name := spec.VolumeAttributesClassName; name != nil && *name != "" {
		errs = append(errs, invalidFor(at.Child("volumeAttributesClassName"), *name, validate.IsDNS1123Subdomain(*name))...)
	}
	return errs
}

func validateDataSource(group *string, kind, name string, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if name == "" {
		errs = append(errs, field.Required(at.Child("name"), ""))
	}
	if kind == "" {
		errs = append(errs, field.Required(at.Child("kind"), ""))
	}
	switch {
	case group == nil || *group == "":
		if kind != "PersistentVolumeClaim" {
			errs = append(errs, field.Invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
		}
	default:
		errs = append(errs, invalidFor(at.Child("apiGroup"), *group, validate.IsDNS1123Subdomain(*group))...)
	}
	return errs
}

// ValidatePersistentVolumeClaimUpdate lets the volume be named once, a class be given to a claim that has none, and a bound
// claim grow. Upstream adds what differs.
func ValidatePersistentVolumeClaimUpdate(c, old *corev1.PersistentVolumeClaim) field.ErrorList {
	errs := ValidatePersistentVolumeClaim(c)
	now, was := c.Spec.DeepCopy(), old.Spec.DeepCopy()
	if old.Spec.VolumeName == "" {
		was.VolumeName = now.VolumeName
	}
	annotation, annotated := old.Annotations[corev1.BetaStorageClassAnnotation]
	if old.Spec.StorageClassName == nil && c.Spec.StorageClassName != nil && (!annotated || annotation == *c.Spec.StorageClassName) {
		was.StorageClassName = now.StorageClassName
	}
	oldSize, newSize := old.Spec.Resources.Requests[corev1.ResourceStorage], c.Spec.Resources.Requests[corev1.ResourceStorage]
	if c.Status.Phase == corev1.ClaimBound {
		if now.Resources.Requests != nil {
			now.Resources.Requests[corev1.ResourceStorage] = oldSize
		}
		now.VolumeAttributesClassName = was.VolumeAttributesClassName
	}
	if !api.SemanticDeepEqual(now, was) {
		errs = append(errs, field.Forbidden(specPath,
			"spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"))
	}
	if statusSize := old.Status.Capacity[corev1.ResourceStorage]; newSize.Cmp(oldSize) < 0 && newSize.Cmp(statusSize) <= 0 {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "resources", "requests", "storage"), "field can not be less than status.capacity"))
	}
	return append(errs, objectmeta.Immutable(c.Spec.VolumeMode, old.Spec.VolumeMode, field.NewPath("volumeMode"))...)
}

// ValidateStorageClass is upstream's pkg/apis/storage/validation/validation.go.
func ValidateStorageClass(c *storagev1.StorageClass) field.ErrorList {
	var errs field.ErrorList
	if at := field.NewPath("provisioner"); c.Provisioner == "" {
		errs = append(errs, field.Required(at, ""))
	} else {
		lower := strings.ToLower(c.Provisioner)
		errs = append(errs, invalidFor(at, lower, validate.IsLabelKey(lower))...)
	}
	if _, empty := c.Parameters[""]; empty {
		errs = append(errs, field.Invalid(field.NewPath("parameters"), "", "field can not be empty."))
	}
	allowed := []corev1.PersistentVolumeReclaimPolicy{corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRetain}
	if p := c.ReclaimPolicy; p != nil && *p != "" && !slices.Contains(allowed, *p) {
		errs = append(errs, field.NotSupported(field.NewPath("reclaimPolicy"), *p, allowed))
	}
	modes := []storagev1.VolumeBindingMode{storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer}
	if at := field.NewPath("volumeBindingMode"); c.VolumeBindingMode == nil {
		errs = append(errs, field.Required(at, ""))
	} else if !slices.Contains(modes, *c.VolumeBindingMode) {
		errs = append(errs, field.NotSupported(at, *c.VolumeBindingMode, modes))
	}
	for i, term := range c.AllowedTopologies {
		seen := map[string]bool{}
		for j, e := range term.MatchLabelExpressions {
			at := field.NewPath("allowedTopologies").Index(i).Child("matchLabelExpressions").Index(j)
			if len(e.Values) == 0 {
				errs = append(errs, field.Required(at.Child("values"), ""))
			}
			errs = append(errs, invalidFor(at.Child("key"), e.Key, validate.IsLabelKey(e.Key))...)
			if seen[e.Key] {
				errs = append(errs, field.Duplicate(at.Child("key"), e.Key))
			}
			seen[e.Key] = true
		}
	}
	return errs
}

// ValidateStorageClassUpdate: a class is what it was when volumes were made of it.
func ValidateStorageClassUpdate(c, old *storagev1.StorageClass) field.ErrorList {
	errs := objectmeta.Immutable(c.Parameters, old.Parameters, field.NewPath("parameters"))
	errs = append(errs, objectmeta.Immutable(c.Provisioner, old.Provisioner, field.NewPath("provisioner"))...)
	errs = append(errs, objectmeta.Immutable(c.ReclaimPolicy, old.ReclaimPolicy, field.NewPath("reclaimPolicy"))...)
	return append(errs, objectmeta.Immutable(c.VolumeBindingMode, old.VolumeBindingMode, field.NewPath("volumeBindingMode"))...)
}

// ValidateVolumeAttachment is upstream's function of that name; inline volumes are not looked into.
func ValidateVolumeAttachment(a *storagev1.VolumeAttachment) field.ErrorList {
	at := specPath
	errs := validateCSIDriverName(a.Spec.Attacher, at.Child("attacher"))
	switch s := &a.Spec.Source; {
	case s.InlineVolumeSpec == nil && s.PersistentVolumeName == nil:
		errs = append(errs, field.Required(at.Child("source"), "must specify exactly one of inlineVolumeSpec and persistentVolumeName"))
	case s.InlineVolumeSpec != nil && s.PersistentVolumeName != nil:
		errs = append(errs, field.Forbidden(at.Child("source"), "must specify exactly one of inlineVolumeSpec and persistentVolumeName"))
	case s.PersistentVolumeName != nil && *s.PersistentVolumeName == "":
		errs = append(errs, field.Required(at.Child("source", "persistentVolumeName"), "must specify non empty persistentVolumeName"))
	}
	return append(errs, invalidFor(at.Child("nodeName"), a.Spec.NodeName, validate.IsDNS1123Subdomain(a.Spec.NodeName))...)
}

// ValidateVolumeAttachmentUpdate: what is attached where does not change.
func ValidateVolumeAttachmentUpdate(a, old *storagev1.VolumeAttachment) field.ErrorList {
	return objectmeta.Immutable(a.Spec, old.Spec, specPath)
}

// ValidateCSINode is upstream's function of that name.
func ValidateCSINode(n *storagev1.CSINode) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, d := range n.Spec.Drivers {
		at := field.NewPath("spec", "drivers").Index(i)
		errs = append(errs, validateCSIDriverName(d.Name, at.Child("name"))...)
		if seen[d.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), d.Name))
		}
		seen[d.Name] = true
		if d.NodeID == "" {
			errs = append(errs, field.Required(at.Child("nodeID"), d.NodeID))
		}
		if d.Allocatable != nil && d.Allocatable.Count != nil && *d.Allocatable.Count < 0 {
			errs = append(errs, field.Invalid(at.Child("allocatable", "count"), *d.Allocatable.Count, isNonNegative))
		}
	}
	return errs
}

// ValidateCSIDriver is upstream's function of that name.
func ValidateCSIDriver(d *storagev1.CSIDriver) field.ErrorList {
	at := specPath
	var errs field.ErrorList
	for _, f := range [...]struct {
		value *bool
		name  string
	}{{d.Spec.AttachRequired, "attachedRequired"}, {d.Spec.PodInfoOnMount, "podInfoOnMount"}, {d.Spec.StorageCapacity, "storageCapacity"}} {
		if f.value == nil {
			errs = append(errs, field.Required(at.Child(f.name), ""))
		}
	}
	policies := []storagev1.FSGroupPolicy{storagev1.FileFSGroupPolicy, storagev1.NoneFSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy}
	if p := d.Spec.FSGroupPolicy; p != nil && !slices.Contains(policies, *p) {
		errs = append(errs, field.NotSupported(at.Child("fsGroupPolicy"), *p, policies))
	}
	modes := []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecycleEphemeral, storagev1.VolumeLifecyclePersistent}
	for i, m := range d.Spec.VolumeLifecycleModes {
		if !slices.Contains(modes, m) {
			errs = append(errs, field.NotSupported(at.Child("volumeLifecycleModes").Index(i), m, modes))
		}
	}
	return errs
}

// ValidateCSIDriverUpdate keeps how volumes are attached.
func ValidateCSIDriverUpdate(d, old *storagev1.CSIDriver) field.ErrorList {
	errs := ValidateCSIDriver(d)
	errs = append(errs, objectmeta.Immutable(d.Spec.AttachRequired, old.Spec.AttachRequired, field.NewPath("spec", "attachedRequired"))...)
	return append(errs, objectmeta.Immutable(d.Spec.VolumeLifecycleModes, old.Spec.VolumeLifecycleModes, field.NewPath("spec", "volumeLifecycleModes"))...)
}

// ValidateCSIStorageCapacity is upstream's function of that name.
func ValidateCSIStorageCapacity(c *storagev1.CSIStorageCapacity) field.ErrorList {
	at := field.NewPath("storageClassName")
	if c.StorageClassName == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	errs := invalidFor(at, c.StorageClassName, validate.IsDNS1123Subdomain(c.StorageClassName))
	if c.NodeTopology != nil {
		errs = append(errs, ValidateLabelSelector(c.NodeTopology, field.NewPath("nodeTopology"))...)
	}
	for _, f := range [...]struct {
		q    *resource.Quantity
		name string
	}{{c.Capacity, "capacity"}, {c.MaximumVolumeSize, "maximumVolumeSize"}} {
		if f.q != nil && f.q.Sign() < 0 {
			errs = append(errs, field.Invalid(field.NewPath(f.name), f.q.String(), isNonNegative))
		}
	}
	return errs
}

// ValidateCSIStorageCapacityUpdate keeps where and of what the capacity is.
func ValidateCSIStorageCapacityUpdate(c, old *storagev1.CSIStorageCapacity) field.ErrorList {
	errs := ValidateCSIStorageCapacity(c)
	errs = append(errs, objectmeta.Immutable(c.NodeTopology, old.NodeTopology, field.NewPath("nodeTopology"))...)
	return append(errs, objectmeta.Immutable(c.StorageClassName, old.StorageClassName, field.NewPath("storageClassName"))...)
}

// ValidateVolumeAttributesClass is upstream's function of that name.
func ValidateVolumeAttributesClass(c *storagev1.VolumeAttributesClass) field.ErrorList {
	errs := validateCSIDriverName(c.DriverName, field.NewPath("driverName"))
	if len(c.Parameters) == 0 {
		errs = append(errs, field.Required(field.NewPath("parameters"), "must contain at least one key/value pair"))
	}
	return errs
}

// ValidateVolumeAttributesClassUpdate keeps all.
func ValidateVolumeAttributesClassUpdate(c, old *storagev1.VolumeAttributesClass) field.ErrorList {
	errs := objectmeta.Immutable(c.DriverName, old.DriverName, field.NewPath("driverName"))
	return append(errs, objectmeta.Immutable(c.Parameters, old.Parameters, field.NewPath("parameters"))...)
}

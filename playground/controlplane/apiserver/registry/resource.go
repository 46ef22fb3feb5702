//go:build !js || cel

package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// The kinds of resource.k8s.io. Absent: that who writes a claim's status needs permission to bind claims, and of drivers; the warning about
// drivers with capitals. Upstream: pkg/registry/resource/*/strategy.go.

// deviceClassStrategy is for DeviceClasses, and so on.
type (
	deviceClassStrategy           struct{ plain }
	resourceClaimStrategy         struct{ plain }
	resourceClaimStatusStrategy   struct{ plain }
	resourceClaimTemplateStrategy struct{ plain }
	resourceSliceStrategy         struct{ plain }
)

func init() {
	register("resource.k8s.io/deviceclasses", deviceClassStrategy{})
	register("resource.k8s.io/resourceclaims", resourceClaimStrategy{})
	register("resource.k8s.io/resourceclaims/status", resourceClaimStatusStrategy{})
	register("resource.k8s.io/resourceclaimtemplates", resourceClaimTemplateStrategy{})
	register("resource.k8s.io/resourceslices", resourceSliceStrategy{})
	rareExpressionsKept = func(obj, old api.Object) bool {
		switch o := obj.(type) {
		case *resourcev1.DeviceClass:
			return api.SemanticDeepEqual(o.Spec.Selectors, old.(*resourcev1.DeviceClass).Spec.Selectors)
		case *resourcev1.ResourceClaim, *resourcev1.ResourceClaimTemplate:
			return true // the spec is immutable
		}
		return false
	}
}

func (deviceClassStrategy) PrepareForCreate(obj api.Object) { obj.SetGeneration(1) }

func (deviceClassStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateDeviceClass(obj.(*resourcev1.DeviceClass))
}

func (deviceClassStrategy) PrepareForUpdate(obj, old api.Object) {
	if !api.SemanticDeepEqual(obj.(*resourcev1.DeviceClass).Spec, old.(*resourcev1.DeviceClass).Spec) {
		obj.SetGeneration(old.GetGeneration() + 1)
	}
}

func (s deviceClassStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return s.Validate(obj)
}

func (resourceClaimStrategy) PrepareForCreate(obj api.Object) {
	obj.(*resourcev1.ResourceClaim).Status = resourcev1.ResourceClaimStatus{}
}

func (resourceClaimStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateResourceClaim(obj.(*resourcev1.ResourceClaim))
}

func (resourceClaimStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*resourcev1.ResourceClaim).Status = old.(*resourcev1.ResourceClaim).Status
}

func (resourceClaimStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateResourceClaimUpdate(obj.(*resourcev1.ResourceClaim), old.(*resourcev1.ResourceClaim))
}

// BeginCreate refuses access for administrators where it is not allowed.
func (resourceClaimStrategy) BeginCreate(_ *sim.Proc, e *Store, obj api.Object, _ bool) (finishFunc, error) {
	return finishNothing, e.adminAccess(obj, obj.(*resourcev1.ResourceClaim).Spec.Devices.Requests)
}

// BeginUpdate implements allocating; there is nothing to do.
func (resourceClaimStrategy) BeginUpdate(*sim.Proc, *Store, api.Object, api.Object, bool) (finishFunc, error) {
	return finishNothing, nil
}

// AfterDelete implements allocating.
func (resourceClaimStrategy) AfterDelete(*sim.Proc, *Store, api.Object) {}

// adminAccess asks the namespace. Upstream: pkg/registry/resource/utils.go, AuthorizedForAdmin.
func (e *Store) adminAccess(obj api.Object, requests []resourcev1.DeviceRequest) error {
	ns, _ := e.Storage.Current(store.Key{Resource: "namespaces", Name: obj.GetNamespace()}).(*corev1.Namespace)
	var labels map[string]string
	if ns != nil {
		labels = ns.Labels
	}
	if errs := validation.ValidateAdminAccess(requests, labels); len(errs) > 0 {
		return apierrors.NewInvalid(e.Kind.GroupKind(), obj.GetName(), errs)
	}
	return nil
}

// PrepareForUpdate also takes what is said of devices away with them. Upstream: dropDeallocatedStatusDevices.
func (resourceClaimStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	claim, was := obj.(*resourcev1.ResourceClaim), old.(*resourcev1.ResourceClaim)
	claim.Spec = was.Spec
	resetMetadata(obj, old)
	type id struct{ driver, pool, device, share string }
	gone := map[id]bool{}
	each := func(a *resourcev1.AllocationResult, is bool) {
		if a == nil {
			return
		}
		for i := range a.Devices.Results {
			r := &a.Devices.Results[i]
			k := id{r.Driver, r.Pool, r.Device, ""}
			if r.ShareID != nil {
				k.share = string(*r.ShareID)
			}
			gone[k] = is
		}
	}
	each(was.Status.Allocation, true)
	each(claim.Status.Allocation, false)
	var kept []resourcev1.AllocatedDeviceStatus
	for _, d := range claim.Status.Devices {
		k := id{d.Driver, d.Pool, d.Device, ""}
		if d.ShareID != nil {
			k.share = *d.ShareID
		}
		if !gone[k] {
			kept = append(kept, d)
		}
	}
	claim.Status.Devices = kept
}

func (resourceClaimStatusStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateResourceClaimStatusUpdate(obj.(*resourcev1.ResourceClaim), old.(*resourcev1.ResourceClaim))
}

func (resourceClaimTemplateStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateResourceClaimTemplate(obj.(*resourcev1.ResourceClaimTemplate))
}

func (resourceClaimTemplateStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateResourceClaimTemplateUpdate(obj.(*resourcev1.ResourceClaimTemplate), old.(*resourcev1.ResourceClaimTemplate))
}

// BeginCreate refuses access for administrators where it is not allowed.
func (resourceClaimTemplateStrategy) BeginCreate(_ *sim.Proc, e *Store, obj api.Object, _ bool) (finishFunc, error) {
	return finishNothing, e.adminAccess(obj, obj.(*resourcev1.ResourceClaimTemplate).Spec.Spec.Devices.Requests)
}

// BeginUpdate implements allocating; there is nothing to do.
func (resourceClaimTemplateStrategy) BeginUpdate(*sim.Proc, *Store, api.Object, api.Object, bool) (finishFunc, error) {
	return finishNothing, nil
}

// AfterDelete implements allocating.
func (resourceClaimTemplateStrategy) AfterDelete(*sim.Proc, *Store, api.Object) {}

func (resourceSliceStrategy) PrepareForCreate(obj api.Object) {
	obj.SetGeneration(1)
	dropDisabledFields(obj.(*resourcev1.ResourceSlice))
}

// dropDisabledFields takes away what Kubernetes 1.36 does not serve unless asked to: attributes that are lists (DRAListTypeAttributes), and what
// devices take of a node's allocatable resources (DRANodeAllocatableResources). Upstream: pkg/registry/resource/resourceslice/strategy.go.
func dropDisabledFields(slice *resourcev1.ResourceSlice) {
	for i := range slice.Spec.Devices {
		d := &slice.Spec.Devices[i]
		d.NodeAllocatableResourceMappings = nil
		for name, a := range d.Attributes { // order: each changes itself
			a.BoolValues, a.IntValues, a.StringValues, a.VersionValues = nil, nil, nil, nil
			d.Attributes[name] = a
		}
	}
}

func (resourceSliceStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateResourceSlice(obj.(*resourcev1.ResourceSlice))
}

func (resourceSliceStrategy) PrepareForUpdate(obj, old api.Object) {
	dropDisabledFields(obj.(*resourcev1.ResourceSlice))
	if !api.SemanticDeepEqual(obj.(*resourcev1.ResourceSlice).Spec, old.(*resourcev1.ResourceSlice).Spec) {
		obj.SetGeneration(old.GetGeneration() + 1)
	}
}

func (resourceSliceStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateResourceSliceUpdate(obj.(*resourcev1.ResourceSlice), old.(*resourcev1.ResourceSlice))
}

// SelectableFields lists what upstream's toSelectableFields does.
func (resourceSliceStrategy) SelectableFields(obj api.Object) fields.Set {
	out := fields.Set{resourcev1.ResourceSliceSelectorNodeName: "", resourcev1.ResourceSliceSelectorDriver: ""}
	if s, _ := obj.(*resourcev1.ResourceSlice); s != nil {
		out[resourcev1.ResourceSliceSelectorDriver] = s.Spec.Driver
		if s.Spec.NodeName != nil {
			out[resourcev1.ResourceSliceSelectorNodeName] = *s.Spec.NodeName
		}
	}
	return out
}

// BeginCreate implements allocating: a taint tells since when it is there. Upstream: pkg/apis/resource/v1/defaults.go, SetDefaults_DeviceTaint.
func (resourceSliceStrategy) BeginCreate(p *sim.Proc, _ *Store, obj api.Object, _ bool) (finishFunc, error) {
	for i := range obj.(*resourcev1.ResourceSlice).Spec.Devices {
		taints := obj.(*resourcev1.ResourceSlice).Spec.Devices[i].Taints
		for j := range taints {
			if taints[j].TimeAdded == nil {
				at := now(p)
				taints[j].TimeAdded = &at
			}
		}
	}
	return finishNothing, nil
}

// BeginUpdate does what BeginCreate does.
func (s resourceSliceStrategy) BeginUpdate(p *sim.Proc, e *Store, obj, _ api.Object, dryRun bool) (finishFunc, error) {
	return s.BeginCreate(p, e, obj, dryRun)
}

// AfterDelete implements allocating.
func (resourceSliceStrategy) AfterDelete(*sim.Proc, *Store, api.Object) {}

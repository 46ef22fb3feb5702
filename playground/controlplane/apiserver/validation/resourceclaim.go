package validation

import (
	"encoding/json"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/runtime"
	"kubewalk/playground/api/types"
	"kubewalk/playground/api/validate"
)

// Absent: who may write a claim's status is what may write claims at all, where upstream asks also for permission to bind, and of drivers.

// ValidateResourceClaim is upstream's pkg/apis/resource/validation/validation.go. What selectors say is looked at by DeviceExpressions.
func ValidateResourceClaim(claim *resourcev1.ResourceClaim) field.ErrorList {
	return validateDeviceClaim(&claim.Spec.Devices, field.NewPath("spec", "devices"))
}

// ValidateResourceClaimUpdate is upstream's function of that name.
func ValidateResourceClaimUpdate(claim, old *resourcev1.ResourceClaim) field.ErrorList {
	return objectmeta.Immutable(claim.Spec, old.Spec, specPath)
}

// ValidateResourceClaimTemplate is upstream's function of that name.
func ValidateResourceClaimTemplate(t *resourcev1.ResourceClaimTemplate) field.ErrorList {
	path := specPath
	errs := objectmeta.ValidateAnnotations(t.Spec.Annotations, path.Child("metadata", "annotations"))
	errs = append(errs, objectmeta.ValidateLabels(t.Spec.Labels, path.Child("metadata", "labels"))...)
	return append(errs, validateDeviceClaim(&t.Spec.Spec.Devices, path.Child("spec", "devices"))...)
}

// ValidateResourceClaimTemplateUpdate is what upstream's strategy of templates checks.
func ValidateResourceClaimTemplateUpdate(t, old *resourcev1.ResourceClaimTemplate) field.ErrorList {
	return append(ValidateResourceClaimTemplate(t), objectmeta.Immutable(t.Spec, old.Spec, specPath)...)
}

// ValidateDeviceClass is upstream's function of that name.
func ValidateDeviceClass(class *resourcev1.DeviceClass) field.ErrorList {
	path, spec := specPath, &class.Spec
	errs := validateSelectors(spec.Selectors, path.Child("selectors"))
	errs = append(errs, eachOf(spec.Config, resourcev1.DeviceConfigMaxSize, path.Child("config"),
		func(c *resourcev1.DeviceClassConfiguration, at *field.Path) field.ErrorList {
			return validateDeviceConfiguration(&c.DeviceConfiguration, at)
		})...)
	if name := spec.ExtendedResourceName; name != nil && !isExtendedResource(corev1.ResourceName(*name)) {
		errs = append(errs, field.Invalid(path.Child("extendedResourceName"), *name, "must be a valid extended resource name"))
	}
	return errs
}

// requestNames are the names of a claim's requests, each with those of the requests of which the first will do.
type requestNames map[string][]string

func requestNamesOf(claim *resourcev1.DeviceClaim) requestNames {
	names := requestNames{}
	for i := range claim.Requests {
		r := &claim.Requests[i]
		names[r.Name] = nil
		for j := range r.FirstAvailable {
			names[r.Name] = append(names[r.Name], r.FirstAvailable[j].Name)
		}
	}
	return names
}

const notARequest = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

// validateRef is upstream's validateRequestNameRef.
func (names requestNames) validateRef(name *string, path *field.Path) (errs field.ErrorList) {
	segments := strings.Split(*name, "/")
	if len(segments) > 2 {
		return field.ErrorList{field.Invalid(path, *name, notARequest)}
	}
	for _, s := range segments {
		errs = append(errs, dnsLabel(s, path)...)
	}
	if within, ok := names[segments[0]]; !ok || len(segments) == 2 && !slices.Contains(within, segments[1]) {
		errs = append(errs, field.Invalid(path, *name, notARequest))
	}
	return errs
}

func (names requestNames) validateRefs(list []string, path *field.Path) field.ErrorList {
	return keyed(list, resourcev1.DeviceRequestsMaxSize, path, itself, names.validateRef)
}

func validateDeviceClaim(claim *resourcev1.DeviceClaim, path *field.Path) field.ErrorList {
	names := requestNamesOf(claim)
	errs := keyed(claim.Requests, resourcev1.DeviceRequestsMaxSize, path.Child("requests"),
		func(r *resourcev1.DeviceRequest) string { return r.Name }, validateDeviceRequest)
	errs = append(errs, eachOf(claim.Constraints, resourcev1.DeviceConstraintsMaxSize, path.Child("constraints"),
		func(c *resourcev1.DeviceConstraint, at *field.Path) field.ErrorList {
			errs := names.validateRefs(c.Requests, at.Child("requests"))
			switch {
			case c.MatchAttribute != nil:
				return append(errs, validateFullyQualifiedName(*c.MatchAttribute, at.Child("matchAttribute"))...)
			case c.DistinctAttribute != nil:
				return append(errs, validateFullyQualifiedName(*c.DistinctAttribute, at.Child("distinctAttribute"))...)
			}
			return append(errs, field.Required(at, `exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`))
		})...)
	return append(errs, eachOf(claim.Config, resourcev1.DeviceConfigMaxSize, path.Child("config"),
		func(c *resourcev1.DeviceClaimConfiguration, at *field.Path) field.ErrorList {
			return append(names.validateRefs(c.Requests, at.Child("requests")), validateDeviceConfiguration(&c.DeviceConfiguration, at)...)
		})...)
}

func validateDeviceRequest(r *resourcev1.DeviceRequest, path *field.Path) field.ErrorList {
	errs := dnsLabel(r.Name, path.Child("name"))
	switch first, exactly := len(r.FirstAvailable) > 0, r.Exactly != nil; {
	case !first && !exactly:
		return append(errs, field.Required(path, "exactly one of `exactly` or `firstAvailable` is required"))
	case first && exactly:
		return append(errs, field.Invalid(path, nil, "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set"))
	case exactly:
		e := r.Exactly
		return append(errs, validateWanted(e.DeviceClassName, e.Selectors, e.AllocationMode, e.Count, e.Tolerations, path.Child("exactly"))...)
	}
	return append(errs, keyed(r.FirstAvailable, resourcev1.FirstAvailableDeviceRequestMaxSize, path.Child("firstAvailable"),
		func(s *resourcev1.DeviceSubRequest) string { return s.Name },
		func(s *resourcev1.DeviceSubRequest, at *field.Path) field.ErrorList {
			return append(dnsLabel(s.Name, at.Child("name")), validateWanted(s.DeviceClassName, s.Selectors, s.AllocationMode, s.Count, s.Tolerations, at)...)
		})...)
}

// validateWanted is what upstream's validateExactDeviceRequest and validateDeviceSubRequest have in common.
func validateWanted(class string, selectors []resourcev1.DeviceSelector, mode resourcev1.DeviceAllocationMode, count int64,
	tolerations []resourcev1.DeviceToleration, path *field.Path) (errs field.ErrorList) {
	if class == "" {
		errs = append(errs, field.Required(path.Child("deviceClassName"), ""))
	} else {
		errs = append(errs, invalidFor(path.Child("deviceClassName"), class, validate.IsDNS1123Subdomain(class))...)
	}
	errs = append(errs, validateSelectors(selectors, path.Child("selectors"))...)
	switch mode {
	case resourcev1.DeviceAllocationModeAll:
		if count != 0 {
			errs = append(errs, field.Invalid(path.Child("count"), count, "must not be specified when allocationMode is 'All'"))
		}
	case resourcev1.DeviceAllocationModeExactCount:
		if count <= 0 {
			errs = append(errs, field.Invalid(path.Child("count"), count, "must be greater than zero"))
		}
	default:
		errs = append(errs, field.NotSupported(path.Child("allocationMode"), string(mode),
			[]resourcev1.DeviceAllocationMode{resourcev1.DeviceAllocationModeAll, resourcev1.DeviceAllocationModeExactCount}))
	}
	for i := range tolerations {
		errs = append(errs, validateDeviceToleration(&tolerations[i], path.Child("tolerations").Index(i))...)
	}
	return errs
}

var taintEffects = []resourcev1.DeviceTaintEffect{
	resourcev1.DeviceTaintEffectNoExecute, resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNone}

func validateDeviceToleration(t *resourcev1.DeviceToleration, path *field.Path) (errs field.ErrorList) {
	if t.Key != "" {
		errs = append(errs, invalidFor(path.Child("key"), t.Key, validate.IsLabelKey(t.Key))...)
	}
	switch t.Operator {
	case resourcev1.DeviceTolerationOpExists:
		if t.Value != "" {
			errs = append(errs, field.Invalid(path.Child("value"), t.Value, "must be empty for operator `Exists`"))
		}
	case resourcev1.DeviceTolerationOpEqual:
		errs = append(errs, invalidFor(path.Child("value"), t.Value, validate.IsLabelValue(t.Value))...)
	default:
		errs = append(errs, oneOf(t.Operator, path.Child("operator"), resourcev1.DeviceTolerationOpEqual, resourcev1.DeviceTolerationOpExists)...)
	}
	if t.Effect != "" {
		errs = append(errs, oneOf(t.Effect, path.Child("effect"), taintEffects...)...)
	}
	return errs
}

func validateSelectors(selectors []resourcev1.DeviceSelector, path *field.Path) field.ErrorList {
	return eachOf(selectors, resourcev1.DeviceSelectorsMaxSize, path, func(s *resourcev1.DeviceSelector, at *field.Path) field.ErrorList {
		switch {
		case s.CEL == nil:
			return field.ErrorList{field.Required(at.Child("cel"), "")}
		case len(s.CEL.Expression) > resourcev1.CELSelectorExpressionMaxLength:
			return field.ErrorList{field.TooLong(at.Child("cel", "expression"), "", resourcev1.CELSelectorExpressionMaxLength)}
		}
		return nil
	})
}

func validateDeviceConfiguration(c *resourcev1.DeviceConfiguration, path *field.Path) field.ErrorList {
	at := path.Child("opaque")
	if c.Opaque == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	return append(validateDriverName(c.Opaque.Driver, at.Child("driver")),
		validateRawObject(c.Opaque.Parameters, at.Child("parameters"), resourcev1.OpaqueParametersMaxLength)...)
}

// validateRawObject is upstream's validateRawExtension.
func validateRawObject(raw runtime.RawExtension, path *field.Path, max int) field.ErrorList {
	if len(raw.Raw) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	if len(raw.Raw) > max {
		return field.ErrorList{field.TooLong(path, "", max)}
	}
	var v any
	if err := json.Unmarshal(raw.Raw, &v); err != nil {
		return field.ErrorList{field.Invalid(path, "<value omitted>", "error parsing data as JSON: "+err.Error())}
	}
	if v == nil {
		return field.ErrorList{field.Required(path, "")}
	}
	if _, ok := v.(map[string]any); !ok {
		return field.ErrorList{field.Invalid(path, "<value omitted>", "must be a valid JSON object")}
	}
	return nil
}

// sharedDeviceID names a device that was allocated. Upstream: dynamic-resource-allocation/structured, SharedDeviceID.
type sharedDeviceID struct{ Driver, Pool, Device, ShareID string }

func sharedID(driver, pool, device string, share *string) sharedDeviceID {
	id := sharedDeviceID{Driver: driver, Pool: pool, Device: device}
	if share != nil {
		id.ShareID = *share
	}
	return id
}

// ValidateResourceClaimStatusUpdate is upstream's function of that name.
func ValidateResourceClaimStatusUpdate(claim, old *resourcev1.ResourceClaim) field.ErrorList {
	path, status, names := statusPath, &claim.Status, requestNamesOf(&claim.Spec.Devices)
	errs := keyed(status.ReservedFor, resourcev1.ResourceClaimReservedForMaxSize, path.Child("reservedFor"),
		func(r *resourcev1.ResourceClaimConsumerReference) types.UID { return r.UID },
		func(r *resourcev1.ResourceClaimConsumerReference, at *field.Path) (errs field.ErrorList) {
			for _, f := range [][2]string{{"resource", r.Resource}, {"name", r.Name}, {"uid", string(r.UID)}} {
				if f[1] == "" {
					errs = append(errs, field.Required(at.Child(f[0]), ""))
				}
			}
			return errs
		})
	allocated := map[sharedDeviceID]bool{}
	if a := status.Allocation; a != nil {
		for i := range a.Devices.Results {
			r := &a.Devices.Results[i]
			allocated[sharedID(r.Driver, r.Pool, r.Device, (*string)(r.ShareID))] = true
		}
	}
	idOf := func(d *resourcev1.AllocatedDeviceStatus) sharedDeviceID {
		return sharedID(d.Driver, d.Pool, d.Device, d.ShareID)
	}
	errs = append(errs, keyed(status.Devices, -1, path.Child("devices"), idOf, func(d *resourcev1.AllocatedDeviceStatus, at *field.Path) field.ErrorList {
		return validateAllocatedDevice(d, allocated[idOf(d)], idOf(d), at)
	})...)
	if len(status.ReservedFor) > 0 {
		if status.Allocation == nil {
			errs = append(errs, field.Forbidden(path.Child("reservedFor"), "may not be specified when `allocated` is not set"))
		} else if claim.DeletionTimestamp != nil && slices.ContainsFunc(status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool {
			return !slices.Contains(old.Status.ReservedFor, r)
		}) {
			errs = append(errs, field.Forbidden(path.Child("reservedFor"), "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"))
		}
	}
	switch {
	case old.Status.Allocation != nil && status.Allocation != nil:
		errs = append(errs, objectmeta.Immutable(status.Allocation, old.Status.Allocation, path.Child("allocation"))...)
	case status.Allocation != nil:
		errs = append(errs, validateAllocation(status.Allocation, path.Child("allocation"), names)...)
	}
	return errs
}

func validateAllocation(a *resourcev1.AllocationResult, path *field.Path, names requestNames) field.ErrorList {
	at := path.Child("devices")
	errs := eachOf(a.Devices.Results, resourcev1.AllocationResultsMaxSize, at.Child("results"),
		func(r *resourcev1.DeviceRequestAllocationResult, at *field.Path) field.ErrorList {
			errs := names.validateRef(&r.Request, at.Child("request"))
			errs = append(errs, validateDriverName(r.Driver, at.Child("driver"))...)
			errs = append(errs, validatePoolName(r.Pool, at.Child("pool"))...)
			errs = append(errs, dnsLabel(r.Device, at.Child("device"))...)
			errs = append(errs, validateBindingParameters(r.BindingConditions, r.BindingFailureConditions, at)...)
			if r.ShareID != nil {
				errs = append(errs, validateUID(string(*r.ShareID), at.Child("shareID"))...)
			}
			return errs
		})
	errs = append(errs, eachOf(a.Devices.Config, 2*resourcev1.DeviceConfigMaxSize, at.Child("config"),
		func(c *resourcev1.DeviceAllocationConfiguration, at *field.Path) field.ErrorList {
			errs := oneOf(c.Source, at.Child("source"), resourcev1.AllocationConfigSourceClaim, resourcev1.AllocationConfigSourceClass)
			errs = append(errs, names.validateRefs(c.Requests, at.Child("requests"))...)
			return append(errs, validateDeviceConfiguration(&c.DeviceConfiguration, at)...)
		})...)
	if a.NodeSelector != nil {
		errs = append(errs, validateNodeSelector(a.NodeSelector, path.Child("nodeSelector"))...)
	}
	return errs
}

// validateAllocatedDevice is upstream's validateDeviceStatus.
func validateAllocatedDevice(d *resourcev1.AllocatedDeviceStatus, allocated bool, id sharedDeviceID, path *field.Path) field.ErrorList {
	errs := validateDriverName(d.Driver, path.Child("driver"))
	errs = append(errs, validatePoolName(d.Pool, path.Child("pool"))...)
	errs = append(errs, dnsLabel(d.Device, path.Child("device"))...)
	if d.ShareID != nil {
		errs = append(errs, validateUID(*d.ShareID, path.Child("shareID"))...)
	}
	if !allocated {
		errs = append(errs, field.Invalid(path, id, "must be an allocated device in the claim"))
	}
	conditions := path.Child("conditions")
	if len(d.Conditions) > resourcev1.AllocatedDeviceStatusMaxConditions {
		errs = append(errs, field.TooMany(conditions, len(d.Conditions), resourcev1.AllocatedDeviceStatusMaxConditions))
	}
	errs = append(errs, validateConditions(d.Conditions, conditions)...)
	if d.Data != nil && len(d.Data.Raw) > 0 {
		errs = append(errs, validateRawObject(*d.Data, path.Child("data"), resourcev1.AllocatedDeviceStatusDataMaxLength)...)
	}
	n, at := d.NetworkData, path.Child("networkData")
	if n == nil {
		return errs
	}
	if len(n.InterfaceName) > resourcev1.NetworkDeviceDataInterfaceNameMaxLength {
		errs = append(errs, field.TooLong(at.Child("interfaceName"), "", resourcev1.NetworkDeviceDataInterfaceNameMaxLength))
	}
	if len(n.HardwareAddress) > resourcev1.NetworkDeviceDataHardwareAddressMaxLength {
		errs = append(errs, field.TooLong(at.Child("hardwareAddress"), "", resourcev1.NetworkDeviceDataHardwareAddressMaxLength))
	}
	return append(errs, keyed(n.IPs, resourcev1.NetworkDeviceDataMaxIPs, at.Child("ips"), itself, func(ip *string, at *field.Path) field.ErrorList {
		return validateInterfaceAddress(*ip, at)
	})...)
}

// validateBindingParameters is upstream's validateDeviceBindingParameters.
func validateBindingParameters(conditions, failures []string, path *field.Path) field.ErrorList {
	label := func(name *string, at *field.Path) field.ErrorList {
		return invalidFor(at, *name, validate.IsLabelKey(*name))
	}
	one, other := path.Child("bindingConditions"), path.Child("bindingFailureConditions")
	errs := eachOf(conditions, resourcev1.BindingConditionsMaxSize, one, label)
	errs = append(errs, eachOf(failures, resourcev1.BindingFailureConditionsMaxSize, other, label)...)
	for i, c := range conditions {
		if slices.Contains(conditions[:i], c) {
			errs = append(errs, field.Duplicate(one.Index(i), c))
		}
	}
	for i, c := range failures {
		if slices.Contains(failures[:i], c) {
			errs = append(errs, field.Duplicate(other.Index(i), c))
		}
		if slices.Contains(conditions, c) {
			errs = append(errs, field.Invalid(other.Index(i), c, "bindingFailureConditions must not overlap with bindingConditions"))
		}
	}
	switch {
	case len(conditions) == 0 && len(failures) > 0:
		errs = append(errs, field.Invalid(one, conditions, "bindingConditions are required to use bindingFailureConditions"))
	case len(failures) == 0 && len(conditions) > 0:
		errs = append(errs, field.Invalid(other, failures, "bindingFailureConditions are required to use bindingConditions"))
	}
	return errs
}

// ValidateAdminAccess refuses claims to look into all devices where the namespace does not say so; labels are the namespace's.
// Upstream: pkg/registry/resource/utils.go, AuthorizedForAdmin.
func ValidateAdminAccess(requests []resourcev1.DeviceRequest, labels map[string]string) field.ErrorList {
	for i := range requests {
		e := requests[i].Exactly
		if e == nil || e.AdminAccess == nil || !*e.AdminAccess {
			continue
		}
		if labels[resourcev1.DRAAdminNamespaceLabelKey] != "true" {
			return field.ErrorList{field.Forbidden(field.NewPath("spec", "devices", "requests").Index(i).Child("adminAccess"),
				"admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace")}
		}
		break
	}
	return nil
}

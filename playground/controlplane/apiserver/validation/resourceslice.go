package validation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/validate"
)

// ValidateResourceSlice is upstream's pkg/apis/resource/validation/validation.go.
func ValidateResourceSlice(slice *resourcev1.ResourceSlice) field.ErrorList {
	return validateResourceSliceSpec(&slice.Spec, nil)
}

// ValidateResourceSliceUpdate is upstream's function of that name.
func ValidateResourceSliceUpdate(slice, old *resourcev1.ResourceSlice) field.ErrorList {
	return validateResourceSliceSpec(&slice.Spec, &old.Spec)
}

func validateResourceSliceSpec(spec, old *resourcev1.ResourceSliceSpec) field.ErrorList {
	path := specPath
	errs := validateDriverName(spec.Driver, path.Child("driver"))
	pool := path.Child("pool")
	errs = append(errs, validatePoolName(spec.Pool.Name, pool.Child("name"))...)
	if spec.Pool.ResourceSliceCount <= 0 {
		errs = append(errs, field.Invalid(pool.Child("resourceSliceCount"), spec.Pool.ResourceSliceCount, "must be greater than zero"))
	}
	if spec.Pool.Generation < 0 {
		errs = append(errs, field.Invalid(pool.Child("generation"), spec.Pool.Generation, notNegative))
	}
	if old != nil {
		errs = append(errs, objectmeta.Immutable(spec.Pool.Name, old.Pool.Name, pool.Child("name"))...)
		errs = append(errs, objectmeta.Immutable(spec.Driver, old.Driver, path.Child("driver"))...)
		errs = append(errs, objectmeta.Immutable(spec.NodeName, old.NodeName, path.Child("nodeName"))...)
	}
	errs = append(errs, validateNodesOfSlice(spec, path)...)
	if spec.SharedCounters != nil && spec.Devices != nil {
		errs = append(errs, field.Invalid(path, "", "only one of `sharedCounters` or `devices` is allowed"))
	}
	most := resourcev1.ResourceSliceMaxDevices
	if slices.ContainsFunc(spec.Devices, hasAdvancedFeatures) {
		most = resourcev1.ResourceSliceMaxDevicesWithAdvancedFeatures
	}
	errs = append(errs, keyed(spec.Devices, most, path.Child("devices"), func(d *resourcev1.Device) string { return d.Name },
		func(d *resourcev1.Device, at *field.Path) field.ErrorList {
			return validateDevice(d, deviceNamed(old, d.Name), at, spec.PerDeviceNodeSelection)
		})...)
	return append(errs, keyed(spec.SharedCounters, resourcev1.ResourceSliceMaxCounterSets, path.Child("sharedCounters"),
		func(c *resourcev1.CounterSet) string { return c.Name },
		func(c *resourcev1.CounterSet, at *field.Path) field.ErrorList {
			return validateCounters(c.Name, "name", c.Counters, resourcev1.ResourceSliceMaxCountersPerCounterSet, at)
		})...)
}

func hasAdvancedFeatures(d resourcev1.Device) bool {
	if len(d.Taints) > 0 || len(d.ConsumesCounters) > 0 {
		return true
	}
	for _, a := range d.Attributes { // order: whether there is any
		if a.BoolValues != nil || a.IntValues != nil || a.StringValues != nil || a.VersionValues != nil {
			return true
		}
	}
	return false
}

func deviceNamed(spec *resourcev1.ResourceSliceSpec, name string) *resourcev1.Device {
	if spec == nil {
		return nil
	}
	for i := range spec.Devices {
		if spec.Devices[i].Name == name {
			return &spec.Devices[i]
		}
	}
	return nil
}

const onlyUnsetOrTrue = "must be either unset or set to true"

// validateNodesOfSlice checks from which nodes a slice's devices can be used.
func validateNodesOfSlice(spec *resourcev1.ResourceSliceSpec, path *field.Path) (errs field.ErrorList) {
	var set []string
	if n := spec.NodeName; n != nil {
		if *n != "" {
			set = append(set, "`nodeName`")
			errs = append(errs, invalidFor(path.Child("nodeName"), *n, validate.IsDNS1123Subdomain(*n))...)
		} else {
			errs = append(errs, field.Invalid(path.Child("nodeName"), *n, "must be either unset or set to a non-empty string"))
		}
	}
	if s := spec.NodeSelector; s != nil {
		set = append(set, "`nodeSelector`")
		errs = append(errs, validateNodeSelector(s, path.Child("nodeSelector"))...)
		if len(s.NodeSelectorTerms) != 1 {
			errs = append(errs, field.Invalid(path.Child("nodeSelector", "nodeSelectorTerms"), s.NodeSelectorTerms, "must have exactly one node selector term"))
		}
	}
	for _, f := range []struct {
		name  string
		value *bool
	}{{"allNodes", spec.AllNodes}, {"perDeviceNodeSelection", spec.PerDeviceNodeSelection}} {
		switch {
		case f.value == nil:
		case *f.value:
			set = append(set, "`"+f.name+"`")
		default:
			errs = append(errs, field.Invalid(path.Child(f.name), false, onlyUnsetOrTrue))
		}
	}
	return append(errs, exactlyOne(set, path, "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
		", but multiple fields are set")...)
}

func exactlyOne(set []string, path *field.Path, rule, several string) field.ErrorList {
	switch len(set) {
	case 0:
		return field.ErrorList{field.Required(path, rule)}
	case 1:
		return nil
	}
	return field.ErrorList{field.Invalid(path, "{"+strings.Join(set, ", ")+"}", rule+several)}
}

// validateCounters checks a set of counters, or what a device consumes of one.
func validateCounters(set, name string, counters map[string]resourcev1.Counter, max int, path *field.Path) (errs field.ErrorList) {
	if set == "" {
		errs = append(errs, field.Required(path.Child(name), ""))
	} else {
		errs = append(errs, dnsLabel(set, path.Child(name))...)
	}
	at := path.Child("counters")
	switch {
	case len(counters) == 0:
		return append(errs, field.Required(at, ""))
	case len(counters) > max:
		return append(errs, field.TooMany(at, len(counters), max))
	}
	for _, key := range slices.Sorted(maps.Keys(counters)) {
		errs = append(errs, dnsLabel(key, at)...)
	}
	return errs
}

// keyPath names an entry of a map by its key, of which no more than so much is shown. Upstream: truncateIfTooLong.
func keyPath(path *field.Path, key string) *field.Path {
	const most, dots = resourcev1.DeviceMaxDomainLength + 1 + resourcev1.DeviceMaxIDLength, "..."
	if len(key) > most {
		rest := most - len(dots)
		key = key[:(rest+1)/2] + dots + key[len(key)-rest/2:]
	}
	return path.Key(key)
}

func validateDevice(d, old *resourcev1.Device, path *field.Path, perDevice *bool) field.ErrorList {
	errs := dnsLabel(d.Name, path.Child("name"))
	if n := len(d.Attributes) + len(d.Capacity); n > resourcev1.ResourceSliceMaxAttributesAndCapacitiesPerDevice {
		errs = append(errs, field.Invalid(path, n, fmt.Sprintf("the total number of attributes and capacities must not exceed %d",
			resourcev1.ResourceSliceMaxAttributesAndCapacitiesPerDevice)))
	}
	values := 0
	for _, a := range d.Attributes { // order: a sum
		values += max(1, len(a.BoolValues)+len(a.IntValues)+len(a.StringValues)+len(a.VersionValues))
	}
	if values > resourcev1.ResourceSliceMaxAttributeValuesPerDevice {
		errs = append(errs, field.Invalid(path, values, fmt.Sprintf("the total number of attribute values must not exceed %d",
			resourcev1.ResourceSliceMaxAttributeValuesPerDevice)))
	}
	attributes, capacity := path.Child("attributes"), path.Child("capacity")
	for _, key := range slices.Sorted(maps.Keys(d.Attributes)) {
		errs = append(errs, validateQualifiedName(string(key), attributes)...)
		a := d.Attributes[key]
		errs = append(errs, validateDeviceAttribute(&a, keyPath(attributes, string(key)))...)
	}
	for _, key := range slices.Sorted(maps.Keys(d.Capacity)) {
		errs = append(errs, validateQualifiedName(string(key), capacity)...)
		c, at := d.Capacity[key], keyPath(capacity, string(key)).Child("requestPolicy")
		switch {
		case c.RequestPolicy == nil:
		case d.AllowMultipleAllocations == nil || !*d.AllowMultipleAllocations:
			errs = append(errs, field.Forbidden(at, "allowMultipleAllocations must be true"))
		default:
			errs = append(errs, validateRequestPolicy(&c.Value, c.RequestPolicy, at)...)
		}
	}
	if old == nil || !api.SemanticDeepEqual(old.Taints, d.Taints) {
		errs = append(errs, eachOf(d.Taints, resourcev1.DeviceTaintsMaxLength, path.Child("taints"), validateDeviceTaint)...)
	}
	errs = append(errs, keyed(d.ConsumesCounters, resourcev1.ResourceSliceMaxDeviceCounterConsumptionsPerDevice, path.Child("consumesCounters"),
		func(c *resourcev1.DeviceCounterConsumption) string { return c.CounterSet },
		func(c *resourcev1.DeviceCounterConsumption, at *field.Path) field.ErrorList {
			return validateCounters(c.CounterSet, "counterSet", c.Counters, resourcev1.ResourceSliceMaxCountersPerDeviceCounterConsumption, at)
		})...)
	errs = append(errs, validateNodesOfDevice(d, path, perDevice != nil && *perDevice)...)
	errs = append(errs, validateBindingParameters(d.BindingConditions, d.BindingFailureConditions, path)...)
	return append(errs, validateMappings(d, path.Child("nodeAllocatableResourceMappings"))...)
}

func validateNodesOfDevice(d *resourcev1.Device, path *field.Path, perDevice bool) (errs field.ErrorList) {
	if !perDevice {
		if d.NodeName != nil || d.NodeSelector != nil || d.AllNodes != nil {
			errs = append(errs, field.Invalid(path, nil,
				"`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec"))
		}
		return errs
	}
	var set []string
	if n := d.NodeName; n != nil {
		if *n != "" {
			set = append(set, "`nodeName`")
			errs = append(errs, invalidFor(path.Child("nodeName"), *n, validate.IsDNS1123Subdomain(*n))...)
		} else {
			errs = append(errs, field.Invalid(path.Child("nodeName"), *n, "must not be empty"))
		}
	}
	if d.NodeSelector != nil {
		set = append(set, "`nodeSelector`")
		errs = append(errs, validateNodeSelector(d.NodeSelector, path.Child("nodeSelector"))...)
	}
	if d.AllNodes != nil {
		if *d.AllNodes {
			set = append(set, "`allNodes`")
		} else {
			errs = append(errs, field.Invalid(path.Child("allNodes"), false, onlyUnsetOrTrue))
		}
	}
	return append(errs, exactlyOne(set, path, "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "+
		"`perDeviceNodeSelection` is set to true in the ResourceSlice spec", "")...)
}

func validateMappings(d *resourcev1.Device, path *field.Path) (errs field.ErrorList) {
	for _, name := range slices.Sorted(maps.Keys(d.NodeAllocatableResourceMappings)) {
		m, at := d.NodeAllocatableResourceMappings[name], path.Key(string(name))
		if !isNative(name) {
			errs = append(errs, field.Invalid(at, name, "must be a node allocatable resource name"))
		}
		if m.AllocationMultiplier == nil && m.CapacityKey == nil {
			errs = append(errs, field.Invalid(at, "", "at least one of allocationMultiplier or capacityKey must be set"))
		}
		if q := m.AllocationMultiplier; q != nil && q.Sign() <= 0 {
			errs = append(errs, field.Invalid(at.Child("allocationMultiplier"), q.String(), "must be positive"))
		}
		if key := m.CapacityKey; key != nil {
			if _, ok := d.Capacity[*key]; *key == "" {
				errs = append(errs, field.Invalid(at.Child("capacityKey"), "", "capacityKey must not be an empty string"))
			} else if !ok {
				errs = append(errs, field.NotFound(at.Child("capacityKey"), *key))
			}
		}
	}
	return errs
}

func validateDeviceTaint(t *resourcev1.DeviceTaint, path *field.Path) field.ErrorList {
	errs := invalidFor(path.Child("key"), t.Key, validate.IsLabelKey(t.Key))
	if t.Value != "" {
		errs = append(errs, invalidFor(path.Child("value"), t.Value, validate.IsLabelValue(t.Value))...)
	}
	return append(errs, oneOf(t.Effect, path.Child("effect"), taintEffects...)...)
}

func validateDeviceAttribute(a *resourcev1.DeviceAttribute, path *field.Path) (errs field.ErrorList) {
	const empty, one = "must not be empty if specified", "exactly one value must be specified"
	text := func(v string, at *field.Path) {
		if len(v) > resourcev1.DeviceAttributeMaxValueLength {
			errs = append(errs, field.TooLong(at, "", resourcev1.DeviceAttributeMaxValueLength))
		}
	}
	version := func(v string, at *field.Path) {
		if !isSemver(v) {
			errs = append(errs, field.Invalid(at, v, "must be a string compatible with semver.org spec 2.0.0"))
		}
		text(v, at)
	}
	n := 0
	count := func(isSet bool) bool {
		if isSet {
			n++
		}
		return isSet
	}
	count(a.BoolValue != nil)
	count(a.IntValue != nil)
	if count(a.StringValue != nil) {
		text(*a.StringValue, path.Child("string"))
	}
	if count(a.VersionValue != nil) {
		version(*a.VersionValue, path.Child("version"))
	}
	if count(a.BoolValues != nil) && len(a.BoolValues) == 0 {
		errs = append(errs, field.Invalid(path.Child("bools"), a.BoolValues, empty))
	}
	if count(a.IntValues != nil) && len(a.IntValues) == 0 {
		errs = append(errs, field.Invalid(path.Child("ints"), a.IntValues, empty))
	}
	texts := func(list []string, at *field.Path, check func(string, *field.Path)) {
		if count(list != nil) && len(list) == 0 {
			errs = append(errs, field.Invalid(at, list, empty))
		}
		for i, v := range list {
			check(v, at.Index(i))
		}
	}
	texts(a.StringValues, path.Child("strings"), text)
	texts(a.VersionValues, path.Child("versions"), version)
	switch n {
	case 0:
		errs = append(errs, field.Invalid(path, "", one))
	case 1:
	default:
		errs = append(errs, field.Invalid(path, *a, one))
	}
	return errs
}

// validateRequestPolicy is upstream's function of that name: how much of a device's capacity can be asked for.
func validateRequestPolicy(capacity *resource.Quantity, p *resourcev1.CapacityRequestPolicy, path *field.Path) field.ErrorList {
	switch hasValues := len(p.ValidValues) > 0; {
	case hasValues && p.ValidRange != nil:
		return field.ErrorList{field.Forbidden(path, `exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`)}
	case hasValues && p.Default == nil:
		return field.ErrorList{field.Required(path.Child("default"), "required when validValues is defined")}
	case hasValues:
		return validateValidValues(*p.Default, *capacity, p.ValidValues, path.Child("validValues"))
	case p.ValidRange != nil && p.Default == nil:
		return field.ErrorList{field.Required(path.Child("default"), "required when validRange is defined")}
	case p.ValidRange != nil:
		return validateValidRange(*p.Default, *capacity, p.ValidRange, path.Child("validRange"))
	}
	return nil
}

// discreteMax is upstream's CapacityRequestPolicyDiscreteMaxOptions.
const discreteMax = 10

func validateValidValues(standard, capacity resource.Quantity, values []resource.Quantity, path *field.Path) (errs field.ErrorList) {
	for i := range len(values) - 1 {
		if values[i].Cmp(values[i+1]) > 0 {
			errs = append(errs, field.Invalid(path.Index(i+1), values[i+1].String(), "values must be sorted in ascending order"))
		}
	}
	found := false
	errs = append(errs, keyed(values, discreteMax, path, func(q *resource.Quantity) string { return strconv.FormatInt(q.Value(), 10) },
		func(q *resource.Quantity, at *field.Path) (errs field.ErrorList) {
			if q.Cmp(capacity) > 0 {
				errs = append(errs, field.Invalid(at, q.String(), "option is larger than capacity value: "+capacity.String()))
			}
			found = found || q.Cmp(standard) == 0
			return errs
		})...)
	if !found {
		errs = append(errs, field.Invalid(path, standard.String(), "default value is not valid according to the requestPolicy"))
	}
	return errs
}

func validateValidRange(standard, capacity resource.Quantity, r *resourcev1.CapacityRequestPolicyRange, path *field.Path) (errs field.ErrorList) {
	least, most, step := path.Child("min"), path.Child("max"), path.Child("step")
	if r.Min == nil {
		return field.ErrorList{field.Required(least, "required when validRange is defined")}
	}
	if r.Min.Cmp(capacity) > 0 {
		errs = append(errs, field.Invalid(least, r.Min.String(), "min is larger than capacity value: "+capacity.String()))
	}
	if standard.Cmp(*r.Min) < 0 {
		errs = append(errs, field.Invalid(least, standard.String(), "default is less than min: "+r.Min.String()))
	}
	if r.Max != nil {
		if r.Min.Cmp(*r.Max) > 0 {
			errs = append(errs, field.Invalid(most, r.Min.String(), "min is larger than max: "+r.Max.String()))
		}
		if r.Max.Cmp(capacity) > 0 {
			errs = append(errs, field.Invalid(most, r.Max.String(), "max is larger than capacity value: "+capacity.String()))
		}
		if standard.Cmp(*r.Max) > 0 {
			errs = append(errs, field.Invalid(most, standard.String(), "default is more than max: "+r.Max.String()))
		}
	}
	if r.Step == nil {
		return errs
	}
	one := *r.Min
	one.Add(*r.Step)
	if one.Cmp(capacity) > 0 {
		errs = append(errs, field.Invalid(step, r.Step.String(), fmt.Sprintf("one step %s is larger than capacity value: %s", one.String(), capacity.String())))
	}
	multiple := func(q resource.Quantity) { // upstream divides by a step of zero
		if n := r.Step.Value(); n != 0 && (q.Value()-r.Min.Value())%n != 0 {
			errs = append(errs, field.Invalid(step, q.String(), fmt.Sprintf("value is not a multiple of a given step (%s) from (%s)", r.Step.String(), r.Min.String())))
		}
	}
	multiple(standard)
	if r.Max != nil {
		multiple(*r.Max)
	}
	return errs
}

package structured

import (
	"slices"
	"strings"

	"kubewalk/playground/api/resourceclaim"
	"kubewalk/playground/api/resourcev1"
)

// constraint is what the devices of several requests have to have in common, or may not. Upstream: matchAttributeConstraint and
// distinctAttributeConstraint.
type constraint struct {
	requests  []string // none is all
	attribute string
	distinct  bool
	values    []*resourcev1.DeviceAttribute // of the devices that were added
}

// add says whether a device may be added, and adds it.
func (c *constraint) add(r *request, id DeviceID, device *resourcev1.Device) bool {
	if !c.concerns(r) {
		return true
	}
	value := attributeOf(device, id.Driver, c.attribute)
	if value == nil {
		return false
	}
	if c.distinct && slices.ContainsFunc(c.values, func(v *resourcev1.DeviceAttribute) bool { return equal(v, value) }) {
		return false
	}
	if !c.distinct && len(c.values) > 0 && !equal(c.values[0], value) {
		return false
	}
	c.values = append(c.values, value)
	return true
}

// remove takes back the device that was added last.
func (c *constraint) remove(r *request) {
	if c.concerns(r) {
		c.values = c.values[:len(c.values)-1]
	}
}

func (c *constraint) concerns(r *request) bool {
	return len(c.requests) == 0 || slices.Contains(c.requests, r.base()) || slices.Contains(c.requests, r.fullName())
}

// attributeOf looks an attribute up by its full name; one without a domain is the driver's own. Upstream: lookupAttribute.
func attributeOf(device *resourcev1.Device, driver, name string) *resourcev1.DeviceAttribute {
	if a, ok := device.Attributes[resourcev1.QualifiedName(name)]; ok {
		return &a
	}
	if domain, id, ok := strings.Cut(name, "/"); ok && domain == driver {
		if a, ok := device.Attributes[resourcev1.QualifiedName(id)]; ok {
			return &a
		}
	}
	return nil
}

func equal(a, b *resourcev1.DeviceAttribute) bool {
	return same(a.StringValue, b.StringValue) || same(a.IntValue, b.IntValue) || same(a.BoolValue, b.BoolValue) || same(a.VersionValue, b.VersionValue)
}

func same[T comparable](a, b *T) bool { return a != nil && b != nil && *a == *b }

// tainted says that a taint keeps a device from a request.
func tainted(device *resourcev1.Device, r *request) bool {
	return slices.ContainsFunc(device.Taints, func(t resourcev1.DeviceTaint) bool {
		prevents := t.Effect == resourcev1.DeviceTaintEffectNoSchedule || t.Effect == resourcev1.DeviceTaintEffectNoExecute
		return prevents && !slices.ContainsFunc(r.tolerations, func(one resourcev1.DeviceToleration) bool { return resourceclaim.ToleratesTaint(&one, &t) })
	})
}

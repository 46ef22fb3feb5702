package structured

import (
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/resourcev1"
)

// Capacity is how much of a device is consumed, by the name of what. Upstream: ConsumedCapacity.
type Capacity map[resourcev1.QualifiedName]resource.Quantity

// Add adds what another allocation of the device consumes.
func (c Capacity) Add(more Capacity) {
	for name, of := range more { // order: each changes its own sum
		sum := c[name]
		sum.Add(of)
		c[name] = sum
	}
}

// capacityInUse says that a part of a device is allocated. Upstream: deviceCapacityInUse.
func (a *allocation) capacityInUse(id DeviceID) bool {
	_, is := a.Consumed[id]
	return is || len(a.consumed[id]) > 0
}

// enough says whether a device has as much left as a request consumes, and allows it to ask for that. Upstream: CmpRequestOverCapacity.
func (a *allocation) enough(r *request, c candidate) bool {
	if r.capacity != nil {
		for name := range r.capacity.Requests { // order: whether one is missing
			if _, has := c.device.Capacity[name]; !has {
				return false
			}
		}
	}
	sum := consumedBy(r, c.device)
	for name, of := range sum { // order: whether one is against its policy
		if violates(of, c.device.Capacity[name].RequestPolicy) {
			return false
		}
	}
	sum.Add(a.Consumed[c.id])
	for _, others := range a.consumed[c.id] {
		sum.Add(others)
	}
	for name, has := range c.device.Capacity { // order: whether there is too little of one
		if of := sum[name]; of.Cmp(has.Value) > 0 {
			return false
		}
	}
	return true
}

// consumedBy is what a request takes of each capacity of a device. Upstream: GetConsumedCapacityFromRequest.
func consumedBy(r *request, device *resourcev1.Device) Capacity {
	out := Capacity{}
	for name, has := range device.Capacity { // order: each fills its own key
		out[name] = consumedOf(r, name, has)
	}
	return out
}

// consumedOf rounds what is asked for up to what can be had; who asks for nothing gets what is usual, or all of it.
// Upstream: calculateConsumedCapacity.
func consumedOf(r *request, name resourcev1.QualifiedName, has resourcev1.DeviceCapacity) resource.Quantity {
	policy := has.RequestPolicy
	var want resource.Quantity
	asked := false
	if r.capacity != nil {
		want, asked = r.capacity.Requests[name]
	}
	switch {
	case !asked && policy != nil && policy.Default != nil:
		return *policy.Default
	case !asked:
		return has.Value
	case policy == nil:
	case policy.ValidRange != nil && policy.ValidRange.Min != nil:
		return roundUp(want, policy.ValidRange)
	default:
		for _, valid := range policy.ValidValues {
			if want.Cmp(valid) <= 0 {
				return valid
			}
		}
	}
	return want
}

// roundUp goes up to the least that can be had, or to the next step from there. Upstream: roundUpRange.
func roundUp(want resource.Quantity, of *resourcev1.CapacityRequestPolicyRange) resource.Quantity {
	switch {
	case want.Cmp(*of.Min) < 0:
		return *of.Min
	case of.Step == nil || of.Step.Value() == 0:
		return want
	}
	least, step := of.Min.Value(), of.Step.Value()
	steps := (want.Value() - least + step - 1) / step
	return *resource.NewQuantity(least+steps*step, resource.BinarySI)
}

// violates says that a policy does not allow to consume so much. Upstream: violatesPolicy.
func violates(of resource.Quantity, policy *resourcev1.CapacityRequestPolicy) bool {
	switch {
	case policy == nil || policy.Default != nil && of.Cmp(*policy.Default) == 0:
		return false
	case policy.ValidRange != nil:
		valid := policy.ValidRange
		if valid.Max != nil && of.Cmp(*valid.Max) > 0 {
			return true
		}
		return valid.Step != nil && valid.Min != nil && valid.Step.Value() != 0 && (of.Value()-valid.Min.Value())%valid.Step.Value() != 0
	case len(policy.ValidValues) > 0:
		for _, valid := range policy.ValidValues {
			if of.Cmp(valid) == 0 {
				return false
			}
		}
		return true
	}
	return false
}

package structured

import (
	"fmt"

	"kubewalk/playground/api/resourcev1"
)

// request is a request of a claim, or one of its alternatives. Upstream: requestAccessor and requestData.
type request struct {
	claim, index int
	name, parent string // the parent of an alternative
	className    string
	selectors    []resourcev1.DeviceSelector
	mode         resourcev1.DeviceAllocationMode
	count        int64
	adminAccess  bool
	tolerations  []resourcev1.DeviceToleration
	capacity     *resourcev1.CapacityRequirements

	class   *resourcev1.DeviceClass
	devices int         // how many
	all     []candidate // which, if it is all of them
	matches map[DeviceID]bool
}

// base is the name of the request in the claim.
func (r *request) base() string {
	if r.parent != "" {
		return r.parent
	}
	return r.name
}

func (r *request) fullName() string {
	if r.parent != "" {
		return r.parent + "/" + r.name
	}
	return r.name
}

// alternatives are what a request can be satisfied with: one, unless it has subrequests.
func alternatives(claim, index int, from *resourcev1.DeviceRequest) (out []*request) {
	for i := range from.FirstAvailable {
		s := &from.FirstAvailable[i]
		out = append(out, &request{claim: claim, index: index, name: s.Name, parent: from.Name, className: s.DeviceClassName, selectors: s.Selectors,
			mode: s.AllocationMode, count: s.Count, tolerations: s.Tolerations, capacity: s.Capacity, matches: map[DeviceID]bool{}})
	}
	if e := from.Exactly; len(out) == 0 && e != nil {
		out = append(out, &request{claim: claim, index: index, name: from.Name, className: e.DeviceClassName, selectors: e.Selectors,
			mode: e.AllocationMode, count: e.Count, adminAccess: is(e.AdminAccess), tolerations: e.Tolerations, capacity: e.Capacity,
			matches: map[DeviceID]bool{}})
	}
	if len(out) == 0 { // neither: check says what is wrong
		out = append(out, &request{claim: claim, index: index, name: from.Name})
	}
	return out
}

// check finds a request's class, and how many devices it needs. Upstream: validateDeviceRequest.
func (a *allocation) check(claim *resourcev1.ResourceClaim, r *request) error {
	about := fmt.Sprintf("claim %s, request %s", key(claim), r.name)
	for i, s := range r.selectors {
		if s.CEL == nil {
			return fmt.Errorf("%s, selector #%d: CEL expression empty (unsupported selector type?)", about, i)
		}
	}
	if r.className == "" {
		return fmt.Errorf("%s: missing device class name (unsupported request type?)", about)
	}
	var err error
	if r.class, err = a.Class(r.className); err != nil {
		return fmt.Errorf("%s: could not retrieve device class %s: %w", about, r.className, err)
	}
	switch r.mode {
	case resourcev1.DeviceAllocationModeExactCount:
		r.devices = int(r.count)
	case resourcev1.DeviceAllocationModeAll:
		for _, p := range a.pools {
			if p.incomplete {
				return fmt.Errorf("%s: asks for all devices, but resource pool %s is currently being updated", about, p.poolID)
			}
			if p.invalid {
				return fmt.Errorf("%s: asks for all devices, but resource pool %s is currently invalid", about, p.poolID)
			}
			for _, s := range p.slices {
				for i := range s.Spec.Devices {
					c := candidate{p, s, &s.Spec.Devices[i], idOf(s, i)}
					selectable, err := a.isSelectable(r, c)
					if err != nil {
						return err
					}
					if selectable && a.enough(r, c) {
						r.all = append(r.all, c)
					}
				}
			}
		}
		r.devices = len(r.all)
	default:
		return fmt.Errorf("%s: unsupported count mode %s", about, r.mode)
	}
	return nil
}

package structured

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resourcev1"
)

// result is what was found for a claim, as it stands in its status. Upstream: the second half of Allocate.
func (a *allocation) result(index int) (*resourcev1.AllocationResult, error) {
	claim, out := a.claims[index], &resourcev1.AllocationResult{}
	for _, r := range a.results[index] {
		result := resourcev1.DeviceRequestAllocationResult{Request: r.request.fullName(), Driver: r.id.Driver, Pool: r.id.Pool, Device: r.id.Device,
			Tolerations: r.request.tolerations, BindingConditions: r.device.BindingConditions, BindingFailureConditions: r.device.BindingFailureConditions}
		if r.request.adminAccess {
			result.AdminAccess = &r.request.adminAccess
		}
		if r.shared {
			id := a.ShareID()
			result.ShareID = &id
		}
		if len(r.consumed) > 0 {
			result.ConsumedCapacity = r.consumed
		}
		out.Devices.Results = append(out.Devices.Results, result)
	}
	config := func(source resourcev1.AllocationConfigSource, requests []string, c resourcev1.DeviceConfiguration) {
		out.Devices.Config = append(out.Devices.Config, resourcev1.DeviceAllocationConfiguration{Source: source, Requests: requests, DeviceConfiguration: c})
	}
	// What a class says is there once for all requests that name it.
	from := map[string]int{}
	for i := range a.requests[index] {
		r := a.request(index, i)
		start, there := from[r.class.Name]
		if !there {
			start = len(out.Devices.Config)
			from[r.class.Name] = start
			for _, c := range r.class.Spec.Config {
				config(resourcev1.AllocationConfigSourceClass, nil, c.DeviceConfiguration)
			}
		}
		for j := range r.class.Spec.Config {
			c := &out.Devices.Config[start+j]
			c.Requests = append(c.Requests, r.fullName())
		}
	}
	for _, c := range claim.Spec.Devices.Config {
		if len(c.Requests) == 0 {
			config(resourcev1.AllocationConfigSourceClaim, nil, c.DeviceConfiguration)
		}
		for i := range a.requests[index] {
			r := a.request(index, i)
			if slices.Contains(c.Requests, r.base()) || slices.Contains(c.Requests, r.fullName()) {
				config(resourcev1.AllocationConfigSourceClaim, c.Requests, c.DeviceConfiguration)
			}
		}
	}
	var err error
	if out.NodeSelector, err = nodeSelector(a.results[index], a.node.Name); err != nil {
		return nil, fmt.Errorf("create NodeSelector for claim %s: %w", claim.Name, err)
	}
	return out, nil
}

// request is the alternative that was chosen.
func (a *allocation) request(claim, index int) *request {
	return a.requests[claim][index][a.chosen[claim][index]]
}

// nodeSelector selects the nodes that reach all devices; nil is all nodes. Upstream: createNodeSelector.
func nodeSelector(results []result, node string) (*corev1.NodeSelector, error) {
	var term corev1.NodeSelectorTerm
	for _, r := range results {
		name, selector := r.slice.Spec.NodeName, r.slice.Spec.NodeSelector
		if is(r.slice.Spec.PerDeviceNodeSelection) {
			name, selector = r.device.NodeName, r.device.NodeSelector
		}
		if name != nil || is(r.device.BindsToNode) { // one device that is local makes all of it local
			return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}}, nil
		}
		if selector == nil || len(selector.NodeSelectorTerms) == 0 {
			continue
		}
		if n := len(selector.NodeSelectorTerms); n > 1 {
			return nil, fmt.Errorf("unsupported ResourceSlice.NodeSelector with %d terms", n)
		}
		term.MatchFields = with(term.MatchFields, selector.NodeSelectorTerms[0].MatchFields)
		term.MatchExpressions = with(term.MatchExpressions, selector.NodeSelectorTerms[0].MatchExpressions)
	}
	if len(term.MatchFields)+len(term.MatchExpressions) == 0 {
		return nil, nil
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}, nil
}

// with adds the requirements that are not there yet.
func with(to, from []corev1.NodeSelectorRequirement) []corev1.NodeSelectorRequirement {
	for _, r := range from {
		if !slices.ContainsFunc(to, func(o corev1.NodeSelectorRequirement) bool {
			return o.Key == r.Key && o.Operator == r.Operator && slices.Equal(slices.Sorted(slices.Values(o.Values)), slices.Sorted(slices.Values(r.Values)))
		}) {
			to = append(to, r)
		}
	}
	return to
}

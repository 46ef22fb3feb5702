package structured

import (
	"cmp"
	"maps"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/nodeaffinity"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/resourcev1"
)

// DeviceID is what a device is called: its name is unique in a driver's pool.
type DeviceID struct{ Driver, Pool, Device string }

func (id DeviceID) String() string { return id.Driver + "/" + id.Pool + "/" + id.Device }

func idOf(s *resourcev1.ResourceSlice, device int) DeviceID {
	return DeviceID{s.Spec.Driver, s.Spec.Pool.Name, s.Spec.Devices[device].Name}
}

type poolID struct{ driver, name string }

func (id poolID) String() string { return id.driver + "/" + id.name }

func poolOf(s *resourcev1.ResourceSlice) poolID { return poolID{s.Spec.Driver, s.Spec.Pool.Name} }

// counters are by set and name.
type counters map[string]map[string]resource.Quantity

// pool is what a driver's pool offers to one node. Upstream: Pool.
type pool struct {
	poolID
	incomplete bool // not all slices of the newest generation are there
	invalid    bool
	slices     []*resourcev1.ResourceSlice // with devices for the node
	left       counters                    // of the shared counters
}

// onNode says whether what has these node's name, these nodes or this selector can be used on a node. Upstream: NodeMatches.
func onNode(node *corev1.Node, name *string, all *bool, selector *corev1.NodeSelector) bool {
	switch {
	case is(name):
		return *name == node.Name
	case is(all):
		return true
	case selector != nil:
		return nodeaffinity.Match(selector, node)
	}
	return false
}

// is says that a pointer leads to something that is not zero.
func is[T comparable](p *T) bool {
	var zero T
	return p != nil && *p != zero
}

// forNode says whether a slice matters for a node. Counters always do.
func forNode(s *resourcev1.ResourceSlice, node *corev1.Node) bool {
	switch {
	case len(s.Spec.SharedCounters) > 0:
		return true
	case is(s.Spec.PerDeviceNodeSelection):
		return slices.ContainsFunc(s.Spec.Devices, func(d resourcev1.Device) bool { return onNode(node, d.NodeName, d.AllNodes, d.NodeSelector) })
	}
	return onNode(node, s.Spec.NodeName, s.Spec.AllNodes, s.Spec.NodeSelector)
}

// gatherPools finds the pools with something for a node, of each the newest generation. Upstream: GatherPools.
func (a *Allocator) gatherPools(node *corev1.Node) (out []*pool) {
	relevant := map[poolID][]*resourcev1.ResourceSlice{}
	for _, s := range a.Slices {
		if !forNode(s, node) {
			continue
		}
		id := poolOf(s)
		known := relevant[id]
		switch {
		case len(known) == 0 || s.Spec.Pool.Generation > known[0].Spec.Pool.Generation:
			relevant[id] = []*resourcev1.ResourceSlice{s}
		case s.Spec.Pool.Generation == known[0].Spec.Pool.Generation:
			relevant[id] = append(known, s)
		}
	}
	ids := slices.SortedFunc(maps.Keys(relevant), func(x, y poolID) int {
		return cmp.Or(cmp.Compare(x.driver, y.driver), cmp.Compare(x.name, y.name))
	})
	for _, id := range ids {
		these := relevant[id]
		all, count := these, these[0].Spec.Pool.ResourceSliceCount
		if int64(len(these)) != count {
			// Others may be for other nodes.
			var obsolete bool
			if all, obsolete = a.slicesOf(id, these[0].Spec.Pool.Generation); obsolete {
				continue
			}
		}
		if int64(len(all)) != count {
			out = append(out, &pool{poolID: id, incomplete: true})
			continue
		}
		out = append(out, a.build(id, these, all))
	}
	return out
}

// slicesOf are all slices of a pool's generation; obsolete says that there is a newer one. Upstream: checkSlicesInPool.
func (a *Allocator) slicesOf(id poolID, generation int64) (out []*resourcev1.ResourceSlice, obsolete bool) {
	for _, s := range a.Slices {
		switch {
		case poolOf(s) != id || s.Spec.Pool.Generation < generation:
		case s.Spec.Pool.Generation > generation:
			return nil, true
		default:
			out = append(out, s)
		}
	}
	return out, false
}

// build makes a pool of the slices that matter for a node, and of all. Upstream: buildPool.
func (a *Allocator) build(id poolID, these, all []*resourcev1.ResourceSlice) *pool {
	p := &pool{poolID: id, left: counters{}}
	names := map[string]bool{}
	for _, s := range slices.SortedFunc(slices.Values(these), func(x, y *resourcev1.ResourceSlice) int { return cmp.Compare(x.Name, y.Name) }) {
		if len(s.Spec.SharedCounters) == 0 {
			p.slices = append(p.slices, s)
		}
		for _, d := range s.Spec.Devices {
			p.invalid = p.invalid || names[d.Name]
			names[d.Name] = true
		}
		for _, set := range s.Spec.SharedCounters {
			p.invalid = p.invalid || p.left[set.Name] != nil
			p.left[set.Name] = map[string]resource.Quantity{}
			for name, c := range set.Counters { // order: each fills its own key
				p.left[set.Name][name] = c.Value
			}
		}
	}
	for _, s := range all {
		for i := range s.Spec.Devices {
			d := &s.Spec.Devices[i]
			for _, c := range d.ConsumesCounters {
				for name := range c.Counters { // order: whether one is missing
					_, has := p.left[c.CounterSet][name]
					p.invalid = p.invalid || !has
				}
			}
			if !p.invalid && (a.Allocated[idOf(s, i)] || a.Shared[idOf(s, i)]) {
				p.left.consume(d)
			}
		}
	}
	if p.invalid {
		return &pool{poolID: id, invalid: true}
	}
	return p
}

// consume takes what a device needs, and says whether there was enough of it.
func (c counters) consume(d *resourcev1.Device) bool {
	enough := true
	c.each(d, func(left *resource.Quantity, of resource.Quantity) {
		left.Sub(of)
		enough = enough && left.Sign() >= 0
	})
	return enough
}

// giveBack undoes consume.
func (c counters) giveBack(d *resourcev1.Device) {
	c.each(d, func(left *resource.Quantity, of resource.Quantity) { left.Add(of) })
}

func (c counters) each(d *resourcev1.Device, do func(left *resource.Quantity, of resource.Quantity)) {
	for _, consumed := range d.ConsumesCounters {
		for name, of := range consumed.Counters { // order: each changes its own counter
			left := c[consumed.CounterSet][name]
			do(&left, of.Value)
			c[consumed.CounterSet][name] = left
		}
	}
}

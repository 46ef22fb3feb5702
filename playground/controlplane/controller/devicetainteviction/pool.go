package devicetainteviction

import (
	"maps"
	"slices"

	"kubewalk/playground/api/resourcev1"
)

type poolID struct{ driver, name string }

// pool is the ResourceSlices of a driver's pool, by name, of all generations. Upstream: pool.
type pool map[string]*resourcev1.ResourceSlice

// newest are the slices of the newest generation.
func (p pool) newest() (out []*resourcev1.ResourceSlice) {
	var generation int64
	for _, s := range p { // order: the largest
		generation = max(generation, s.Spec.Pool.Generation)
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if p[name].Spec.Pool.Generation == generation {
			out = append(out, p[name])
		}
	}
	return out
}

// device finds a device, and the slice that offers it. Upstream: getDevice.
func (p pool) device(name string) (*resourcev1.ResourceSlice, *resourcev1.Device) {
	for _, s := range p.newest() {
		for i := range s.Spec.Devices {
			if s.Spec.Devices[i].Name == name {
				return s, &s.Spec.Devices[i]
			}
		}
	}
	return nil, nil
}

// taints are the NoExecute taints of each device. Upstream: getTaintedDevices.
func (p pool) taints() map[string][]resourcev1.DeviceTaint {
	out := map[string][]resourcev1.DeviceTaint{}
	for _, s := range p.newest() {
		for _, d := range s.Spec.Devices {
			for _, t := range d.Taints {
				if t.Effect == resourcev1.DeviceTaintEffectNoExecute {
					out[d.Name] = append(out[d.Name], t)
				}
			}
		}
	}
	return out
}

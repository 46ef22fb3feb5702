package managedfields

import "kubewalk/playground/api"

// History is what writes meant for the owners of fields, by the version of the object that each of them made. Versions are
// of the whole store, so they tell objects apart too.
type History map[string][]Change

// Change is one write, or the owners that replaced those before.
type Change struct {
	Write    *Write
	Managers Managers // when Write is nil
}

// Add notes what a write meant that made a version of an object.
func (h History) Add(obj api.Object, c Change) {
	h[obj.GetResourceVersion()] = append(h[obj.GetResourceVersion()], c)
}

// Replay brings a journal over what made a version, and tells whether that changed it.
func (h History) Replay(j *Journal, ts *Types, version string) bool {
	changes := h[version]
	for _, c := range changes {
		if c.Write == nil {
			j.Set(c.Managers)
		} else {
			j.Note(ts, *c.Write, new(Allowance))
			j.Managers(ts)
		}
	}
	return len(changes) > 0
}

package managedfields

import (
	"fmt"
	"sort"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
)

// Manager says who wrote, how and where. Upstream: metav1.ManagedFieldsEntry without the fields.
type Manager struct {
	Name        string
	Operation   metav1.ManagedFieldsOperationType
	APIVersion  string
	Subresource string
}

// same says that two entries are of one manager: whoever applies is the same in every version.
// Upstream: managedfields/internal/managedfields.go, BuildManagerIdentifier.
func (m Manager) same(o Manager) bool {
	if m.Operation == metav1.ManagedFieldsOperationApply {
		o.APIVersion = m.APIVersion
	}
	return m == o
}

// String is the manager as messages of conflicts show it. Upstream: managedfields/internal/conflict.go, printManager.
func (m Manager) String() string {
	text := fmt.Sprintf("%q", m.Name)
	if m.Subresource != "" {
		text += fmt.Sprintf(" with subresource %q", m.Subresource)
	}
	if m.Operation == metav1.ManagedFieldsOperationUpdate {
		text += " using " + m.APIVersion
	}
	return text
}

// Owned is what one manager has.
type Owned struct {
	Manager
	Fields *Set
	Time   metav1.Time // when that last changed
}

// Managers are the owners of an object's fields, each once. The elements are not changed once they are in.
type Managers []*Owned

// find returns what a manager has, nil if that is nothing.
func (ms Managers) find(m Manager) *Owned {
	for _, o := range ms {
		if o.Manager.same(m) {
			return o
		}
	}
	return nil
}

// without is the list without one manager.
func (ms Managers) without(m Manager) Managers {
	out := make(Managers, 0, len(ms)+1)
	for _, o := range ms {
		if !o.Manager.same(m) {
			out = append(out, o)
		}
	}
	return out
}

// Conflicts are the fields that somebody else has, by manager. Upstream: structured-merge-diff/merge/conflict.go.
type Conflicts []Conflict

// Conflict is one field of another manager.
type Conflict struct {
	Manager Manager
	Path    string
	path    []string
}

// update takes what changed from everybody but one. Upstream: merge/update.go, Updater.update.
func (ms Managers) update(c *comparison, except Manager, force bool) (Managers, Conflicts) {
	changed := c.modified.Union(c.added)
	var conflicts Conflicts
	out := make(Managers, 0, len(ms)+1)
	for _, o := range ms {
		if o.Manager.same(except) {
			out = append(out, o)
			continue
		}
		theirs := o.Fields.Intersection(changed)
		theirs.each(nil, func(path []string) {
			conflicts = append(conflicts, Conflict{o.Manager, pathString(path), path})
		})
		left := o.Fields.Difference(theirs).Difference(c.removed)
		if !left.Empty() {
			out = append(out, &Owned{o.Manager, left, o.Time})
		}
	}
	if !force && len(conflicts) > 0 {
		return ms, conflicts
	}
	return out, nil
}

// Update gives a manager what it changed. ignored is what a write at its place cannot change.
// Upstream: merge/update.go, Updater.Update; managedfields/internal/managedfieldsupdater.go.
func (ms Managers) Update(t *Type, old, new any, m Manager, ignored *Set, at time.Time) Managers {
	c := t.compare(old, new)
	for _, set := range []**Set{&c.added, &c.modified, &c.removed} {
		*set = (*set).RecursiveDifference(ignored).Difference(stripped)
	}
	if c.added.Empty() && c.modified.Empty() && c.removed.Empty() {
		return ms
	}
	out, _ := ms.update(c, Manager{}, true)
	mine := c.modified.Union(c.added)
	if mine.Empty() {
		return out
	}
	if before := out.find(m); before != nil {
		mine = mine.Union(before.Fields)
	}
	return append(out.without(m), &Owned{m, mine, metav1.NewTime(at.UTC().Truncate(time.Second))}).capped()
}

// Apply works out what an object becomes when a manager applies a configuration to it.
// Upstream: merge/update.go, Updater.Apply.
func (ms Managers) Apply(t *Type, live, config any, m Manager, ignored *Set, force bool, at time.Time) (any, Managers, Conflicts) {
	m.Operation = metav1.ManagedFieldsOperationApply
	var last *Set
	var before *Owned
	if before = ms.find(m); before != nil {
		last = before.Fields
	}
	merged := t.merge(live, config, true, true)
	applied := t.toFieldSet(config).RecursiveDifference(ignored)
	set := applied.Difference(stripped)
	mine := &Owned{m, set, metav1.NewTime(at.UTC().Truncate(time.Second))}
	all := append(ms.without(m), mine)
	// The name, which nobody owns, keeps the metadata there.
	merged = append(ms.without(m), &Owned{m, applied, mine.Time}).prune(t, merged, last)
	c := t.compare(live, merged)
	for _, s := range []**Set{&c.added, &c.modified, &c.removed} {
		*s = (*s).RecursiveDifference(ignored).Difference(stripped)
	}
	out, conflicts := all.update(c, m, force)
	if conflicts != nil {
		return nil, ms, conflicts
	}
	if set.Empty() {
		out = out.without(m)
	}
	if before != nil && api.SameTree(live, merged) && before.Fields.String() == set.String() {
		mine.Time = before.Time
	}
	return merged, out, nil
}

// prune takes away what the manager applied last time (last), does not apply now, and nobody else has.
// Upstream: merge/update.go, Updater.prune.
func (ms Managers) prune(t *Type, merged any, last *Set) any {
	if last.Empty() {
		return merged
	}
	last = last.ensureNamedFieldsAreMembers(t)
	pruned := t.remove(merged, last)
	// What somebody has comes back. Upstream: addBackOwnedItems.
	managed := &Set{}
	for _, o := range ms {
		managed = managed.Union(o.Fields)
	}
	managed = managed.ensureNamedFieldsAreMembers(t)
	had := t.toFieldSet(merged).ensureNamedFieldsAreMembers(t)
	kept := t.toFieldSet(pruned).ensureNamedFieldsAreMembers(t)
	pruned = t.remove(merged, had.Difference(kept.Union(managed)))
	// And what the manager never had. Upstream: addBackDanglingItems.
	kept = t.toFieldSet(pruned).ensureNamedFieldsAreMembers(t)
	return t.remove(merged, had.Difference(kept).Intersection(last))
}

// maxUpdateManagers is how many may have updated an object before the oldest become one.
// Upstream: managedfields/fieldmanager.go, DefaultMaxUpdateManagers.
const maxUpdateManagers = 10

// ancientChanges is the name of those.
const ancientChanges = "ancient-changes"

// capped keeps the list short. Upstream: managedfields/internal/capmanagers.go, capManagersManager.
func (ms Managers) capped() Managers {
	var updaters Managers
	for _, o := range ms {
		if o.Operation == metav1.ManagedFieldsOperationUpdate && o.Subresource == "" {
			updaters = append(updaters, o)
		}
	}
	if len(updaters) <= maxUpdateManagers {
		return ms
	}
	sort.SliceStable(updaters, func(i, j int) bool { return updaters[i].Time.Time.Before(updaters[j].Time.Time) })
	for len(updaters) > maxUpdateManagers {
		a, b := updaters[0], updaters[1]
		bucket := Manager{Name: ancientChanges, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: a.APIVersion}
		joined := &Owned{bucket, a.Fields.Union(b.Fields), b.Time}
		ms = append(ms.without(a.Manager).without(b.Manager), joined)
		updaters = append(Managers{joined}, updaters[2:]...)
	}
	return ms
}

// stripped are the fields that nobody owns: what only the server writes, or what names the object.
// Upstream: managedfields/internal/stripmeta.go.
var stripped = NewSet(
	[]string{"f:apiVersion"}, []string{"f:kind"}, []string{"f:metadata"},
	[]string{"f:metadata", "f:name"}, []string{"f:metadata", "f:namespace"}, []string{"f:metadata", "f:creationTimestamp"},
	[]string{"f:metadata", "f:selfLink"}, []string{"f:metadata", "f:uid"}, []string{"f:metadata", "f:generation"},
	[]string{"f:metadata", "f:managedFields"}, []string{"f:metadata", "f:resourceVersion"},
)

// Entries is metadata.managedFields: who applies comes first, then by time and name.
// Upstream: managedfields/internal/managedfields.go, sortEncodedManagedFields.
func (ms Managers) Entries() []metav1.ManagedFieldsEntry {
	out := make([]metav1.ManagedFieldsEntry, 0, len(ms))
	for _, o := range ms {
		out = append(out, metav1.ManagedFieldsEntry{
			Manager: o.Name, Operation: o.Operation, APIVersion: o.APIVersion, Time: &o.Time,
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(o.Fields.String()), Subresource: o.Subresource,
		})
	}
	sort.SliceStable(out, func(i, j int) bool {
		p, q := &out[i], &out[j]
		switch {
		case p.Operation != q.Operation:
			return p.Operation < q.Operation
		case p.Time.Unix() != q.Time.Unix():
			return p.Time.Unix() < q.Time.Unix()
		case p.Manager != q.Manager:
			return p.Manager < q.Manager
		case p.APIVersion != q.APIVersion:
			return p.APIVersion < q.APIVersion
		}
		return p.Subresource < q.Subresource
	})
	return out
}

// FromEntries reads metadata.managedFields. Upstream: managedfields/internal/managedfields.go, DecodeManagedFields.
func FromEntries(entries []metav1.ManagedFieldsEntry) (Managers, error) {
	var out Managers
	for i := range entries {
		e := &entries[i]
		set := &Set{}
		if text := e.FieldsV1.GetRawString(); text != "" {
			var err error
			if set, err = ParseSet(text); err != nil {
				return nil, fmt.Errorf("error decoding manager from %v: %v", e.Manager, err)
			}
		}
		o := &Owned{Manager: Manager{e.Manager, e.Operation, e.APIVersion, e.Subresource}, Fields: set}
		if e.Time != nil {
			o.Time = *e.Time
		}
		out = append(out, o)
	}
	return out, nil
}

// Package consistency keeps a controller from acting on a cache that is older
// than its own last write. Expectations (package controller) count Pods; this
// compares resource versions, and so catches the rest: a status that was
// written and not yet read back, a Pod that was adopted.
//
// Upstream: pkg/controller/util/consistency, behind the feature gate
// StaleControllerConsistencyReplicaSet, on by default since 1.36.
package consistency

import (
	"fmt"
	"sort"
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// LastSyncRVGetter tells how far a cache is: the newest revision it has seen.
type LastSyncRVGetter interface {
	LastStoreSyncResourceVersion() string
}

// Store remembers for each owner the newest resource version that was written
// of each resource on its behalf.
type Store struct {
	writes map[types.NamespacedName]*ownerRecord
	stores map[api.GroupResource]LastSyncRVGetter
	order  []api.GroupResource
}

// ownerRecord belongs to one UID: a new object of the same name starts clean.
type ownerRecord struct {
	uid      types.UID
	versions map[api.GroupResource]string
}

// NewConsistencyStore compares with these caches of a component; a forgetful one
// compares with none.
func NewConsistencyStore(c *sim.Component, stores map[api.GroupResource]LastSyncRVGetter) *Store {
	if c.Is(sim.Forgetful) {
		stores = nil
	}
	s := &Store{writes: map[types.NamespacedName]*ownerRecord{}, stores: stores}
	for gr := range stores { // order: sorted below
		s.order = append(s.order, gr)
	}
	sort.Slice(s.order, func(i, j int) bool { return s.order[i].String() < s.order[j].String() })
	return s
}

// WroteAt records a write. Older versions than the newest known change nothing.
func (s *Store) WroteAt(owner types.NamespacedName, uid types.UID, resource api.GroupResource, version string) {
	record := s.writes[owner]
	if record == nil || record.uid != uid {
		record = &ownerRecord{uid, map[api.GroupResource]string{}}
		s.writes[owner] = record
	}
	if newer, ok := newer(record.versions[resource], version); ok && newer {
		return
	}
	record.versions[resource] = version
}

// Clear forgets an owner of that UID, or of any when uid is empty.
func (s *Store) Clear(owner types.NamespacedName, uid types.UID) {
	if record := s.writes[owner]; record != nil && (uid == "" || record.uid == uid) {
		delete(s.writes, owner)
	}
}

// EnsureReady returns a *Error while a cache is behind what was written for
// the owner. Versions that can't be compared block nothing.
func (s *Store) EnsureReady(owner types.NamespacedName) error {
	record := s.writes[owner]
	if record == nil {
		return nil
	}
	for _, gr := range s.order {
		wrote, ok := record.versions[gr]
		if !ok {
			continue
		}
		read := s.stores[gr].LastStoreSyncResourceVersion()
		if behind, ok := newer(wrote, read); ok && behind {
			return &Error{ReadRV: read, WroteRV: wrote, GroupResource: gr}
		}
	}
	s.Clear(owner, record.uid)
	return nil
}

// newer tells whether version a is newer than b; ok is false when either is no number.
func newer(a, b string) (is, ok bool) {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	return x > y, errX == nil && errY == nil
}

// Error says which cache is behind. Upstream: ConsistencyError.
type Error struct {
	ReadRV, WroteRV string
	GroupResource   api.GroupResource
}

func (e *Error) Error() string {
	return fmt.Sprintf("read version: %s is not as new as written version: %s for group resource %s", e.ReadRV, e.WroteRV, e.GroupResource)
}

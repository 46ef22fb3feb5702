package controller

import (
	"fmt"
	"sort"
	"time"

	"kubewalk/playground/sim"
)

// ExpectationsTimeout is after how long a controller stops waiting for what it
// caused to arrive in its cache, and works with what it sees.
const ExpectationsTimeout = 5 * time.Minute

// ControllerExpectations remembers, for each controller (the key of a
// ReplicaSet), how many Pods it has asked for or deleted and has not yet seen
// coming or going in its cache. While some are outstanding the cache is known
// to be behind, and counting Pods in it would create or delete some twice.
//
// Only the sync sets expectations; only the event handlers lower them.
//
// Upstream: pkg/controller/controller_utils.go, ControllerExpectations.
type ControllerExpectations struct {
	elapsed func() time.Duration
	timeout time.Duration
	byKey   map[string]*ControlleeExpectations
}

// NewControllerExpectations returns an empty table of a component. Those of a
// forgetful one have expired when they are set.
func NewControllerExpectations(c *sim.Component) *ControllerExpectations {
	r := &ControllerExpectations{elapsed: c.Kernel().Elapsed, timeout: ExpectationsTimeout, byKey: map[string]*ControlleeExpectations{}}
	if c.Is(sim.Forgetful) {
		r.timeout = -1
	}
	return r
}

// ControlleeExpectations is what one controller waits for. The counts can go
// below zero, when an event is seen twice.
type ControlleeExpectations struct {
	add, del int64
	key      string
	since    time.Duration
	timeout  time.Duration
	elapsed  func() time.Duration
}

// Add adds to what is expected.
func (e *ControlleeExpectations) Add(add, del int64) { e.add, e.del = e.add+add, e.del+del }

// Fulfilled is true when nothing is outstanding.
func (e *ControlleeExpectations) Fulfilled() bool { return e.add <= 0 && e.del <= 0 }

// GetExpectations returns how many creations and deletions are outstanding.
func (e *ControlleeExpectations) GetExpectations() (add, del int64) { return e.add, e.del }

func (e *ControlleeExpectations) isExpired() bool { return e.elapsed()-e.since > e.timeout }

func (e *ControlleeExpectations) String() string {
	return fmt.Sprintf("add %d, del %d, key %s", e.add, e.del, e.key)
}

// GetExpectations returns what a controller waits for.
func (r *ControllerExpectations) GetExpectations(key string) (*ControlleeExpectations, bool) {
	e, ok := r.byKey[key]
	return e, ok
}

// DeleteExpectations forgets a controller, because it is gone.
func (r *ControllerExpectations) DeleteExpectations(_ sim.Logger, key string) { delete(r.byKey, key) }

// SatisfiedExpectations tells whether the controller may act on its cache:
// everything it caused was seen, or the wait took too long, or it never waited.
func (r *ControllerExpectations) SatisfiedExpectations(log sim.Logger, key string) bool {
	e, ok := r.byKey[key]
	switch {
	case !ok:
		// A new controller, one whose expectations were deleted, or the first
		// sync after a restart.
		log.V(4).Info("Controller either never recorded expectations, or the ttl expired", "controller", key)
		return true
	case e.Fulfilled():
		log.V(4).Info("Controller expectations fulfilled", "expectations", e)
		return true
	case e.isExpired():
		log.V(4).Info("Controller expectations expired", "expectations", e)
		return true
	}
	log.V(4).Info("Controller still waiting on expectations", "expectations", e)
	return false
}

// SetExpectations starts a new wait. What was outstanding is forgotten.
func (r *ControllerExpectations) SetExpectations(log sim.Logger, key string, add, del int) {
	e := &ControlleeExpectations{add: int64(add), del: int64(del), key: key, since: r.elapsed(), timeout: r.timeout, elapsed: r.elapsed}
	log.V(4).Info("Setting expectations", "expectations", e)
	r.byKey[key] = e
}

// ExpectCreations starts a wait for Pods to appear.
func (r *ControllerExpectations) ExpectCreations(log sim.Logger, key string, adds int) {
	r.SetExpectations(log, key, adds, 0)
}

// ExpectDeletions starts a wait for a number of Pods to go.
func (r *ControllerExpectations) ExpectDeletions(log sim.Logger, key string, dels int) {
	r.SetExpectations(log, key, 0, dels)
}

// LowerExpectations takes off what was seen, or will never be.
func (r *ControllerExpectations) LowerExpectations(log sim.Logger, key string, add, del int) {
	if e, ok := r.byKey[key]; ok {
		e.Add(int64(-add), int64(-del))
		log.V(4).Info("Lowered expectations", "expectations", e)
	}
}

// RaiseExpectations adds to a wait that has started.
func (r *ControllerExpectations) RaiseExpectations(log sim.Logger, key string, add, del int) {
	if e, ok := r.byKey[key]; ok {
		e.Add(int64(add), int64(del))
		log.V(4).Info("Raised expectations", "expectations", e)
	}
}

// CreationObserved takes one creation off.
func (r *ControllerExpectations) CreationObserved(log sim.Logger, key string) {
	r.LowerExpectations(log, key, 1, 0)
}

// DeletionObserved takes one deletion off.
func (r *ControllerExpectations) DeletionObserved(log sim.Logger, key string) {
	r.LowerExpectations(log, key, 0, 1)
}

// UIDTrackingControllerExpectations knows which Pods it waits to see deleted,
// so that a Pod counts once: a graceful deletion is seen twice, first with a
// deletion timestamp, then gone.
//
// Upstream: pkg/controller/controller_utils.go, UIDTrackingControllerExpectations.
// The identities are "namespace/name" there as well, despite the name.
type UIDTrackingControllerExpectations struct {
	*ControllerExpectations
	deleting map[string]map[string]struct{}
}

// NewUIDTrackingControllerExpectations wraps a table.
func NewUIDTrackingControllerExpectations(ce *ControllerExpectations) *UIDTrackingControllerExpectations {
	return &UIDTrackingControllerExpectations{ce, map[string]map[string]struct{}{}}
}

// GetUIDs lists the Pods that a controller still waits to see deleted, sorted.
func (u *UIDTrackingControllerExpectations) GetUIDs(controllerKey string) []string {
	var out []string
	for pod := range u.deleting[controllerKey] {
		out = append(out, pod)
	}
	sort.Strings(out)
	return out
}

// ExpectDeletions starts a wait for these Pods to go.
func (u *UIDTrackingControllerExpectations) ExpectDeletions(log sim.Logger, key string, podKeys []string) {
	if existing := u.GetUIDs(key); len(existing) > 0 {
		log.Error(nil, "Clobbering existing delete keys", "keys", existing)
	}
	set := make(map[string]struct{}, len(podKeys))
	for _, k := range podKeys {
		set[k] = struct{}{}
	}
	u.deleting[key] = set
	u.ControllerExpectations.ExpectDeletions(log, key, len(set))
}

// DeletionObserved takes a Pod off, if it was waited for.
func (u *UIDTrackingControllerExpectations) DeletionObserved(log sim.Logger, key, podKey string) {
	set := u.deleting[key]
	if _, ok := set[podKey]; !ok {
		return
	}
	log.V(4).Info("Controller received delete for pod", "controller", key, "key", podKey)
	u.ControllerExpectations.DeletionObserved(log, key)
	delete(set, podKey)
}

// DeleteExpectations forgets a controller and the Pods it waited for.
func (u *UIDTrackingControllerExpectations) DeleteExpectations(log sim.Logger, key string) {
	u.ControllerExpectations.DeleteExpectations(log, key)
	delete(u.deleting, key)
}

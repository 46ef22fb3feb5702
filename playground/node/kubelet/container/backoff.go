package container

import (
	"time"

	"kubewalk/playground/sim"
)

// Backoff doubles the wait after each failure of the same thing.
// Upstream: k8s.io/client-go/util/flowcontrol/backoff.go.
type Backoff struct {
	initial, max time.Duration
	// expired tells whether what happened at a time is so long after the last
	// failure that counting starts anew.
	expired func(event, lastUpdate, max time.Duration) bool
	entries map[string]*backoffEntry
}

type backoffEntry struct {
	backoff    time.Duration
	lastUpdate time.Duration
}

// NewBackOff waits initial after the first failure and at most max, or not at
// all in a hasty component. An entry expires after twice max, unless expired
// says something else.
func NewBackOff(c *sim.Component, initial, max time.Duration, expired func(event, lastUpdate, max time.Duration) bool) *Backoff {
	if expired == nil {
		expired = func(event, lastUpdate, max time.Duration) bool { return event-lastUpdate > 2*max }
	}
	if c.Is(sim.Hasty) {
		initial, max = 0, 0
	}
	return &Backoff{initial: initial, max: max, expired: expired, entries: map[string]*backoffEntry{}}
}

// NewCrashLoopBackOff is for containers: 10 s, doubled up to 5 min, anew for a
// container that ran for 10 min. Upstream: kubelet.go newCrashLoopBackOff.
func NewCrashLoopBackOff(c *sim.Component) *Backoff {
	return NewBackOff(c, 10*time.Second, 300*time.Second, func(event, lastUpdate, _ time.Duration) bool {
		return event-lastUpdate > 600*time.Second
	})
}

// Get is the present wait; 0 if there is none.
func (b *Backoff) Get(id string) time.Duration {
	if e := b.entries[id]; e != nil {
		return e.backoff
	}
	return 0
}

// Next makes the wait longer, because of something that happened at that time.
func (b *Backoff) Next(id string, event, now time.Duration) {
	e := b.entries[id]
	if e == nil || b.expired(event, e.lastUpdate, b.max) {
		e = &backoffEntry{backoff: b.initial}
		b.entries[id] = e
	} else {
		e.backoff = min(2*e.backoff, b.max)
	}
	e.lastUpdate = now
}

// Reset forgets a thing's failures.
func (b *Backoff) Reset(id string) { delete(b.entries, id) }

// IsInBackOffSince tells whether less than the wait has passed since event.
func (b *Backoff) IsInBackOffSince(id string, event, now time.Duration) bool {
	e := b.entries[id]
	return e != nil && !b.expired(event, e.lastUpdate, b.max) && now-event < e.backoff
}

// IsInBackOffSinceUpdate tells whether less than the wait had passed at event
// since the last Next.
func (b *Backoff) IsInBackOffSinceUpdate(id string, event time.Duration) bool {
	e := b.entries[id]
	return e != nil && !b.expired(event, e.lastUpdate, b.max) && event-e.lastUpdate < e.backoff
}

// Until is when the wait that began with the last Next is over.
func (b *Backoff) Until(id string) (at time.Duration, ok bool) {
	e := b.entries[id]
	if e == nil {
		return 0, false
	}
	return e.lastUpdate + e.backoff, true
}

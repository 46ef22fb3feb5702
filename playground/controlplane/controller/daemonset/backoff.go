package daemonset

import "time"

// The waits between replacements of a Pod that fails on a node: 1 s, then twice
// as long each time up to 15 minutes.
const (
	failedPodsBackoffInitial = time.Second
	failedPodsBackoffMax     = 15 * time.Minute
)

// backoff knows for each key how long to wait. One that was left alone for
// twice the longest wait starts anew. Upstream: client-go/util/flowcontrol, Backoff.
type backoff struct{ entries map[string]*backoffEntry }

type backoffEntry struct {
	wait time.Duration
	last time.Duration // when it was last acted on, on the kernel's clock
}

func newBackoff() *backoff { return &backoff{map[string]*backoffEntry{}} }

// Get is the wait of a key.
func (b *backoff) Get(key string) time.Duration {
	if e := b.entries[key]; e != nil {
		return e.wait
	}
	return 0
}

// IsInBackOffSinceUpdate tells whether a key has to wait still.
func (b *backoff) IsInBackOffSinceUpdate(key string, now time.Duration) bool {
	e := b.entries[key]
	return e != nil && now-e.last <= 2*failedPodsBackoffMax && now-e.last < e.wait
}

// Next notes that a key is acted on now, and makes its next wait longer.
func (b *backoff) Next(key string, now time.Duration) {
	b.gc(now)
	e := b.entries[key]
	if e == nil {
		b.entries[key] = &backoffEntry{failedPodsBackoffInitial, now}
		return
	}
	e.wait, e.last = min(2*e.wait, failedPodsBackoffMax), now
}

// gc forgets what was left alone for twice the longest wait.
func (b *backoff) gc(now time.Duration) {
	for key, e := range b.entries { // order: each by itself
		if now-e.last > 2*failedPodsBackoffMax {
			delete(b.entries, key)
		}
	}
}

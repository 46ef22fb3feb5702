// Package mailbox is what a kubelet's loops wait at: a queue in virtual time,
// where upstream has a Go channel.
//
// A Box has one reader. Whoever puts something in never waits. Each item
// carries the event that was the cause when it was put in, and reading it makes
// the reader due to that event, so that "why did that happen?" can be asked
// across the hand-over. A reader is woken only while it waits at the box: what
// arrives while it is busy elsewhere (a call to the runtime, a request) does not
// disturb that other wait.
package mailbox

import (
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Box holds items until its reader takes them, first in, first out.
type Box[T any] struct {
	kernel  *sim.Kernel
	items   []item[T]
	reader  *sim.Proc
	waiting bool // the reader is parked at this box, and nobody has woken it yet
}

type item[T any] struct {
	value T
	cause trace.ID
}

// New returns an empty box.
func New[T any](k *sim.Kernel) *Box[T] { return &Box[T]{kernel: k} }

// Put adds an item and wakes the reader.
func (b *Box[T]) Put(v T) {
	b.items = append(b.items, item[T]{v, b.kernel.Cause()})
	if b.waiting {
		b.waiting = false
		b.reader.Wake()
	}
}

// Len is how many items wait.
func (b *Box[T]) Len() int { return len(b.items) }

// TryGet takes the oldest item, if there is one.
func (b *Box[T]) TryGet(p *sim.Proc) (v T, ok bool) {
	if len(b.items) == 0 {
		return v, false
	}
	first := b.items[0]
	b.items[0] = item[T]{}
	b.items = b.items[1:]
	p.Due(first.cause)
	return first.value, true
}

// Get takes the oldest item and waits for one if there is none.
func (b *Box[T]) Get(p *sim.Proc) T {
	for len(b.items) == 0 {
		b.reader, b.waiting = p, true
		p.Park()
	}
	b.waiting = false
	v, _ := b.TryGet(p)
	return v
}

// GetUntil is Get, but waits no longer than up to that time (since the epoch).
func (b *Box[T]) GetUntil(p *sim.Proc, deadline time.Duration) (v T, ok bool) {
	for len(b.items) == 0 {
		left := deadline - p.Now()
		if left <= 0 {
			b.waiting = false
			return v, false
		}
		b.reader, b.waiting = p, true
		p.ParkFor(left)
	}
	b.waiting = false
	return b.TryGet(p)
}

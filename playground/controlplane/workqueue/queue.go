package workqueue

import (
	"fmt"
	"reflect"
	"slices"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// TypedInterface is a queue of keys.
// Upstream: client-go/util/workqueue/queue.go TypedInterface.
type TypedInterface[T comparable] interface {
	// Add marks an item as one that has to be processed.
	Add(item T)
	// Len is how many items wait, without those that are put off or being processed.
	Len() int
	// Get waits for an item. With shutdown true there is none, and will never be.
	// Every item has to be given back with Done.
	Get(p *sim.Proc) (item T, shutdown bool)
	// Done says that processing is over, well or badly.
	Done(item T)
	// ShutDown makes Add do nothing and Get return shutdown once the queue is empty.
	ShutDown()
	// ShutDownWithDrain is ShutDown, and waits until what is in the queue was processed.
	ShutDownWithDrain(p *sim.Proc)
	// ShuttingDown tells whether one of the two was called.
	ShuttingDown() bool
}

// TypedQueueConfig says how a queue is called.
type TypedQueueConfig struct {
	// Name is the queue's name in the trace, "replicaset". It has to be the
	// only queue of that name in the world.
	Name string
}

// NewTypedWithConfig returns an empty queue of a component. Items that are not
// strings are shown by their String method, or as fmt prints them; two items
// have to differ in that text. Pointers need the method: an address is another
// one in every run.
func NewTypedWithConfig[T comparable](c *sim.Component, config TypedQueueConfig) TypedInterface[T] {
	return newRateLimiting[T](c, nil, config.Name)
}

// checkItems panics if items have no text.
func checkItems[T comparable]() {
	if t := reflect.TypeFor[T](); t.Kind() == reflect.Pointer && !t.Implements(reflect.TypeFor[fmt.Stringer]()) {
		panic(fmt.Sprintf("workqueue: items of type %s have no text of their own (give them a method String)", t))
	}
}

func newTyped[T comparable](c *sim.Component, name string) *Typed[T] {
	if name == "" {
		name = c.Name()
	}
	return &Typed[T]{
		component:  c,
		name:       name,
		about:      trace.Attr{Key: "queue", Value: name},
		dirty:      map[T]trace.ID{},
		processing: map[T]string{},
	}
}

// Typed is a work queue. Upstream: queue.go Typed.
type Typed[T comparable] struct {
	component *sim.Component
	name      string
	about     trace.Attr // the name, as every event says it

	// queue is the order in which items are handed out. Each of them is in
	// dirty and not in processing.
	queue   []T
	longest int // the queue, since it was last made
	// dirty are the items that have to be processed, with the event of the
	// first Add since they were last taken.
	dirty map[T]trace.ID
	// processing are the items that a worker has, with the worker's name. An
	// item may be in dirty too: then Done puts it into the queue again.
	processing map[T]string

	shuttingDown bool
	getters      []*getter // who waits in Get, longest first
	drainers     []*sim.Proc

	// What the queues around this one know of an item; either may be nil.
	delayed  func(T) (entry *waitFor, ok bool)
	failures func(T) int
}

// getter is a process that waits for an item.
type getter struct {
	proc  *sim.Proc
	woken bool
}

// Name is what the queue is called in the trace.
func (q *Typed[T]) Name() string { return q.name }

// Len is how many items wait to be taken.
func (q *Typed[T]) Len() int { return len(q.queue) }

// Add marks an item as one that has to be processed. The event that is the
// cause now will be why the item is processed, if it isn't dirty already.
func (q *Typed[T]) Add(item T) {
	if q.shuttingDown || !q.component.Running() {
		return
	}
	if _, dirty := q.dirty[item]; dirty {
		q.emit(trace.QueueAdd, item, "outcome", "merged")
		return
	}
	q.dirty[item] = 0
	if _, processing := q.processing[item]; processing {
		q.dirty[item] = q.emit(trace.QueueAdd, item, "outcome", "dirty")
		return
	}
	if len(q.queue) == cap(q.queue) { // append would grow a long queue by a quarter, and copy it four times as often
		q.queue = slices.Grow(q.queue, max(4, len(q.queue)))
	}
	q.queue = append(q.queue, item)
	q.longest = max(q.longest, len(q.queue))
	if cause := q.emit(trace.QueueAdd, item, "outcome", "queued"); cause != 0 {
		q.dirty[item] = cause
	}
	q.signal()
}

// mostKept is how long a queue may have been without giving back its memory once it is empty.
const mostKept = 1024

// shrink gives back what a large cluster's first list has filled: maps never get smaller by themselves.
func (q *Typed[T]) shrink() {
	if q.longest > mostKept && len(q.dirty) == 0 && len(q.processing) == 0 {
		q.queue, q.dirty, q.processing, q.longest = nil, map[T]trace.ID{}, map[T]string{}, 0
	}
}

// Get takes the item that has waited longest, and waits until there is one.
// The process becomes due to the item's first Add.
func (q *Typed[T]) Get(p *sim.Proc) (item T, shutdown bool) {
	if len(q.queue) == 0 || len(q.getters) > 0 {
		q.wait(p)
	}
	if len(q.queue) == 0 {
		return item, true
	}
	item = q.queue[0]
	var zero T
	q.queue[0] = zero
	q.queue = q.queue[1:]
	p.Due(q.dirty[item])
	delete(q.dirty, item)
	q.processing[item] = p.Name()
	if q.component.Kernel().Trace().Keeps(trace.QueueGet) {
		deltas := make([]trace.Delta, 0, len(q.queue)+2)
		var key any = text(item)
		deltas = append(deltas, trace.Set(q.worker(p.Name()), key))
		deltas = append(deltas, q.delta(item, -1))
		for i, waiting := range q.queue { // everybody moves up
			deltas = append(deltas, q.delta(waiting, i))
		}
		attrs := []trace.Attr{q.about, {Key: "key", Value: key}}
		if q.failures != nil && q.failures(item) > 0 {
			attrs = trace.AppendAttrs(attrs, "failures", q.failures(item))
		}
		p.Due(p.Emit(trace.QueueGet, trace.Ref{}, attrs, deltas...))
	}
	q.signal()
	p.Work()
	return item, false
}

// wait returns when it is the process' turn: there is an item, or none will come.
func (q *Typed[T]) wait(p *sim.Proc) {
	me := &getter{proc: p}
	q.getters = append(q.getters, me)
	for !(q.getters[0] == me && (len(q.queue) > 0 || q.shuttingDown)) {
		p.Park()
		me.woken = false
	}
	q.getters = q.getters[1:]
	if q.shuttingDown {
		q.signal() // the next one has to learn of it too
	}
}

// signal wakes who has waited longest, if there is something for him. Nobody is
// woken twice: a second Wake would cut short whatever he waits for next.
func (q *Typed[T]) signal() {
	if len(q.getters) == 0 || len(q.queue) == 0 && !q.shuttingDown {
		return
	}
	if g := q.getters[0]; !g.woken {
		g.woken = true
		g.proc.Wake()
	}
}

// Done says that processing is over. An item that was added meanwhile goes to
// the end of the queue.
func (q *Typed[T]) Done(item T) {
	worker, processing := q.processing[item]
	if !processing || !q.component.Running() {
		return
	}
	delete(q.processing, item)
	q.shrink()
	_, again := q.dirty[item]
	position := -1
	if again {
		position = len(q.queue)
		q.queue = append(q.queue, item)
	}
	k := q.component.Kernel()
	if k.Trace().Keeps(trace.QueueDone) {
		k.Emit(trace.QueueDone, trace.Ref{}, []trace.Attr{q.about, {Key: "key", Value: text(item)}, {Key: "again", Value: again}},
			trace.Set(q.worker(worker), ""), q.delta(item, position))
	}
	if again {
		q.signal()
	}
	if len(q.processing) == 0 && len(q.queue) == 0 {
		for _, p := range q.drainers {
			p.Wake()
		}
		q.drainers = nil
	}
}

// ShutDown makes Add do nothing. Workers get what is in the queue, and then shutdown.
func (q *Typed[T]) ShutDown() {
	q.shuttingDown = true
	q.signal()
}

// ShutDownWithDrain is ShutDown, and waits until everything was processed.
func (q *Typed[T]) ShutDownWithDrain(p *sim.Proc) {
	q.ShutDown()
	for len(q.processing) > 0 || len(q.queue) > 0 {
		q.drainers = append(q.drainers, p)
		p.Park()
	}
}

// ShuttingDown tells whether ShutDown was called.
func (q *Typed[T]) ShuttingDown() bool { return q.shuttingDown }

func text(item any) string {
	switch item := item.(type) {
	case string:
		return item
	case fmt.Stringer:
		return item.String()
	}
	return fmt.Sprint(item)
}

func (q *Typed[T]) worker(name string) trace.Cell {
	return trace.Cell{Kind: trace.CellWorker, Owner: q.component.Name(), Key: name}
}

// delta is what the reader sees of an item, after it moved to a position.
func (q *Typed[T]) delta(item T, position int) trace.Delta {
	cell := trace.Cell{Kind: trace.CellQueue, Owner: q.name, Key: text(item)}
	v := trace.QueueItem{Position: position}
	_, v.Dirty = q.dirty[item]
	_, v.Processing = q.processing[item]
	delayed := false
	if q.delayed != nil {
		var entry *waitFor
		if entry, delayed = q.delayed(item); delayed {
			v.Delayed = entry.readyAt
		}
	}
	if !v.Dirty && !v.Processing && !delayed {
		return trace.Unset(cell)
	}
	if q.failures != nil {
		v.Failures = q.failures(item)
	}
	return trace.Set(cell, v)
}

// position of an item that waits; -1 for others.
func (q *Typed[T]) position(item T) int {
	for i, waiting := range q.queue {
		if waiting == item {
			return i
		}
	}
	return -1
}

// emit records what happened to an item, where it stands after that, and
// returns what will be the cause of processing it.
func (q *Typed[T]) emit(op trace.Op, item T, kv ...any) trace.ID {
	k := q.component.Kernel()
	if !k.Trace().Keeps(op) {
		return k.Cause()
	}
	var attrs [6]trace.Attr
	said := trace.AppendAttrs(append(attrs[:0], q.about, trace.Attr{Key: "key", Value: text(item)}), kv...)
	return k.Emit(op, trace.Ref{}, said, q.delta(item, q.position(item)))
}

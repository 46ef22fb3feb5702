// Package sim is the only source of time, order and chance.
//
// A Kernel runs one thing at a time. What is to happen stands on an agenda,
// ordered by time and then by who came first. Components (the API server, a
// controller, a kubelet) are groups of processes; a process is a coroutine
// that reads like ordinary Go: it sleeps, calls, waits. Because nothing else
// can run in between, and because chance comes from seeded streams, the same
// seed and the same inputs give the same trace, byte for byte, on every host.
//
// Nothing below the hosts uses a go statement, a channel, a mutex, time.Now or
// math/rand.
package sim

import (
	"time"

	"kubewalk/playground/trace"
)

// Kernel is one world's clock, agenda and trace.
// It is not safe for use by more than one goroutine.
type Kernel struct {
	epoch    time.Time
	seed     uint64
	now      time.Duration
	agenda   agenda
	spare    []*entry // that Later can use again
	sequence uint64

	component *Component // whose code runs now; nil between steps
	process   *Proc
	cause     trace.ID
	aside     bool // what runs now is for somebody who only looks: see SetAside

	recorder   *trace.Recorder
	components []*Component
	idle       []*coroutine // whose processes have ended
	streams    map[string]*Rand
	messages   int64
	looks      int64                    // messages of those who only look
	lags       map[string]time.Duration // by component: see SetLag
	traps      map[string]func()        // by component: see SetTrap
	traits     map[string]Trait         // by component
}

// New makes a world whose clock shows epoch. Everything that happens is
// recorded in rec.
func New(seed uint64, epoch time.Time, rec *trace.Recorder) *Kernel {
	return &Kernel{epoch: epoch.UTC(), seed: seed, recorder: rec, streams: map[string]*Rand{}}
}

// Elapsed is the virtual time since the epoch.
func (k *Kernel) Elapsed() time.Duration { return k.now }

// Time is what the clock on the wall shows.
func (k *Kernel) Time() time.Time { return k.epoch.Add(k.now) }

// Trace is where the world's events are recorded.
func (k *Kernel) Trace() *trace.Recorder { return k.recorder }

// Cause is the event that what runs now is due to.
func (k *Kernel) Cause() trace.ID { return k.cause }

// entry is one line of the agenda.
type entry struct {
	component *Component
	cause     trace.ID
	do        func()
	index     int  // in the heap; -1 when it has run or was stopped
	aside     bool // see Kernel.SetAside
	spare     bool // nobody has its timer: it is used again
}

func (k *Kernel) schedule(after time.Duration, c *Component, do func()) *Timer {
	t := &Timer{kernel: k, entry: entry{component: c, do: do}}
	k.put(&t.entry, after)
	return t
}

// later is schedule without a timer.
func (k *Kernel) later(after time.Duration, c *Component, do func()) *entry {
	var e *entry
	if n := len(k.spare) - 1; n >= 0 {
		e, k.spare = k.spare[n], k.spare[:n]
	} else {
		e = &entry{spare: true}
	}
	e.component, e.do = c, do
	k.put(e, after)
	return e
}

// put gives an entry that is not on the agenda its place there.
func (k *Kernel) put(e *entry, after time.Duration) {
	k.sequence++
	e.cause, e.aside = k.cause, k.aside
	k.agenda.push(place{k.now + max(after, 0), k.sequence | inside, e})
}

// Timer is something that will happen.
type Timer struct {
	kernel *Kernel
	entry  entry
}

// Stop takes it off the agenda and tells whether it was still there.
func (t *Timer) Stop() bool {
	if t == nil || t.entry.index < 0 {
		return false
	}
	t.kernel.agenda.remove(t.entry.index)
	return true
}

// After runs do once, in no component, d from now. The event that is the cause
// now will be the cause then. Code of a component uses Component.After.
func (k *Kernel) After(d time.Duration, do func()) *Timer {
	return k.schedule(d, nil, do)
}

// mostSpare is how many entries are kept for the next ones. After a large cluster's start, more have run.
const mostSpare = 4096

// Later is After for what nobody stops.
func (k *Kernel) Later(d time.Duration, do func()) { k.later(d, nil, do) }

// At runs do once, at a time, as what comes from outside the world: before
// everything else of that time, in the order of the calls. So it makes no
// difference when it is put on the agenda, as long as it is before its time.
func (k *Kernel) At(t time.Duration, do func()) *Timer {
	k.sequence++
	timer := &Timer{kernel: k, entry: entry{cause: k.cause, do: do}}
	k.agenda.push(place{t, k.sequence, &timer.entry})
	return timer
}

// Next tells when the next thing happens; ok is false when nothing is left.
func (k *Kernel) Next() (at time.Duration, ok bool) {
	if len(k.agenda) == 0 {
		return 0, false
	}
	return k.agenda[0].at, true
}

// Step runs the next thing on the agenda. It returns false when there is none.
func (k *Kernel) Step() bool {
	if len(k.agenda) == 0 {
		return false
	}
	next := k.agenda.remove(0)
	k.now = next.at
	e := *next.entry
	if e.spare && len(k.spare) < mostSpare {
		next.entry.component, next.entry.do = nil, nil
		k.spare = append(k.spare, next.entry)
	}
	if e.component != nil && e.component.stopped {
		return true
	}
	before := k.SetAside(e.aside)
	k.in(e.component, nil, e.cause, e.do)
	k.aside = before
	return true
}

// RunUntil runs everything up to and including that time, then sets the clock to it.
func (k *Kernel) RunUntil(t time.Duration) {
	for len(k.agenda) > 0 && k.agenda[0].at <= t {
		k.Step()
	}
	if k.now < t {
		k.now = t
	}
}

// RunFor is RunUntil that stops after so many things, with the clock where the
// last of them was. It tells whether it came to t.
func (k *Kernel) RunFor(t time.Duration, things int) bool {
	for ; len(k.agenda) > 0 && k.agenda[0].at <= t; things-- {
		if things <= 0 {
			return false
		}
		k.Step()
	}
	if k.now < t {
		k.now = t
	}
	return true
}

// in runs do as code of a component and process.
func (k *Kernel) in(c *Component, p *Proc, cause trace.ID, do func()) {
	component, process, before := k.component, k.process, k.cause
	k.component, k.process, k.cause = c, p, cause
	do()
	k.component, k.process, k.cause = component, process, before
}

// Because runs do with another event as its cause.
func (k *Kernel) Because(cause trace.ID, do func()) {
	k.in(k.component, k.process, cause, do)
}

// Emit records an event of the component whose code runs now and returns its
// number, or 0 when such events are not kept. It does not become the cause of
// what follows: for that, see Because and Proc.Due. Outside any component the
// event is the user's.
func (k *Kernel) Emit(op trace.Op, object trace.Ref, attrs []trace.Attr, deltas ...trace.Delta) trace.ID {
	return k.emit(2, op, object, attrs, deltas)
}

func (k *Kernel) emit(skip int, op trace.Op, object trace.Ref, attrs []trace.Attr, deltas []trace.Delta) trace.ID {
	if k.aside || !k.recorder.Keeps(op) {
		return 0
	}
	e := trace.Event{Cause: k.cause, At: k.now, Component: User, Op: op, Object: object}
	if k.component != nil {
		e.Component = k.component.name
	}
	if k.process != nil {
		e.Process = k.process.name
	}
	return k.recorder.Record(e, attrs, deltas, skip)
}

// User is the component of what happens outside the cluster: inputs.
const User = "user"

// NextMessage numbers messages, watches and requests: 1, 2, 3 …
func (k *Kernel) NextMessage() int64 {
	if k.aside {
		k.looks++
		return k.looks
	}
	k.messages++
	return k.messages
}

// Close ends every process. The world cannot be used afterwards, but its
// trace can. A world that is dropped without Close leaks its coroutines.
func (k *Kernel) Close() {
	for _, p := range k.agenda {
		p.entry.index = -1 // what a process that ends still stops is stopped
	}
	k.agenda = nil
	for _, c := range k.components {
		c.kill()
	}
	for _, c := range k.idle {
		c.stop()
	}
	k.agenda, k.idle, k.spare = nil, nil, nil
}

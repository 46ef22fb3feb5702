package sim

import (
	"slices"
	"time"

	"kubewalk/playground/trace"
)

// Proc is a process: a coroutine of a component. Only the process itself calls
// Sleep, Park and what builds on them; anybody may call Wake.
type Proc struct {
	component *Component
	name      string
	due       trace.ID // the cause of what the process does next

	body      func(p *Proc)
	coroutine *coroutine
	resume    entry // when it goes on; on the agenda at most once at a time

	deadline time.Duration // see SetDeadline

	parked  bool // waits for Wake
	token   bool // Wake came before Park
	running bool
	killed  bool
	done    bool
	aside   bool // see Kernel.SetAside
	waiters []*Proc
}

type killed struct{}

func newProc(c *Component, name string, body func(p *Proc)) *Proc {
	p := &Proc{component: c, name: name, due: c.due(), body: body, aside: c.kernel.aside}
	if c.stopped {
		p.done = true
		return p
	}
	p.resume.component, p.resume.do = c, p.goOn
	c.procs = append(c.procs, p)
	c.kernel.put(&p.resume, c.lag)
	return p
}

// goOn runs the process until it waits again. It is what the agenda calls.
func (p *Proc) goOn() {
	if p.done || p.killed {
		return
	}
	p.parked = false
	p.running = true
	k := p.component.kernel
	if p.coroutine == nil {
		p.coroutine = k.coroutineFor(p)
	}
	component, process, before, aside := k.component, k.process, k.cause, k.aside
	k.component, k.process, k.cause, k.aside = p.component, p, p.due, p.aside
	p.coroutine.next()
	p.due = k.cause
	k.component, k.process, k.cause, k.aside = component, process, before, aside
	p.running = false
	if p.done {
		k.release(p.coroutine)
		p.end()
	}
}

// run is what the process' coroutine executes.
func (p *Proc) run() {
	defer func() {
		p.done = true
		if p.killed {
			if r := recover(); r != nil {
				if _, ok := r.(killed); !ok {
					panic(r)
				}
			}
		}
	}()
	p.body(p)
}

func (p *Proc) end() {
	procs := p.component.procs
	for i := len(procs) - 1; i >= 0; i-- { // who ends came late, mostly
		if procs[i] == p {
			p.component.procs = slices.Delete(procs, i, i+1)
			break
		}
	}
	for _, w := range p.waiters {
		w.Wake()
	}
	p.waiters = nil
}

// suspend gives control back to the kernel until the agenda resumes the process.
func (p *Proc) suspend() {
	if p.killed || !p.coroutine.yield(struct{}{}) {
		panic(killed{})
	}
}

func (p *Proc) kill() {
	if p.done || p.killed {
		return
	}
	p.killed = true
	if p.running {
		return // it stops itself: the next time it waits, it unwinds
	}
	if p.coroutine != nil {
		p.coroutine.stop()
	}
	p.done = true
}

// Component is the program that the process belongs to.
func (p *Proc) Component() *Component { return p.component }

// Kernel is the world that the process is in.
func (p *Proc) Kernel() *Kernel { return p.component.kernel }

// Name is the process' name within its component.
func (p *Proc) Name() string { return p.name }

// Now is the virtual time since the epoch.
func (p *Proc) Now() time.Duration { return p.component.kernel.now }

// Time is what the clock on the wall shows.
func (p *Proc) Time() time.Time { return p.component.kernel.Time() }

// Due makes an event the cause of what the process does from here on.
// 0, the number of an event that was not kept, changes nothing.
func (p *Proc) Due(cause trace.ID) {
	if cause != 0 {
		p.component.kernel.cause = cause
	}
}

// Emit records an event of this process; see Kernel.Emit.
func (p *Proc) Emit(op trace.Op, object trace.Ref, attrs []trace.Attr, deltas ...trace.Delta) trace.ID {
	return p.component.kernel.emit(2, op, object, attrs, deltas)
}

// Sleep lets d of virtual time pass.
func (p *Proc) Sleep(d time.Duration) {
	k := p.component.kernel
	k.put(&p.resume, d)
	p.suspend()
}

// Park waits for Wake. A Wake that came since the last Park makes it return at once.
func (p *Proc) Park() {
	if p.token {
		p.token = false
		return
	}
	p.parked = true
	p.suspend()
}

// ParkFor waits for Wake, but no longer than d. It tells whether Wake came.
func (p *Proc) ParkFor(d time.Duration) bool {
	if p.token {
		p.token = false
		return true
	}
	woken := true
	t := p.component.kernel.schedule(d, p.component, func() {
		if p.parked {
			woken = false
			p.goOn()
		}
	})
	p.parked = true
	p.suspend()
	t.Stop()
	return woken
}

// Wake lets a parked process go on, when the agenda gets to it. For a process
// that does not park, the next Park returns at once. The process keeps its own
// cause: who hands it work says so with Due.
func (p *Proc) Wake() {
	if p.done || p.killed {
		return
	}
	if !p.parked {
		p.token = true
		return
	}
	p.parked = false
	p.component.kernel.put(&p.resume, p.component.lag)
}

// SetDeadline says until when the process' work is wanted, as a context does in upstream's code; 0 is for ever. Who waits on
// the process' behalf looks at it; nothing ends by itself.
func (p *Proc) SetDeadline(at time.Duration) { p.deadline = at }

// Deadline is until when the process' work is wanted; 0 is for ever.
func (p *Proc) Deadline() time.Duration { return p.deadline }

// Join waits until another process has ended.
func (p *Proc) Join(other *Proc) {
	for !other.done {
		other.waiters = append(other.waiters, p)
		p.Park()
	}
}

// Fork runs n bodies as processes of their own and waits for all of them, as a
// sync.WaitGroup does around go statements.
func (p *Proc) Fork(name string, n int, body func(p *Proc, i int)) {
	children := make([]*Proc, n)
	for i := range children {
		children[i] = p.component.Go(name, func(c *Proc) { body(c, i) })
	}
	for _, c := range children {
		p.Join(c)
	}
}

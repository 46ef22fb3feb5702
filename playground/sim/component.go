package sim

import (
	"time"

	"kubewalk/playground/trace"
)

// Component is a program: a group of processes and timers that start, and die,
// together. When it stops, nothing of its memory is left; the trace shows the
// cells that it owned as gone.
type Component struct {
	kernel  *Kernel
	name    string
	stopped bool
	procs   []*Proc
	onStop  []func()

	lag  time.Duration // see Kernel.SetLag
	trap func()        // see Kernel.SetTrap
	says func(LogLine) // see Component.OnLog

	started trace.ID // the event of its start
	because trace.ID // what that was due to
}

// due is the cause of what is begun in the component now. What a start-up does
// is due to the start, though it is called from where the start was.
func (c *Component) due() trace.ID {
	if c.kernel.cause == c.because && c.started != 0 {
		return c.started
	}
	return c.kernel.cause
}

// Start brings a component up. Starting it again after Stop makes a new one
// under the same name, as a restarted program is a new process.
func (k *Kernel) Start(name string) *Component {
	c := &Component{kernel: k, name: name, because: k.cause, lag: k.lags[name], trap: k.traps[name]}
	k.components = append(k.components, c)
	k.in(c, nil, k.cause, func() {
		c.started = k.Emit(trace.ComponentStart, trace.Ref{}, nil,
			trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: name}, "running"))
	})
	return c
}

// Name is what the component is called in the trace, and the user agent of its requests.
func (c *Component) Name() string { return c.name }

// Kernel is the world that the component is in.
func (c *Component) Kernel() *Kernel { return c.kernel }

// Running is false once the component was stopped.
func (c *Component) Running() bool { return !c.stopped }

// Stop ends the component at once, as a crash or SIGKILL does: no deferred
// work reaches the trace, requests that are on their way stay on their way.
// Stopping it twice does nothing.
func (c *Component) Stop(reason string) {
	if c.stopped {
		return
	}
	k := c.kernel
	cause := k.cause
	k.in(c, nil, k.cause, func() {
		var deltas []trace.Delta
		for _, cell := range k.recorder.Owned(c.name) {
			deltas = append(deltas, trace.Unset(cell))
		}
		if id := k.Emit(trace.ComponentStop, trace.Ref{}, trace.Attrs("reason", reason), deltas...); id != 0 {
			cause = id
		}
	})
	c.kill()
	for _, do := range c.onStop {
		k.in(nil, nil, cause, do)
	}
	for i, other := range k.components {
		if other == c {
			k.components = append(k.components[:i:i], k.components[i+1:]...)
			break
		}
	}
}

// OnStop calls do when the component has stopped, in no component and due to the
// stop: it is what the other end of a connection notices. What is registered
// later is called later.
func (c *Component) OnStop(do func()) { c.onStop = append(c.onStop, do) }

func (c *Component) kill() {
	c.stopped = true
	procs := c.procs
	c.procs = nil
	for _, p := range procs {
		p.kill()
	}
}

// After runs do once, as this component's code, d from now, if it still runs then.
func (c *Component) After(d time.Duration, do func()) *Timer {
	t := c.kernel.schedule(d, c, do)
	t.entry.cause = c.due()
	return t
}

// Later is After for what nobody stops.
func (c *Component) Later(d time.Duration, do func()) {
	c.kernel.later(d, c, do).cause = c.due()
}

// Go starts a process. It runs when the agenda gets to it, not at once. What
// is the cause now is the cause of the process; for what runs from the start
// on, that is the start.
func (c *Component) Go(name string, body func(p *Proc)) *Proc {
	return newProc(c, name, body)
}

// Run executes do as this component's code, at once. It is for what arrives
// from outside the component's own processes: a message that is delivered.
func (c *Component) Run(do func()) {
	if c.stopped {
		return
	}
	c.kernel.in(c, nil, c.due(), do)
}

package cri

import "time"

// Bounds of a script. A script computes with real texts in the memory of the
// program that simulates it, so what it may hold there is little; what it would
// hold beyond that is only counted: see outgrow.
const (
	// mostHeld is how many bytes a script may hold in variables, words and pipes.
	mostHeld = 8 << 20
	// growth is how many bytes a second a script grows by that holds more.
	growth = 1 << 30
	// pipeSize is how much is written into a pipe that nobody reads to its end.
	// Upstream: Linux' pipe(7), capacity.
	pipeSize = 64 << 10
	// turn is how many steps a script makes while no time passes, and turnTime how
	// long they take: a step is a command, a line or 64 bytes of text.
	turn, turnTime = 20_000, 20 * time.Millisecond
	// deepest is how many shells a script may start inside each other, and how many operators of an expression may wait.
	deepest = 64
	// mostWritten is how many bytes are written by a command that is executed in
	// a container before it is ended.
	mostWritten = 1 << 20
)

// budget is what a script has used, together with the shells that it started.
type budget struct {
	steps int           // since time passed
	at    time.Duration // when that was
	kept  int           // bytes in variables
	held  int           // bytes in words and pipes
	depth int           // shells inside each other
	// broken: nobody reads what is written any more.
	broken bool
}

// step counts work. After a turn of it time passes, at the cost of a whole CPU.
func (x *shell) step(n int) {
	b := x.budget
	if now := x.proc.Now(); now != b.at {
		b.at, b.steps = now, 0
	}
	if b.steps += n; b.steps > turn && !x.ended() {
		b.steps = 0
		x.busy(turnTime)
	}
}

// ended tells whether the script does nothing more.
func (x *shell) ended() bool { return x.over || x.budget.broken }

// lines is how many steps a text is.
func lines(bytes int) int { return 1 + bytes/64 }

// hold counts bytes that the script needs until its statement has ended. It
// tells false when the script was killed for its memory.
func (x *shell) hold(bytes int) bool {
	x.budget.held += bytes
	if x.budget.held+x.budget.kept > mostHeld && !x.over {
		x.outgrow()
	}
	return !x.over
}

// assign sets a variable.
func (x *shell) assign(name, value string) {
	x.budget.kept += len(value) - len(x.vars[name])
	if x.hold(0) {
		x.vars[name] = value
	}
}

// outgrow is the end of a script that holds more than it may: it is as if it
// grew on and on, until the kernel kills its container, at its memory limit or
// at the end of the machine's memory. With the container ends what is executed
// in it, and with what is executed in it the container: the kubelet has the
// kernel kill all of a container's processes together.
// Upstream: pkg/kubelet/cm, memory.oom.group; kernel's mm/oom_kill.c.
func (x *shell) outgrow() {
	if t := x.runtime.tasks[x.container.ID]; t != nil {
		before, now := t.memory, x.proc.Now()
		t.memory = memory{base: before.at(now) + int64(x.budget.held+x.budget.kept), rate: growth, since: now, machine: x.runtime.memory}
		t.proc.Wake()
		defer func() {
			if x.runtime.tasks[x.container.ID] == t && !t.dead { // only the command was ended
				t.memory = before
			}
		}()
	}
	for x.busy(time.Minute) {
	}
	x.over, x.status = true, 137
}

// nested runs a shell inside this one, unless there are too many.
// Upstream: busybox shell/ash.c, forkshell.
func (x *shell) nested(run func()) {
	b := x.budget
	if b.depth >= deepest {
		x.complain("sh: can't fork: Resource temporarily unavailable")
		b.broken, x.status = true, 2 // and so is the whole script
		return
	}
	b.depth++
	kept := b.kept
	run()
	b.depth, b.kept = b.depth-1, kept
}

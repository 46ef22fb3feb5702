package cri

import (
	"slices"
	"strings"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// task is a container's program while it runs.
type task struct {
	proc    *sim.Proc
	program Program // what it runs now: a script may run one after the other
	began   time.Duration
	signal  signal
	cause   trace.ID // of the signal
	ended   []*sim.Proc

	execed  bool // the program took a shell's place, or never had one
	stopped bool // it ended because of SIGTERM
	dead    bool // it was killed: code and reason say by what
	code    int32
	reason  string
	crashed bool
	guest   Guest    // nil for none
	console *console // where the program reads what is typed; nil if it reads nothing

	connections int // how many have had a port of their own

	memory memory
	load   int64    // nanocores that a fault adds
	spent  [2]spent // on requests, in this window and the one before
	// counter is how much of a CPU's time it had had at a time.
	counter, counted time.Duration

	free time.Duration // when the requests so far will be answered
}

type signal int

const (
	sigterm signal = 15
	sigkill signal = 9
)

// CreateContainer prepares a container: its root file system, its configuration.
func (r *Runtime) CreateContainer(p *sim.Proc, sandboxID string, config ContainerConfig) (id string, err error) {
	err = r.call(p, "CreateContainer", callTimeout, func(s *sim.Proc) error {
		r.took(s, 15*time.Millisecond, 60*time.Millisecond)
		if err := gone(p.Component()); err != nil {
			return err
		}
		sandbox := r.disk.sandbox(sandboxID)
		if sandbox == nil || sandbox.State != SandboxReady {
			return &Error{"NotFound", "failed to find sandbox id \"" + sandboxID + "\": not found"}
		}
		id = hexDigits(r.rand)
		c := &Container{ID: id, SandboxID: sandboxID, Config: config, CreatedAt: s.Time(), root: NewVolume(), log: &log{}}
		for path, data := range lookup(config.Image).Files { // order: each is its own
			c.root.Write(strings.TrimPrefix(path, "/"), data)
		}
		c.Config.Mounts = make([]Mount, len(config.Mounts))
		for i, m := range config.Mounts {
			c.Config.Mounts[i] = m.mounted()
		}
		if mountImages != nil {
			if err := mountImages(r, c); err != nil {
				return err
			}
		}
		r.disk.containers = append(r.disk.containers, c)
		if i := r.disk.image(NormalizeImage(config.Image)); i != nil {
			i.lastUsed = s.Time()
		}
		r.disk.touch(sandbox.Config.UID)
		c.Cause = s.Emit(trace.ContainerMade, podRef(&sandbox.Config),
			trace.Attrs("container", config.Name, "id", short(id), "attempt", config.Attempt, "sandbox", short(sandboxID)),
			trace.Set(r.containerCell(&sandbox.Config, config.Name), "created"))
		s.Due(c.Cause)
		return nil
	})
	return id, err
}

// StartContainer runs a container's program.
func (r *Runtime) StartContainer(p *sim.Proc, id string) error {
	return r.call(p, "StartContainer", callTimeout, func(s *sim.Proc) error {
		r.took(s, 15*time.Millisecond, 60*time.Millisecond)
		if err := gone(p.Component()); err != nil {
			return err
		}
		c := r.disk.container(id)
		if c == nil {
			return notFound(id)
		}
		if c.State != ContainerCreated {
			return &Error{"Unknown", "container \"" + id + "\" is in the wrong state to be started"}
		}
		sandbox := r.disk.sandbox(c.SandboxID)
		if sandbox == nil || sandbox.State != SandboxReady {
			return &Error{"Unknown", "sandbox container \"" + c.SandboxID + "\" is not running"}
		}
		why := ""
		if name := c.Config.Program.Missing; name != "" {
			why = "exec: \"" + name + "\": " + notExecutable(name)
		} else if tooLong(&c.Config) {
			why = "exec " + pathOf(c.Config.Command) + ": argument list too long"
		}
		if why != "" {
			return r.startError(s, c, sandbox, "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "+
				"unable to start container process: error during container init: "+why)
		}
		c.State, c.StartedAt = ContainerRunning, s.Time()
		r.disk.touch(sandbox.Config.UID)
		c.Cause = s.Emit(trace.ContainerStart, podRef(&sandbox.Config),
			trace.Attrs("container", c.Config.Name, "id", short(id)),
			trace.Set(r.containerCell(&sandbox.Config, c.Config.Name), "running"))
		s.Due(c.Cause)
		t := &task{began: s.Now(), counted: s.Now(), program: c.Config.Program, execed: c.Config.Program.script == nil}
		t.memory.set(s.Now(), t.program)
		r.tasks[id] = t
		t.proc = r.component.Go(sandbox.Config.key()+"/"+c.Config.Name, func(q *sim.Proc) { r.run(q, c, sandbox, t) })
		return nil
	})
}

// notExecutable is why a command can't be run: a name is looked for in PATH, a path isn't.
// Upstream: runc's libcontainer/standard_init_linux.go, through os/exec.LookPath.
func notExecutable(command string) string {
	if strings.Contains(command, "/") {
		return "stat " + command + ": no such file or directory"
	}
	return "executable file not found in $PATH"
}

// What a program may be started with at most: an argument or variable, and all of them, in bytes.
// Upstream: Linux, MAX_ARG_STRLEN, and fs/exec.c, bprm_stack_limits, with a stack of 8 MiB.
const MostArgument, MostArguments = 128 << 10, 2 << 20

// tooLong tells whether the kernel takes no program with such a command line and environment: E2BIG.
func tooLong(c *ContainerConfig) bool {
	all, most := 0, 0
	count := func(length int) { all, most = all+length+1+8, max(most, length+1) } // each ends with a 0, and has a pointer
	for _, a := range c.Command {
		count(len(a))
	}
	for _, v := range c.Env {
		count(len(v.Name) + len("=") + len(v.Value))
	}
	return all > MostArguments || most > MostArgument
}

// pathOf is the path of a command's program.
func pathOf(command []string) string {
	if len(command) == 0 {
		return "/"
	}
	if !strings.Contains(command[0], "/") {
		return "/bin/" + command[0]
	}
	return command[0]
}

// startError is a container whose program can't even be run: it ends with 128.
// Upstream: containerd container_start.go, where reason is StartError.
func (r *Runtime) startError(s *sim.Proc, c *Container, sandbox *PodSandbox, message string) error {
	c.State, c.FinishedAt, c.ExitCode, c.Reason, c.message = ContainerExited, s.Time(), 128, "StartError", message
	c.StartedAt = time.Unix(0, 0).UTC()
	r.disk.touch(sandbox.Config.UID)
	c.Cause = s.Emit(trace.ContainerExit, podRef(&sandbox.Config),
		trace.Attrs("container", c.Config.Name, "id", short(c.ID), "code", c.ExitCode, "reason", c.Reason),
		trace.Set(r.containerCell(&sandbox.Config, c.Config.Name), "exited"))
	s.Due(c.Cause)
	return &Error{"Unknown", message}
}

// run is the container's program, from its start to its end.
func (r *Runtime) run(q *sim.Proc, c *Container, sandbox *PodSandbox, t *task) {
	var code int32
	if s := c.Config.Program.script; s != nil {
		x := r.newShell(q, c, sandbox, t)
		if c.Config.Program.Reads {
			x.converse()
		}
		t.execed = s.body != nil && len(s.body.items) == 1 && len(s.body.items[0].pipe) == 1 // a shell takes no process of its own for that
		code = x.run(s)
	} else if c.Config.Program.Reads {
		t.memory.set(q.Now(), c.Config.Program)
		x := r.newShell(q, c, sandbox, t)
		x.converse()
		x.interact(base(c.Config.Command[0])) // Reading has looked at it
		code = x.status
	} else {
		code = r.execute(q, c, sandbox, t, c.Config.Program)
	}
	if t.dead {
		code = t.code
	}
	if t.console != nil {
		t.console.end(code)
	}
	c.State, c.FinishedAt, c.ExitCode, c.Reason = ContainerExited, q.Time(), code, t.reason
	switch {
	case c.Reason != "":
	case code != 0:
		c.Reason = "Error"
	default:
		c.Reason = "Completed"
	}
	c.log.changed()
	r.gone += t.used(q.Now(), c)
	delete(r.tasks, c.ID)
	r.disk.touch(sandbox.Config.UID)
	attrs := trace.Attrs("container", c.Config.Name, "id", short(c.ID), "code", code)
	if t.reason != "" {
		attrs = append(attrs, trace.Attrs("reason", t.reason)...)
	}
	c.Cause = q.Emit(trace.ContainerExit, podRef(&sandbox.Config), attrs,
		trace.Set(r.containerCell(&sandbox.Config, c.Config.Name), "exited"))
	q.Due(c.Cause)
	for _, w := range t.ended {
		w.Wake()
	}
}

// never is later than everything.
const never = time.Duration(1<<63 - 1)

// execute runs one program that isn't a script: it waits for its own end or
// for what ends it.
func (r *Runtime) execute(q *sim.Proc, c *Container, sandbox *PodSandbox, t *task, program Program) int32 {
	if program.script == c.Config.Program.script && program.script != nil {
		return 0
	}
	if t.program.script != nil || t.began != q.Now() {
		t.memory.set(q.Now(), program)
	}
	if path := program.Certificate; strings.HasPrefix(path, "/") {
		text, has := c.readFile(path)
		if !has {
			c.log.write(q.Time(), "stderr", "open "+path+": no such file or directory")
			return 255
		}
		program.Certificate = text
	}
	before := t.program
	t.count(q.Now(), c)
	t.program = program.begun(&Inside{r, c, sandbox, t})
	defer func() {
		t.count(q.Now(), c)
		t.program = before
	}()
	if program.Guest != "" && r.guests != nil {
		return r.host(q, c, sandbox, t, program.Guest)
	}
	for _, line := range program.lines(q.Time(), 0, r.rand) {
		c.log.write(q.Time(), "stdout", line)
	}
	ends, says := never, never
	if !program.Forever {
		ends = q.Now() + program.Runs
	}
	if program.LogEvery > 0 {
		says = q.Now() + program.LogEvery
	}
	code := program.ExitCode
	stopping := false // SIGTERM was heard
	for {
		if r.doomed(q, c, t) {
			return t.code
		}
		if t.signal == sigterm && !stopping && !program.IgnoresSIGTERM && t.execed {
			stopping, code = true, 0
			q.Due(t.cause)
			takes := program.Stops
			if takes == 0 {
				takes = r.rand.Between(20*time.Millisecond, 400*time.Millisecond)
			}
			ends = min(ends, q.Now()+takes)
		}
		if q.Now() >= ends {
			t.stopped = stopping
			return code
		}
		if q.Now() >= says {
			says += program.LogEvery
			for _, line := range program.lines(q.Time(), int((q.Now()-t.began)/program.LogEvery), r.rand) {
				c.log.write(q.Time(), "stdout", line)
			}
		}
		if next := min(ends, says, t.oomAt(c)); next == never {
			q.Park()
		} else {
			q.ParkFor(next - q.Now())
		}
	}
}

// doomed tells whether a container's program has been killed, and by what: by
// SIGKILL, because it used too much memory, or by a fault.
func (r *Runtime) doomed(q *sim.Proc, c *Container, t *task) bool {
	switch {
	case t.dead:
	case t.crashed:
		t.dead = true // with the fault's code
		q.Due(t.cause)
	case t.signal == sigkill:
		t.dead, t.code = true, 137
		q.Due(t.cause)
	case q.Now() >= t.oomAt(c):
		t.dead, t.code, t.reason = true, 137, "OOMKilled"
	case t.signal == sigterm && !t.execed && !c.Config.Program.IgnoresSIGTERM:
		// A script of which an annotation says how long it takes to stop.
		t.dead, t.stopped = true, true
		q.Due(t.cause)
		q.Sleep(c.Config.Program.Stops)
	}
	return t.dead
}

// crash ends a container's program as if it had failed by itself.
func (r *Runtime) crash(c *Container, code int32) {
	if t := r.tasks[c.ID]; t != nil && !t.dead {
		t.crashed, t.code, t.cause = true, code, r.kernel.Cause()
		t.proc.Wake()
	}
}

func (r *Runtime) signal(s *sim.Proc, c *Container, sig signal) {
	t := r.tasks[c.ID]
	if t == nil || (t.signal == sigkill) {
		return
	}
	t.signal, t.cause = sig, r.kernel.Cause()
	t.proc.Wake()
}

// StopContainer asks a container to end (SIGTERM), waits for the grace period
// and kills it (SIGKILL) if that was not enough.
// Upstream: containerd container_stop.go.
func (r *Runtime) StopContainer(p *sim.Proc, id string, grace time.Duration) error {
	return r.call(p, "StopContainer", callTimeout+grace, func(s *sim.Proc) error {
		c := r.disk.container(id)
		if c == nil {
			return nil
		}
		t := r.tasks[id]
		if t == nil {
			return nil
		}
		sandbox := r.disk.sandbox(c.SandboxID)
		cell := r.containerCell(&sandbox.Config, c.Config.Name)
		ref := podRef(&sandbox.Config)
		c.Cause = s.Emit(trace.ContainerKill, ref, trace.Attrs("container", c.Config.Name, "id", short(id), "grace", grace, "signal", "SIGTERM"),
			trace.Set(cell, "stopping"))
		s.Due(c.Cause)
		t.ended = append(t.ended, s)
		deadline := s.Now() + grace
		if grace > 0 {
			r.signal(s, c, sigterm)
		}
		for c.State == ContainerRunning && s.Now() < deadline {
			s.ParkFor(deadline - s.Now())
		}
		if c.State == ContainerRunning {
			s.Due(s.Emit(trace.ContainerKill, ref, trace.Attrs("container", c.Config.Name, "id", short(id), "grace", time.Duration(0), "signal", "SIGKILL")))
			r.signal(s, c, sigkill)
			for c.State == ContainerRunning {
				s.Park()
			}
		}
		s.Due(c.Cause)
		return nil
	})
}

// RemoveContainer forgets a container that has ended.
func (r *Runtime) RemoveContainer(p *sim.Proc, id string) error {
	return r.call(p, "RemoveContainer", callTimeout, func(s *sim.Proc) error {
		c := r.disk.container(id)
		if c == nil {
			return nil
		}
		sandbox := r.disk.sandbox(c.SandboxID)
		for _, delta := range r.forgetContainer(sandbox, c) {
			s.Due(s.Emit(trace.ContainerExit, podRef(&sandbox.Config),
				trace.Attrs("container", c.Config.Name, "id", short(id), "code", c.ExitCode, "state", "removed"), delta))
		}
		return nil
	})
}

// forgetContainer drops the record, and the cell unless a newer container of
// that name has it.
func (r *Runtime) forgetContainer(sandbox *PodSandbox, c *Container) []trace.Delta {
	r.disk.containers = without(r.disk.containers, c)
	r.disk.touch(sandbox.Config.UID)
	delete(r.tasks, c.ID)
	for _, other := range r.disk.containers {
		s := r.disk.sandbox(other.SandboxID)
		if s != nil && s.Config.key() == sandbox.Config.key() && other.Config.Name == c.Config.Name {
			return nil
		}
	}
	return []trace.Delta{trace.Unset(r.containerCell(&sandbox.Config, c.Config.Name))}
}

// ListContainers returns all containers, the oldest first.
func (r *Runtime) ListContainers() ([]Container, error) {
	if err := r.Status(); err != nil {
		return nil, err
	}
	out := make([]Container, len(r.disk.containers))
	for i, c := range r.disk.containers {
		out[i] = *c
	}
	return out, nil
}

// ListContainersOf returns the containers of one Pod, the oldest first.
// Upstream: CRI's ContainerFilter, by the label io.kubernetes.pod.uid.
func (r *Runtime) ListContainersOf(uid string) ([]Container, error) {
	sandboxes, err := r.ListPodSandboxOf(uid)
	if err != nil {
		return nil, err
	}
	var out []Container
	for _, c := range r.disk.containers {
		if slices.ContainsFunc(sandboxes, func(s PodSandbox) bool { return s.ID == c.SandboxID }) {
			out = append(out, *c)
		}
	}
	return out, nil
}

// ContainerStatus returns one container.
func (r *Runtime) ContainerStatus(id string) (Container, error) {
	if err := r.Status(); err != nil {
		return Container{}, err
	}
	if c := r.disk.container(id); c != nil {
		return *c, nil
	}
	return Container{}, notFound(id)
}

func (r *Runtime) containersOf(sandboxID string) []*Container {
	var out []*Container
	for _, c := range r.disk.containers {
		if c.SandboxID == sandboxID {
			out = append(out, c)
		}
	}
	return out
}

func notFound(id string) error {
	return &Error{"NotFound", "an error occurred when try to find container \"" + id + "\": not found"}
}

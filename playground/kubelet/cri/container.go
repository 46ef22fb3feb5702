package cri

import (
	"slices"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// task is a container's program while it runs.
type task struct {
	proc   *sim.Proc
	signal signal
	cause  trace.ID // of the signal
	ended  []*sim.Proc
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
		c := &Container{ID: id, SandboxID: sandboxID, Config: config, CreatedAt: s.Time()}
		r.disk.containers = append(r.disk.containers, c)
		r.disk.changes++
		c.Cause = s.Emit(trace.ContainerMade, podRef(&sandbox.Config),
			trace.Attrs("container", config.Name, "id", short(id), "attempt", config.Attempt),
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
		c.State, c.StartedAt = ContainerRunning, s.Time()
		r.disk.changes++
		c.Cause = s.Emit(trace.ContainerStart, podRef(&sandbox.Config),
			trace.Attrs("container", c.Config.Name, "id", short(id)),
			trace.Set(r.containerCell(&sandbox.Config, c.Config.Name), "running"))
		s.Due(c.Cause)
		t := &task{}
		r.tasks[id] = t
		t.proc = r.component.Go(sandbox.Config.key()+"/"+c.Config.Name, func(q *sim.Proc) { r.run(q, c, sandbox, t) })
		return nil
	})
}

// run is the container's program: it waits for its own end or for a signal.
func (r *Runtime) run(q *sim.Proc, c *Container, sandbox *PodSandbox, t *task) {
	program := c.Config.Program
	ends := q.Now() + program.Runs
	code := program.ExitCode
	stopping := false // SIGTERM was heard
	for {
		if t.signal == sigkill {
			code = 137
			q.Due(t.cause)
			break
		}
		if t.signal == sigterm && !stopping && !program.IgnoresSIGTERM {
			stopping, code = true, 0
			q.Due(t.cause)
			takes := program.Stops
			if takes == 0 {
				takes = r.rand.Between(20*time.Millisecond, 400*time.Millisecond)
			}
			if e := q.Now() + takes; program.Forever || e < ends {
				ends = e
			}
		}
		if program.Forever && !stopping {
			q.Park()
			continue
		}
		if q.Now() >= ends {
			break
		}
		q.ParkFor(ends - q.Now())
	}
	c.State, c.FinishedAt, c.ExitCode, c.Reason = ContainerExited, q.Time(), code, "Completed"
	if code != 0 {
		c.Reason = "Error"
	}
	delete(r.tasks, c.ID)
	r.disk.changes++
	c.Cause = q.Emit(trace.ContainerExit, podRef(&sandbox.Config),
		trace.Attrs("container", c.Config.Name, "id", short(c.ID), "code", code),
		trace.Set(r.containerCell(&sandbox.Config, c.Config.Name), "exited"))
	q.Due(c.Cause)
	for _, w := range t.ended {
		w.Wake()
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
	r.disk.changes++
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

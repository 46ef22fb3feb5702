package cri

import (
	"strings"
	"time"

	"kubewalk/playground/sim"
)

// ExecResult is what a command in a container came to.
type ExecResult struct {
	Stdout, Stderr string
	ExitCode       int32
	TimedOut       bool // it was killed because it took too long
}

// ExecSync runs a command in a running container, waits for its end, and
// returns what it wrote. timeout 0 is none. A command that can't be found is an
// error, as the runtime couldn't start it.
// Upstream: containerd container_execsync.go.
func (r *Runtime) ExecSync(p *sim.Proc, id string, argv []string, timeout time.Duration) (ExecResult, error) {
	return r.exec(p, id, argv, "", timeout)
}

// ExecWithInput is ExecSync of a command that reads from its standard input, and that nobody limits.
func (r *Runtime) ExecWithInput(p *sim.Proc, id string, argv []string, input string) (ExecResult, error) {
	return r.exec(p, id, argv, input, 0)
}

func (r *Runtime) exec(p *sim.Proc, id string, argv []string, input string, timeout time.Duration) (ExecResult, error) {
	var result ExecResult
	c, t, sandbox, err := r.executable(id, argv)
	if err != nil {
		return result, err
	}
	deadline := never
	if timeout > 0 {
		deadline = p.Now() + timeout
	}
	done, waiting, cut := false, false, false
	var stdout, stderr strings.Builder
	s := r.component.Go("exec/"+c.Config.Name, func(s *sim.Proc) {
		x := r.newShell(s, c, sandbox, nil)
		x.reading(input)
		x.abandon = func() bool { return x.budget.broken || r.tasks[id] != t || s.Now() >= deadline }
		x.out = func(stream, text string) {
			b := &stdout
			if stream == "stderr" {
				b = &stderr
			}
			if x.budget.broken {
				return
			}
			if x.step(lines(len(text))); stdout.Len()+stderr.Len()+len(text) > mostWritten {
				stderr.WriteString("the output is longer than 1 MiB: the command was stopped here\n")
				x.budget.broken, cut = true, true
				return
			}
			b.WriteString(ended(text))
		}
		if x.exec(argv); cut {
			x.status = 130 // as after Ctrl+C
		}
		if r.tasks[id] != t && x.status == 0 {
			x.status = 137
		}
		result.ExitCode, done = x.status, true
		if waiting {
			p.Wake()
		}
	})
	t.ended = append(t.ended, s)
	for !done {
		if !r.component.Running() {
			return result, &Error{"Unavailable", "error reading from server: EOF"}
		}
		if p.Now() >= deadline {
			s.Wake()
			result.TimedOut = true
			break
		}
		waiting = true
		p.ParkFor(min(deadline-p.Now(), 10*time.Second))
	}
	result.Stdout, result.Stderr = stdout.String(), stderr.String()
	return result, nil
}

// executable is the running container in which a command can be run.
func (r *Runtime) executable(id string, argv []string) (*Container, *task, *PodSandbox, error) {
	if !r.component.Running() {
		return nil, nil, nil, r.unavailable()
	}
	c := r.disk.container(id)
	if c == nil {
		return nil, nil, nil, notFound(id)
	}
	t, sandbox := r.tasks[id], r.disk.sandbox(c.SandboxID)
	if t == nil || sandbox == nil {
		return nil, nil, nil, &Error{"Unknown", "container is in CONTAINER_EXITED state"}
	}
	if why := r.unexecutable(c, argv); why != "" {
		name := ""
		if len(argv) > 0 {
			name = argv[0]
		}
		return nil, nil, nil, &Error{"Unknown", "failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: " +
			"unable to start container process: exec: \"" + name + "\": " + why}
	}
	return c, t, sandbox, nil
}

// unexecutable tells why a command can't be run in a container: its image has none of that name, and it is no script that was put there.
func (r *Runtime) unexecutable(c *Container, argv []string) string {
	if len(argv) > 0 && strings.Contains(argv[0], "/") {
		path := clean(clean("/", c.Config.WorkingDir), argv[0])
		if _, is := c.readFile(path); is {
			if v, at, _ := c.resolve(path); v.mode(at)&0o111 == 0 {
				return "permission denied"
			}
			return ""
		}
	}
	if len(argv) == 0 || !lookup(c.Config.Image).holds(argv[0]) {
		return "executable file not found in $PATH"
	}
	return ""
}

package cri

import (
	"slices"
	"strings"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Guest is the program of a container that is a component of its own, because it speaks to the API server. It is written elsewhere; package
// cluster brings both together.
type Guest interface {
	// Terminate is SIGTERM, and Kill is the end at once.
	Terminate()
	Kill(reason string)
	// Ended tells whether it runs no more, with what it ended, and what that was due to.
	Ended() (code int32, cause trace.ID, ended bool)
}

// guestThatServes is one that answers what is asked over HTTP at the container's ports. It may take its time. A status of 0 is a
// connection that is refused.
type guestThatServes interface {
	Serve(request Request, done func(status int, body string))
}

// SetGuests says how a guest is started, by the name that its image gives it. It returns nil if it can't run now.
func (r *Runtime) SetGuests(start func(name string, in *Inside) Guest) { r.guests = start }

// again is how long a container waits whose guest could not run.
const again = time.Second

// host is the container's program while that is a guest.
func (r *Runtime) host(q *sim.Proc, c *Container, sandbox *PodSandbox, t *task, name string) int32 {
	told := false
	for {
		if r.doomed(q, c, t) {
			if t.guest != nil {
				t.guest.Kill("killed")
			}
			return t.code
		}
		if t.guest == nil && !told {
			t.guest = r.guests(name, &Inside{runtime: r, container: c, sandbox: sandbox, task: t})
		}
		if t.signal == sigterm && !told {
			told = true
			q.Due(t.cause)
			if t.guest == nil {
				return 128 + int32(sigterm)
			}
			t.guest.Terminate()
		}
		if t.guest == nil {
			q.ParkFor(min(again, t.oomAt(c)-q.Now()))
			continue
		}
		if code, cause, ended := t.guest.Ended(); ended {
			q.Due(cause)
			t.stopped = told
			return code
		}
		if next := t.oomAt(c); next == never {
			q.Park()
		} else {
			q.ParkFor(next - q.Now())
		}
	}
}

// killGuests ends them with the runtime, as all containers.
func (r *Runtime) killGuests() {
	for _, c := range r.disk.containers {
		if t := r.tasks[c.ID]; t != nil && t.guest != nil {
			t.guest.Kill(trace.LostPower)
		}
	}
}

// Inside is a container as its guest sees it.
type Inside struct {
	runtime   *Runtime
	container *Container
	sandbox   *PodSandbox
	task      *task
}

// Pod is the Pod's namespace and name.
func (i *Inside) Pod() (namespace, name string) {
	return i.sandbox.Config.Namespace, i.sandbox.Config.Name
}

// Do sends a request from the container, in a process of the guest, and waits for the answer.
func (i *Inside) Do(p *sim.Proc, request Request, timeout time.Duration) Response {
	return i.runtime.request(p, i.sandbox, i.container.Config.Name, request, timeout)
}

// Node is the machine.
func (i *Inside) Node() string { return i.runtime.node }

// IP is the Pod's address.
func (i *Inside) IP() string { return i.sandbox.IP }

// Command is the container's command line.
func (i *Inside) Command() []string { return i.container.Config.Command }

// File is the volume in which a path lies, and the path in it.
func (i *Inside) File(path string) (v *Volume, inside string) {
	v, inside, _ = i.container.resolve(path)
	return v, inside
}

// Exists tells whether there is a file.
func (i *Inside) Exists(path string) bool {
	_, ok := i.container.readFile(path)
	return ok
}

// Wake has the container look whether its guest has ended.
func (i *Inside) Wake() { i.task.proc.Wake() }

// Log writes a line to the container's log.
func (i *Inside) Log(line string) { i.container.log.write(i.runtime.kernel.Time(), "stdout", line) }

// Executables are the files below a directory that can be run, by their paths, in order.
func (i *Inside) Executables(dir string) (paths []string) {
	for _, name := range i.container.listDir(dir) {
		path := clean(dir, name)
		if _, file := i.container.readFile(path); !file {
			paths = append(paths, i.Executables(path)...)
		} else if v, inside, _ := i.container.resolve(path); v.mode(inside)&0o111 != 0 {
			paths = append(paths, path)
		}
	}
	return paths
}

// Write makes a file.
func (i *Inside) Write(path, text string) { i.container.writeFile(path, text, false) }

// Remove deletes one.
func (i *Inside) Remove(path string) {
	v, inside, _ := i.container.resolve(path)
	v.Remove(inside)
}

// Run runs a command in the container, in a process of the guest, and waits for its end. say hears each line when it is written.
func (i *Inside) Run(p *sim.Proc, argv []string, env []Variable, say func(stream, line string)) (status int32) {
	c := *i.container
	c.Config.Env = slices.Concat(c.Config.Env, env)
	x := i.runtime.newShell(p, &c, i.sandbox, nil)
	x.dir = clean("/", argv[0]+"/..")
	x.abandon = func() bool { return x.budget.broken || i.runtime.tasks[i.container.ID] != i.task }
	x.out = func(stream, text string) {
		x.step(lines(len(text)))
		for line := range strings.Lines(ended(text)) {
			say(stream, strings.TrimSuffix(line, "\n"))
		}
	}
	x.exec(argv)
	return x.status
}

// tools are commands that some images have beside a shell's. Not every build for the browser has them.
var tools = map[string]func(x *shell, argv []string) int32{}

package cri

import (
	"strings"

	"kubewalk/playground/sim"
)

// Session is a command that runs in a container, to which somebody types.
type Session struct {
	runtime *Runtime
	proc    *sim.Proc // of the command
	reader  *sim.Proc // who waits for what it prints
	tty     bool

	typed       []string // lines that it has not read yet
	isClosed    bool     // there will be no more
	interrupted bool     // Ctrl-C: the command that runs ends
	stopped     bool     // nobody listens any more

	printed  strings.Builder // that nobody has read yet
	attached bool            // it is the container's program, and goes on without a reader
	ended    bool
	status   int32
}

// Keys that are typed as a line of their own.
const (
	ctrlC = "\x03" // ends what the shell runs
	ctrlD = "\x04" // ends the input
)

// Exec starts a command in a running container that prints to a session. A shell without a script reads lines that are typed, one after the other, and
// with a terminal it prompts for each and the terminal echoes it. Other commands find no input.
//
// Simplified: what a shell runs does not read from the terminal, and of the keys there are Enter, Ctrl-C and Ctrl-D.
// Upstream: containerd internal/cri/server/container_exec.go.
func (r *Runtime) Exec(id string, argv []string, tty bool) (*Session, error) {
	c, t, sandbox, err := r.executable(id, argv)
	if err != nil {
		return nil, err
	}
	s := &Session{runtime: r, tty: tty}
	s.proc = r.component.Go("exec/"+c.Config.Name, func(p *sim.Proc) {
		x := r.newShell(p, c, sandbox, nil)
		x.abandon = func() bool { return s.stopped || s.interrupted || x.budget.broken || r.tasks[id] != t }
		x.out = func(_, text string) {
			if x.step(lines(len(text))); x.budget.broken || s.stopped {
				return
			}
			if s.printed.Len()+len(text) > mostWritten {
				s.print("\nthe output is longer than 1 MiB: the command was stopped here\n")
				x.budget.broken = true
				return
			}
			s.print(ended(text))
		}
		if Prompts(argv) {
			x.interact(s, base(argv[0]))
		} else {
			x.exec(argv)
		}
		if s.status = x.status; r.tasks[id] != t {
			s.status = 137
		}
		s.ended = true
		s.wake()
	})
	t.ended = append(t.ended, s.proc)
	return s, nil
}

// converse is a container's program that is a shell to which somebody may type. What it prints is in the log, too.
func (r *Runtime) converse(q *sim.Proc, c *Container, sandbox *PodSandbox, t *task) int32 {
	t.memory.set(q.Now(), c.Config.Program)
	s := &Session{runtime: r, proc: q, tty: c.Config.Program.TTY, attached: true}
	t.session = s
	x := r.newShell(q, c, sandbox, t)
	x.abandon = func() bool { return s.interrupted }
	log := x.out
	x.out = func(stream, text string) {
		log(stream, text)
		s.print(ended(text))
	}
	x.interact(s, base(c.Config.Command[0])) // Prompts has looked at it
	s.ended, s.status = true, x.status
	s.wake()
	return x.status
}

// Attachment is somebody's connection to a container's program.
type Attachment struct {
	*Session
	left bool
}

// Attach leads to the program of a running container, if that reads what is typed. Upstream: containerd internal/cri/server/container_attach.go.
func (r *Runtime) Attach(id string) (*Attachment, bool) {
	t := r.tasks[id]
	if t == nil || t.session == nil {
		return nil, false
	}
	return &Attachment{Session: t.session}, true
}

// Next waits for what the program prints. ok is false when it has ended, or the connection has.
func (a *Attachment) Next(p *sim.Proc) (text string, ok bool) { return a.next(p, &a.left) }

// Stop leaves the program running.
func (a *Attachment) Stop() {
	a.left = true
	a.wake()
	a.reader = nil
}

// Type gives the command a line, without its end.
func (s *Session) Type(line string) {
	switch {
	case line == ctrlC:
		s.interrupted = true
	case s.isClosed:
		return
	case line == ctrlD:
		s.isClosed = true
	default:
		s.typed = append(s.typed, strings.Split(line, "\n")...)
	}
	s.proc.Wake()
}

// Next waits for what the command prints. ok is false when it has ended, and all was read.
func (s *Session) Next(p *sim.Proc) (text string, ok bool) { return s.next(p, &s.stopped) }

func (s *Session) next(p *sim.Proc, left *bool) (text string, ok bool) {
	for s.reader = p; *left || s.printed.Len() == 0; p.Park() {
		if s.ended || *left || !s.runtime.component.Running() {
			return "", false
		}
	}
	text = s.printed.String()
	s.printed.Reset()
	return text, true
}

// ExitCode is that of the command that has ended.
func (s *Session) ExitCode() int32 { return s.status }

// Stop kills the command.
func (s *Session) Stop() {
	s.stopped = true
	s.proc.Wake()
	s.wake()
}

func (s *Session) print(text string) {
	if s.attached && s.reader == nil {
		s.printed.Reset() // nobody has seen it
	}
	s.printed.WriteString(text)
	s.wake()
}

func (s *Session) wake() {
	if s.reader != nil {
		s.reader.Wake()
	}
}

// readLine waits for a line. ok is false when there is none any more.
func (s *Session) readLine(x *shell, prompt string) (line string, ok bool) {
	if s.tty {
		s.print(prompt)
	}
	for len(s.typed) == 0 && !s.isClosed {
		if x.proc.Park(); x.killed() {
			if !s.interrupted || s.stopped || x.task != nil && x.task.dead {
				return "", false
			}
			s.interrupted, x.over = false, false // Ctrl-C at the prompt begins a new line
			if s.tty {
				s.print("^C\n" + prompt)
			}
			x.status = 130
		}
	}
	if len(s.typed) == 0 {
		return "", false
	}
	line, s.typed = s.typed[0], s.typed[1:]
	if s.tty {
		s.print(line + "\n")
	}
	return line, true
}

// interact is a shell that runs each line that is typed as soon as it is whole.
func (x *shell) interact(s *Session, name string) {
	for !x.ended() {
		text, prompt := "", x.prompt(name)
		var script *script
		for {
			line, ok := s.readLine(x, prompt)
			if !ok {
				if s.tty && s.isClosed {
					s.print("^D\n")
				}
				return
			}
			text += line + "\n"
			if script = parseScript(text); !script.open {
				break
			}
			prompt = "> "
		}
		if script.failure != "" {
			x.out("stderr", name+": "+script.failure)
			x.status = 2
			continue
		}
		x.list(script.body)
		if s.interrupted && !s.stopped && (x.task == nil || !x.task.dead) {
			s.interrupted, x.over, x.status = false, false, 130
			if s.tty {
				s.print("^C\n")
			}
		}
		*x.budget = budget{kept: x.budget.kept}
	}
}

// prompt is that of the image's shell for root: busybox' shows the directory, bash' the host too, and dash' neither.
func (x *shell) prompt(name string) string {
	if name == "bash" {
		return "root@" + x.sandbox.hostname() + ":" + x.dir + "# "
	}
	switch lookup(x.container.Config.Image) {
	case &busybox, &testBusybox, &alpine:
		return x.dir + " # "
	}
	return "# "
}

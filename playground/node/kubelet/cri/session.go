package cri

import (
	"slices"
	"strings"

	"kubewalk/playground/sim"
)

// Session is somebody's connection to a command in a container, who types to it and reads what it prints.
type Session struct {
	console *console
	shown   bool      // who types sees that already, so the terminal does not echo it here
	ends    bool      // the command ends with the session
	reader  *sim.Proc // waits for what is printed
	printed []*output // that it has not read yet
	unread  int       // bytes
	stderr  bool      // the stream of what it has read last
	stopped bool
}

// output is what a command has printed to one stream.
type output struct {
	strings.Builder
	stderr bool
}

// console is where a command reads what is typed.
type console struct {
	runtime *Runtime
	proc    *sim.Proc // of the command
	tty     bool

	typed       []typed // that nobody has read yet
	isClosed    bool    // there will be no more
	interrupted bool    // Ctrl-C: the command that runs ends
	stopped     bool    // the command is to end, and nobody sees what it prints

	sessions []*Session
	missed   string // what was printed last while there was no session, as a prompt
	ended    bool
	status   int32
}

// typed is a line, or ctrlD, and the session in which it was typed.
type typed struct {
	line string
	in   *Session
}

// Keys that are typed as a line of their own.
const (
	ctrlC = "\x03" // ends what the shell runs
	ctrlD = "\x04" // ends the input
)

// SessionOptions say how somebody is connected to a command.
type SessionOptions struct {
	TTY   bool // to a terminal
	Shown bool // what is typed is seen already, so the terminal does not echo it
}

// Exec starts a command in a running container, and connects to it. A shell without a script reads lines that are typed, one after the other,
// and with a terminal it prompts for each and the terminal echoes it. What it runs reads what is typed meanwhile.
//
// Simplified: of the keys there are Enter, Ctrl-C and Ctrl-D, and with a terminal all that a command prints comes as one stream. A command that reads
// its standard input has all of it before it begins, but for cat and read.
// Upstream: containerd internal/cri/server/container_exec.go.
func (r *Runtime) Exec(id string, argv []string, o SessionOptions) (*Session, error) {
	c, t, sandbox, err := r.executable(id, argv)
	if err != nil {
		return nil, err
	}
	on := &console{runtime: r, tty: o.TTY}
	s := on.join(o)
	s.ends = true
	on.proc = r.component.Go("exec/"+c.Config.Name, func(p *sim.Proc) {
		x := r.newShell(p, c, sandbox, nil)
		x.abandon = func() bool { return s.stopped || on.interrupted || x.budget.broken || r.tasks[id] != t }
		x.typing = on
		x.out = func(stream, text string) {
			if x.step(lines(len(text))); x.budget.broken || s.stopped {
				return
			}
			if s.unread+len(text) > mostWritten {
				on.print("\nthe output is longer than 1 MiB: the command was stopped here\n")
				x.budget.broken = true
				return
			}
			on.printTo(stream, ended(text))
		}
		x.exec(argv)
		if r.tasks[id] != t {
			x.status = 137
		}
		on.end(x.status)
	})
	t.ended = append(t.ended, on.proc)
	return s, nil
}

// converse has a container's program read what is typed. What it prints is in the log, too.
func (x *shell) converse() {
	on := &console{runtime: x.runtime, proc: x.proc, tty: x.container.Config.Program.TTY}
	x.task.console, x.typing = on, on
	x.abandon = func() bool { return on.interrupted }
	log := x.out
	x.out = func(stream, text string) {
		log(stream, text)
		on.printTo(stream, ended(text))
	}
}

// Attach connects to the program of a running container, if that reads what is typed. All who are connected see what it prints.
// Upstream: containerd internal/cri/server/container_attach.go.
func (r *Runtime) Attach(id string, o SessionOptions) (*Session, bool) {
	t := r.tasks[id]
	if t == nil || t.console == nil {
		return nil, false
	}
	s := t.console.join(o)
	if t.console.missed != "" {
		s.print(t.console.missed, false)
		t.console.missed = ""
	}
	return s, true
}

func (on *console) join(o SessionOptions) *Session {
	s := &Session{console: on, shown: o.Shown}
	on.sessions = append(on.sessions, s)
	return s
}

// Type gives the command a line, without its end, or a key.
func (s *Session) Type(line string) {
	if line == ctrlC {
		s.console.interrupted = true
	} else {
		for one := range strings.SplitSeq(line, "\n") {
			s.console.typed = append(s.console.typed, typed{one, s})
		}
	}
	s.console.proc.Wake()
}

// Next waits for what the command prints. ok is false when it has ended and all was read, or the session was stopped.
func (s *Session) Next(p *sim.Proc) (text string, ok bool) {
	for s.reader = p; s.stopped || len(s.printed) == 0; p.Park() {
		if s.console.ended || s.stopped || !s.console.runtime.component.Running() {
			return "", false
		}
	}
	first := s.printed[0]
	s.printed, s.stderr = s.printed[1:], first.stderr
	s.unread -= first.Len()
	return first.String(), true
}

// Stderr tells whether what Next returned last was printed to standard error. On a terminal nothing is.
func (s *Session) Stderr() bool { return s.stderr }

// ExitCode is that of the command that has ended.
func (s *Session) ExitCode() int32 { return s.console.status }

// Stop ends the session. A command that was started for it is killed; a container's program goes on.
func (s *Session) Stop() {
	s.stopped = true
	s.console.sessions = slices.DeleteFunc(s.console.sessions, func(other *Session) bool { return other == s })
	if s.ends {
		s.console.stopped = true
		s.console.proc.Wake()
	}
	s.wake()
}

func (s *Session) print(text string, stderr bool) {
	n := len(s.printed)
	if n == 0 || s.printed[n-1].stderr != stderr {
		s.printed = append(s.printed, &output{stderr: stderr})
		n++
	}
	s.printed[n-1].WriteString(text)
	s.unread += len(text)
	s.wake()
}

func (s *Session) wake() {
	if s.reader != nil {
		s.reader.Wake()
	}
}

func (on *console) print(text string) { on.printTo("stdout", text) }

func (on *console) printTo(stream, text string) {
	if len(on.sessions) == 0 {
		on.missed = text
	}
	for _, s := range on.sessions {
		if s.unread+len(text) <= 2*mostWritten { // who does not read loses the rest
			s.print(text, stream == "stderr" && !on.tty)
		}
	}
}

// end tells who listens that the command has ended.
func (on *console) end(status int32) {
	on.ended, on.status = true, status
	for _, s := range on.sessions {
		s.wake()
	}
}

// readLine waits for a line, which it prompts for. ok is false when there is none any more, or the reader is to end.
func (on *console) readLine(x *shell, prompt string) (line string, ok bool) {
	on.show(prompt)
	for len(on.typed) == 0 && !on.isClosed {
		if x.proc.Park(); x.killed() {
			return "", false
		}
	}
	if len(on.typed) == 0 {
		return "", false
	}
	next := on.typed[0]
	on.typed = on.typed[1:]
	if next.line == ctrlD {
		on.isClosed = !on.tty // a terminal's reader alone is told that there is no more
		return "", false
	}
	for _, s := range on.sessions {
		if on.tty && (s != next.in || !s.shown) {
			s.print(next.line+"\n", false)
		}
	}
	return next.line, true
}

// show prints what only a terminal has.
func (on *console) show(text string) {
	if on.tty && text != "" {
		on.print(text)
	}
}

// readAll waits for all lines up to the end of the input.
func (on *console) readAll(x *shell) string {
	var b strings.Builder
	for {
		line, ok := on.readLine(x, "")
		if !ok || !x.hold(len(line)+1) {
			return b.String()
		}
		b.WriteString(line + "\n")
	}
}

// command waits for a line at a shell's prompt. Ctrl-C there begins a new line.
func (on *console) command(x *shell, prompt string) (line string, ok bool) {
	for {
		line, ok = on.readLine(x, prompt)
		if ok || !on.resumes(x) {
			return line, ok
		}
	}
}

// resumes tells whether Ctrl-C has ended what a shell does, and not the shell, which can go on then.
func (on *console) resumes(x *shell) bool {
	if !on.interrupted || x.task != nil && x.task.dead || on.stopped {
		return false
	}
	on.interrupted, x.over, x.status = false, false, 130
	on.show("^C\n")
	return true
}

// interact is a shell that runs each line that is typed as soon as it is whole.
func (x *shell) interact(name string) {
	on := x.typing
	x.name = name
	for !x.ended() {
		text, prompt := "", x.prompt(name)
		var script *script
		for {
			line, ok := on.command(x, prompt)
			if !ok {
				if !x.over {
					on.show("^D\n")
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
		on.resumes(x)
		*x.budget = budget{kept: x.budget.kept, depth: x.budget.depth}
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

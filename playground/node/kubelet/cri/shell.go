package cri

import (
	"slices"
	"strings"
	"time"

	"kubewalk/playground/sim"
)

// shell runs a script in a container: as its program, or as a command that
// somebody executes in it.
type shell struct {
	runtime   *Runtime
	proc      *sim.Proc
	container *Container
	sandbox   *PodSandbox
	task      *task // whose program this is; nil for a command that is executed in the container

	vars   map[string]string
	args   []string
	name   string // what it was started as; "" is sh
	status int32  // $?
	dir    string
	stdin  *string  // what commands read, of which read takes lines; nil is nothing
	typing *console // somebody types to the shell, and that is what commands read; nil for what stdin holds
	out    func(stream, text string)
	reader string // the command that reads what this one writes; "" for the last of a pipe
	budget *budget

	errexit  bool
	pipefail bool
	over     bool // exit was called, or the process was killed
	tested   int  // > 0 inside a condition: there -e doesn't end the script
	trap     *list
	trapped  bool
	breaks   bool
	abandon  func() bool   // for a command: it is to end
	until    time.Duration // when timeout ends it; 0 for never
}

func (r *Runtime) newShell(q *sim.Proc, c *Container, sandbox *PodSandbox, t *task) *shell {
	x := &shell{runtime: r, proc: q, container: c, sandbox: sandbox, task: t, vars: map[string]string{}, dir: clean("/", c.Config.WorkingDir), budget: &budget{}}
	for _, v := range c.Config.Env {
		x.vars[v.Name] = v.Value
	}
	if _, ok := x.vars["HOSTNAME"]; !ok {
		x.vars["HOSTNAME"] = sandbox.hostname()
	}
	if _, ok := x.vars["PATH"]; !ok {
		x.vars["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	}
	x.out = func(stream, text string) {
		x.step(lines(len(text)))
		c.log.write(q.Time(), stream, text)
	}
	return x
}

// unended is what a program puts behind text whose last line it does not end.
const unended = "\x00\x1c"

// plain marks text that a program writes as it is, without a newline of its own.
func plain(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + unended
}

// ended is what was written: a line ends unless the program said that it does not.
func ended(text string) string {
	if text, open := strings.CutSuffix(text, unended); open {
		return text
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// run executes a whole script and returns what it ends with.
func (x *shell) run(s *script) int32 {
	if s.failure != "" {
		x.out("stderr", "sh: "+s.failure)
		return 2
	}
	x.errexit, x.args, x.name = s.errexit, s.args, s.name
	x.list(s.body)
	return x.status
}

// list runs statements until the script is over.
func (x *shell) list(l *list) {
	for i, s := range l.items {
		if x.ended() || x.breaks {
			return
		}
		if s.join == "&&" && x.status != 0 || s.join == "||" && x.status == 0 {
			continue
		}
		followed := i+1 < len(l.items) && l.items[i+1].join != ""
		if followed || s.not {
			x.tested++
		}
		x.statement(s)
		if followed || s.not {
			x.tested--
		}
		if s.not {
			x.status = map[bool]int32{true: 1, false: 0}[x.status == 0]
		}
		x.hear()
		if x.errexit && x.status != 0 && x.tested == 0 && !followed && !s.not {
			x.over = true
		}
	}
}

// hear runs the trap if SIGTERM has come: after the command, not during it.
func (x *shell) hear() {
	if x.over || x.trapped || x.trap == nil || x.task == nil || x.task.signal != sigterm {
		return
	}
	x.trapped = true
	status := x.status
	x.list(x.trap)
	if !x.over {
		x.status = status
	}
}

func (x *shell) condition(l *list) bool {
	x.tested++
	x.list(l)
	x.tested--
	return x.status == 0 && !x.over
}

// idleLoop is how long a turn of a loop takes that does nothing that takes time:
// it burns a CPU meanwhile.
const idleLoop = time.Second

func (x *shell) statement(s *statement) {
	held := x.budget.held
	defer func() { x.budget.held = held }()
	if s.pipe != nil {
		x.pipeline(s.pipe)
		return
	}
	restore, ok := x.redirected(s.redirect)
	defer restore()
	if !ok {
		x.status = 1
		return
	}
	switch {
	case s.loop && s.cond == nil: // for
		for _, value := range x.expandAll(s.values) {
			if x.ended() || x.breaks {
				break
			}
			x.assign(s.variable, value)
			x.step(1)
			x.list(s.body)
		}
		x.breaks = false
	case s.loop:
		for !x.ended() && !x.breaks {
			began := x.proc.Now()
			if x.condition(s.cond) == s.until {
				x.status = 0
				break
			}
			if x.list(s.body); x.proc.Now() == began && !x.ended() && !x.breaks {
				x.busy(idleLoop)
			}
		}
		x.breaks = false
	case s.cond != nil: // if
		if x.condition(s.cond) {
			x.list(s.body)
		} else if s.elseBody != nil {
			x.list(s.elseBody)
		} else {
			x.status = 0
		}
	default:
		x.list(s.body)
	}
}

// busy lets time pass at the cost of a whole CPU.
func (x *shell) busy(d time.Duration) bool {
	if x.task == nil {
		return x.sleep(d)
	}
	before := x.task.program.CPU
	x.task.count(x.proc.Now(), x.container)
	x.task.program.CPU = 1000 * milli
	ok := x.sleep(d)
	x.task.count(x.proc.Now(), x.container)
	x.task.program.CPU = before
	return ok
}

// sleep lets time pass; false when the process was killed meanwhile.
func (x *shell) sleep(d time.Duration) bool {
	deadline := x.proc.Now() + d
	for x.proc.Now() < deadline {
		if x.killed() {
			return false
		}
		x.proc.ParkFor(min(deadline, x.oom(), x.patience()) - x.proc.Now())
	}
	return !x.killed()
}

// oom is when the container is killed for its memory; never if it isn't.
func (x *shell) oom() time.Duration {
	if x.task == nil {
		return never
	}
	return x.task.oomAt(x.container)
}

// patience is when timeout ends the command.
func (x *shell) patience() time.Duration {
	if x.until == 0 {
		return never
	}
	return x.until
}

func (x *shell) killed() bool {
	if x.proc.Now() >= x.patience() {
		x.over, x.status = true, 128+int32(sigterm)
	}
	if x.task == nil {
		if x.abandon() {
			x.over, x.status = true, 137
		}
		return x.over
	}
	if x.runtime.doomed(x.proc, x.container, x.task) || x.abandon != nil && x.abandon() {
		x.over = true
	}
	return x.over
}

// pipeline runs commands one after the other, each with what the one before wrote.
func (x *shell) pipeline(pipe []*command) {
	out, stdin, typing, reader := x.out, x.stdin, x.typing, x.reader
	failed := int32(0)
	for i, c := range pipe {
		var text strings.Builder
		x.reader = reader
		broken := false
		if i < len(pipe)-1 {
			x.reader = pipe[i+1].name()
			x.out = func(stream, line string) {
				if stream == "stdout" {
					if broken = broken || x.reader == "head" && text.Len() > pipeSize; broken {
						x.budget.broken = true // SIGPIPE
					} else if x.hold(len(line) + 1) {
						text.WriteString(ended(line))
					}
				} else {
					out(stream, line)
				}
			}
		} else {
			x.out = out
		}
		x.command(c)
		if broken {
			x.budget.broken = false
		}
		if x.status != 0 {
			failed = x.status
		}
		written := text.String()
		x.stdin, x.typing = &written, nil
	}
	if x.pipefail {
		x.status = failed
	}
	x.out, x.stdin, x.typing, x.reader = out, stdin, typing, reader
}

func (x *shell) command(c *command) {
	words := c.words
	for ; len(words) > 0 && words[0].assigns() && !x.ended(); words = words[1:] {
		name, value, _ := strings.Cut(strings.Join(x.expand(words[0].unsplit()), ""), "=")
		x.assign(name, value)
		ran := slices.ContainsFunc(words[0], func(p part) bool { return p.kind == substitution })
		if !x.ended() && !ran { // with $(…) it is how that ended
			x.status = 0
		}
	}
	argv := x.expandAll(words)
	restore, ok := x.redirected(c.redirect)
	defer restore()
	if !ok {
		x.status = 1
		return
	}
	if len(argv) == 0 || x.ended() {
		return
	}
	x.exec(argv)
}

// name is the command that it runs, if that is written out.
func (c *command) name() string {
	if len(c.words) == 0 || len(c.words[0]) == 0 {
		return ""
	}
	return base(c.words[0][0].text)
}

// assigns tells whether a word sets a variable, when it stands before a command.
func (w word) assigns() bool {
	return len(w) > 0 && w[0].kind == literal && !w[0].quoted && isAssignment(w[0].text)
}

// unsplit is the word as one, whatever its variables hold.
func (w word) unsplit() word {
	out := slices.Clone(w)
	for i := range out {
		out[i].quoted = true
	}
	return out
}

func isAssignment(text string) bool { // of an array's item, too: items[0]=foo
	n := strings.IndexByte(text, '=')
	if n < 1 || text[0] >= '0' && text[0] <= '9' {
		return false
	}
	for i := range n {
		if !isNameByte(text[i]) && (i == 0 || text[i] != '[' && text[i] != ']') {
			return false
		}
	}
	return true
}

// exec runs one command with its arguments.
func (x *shell) exec(argv []string) {
	name, bytes := base(argv[0]), len(x.input())
	for _, a := range argv {
		bytes += len(a)
	}
	if x.step(lines(bytes)); x.ended() {
		return
	}
	if strings.Contains(argv[0], "/") && x.file(argv) {
		return
	}
	if x.typing != nil && name != "cat" && readsAll(argv) { // cat and read take line after line
		defer x.reading(x.typing.readAll(x))()
		if x.over {
			return
		}
	}
	if do, ok := commands[name]; ok {
		x.status = do(x, argv)
		return
	}
	b := lookup(x.container.Config.Image)
	if do, ok := tools[name]; ok && slices.Contains(b.Commands, name) {
		x.status = do(x, argv)
		return
	}
	if !b.holds(name) {
		says := ": not found"
		if x.name == "bash" {
			says = ": command not found"
		}
		x.out("stderr", x.called()+argv[0]+says)
		x.status = 127
		return
	}
	p := b.parse(argv)
	if x.task == nil { // a command of the image: it does what it does at once
		x.status = p.ExitCode
		return
	}
	p.Answers, p.Breaks, p.Stops = x.task.program.Answers, x.task.program.Breaks, x.task.program.Stops
	if p.Memory == 0 {
		p.Memory = x.task.program.Memory
	}
	x.status = x.runtime.execute(x.proc, x.container, x.sandbox, x.task, p)
	if x.task.dead || x.task.stopped {
		x.over = true
	}
}

// redirected sends output where a command's redirections say, until the
// function that it returns is called. When a file can't be opened, the command
// is not to be run.
func (x *shell) redirected(list []redirect) (restore func(), ok bool) {
	if len(list) == 0 {
		return func() {}, true
	}
	ok = true
	before, stdin, typing := x.out, x.stdin, x.typing
	to := map[string]func(string){}
	for _, r := range list {
		stream := map[int]string{1: "stdout", 2: "stderr"}[r.fd]
		if r.merge {
			other := map[int]string{1: "stderr", 2: "stdout"}[r.fd]
			if do, ok := to[other]; ok {
				to[stream] = do
			} else {
				to[stream] = func(text string) { before(other, text) }
			}
			continue
		}
		if r.here {
			x.reading(strings.Join(x.expand(r.to), " "))
			continue
		}
		path := clean(x.dir, strings.Join(x.expand(r.to), " "))
		switch {
		case r.input:
			if text, found := x.read(x.container, path); found {
				x.reading(text)
			} else {
				before("stderr", x.called()+"can't open "+path+": no such file")
				ok = false
			}
			continue
		case path == "/dev/null":
			to[stream] = func(string) {}
			continue
		case path == "/proc/1/fd/1", path == "/dev/stdout":
			to[stream] = func(text string) { x.container.log.write(x.proc.Time(), "stdout", text) }
			continue
		case path == "/dev/stderr", path == "/proc/1/fd/2":
			to[stream] = func(text string) { before("stderr", text) }
			continue
		}
		if why := x.write(path, "", r.append); why != "" {
			before("stderr", x.called()+"can't create "+path+": "+why)
			ok = false
			continue
		}
		to[stream] = func(text string) { x.write(path, ended(text), true) }
	}
	x.out = func(stream, text string) {
		if do, ok := to[stream]; ok {
			do(text)
		} else {
			before(stream, text)
		}
	}
	return func() { x.out, x.stdin, x.typing = before, stdin, typing }, ok
}

package kubectl

import (
	"errors"
	"io"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// Terminal is where one command runs at a time: one that goes on (get --watch) is interrupted, as by Ctrl-C, when the next one
// is typed. It is on a machine of its own: with a kubeconfig, files, and ports on which a command may listen.
type Terminal struct {
	interrupt *func()            // of the command that goes on; nil for none
	typed     *func(line string) // gives that command a line to read; nil if it reads none
	listening map[int]*listener
	config    *kubeconfig       // nil until a command has looked at it
	files     map[string]string // by path
}

// WithTerminal is a kubectl in a terminal. shows is called when a command that goes on has printed something, with all of it.
func (c Command) WithTerminal(t *Terminal, shows func(Result)) Command {
	c.terminal, c.shows = t, shows
	return c
}

// What the attribute terminal of a log line says of the command, for who looks at the terminal: it goes on, it reads what is typed, it is over.
const (
	runs  = "runs"
	reads = "reads"
	over  = "over"
)

// state is told in the trace: see runs.
func (s *session) state(is string) { s.p.Logger().V(4).Info("kubectl "+s.name, "terminal", is) }

// goesOn says how the command, which goes on, is interrupted. Whoever calls it calls ended when the command has ended.
func (s *session) goesOn(stop func()) (ended func()) {
	s.hear()
	if s.terminal == nil {
		return func() {}
	}
	mine := &stop
	s.terminal.interrupt = mine
	s.state(runs)
	return func() {
		if s.p.Component().Running() { // otherwise the machine stops
			s.state(over)
		}
		if s.terminal.interrupt == mine { // the next command may go on already
			s.terminal.interrupt = nil
		}
	}
}

// hear lets who looks at the terminal see what was printed.
func (s *session) hear() {
	if s.shows != nil {
		s.shows(s.printed())
	}
}

// Type gives the command that goes on a line to read, or the key Ctrl-C ("\x03") or Ctrl-D ("\x04"). It tells whether there is such a command.
// Without one that reads, Ctrl-C interrupts one that goes on.
func (t *Terminal) Type(line string) bool {
	switch {
	case t.typed != nil:
		(*t.typed)(line)
	case t.interrupt != nil && line == "\x03":
		stop := *t.interrupt
		t.interrupt = nil
		stop()
	default:
		return false
	}
	return true
}

// output is what a container prints, and what each line of it begins with.
type output struct {
	client.Output
	prefix string
}

// followOutputs prints what containers print, as it comes, until all have ended or the command is interrupted.
func (s *session) followOutputs(outputs []output) error {
	type text struct {
		text string
		of   *sim.Proc
	}
	var queue []text
	var failed error
	left, stopped := len(outputs), false
	defer s.goesOn(func() {
		stopped, s.stopped = true, true
		for _, o := range outputs {
			o.Stop()
		}
		s.p.Wake()
	})()
	for _, o := range outputs {
		s.p.Component().Go("kubectl "+s.name, func(q *sim.Proc) {
			for {
				got, err := o.Next(q)
				if err != nil {
					if left--; err != io.EOF && failed == nil {
						failed = err
					}
					s.p.Wake()
					return
				}
				queue = append(queue, text{prefixed(o.prefix, got), q})
				s.p.Wake()
			}
		})
	}
	for ; !stopped; s.p.Park() {
		for _, t := range queue {
			s.printf("%s", t.text)
		}
		if len(queue) > 0 {
			queue = nil
			s.hear()
		}
		if left == 0 {
			return failed
		}
	}
	return nil
}

// typeInto sends a request for a connection, prints what comes, and sends what is typed, until it ends. code is what a command ended with.
func (s *session) typeInto(r *client.Request) (code client.CodeExitError, err error) {
	got, err := client.As[*client.Text](s.do(r))
	if err != nil {
		return 0, err
	}
	if got.Type != nil && s.terminal != nil {
		mine := &got.Type
		s.terminal.typed = mine
		s.state(reads)
		defer func() {
			if s.terminal.typed == mine { // the next command may read already
				s.terminal.typed = nil
			}
		}()
	}
	err = s.followOutputs([]output{{got.Output, ""}})
	if errors.As(err, &code) {
		err = nil
	}
	return code, err
}

// prefixed is text whose lines begin with something.
func prefixed(prefix, text string) string {
	if prefix == "" || text == "" {
		return text
	}
	return prefix + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+prefix) + "\n"
}

// retried sends a request for a connection, again every second while the server refuses it, for 20 s, which is what --pod-running-timeout is by default.
// Upstream: kubectl pkg/cmd/logs/logs.go, LogsOptions.consumeWithRetry.
func (s *session) retried(r *client.Request) (*client.Text, error) {
	for end := s.p.Now() + 20*time.Second; ; s.p.Sleep(time.Second) {
		got, err := client.As[*client.Text](s.do(r))
		var refused apierrors.APIStatus
		if err == nil || !errors.As(err, &refused) {
			return got, err
		}
		if s.p.Now() >= end {
			return nil, client.ErrDeadlineExceeded
		}
		s.note(err.Error())
		s.hear()
	}
}

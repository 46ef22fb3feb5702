package httpapi

import (
	"cmp"
	"errors"
	"strings"
	"sync"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
)

// Keys that are typed to a command as a line of their own.
const (
	ctrlC = "\x03"
	ctrlD = "\x04"
)

// converse has the command read what the client types, a line at a time, and writes what it prints, until it ends. On a terminal what is
// typed is echoed. When the client goes, a command that it started ends as by Ctrl-C and Ctrl-D, and a container's program goes on.
func (c *command) converse() (code int32, err error) {
	attaches := c.request.Subresource == "attach"
	closes := !attaches || !c.tty && c.readsOnce()
	request, in := c.asInput()
	o := &conversation{opened: make(chan struct{}), more: make(chan struct{}, 1)}
	typed, leave, err := c.server.loop.open(request, in, o)
	if err != nil {
		return 0, err
	}
	defer leave()
	k := &keyboard{typed: typed, tty: c.tty, show: func(text string) { c.write(channelStdout, text) }}
	opened, stdin := o.opened, (chan []byte)(nil) // what is typed before it is open would be lost
	for {
		select {
		case <-opened:
			opened, stdin = nil, c.stdin
		case piece, open := <-stdin:
			if k.press(string(piece)); !open {
				if stdin = nil; closes {
					k.end()
				}
			}
		case <-o.more:
			ended, err := o.next(c.write)
			if ended {
				return o.code, errors.Join(err, o.err)
			}
			if err != nil {
				return 0, err
			}
		case <-c.conn.gone():
			if !attaches {
				typed(ctrlC)
			}
			if closes {
				typed(ctrlD)
			}
			return 0, nil
		case <-c.server.closing.Done():
			return 0, errStopped
		case <-c.server.loop.stopped:
			return 0, errStopped
		}
	}
}

// readsOnce tells whether the input of a container's program ends with that of the first who attaches. Only one without a terminal does that.
// Upstream: containerd internal/cri/io/container_io.go, ContainerIO.Attach.
func (c *command) readsOnce() bool {
	pod, _, err := c.server.container(c.r, c.request, c.request.Exec.Container)
	if err != nil {
		return false
	}
	for i := range pod.Spec.Containers {
		if container := &pod.Spec.Containers[i]; container.Name == cmp.Or(c.request.Exec.Container, pod.Spec.Containers[0].Name) {
			return container.StdinOnce
		}
	}
	return false
}

// keyboard makes lines of what a client sends.
type keyboard struct {
	typed func(line string)
	tty   bool
	show  func(text string) // on the terminal
	line  strings.Builder
}

func (k *keyboard) press(piece string) {
	for _, key := range piece {
		if k.line.Len() > maxBody {
			k.line.Reset()
		}
		switch {
		case key == '\n', k.tty && key == '\r':
			k.echo("\n")
			k.enter()
		case k.tty && key == 3:
			k.line.Reset()
			k.typed(ctrlC)
		case k.tty && key == 4:
			if k.line.Len() == 0 {
				k.typed(ctrlD)
			} else {
				k.enter()
			}
		case k.tty && (key == 8 || key == 127):
			if runes := []rune(k.line.String()); len(runes) > 0 {
				k.line.Reset()
				k.line.WriteString(string(runes[:len(runes)-1]))
				k.echo("\b \b")
			}
		default:
			k.line.WriteRune(key)
			k.echo(string(key))
		}
	}
}

// end is the end of what the client sends.
func (k *keyboard) end() {
	if k.line.Len() > 0 {
		k.enter()
	}
	k.typed(ctrlD)
}

func (k *keyboard) enter() {
	k.typed(k.line.String())
	k.line.Reset()
}

func (k *keyboard) echo(text string) {
	if k.tty {
		k.show(text)
	}
}

// conversation is what a command has printed that the client has not been sent yet. The loop fills it, and never waits for the client.
type conversation struct {
	opened chan struct{} // closed when it is open
	more   chan struct{} // there is more

	mu      sync.Mutex
	printed []printed
	held    int
	ended   bool
	code    int32
	err     error
}

type printed struct {
	channel byte
	text    string
}

// errSlowReader ends a command whose client does not take what it prints.
var errSlowReader = apierrors.NewTooManyRequests("the client does not read what the command prints", 0)

// Opened implements cluster.Listener.
func (o *conversation) Opened(err error) {
	if err != nil {
		o.Ended(0, err)
		return
	}
	close(o.opened)
}

// Printed implements cluster.Listener.
func (o *conversation) Printed(text string, stderr bool) {
	channel := byte(channelStdout)
	if stderr {
		channel = channelStderr
	}
	o.add(func() {
		if o.held += len(text); o.held > maxBody {
			o.ended, o.err = true, errSlowReader
			return
		}
		o.printed = append(o.printed, printed{channel, text})
	})
}

// Ended implements cluster.Listener.
func (o *conversation) Ended(code int32, err error) {
	o.add(func() {
		if !o.ended {
			o.ended, o.code, o.err = true, code, err
		}
	})
}

func (o *conversation) isOver() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended
}

func (o *conversation) add(what func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	what()
	select {
	case o.more <- struct{}{}:
	default:
	}
}

// next writes what there is. ended tells that there will be no more.
func (o *conversation) next(write func(channel byte, text string) error) (ended bool, err error) {
	o.mu.Lock()
	list := o.printed
	ended, o.printed, o.held = o.ended, nil, 0
	o.mu.Unlock()
	for _, p := range list {
		if err := write(p.channel, p.text); err != nil {
			return ended, err
		}
	}
	return ended, nil
}

// open opens a connection to a command. typed gives the command a line or a key. leave closes the connection from this side; one that is an
// input of the run stays open, and nobody reads it.
func (l *loop) open(r *client.Request, in cluster.Input, o *conversation) (typed func(line string), leave func(), err error) {
	var connection *cluster.Connection
	var failed error
	if err := l.do(func(c *cluster.Cluster) {
		if l.record == nil {
			connection = c.Connect(r, o)
			return
		}
		in, failed = l.giveBy(in, func(cluster.Answer) {}, func(in cluster.Input, answered func(cluster.Outcome, cluster.Answer)) (cluster.Input, error) {
			return c.Open(in, o, answered)
		})
	}); err != nil {
		return nil, nil, err
	}
	leave = func() {
		if connection != nil {
			l.do(func(*cluster.Cluster) { connection.Close() })
		}
	}
	return func(line string) {
		line = strings.ToValidUTF8(line, "\ufffd") // an input is text
		l.do(func(c *cluster.Cluster) {
			if connection != nil {
				connection.Type(line)
			} else if !o.isOver() { // the client has not heard of the end yet, and whoever repeats the run must not type to nobody
				l.give(cluster.Input{Kind: cluster.Type, Connection: in.Connection, Value: line}, func(cluster.Answer) {})
			}
		})
	}, leave, failed
}

var _ cluster.Listener = (*conversation)(nil)

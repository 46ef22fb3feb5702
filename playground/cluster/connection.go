//go:build cel || !js

package cluster

import (
	"errors"
	"io"
	"strconv"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// Listener is a program outside the cluster at its end of a connection to a command in a container. Its functions are called in the
// cluster's own time.
type Listener interface {
	// Opened is called first, and once. There is no connection if err is not nil.
	Opened(err error)
	Printed(text string, stderr bool)
	// Ended is called last, and not if there was no connection. err is nil if the command ended by itself, with code.
	Ended(code int32, err error)
}

// Connection leads to a command in a container to which somebody types: what kubectl exec -i and attach -i open.
type Connection struct {
	cluster *Cluster
	output  client.Output
	typed   func(line string) // nil until it is open, and after its end
}

// Connect sends a request for a connection for a program outside the cluster. As with Send, a run that has one cannot be repeated: see Open.
func (c *Cluster) Connect(r *client.Request, l Listener) *Connection {
	n := &Connection{cluster: c}
	r.Streams, r.Exec.Shown = true, true
	c.kubectl.Go(r.Method()+" "+r.Subresource, func(p *sim.Proc) {
		got, err := client.As[*client.Text](c.observed(c.server).Do(p, r))
		if l.Opened(err); err != nil {
			return
		}
		if n.output, n.typed = got.Output, got.Type; n.typed == nil {
			n.typed = func(string) {} // a program that reads nothing
		}
		defer func() { n.typed = nil }()
		for {
			text, err := n.output.Next(p)
			var code client.CodeExitError
			switch {
			case err == nil:
				l.Printed(text, n.output.Stderr())
				continue
			case errors.As(err, &code), err == io.EOF:
				err = nil
			}
			l.Ended(int32(code), err)
			return
		}
	})
	return n
}

// Type gives the command a line to read, or a key: see the kind Type. It tells whether there is such a command.
func (n *Connection) Type(line string) bool {
	if n == nil || n.typed == nil {
		return false
	}
	n.cluster.kubectl.Run(func() { n.typed(line) })
	return true
}

// Close closes the connection from this side.
func (n *Connection) Close() {
	if n.typed != nil {
		n.cluster.kubectl.Run(n.output.Stop)
	}
}

// Open gives an input, as Give does, that opens a connection, which gets the next number for its name. The Type inputs that are to reach
// it have that name. listener is told what comes.
func (c *Cluster) Open(in Input, l Listener, answered func(Outcome, Answer)) (Input, error) {
	n := &c.connections
	if n.listeners == nil {
		n.listeners = map[string]Listener{}
	}
	n.opened++
	in.Connection = strconv.Itoa(n.opened)
	n.listeners[in.Connection] = l
	return c.Give(in, answered)
}

// connections are those that inputs opened.
type connections struct {
	open      map[string]*recorded // by name
	listeners map[string]Listener  // of those that are to be opened
	opened    int                  // how many Open has counted
}

// openConnection opens a connection, whose outcome is what a terminal shows at its end: what is typed, and what is printed.
func (c *Cluster) openConnection(i int) {
	in := c.results[i].Input
	r, err := in.apiRequest()
	must(err) // Schedule has seen it
	n := &c.connections
	if n.open == nil {
		n.open = map[string]*recorded{}
	}
	l := &recorded{cluster: c, input: i, outside: n.listeners[in.Connection]}
	delete(n.listeners, in.Connection)
	n.open[in.Connection] = l
	l.connection = c.Connect(r, l)
}

// recorded is a connection that an input opened.
type recorded struct {
	cluster    *Cluster
	connection *Connection
	input      int      // its place in results
	outside    Listener // nil if there is no program outside, as where a run is repeated
}

func (l *recorded) outcome() *Outcome { return &l.cluster.results[l.input] }

// Opened implements Listener.
func (l *recorded) Opened(err error) {
	o := l.outcome()
	if o.Done = true; err != nil {
		o.Error = err.Error()
	}
	l.cluster.answer(l.input, Answer{Err: err})
	if l.outside != nil {
		l.outside.Opened(err)
	}
}

// Printed implements Listener.
func (l *recorded) Printed(text string, stderr bool) {
	l.outcome().Output += text
	if l.outside != nil {
		l.outside.Printed(text, stderr)
	}
}

// Ended implements Listener.
func (l *recorded) Ended(code int32, err error) {
	if l.outside != nil {
		l.outside.Ended(code, err)
	}
	if code != 0 {
		err = client.CodeExitError(code)
	}
	if err != nil { // the connection was opened all the same, which is what the input is for
		l.outcome().Output += err.Error() + "\n"
	}
}

// typeTo is a line, or a key, for the connection of a name.
func (c *Cluster) typeTo(name, line string) bool {
	l := c.connections.open[name]
	if l == nil || !l.connection.Type(line) {
		return false
	}
	if r, _ := l.outcome().Input.apiRequest(); r.Exec.TTY && len(line) > 0 && line[0] >= ' ' { // the keys are shown by the command
		l.outcome().Output += line + "\n"
	}
	return true
}

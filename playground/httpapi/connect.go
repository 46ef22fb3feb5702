package httpapi

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/gorilla/websocket"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/endpoints"
)

// Channels of the subprotocols v4 and v5: the first byte of each message.
// Upstream: apimachinery/pkg/util/remotecommand/constants.go.
const (
	channelStdin  = 0
	channelStdout = 1
	channelStderr = 2
	channelError  = 3
	channelClose  = 255 // v5: the other side has no more for the channel that the second byte names
)

// commandProtocols are the subprotocols of exec and attach, the preferred one first. In the last two, errors are text, as they are for a client
// that names none.
var commandProtocols = []string{"v5.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io", plainProtocol, "base64.channel.k8s.io"}

// plainProtocol is the first version. Upstream: kubelet/pkg/cri/streaming/remotecommand/websocket.go, preV4BinaryWebsocketProtocol.
const plainProtocol = "channel.k8s.io"

// wire carries the channels of a command: a WebSocket's messages, or the streams of SPDY.
type wire interface {
	// read hands what the client sends to the command, and closes its input when there is no more.
	read(c *command)
	write(channel byte, text string) error
	// plain tells whether errors are told as text.
	plain() bool
	// closesStreams tells whether the client can say that there is no more input.
	closesStreams() bool
	// gone is closed when the client is.
	gone() <-chan bool
	close()
}

// connect answers at exec, attach and portforward, whose connections become WebSockets, or SPDY for clients that have none.
// Upstream: kubelet/pkg/cri/streaming and apimachinery/pkg/util/remotecommand.
func (s *Server) connect(w http.ResponseWriter, r *http.Request, request *client.Request) {
	if request.Subresource == "portforward" {
		if upgradable(w, r) {
			s.portForward(w, r, request)
		}
		return
	}
	if request.Subresource == "exec" && len(request.Exec.Command) == 0 {
		writeError(w, apierrors.NewBadRequest("you must specify at least 1 command for the container"))
		return
	}
	stdin := request.Exec.Stdin
	if request.Subresource == "attach" && !stdin { // otherwise the request that opens it asks
		if err := s.admitted(r, request, http.MethodPost); err != nil {
			writeError(w, err)
			return
		}
	}
	if _, _, err := s.container(r, request, request.Exec.Container); err != nil {
		writeError(w, err)
		return
	}
	if !upgradable(w, r) {
		return
	}
	c := &command{server: s, r: r, request: request, tty: request.Exec.TTY, stdin: make(chan []byte, 16), over: make(chan struct{})}
	if isSPDY(r) {
		streams, ok := openStreams(w, r, request.Exec)
		if !ok {
			return
		}
		c.conn = streams
	} else {
		conn := openChannels(w, r, commandProtocols)
		if conn == nil {
			return
		}
		c.conn = messages{conn, make(chan bool)}
		if c.greet() != nil {
			conn.Close()
			return
		}
	}
	go c.conn.read(c)
	if request.Subresource == "attach" {
		c.end(c.attach(stdin))
	} else {
		c.end(c.exec(stdin))
	}
}

// greet sends an empty message on the first channel that the client reads, which tells it that there is a connection.
// Upstream: apiserver/pkg/util/proxy/websocket.go, webSocketServerStreams.
func (c *command) greet() error {
	channel := byte(channelError)
	switch {
	case c.request.Exec.Stdout:
		channel = channelStdout
	case c.request.Exec.Stderr:
		channel = channelStderr
	}
	return c.conn.write(channel, "")
}

// upgradable tells whether a client wants a connection. Clients fall back to SPDY, also when they were refused for another reason than the
// WebSocket, which they are told again then.
func upgradable(w http.ResponseWriter, r *http.Request) bool {
	if websocket.IsWebSocketUpgrade(r) || isSPDY(r) {
		return true
	}
	writeError(w, apierrors.NewBadRequest("Upgrade request required"))
	return false
}

// admitted asks the cluster's admission about a connection. It is an input: a webhook may be asked. Where none of the cluster's webhooks and
// policies exists, there is nothing to ask.
//
// Simplified: exec, and attach with standard input, are asked about when the connection has been made.
func (s *Server) admitted(r *http.Request, request *client.Request, method string) error {
	in := cluster.Input{Kind: cluster.APIRequest, Method: method, URL: "/api/v1/"}
	if request.Namespace != "" {
		in.URL += "namespaces/" + request.Namespace + "/"
	}
	in.URL += request.Resource.Resource + "/" + url.PathEscape(request.Name) + "/" + request.Subresource
	if request.Subresource == "attach" && r.URL.RawQuery != "" {
		in.URL += "?" + r.URL.RawQuery
	}
	if as := request.Impersonate; as != nil {
		in.As, in.AsGroups = as.Username, as.Groups
	}
	opens := *request
	if opens.Subresource != "proxy" {
		opens.Verb = client.Create
	}
	a, err := await(r.Context(), s.loop, func(c *cluster.Cluster, done func(cluster.Answer)) {
		switch {
		case !c.AsksOfConnections():
			done(cluster.Answer{})
		case s.loop.record == nil:
			c.Send(&opens, done)
		default:
			s.loop.give(in, done)
		}
	})
	if err == nil {
		err = a.Err
	}
	return err
}

// anyOrigin is fine, because a page of the web has no token.
func anyOrigin(*http.Request) bool { return true }

// command is an exec or attach that goes on.
type command struct {
	server  *Server
	r       *http.Request
	request *client.Request
	conn    wire
	tty     bool
	stdin   chan []byte   // closed when there is no more, or the client is gone
	over    chan struct{} // closed when it has ended
	writing sync.Mutex
}

// take is a piece of the standard input; false when nobody wants more.
func (c *command) take(piece []byte) bool {
	select {
	case c.stdin <- piece:
		return true
	case <-c.over:
	case <-c.r.Context().Done():
	case <-c.server.closing.Done():
	}
	return false
}

// messages are a WebSocket's.
type messages struct {
	*channels
	left chan bool // closed when the client is gone
}

// read takes the client's messages until it is gone.
func (m messages) read(c *command) {
	open := true
	done := func() {
		if open {
			open = false
			close(c.stdin)
		}
	}
	defer close(m.left)
	defer done()
	for {
		channel, data, err := m.receive()
		switch {
		case err != nil:
			return
		case len(data) == 0:
		case channel == channelClose && data[0] == channelStdin && m.closesStreams():
			done()
		case channel == channelStdin && open:
			if !c.take(data) {
				return
			}
		}
	}
}

func (m messages) write(channel byte, text string) error { return m.send(channel, text) }

func (m messages) plain() bool { return !strings.HasPrefix(m.Subprotocol(), "v") }

// closesStreams implements wire. Upstream: apimachinery/pkg/util/remotecommand, StreamProtocolV5Name.
func (m messages) closesStreams() bool { return m.Subprotocol() == commandProtocols[0] }

func (m messages) gone() <-chan bool { return m.left }

// write sends text on a channel. A terminal's lines end with a carriage return, too.
func (c *command) write(channel byte, text string) error {
	if text == "" {
		return nil
	}
	if c.tty && channel == channelStderr {
		channel = channelStdout // a terminal has one
	}
	if c.tty && channel == channelStdout {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.conn.write(channel, text)
}

// end says how it ended, and closes the connection.
// Upstream: kubelet/pkg/cri/streaming/remotecommand/exec.go, ServeExec.
func (c *command) end(code int32, err error) {
	close(c.over)
	status := metav1.Status{Status: metav1.StatusSuccess}
	var refused apierrors.APIStatus
	switch {
	case errors.As(err, &refused):
		status = refused.Status()
	case err != nil:
		status = metav1.Status{Status: metav1.StatusFailure, Message: err.Error(), Reason: metav1.StatusReasonInternalError, Code: http.StatusInternalServerError}
	case code != 0:
		status = metav1.Status{Status: metav1.StatusFailure, Reason: "NonZeroExitCode",
			Message: fmt.Sprintf("command terminated with non-zero exit code: exit status %d", code),
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: "ExitCode", Message: fmt.Sprint(code)}}}}
	}
	if c.conn.plain() {
		c.write(channelError, status.Message)
	} else if text, err := json.Marshal(status); err == nil {
		c.write(channelError, string(text))
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.conn.close()
}

// exec runs a command. A shell without a script has what is typed line by line, as has any command that reads, with a terminal or with a client
// that cannot say that there is no more. Any other command that reads its standard input runs when all of that is there.
func (c *command) exec(stdin bool) (code int32, err error) {
	words, input := c.request.Exec.Command, ""
	switch reads := cluster.ReadsInput(words); {
	case stdin && reads && words[0] == "tar" && !c.tty && !c.conn.closesStreams():
		if input, err = c.archive(); err != nil {
			return 130, err
		}
	case stdin && (reads && (c.tty || !c.conn.closesStreams()) || cluster.Prompts(words)):
		return c.converse()
	case stdin && reads:
		if input, err = c.input(); err != nil {
			return 130, err
		}
	}
	return c.run(input)
}

// errTooMuchInput ends a command that is given more than is kept of one.
var errTooMuchInput = apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit of what a command reads is %d", maxBody))

// input collects what the client sends until it says that this is all, or is gone.
func (c *command) input() (string, error) {
	var b strings.Builder
	for piece := range c.stdin {
		if b.Len()+len(piece) > maxBody {
			return "", errTooMuchInput
		}
		b.Write(piece)
	}
	return b.String(), nil
}

// archive collects what the client sends until the end of the archive that it is. Of one that is broken, it is what there is up to there.
func (c *command) archive() (string, error) {
	var b strings.Builder
	for in := tar.NewReader(io.TeeReader(&pieces{from: c.stdin}, &b)); ; {
		_, err := in.Next()
		switch {
		case b.Len() > maxBody:
			return "", errTooMuchInput
		case err != nil:
			return b.String(), nil
		}
	}
}

// pieces reads what comes on a channel.
type pieces struct {
	from <-chan []byte
	rest []byte
}

// Read implements io.Reader.
func (p *pieces) Read(to []byte) (int, error) {
	if len(p.rest) == 0 {
		piece, open := <-p.from
		if !open {
			return 0, io.EOF
		}
		p.rest = piece
	}
	n := copy(to, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// run runs the command, which reads input, and writes what it prints.
func (c *command) run(input string) (code int32, err error) {
	request, in := c.asInput()
	request.Exec.Input = input
	in.SetExecInput(input)
	a, err := await(c.r.Context(), c.server.loop, func(_ *cluster.Cluster, done func(cluster.Answer)) {
		c.server.loop.submit(request, in, done)
	})
	if err == nil {
		err = a.Err
	}
	if err != nil {
		return 0, err
	}
	text := a.Result.(*client.Text)
	said := func() error { return c.write(channelStderr, text.Stderr) }
	if request.Exec.Command[0] == "tar" { // it complains while it writes, and kubectl cp listens no longer than to the end of the archive
		err, said = said(), func() error { return nil }
	}
	return text.ExitCode, errors.Join(err, c.write(channelStdout, text.Body), said())
}

// asInput is the request as one that runs the command, and as an input.
func (c *command) asInput() (*client.Request, cluster.Input) {
	request, exec, query := *c.request, *c.request.Exec, url.Values{}
	request.Verb, request.Exec = client.Create, &exec
	given := c.r.URL.Query()
	for _, name := range []string{"command", "container", "stdin", "stdout", "stderr", "tty"} {
		if given.Has(name) {
			query[name] = given[name]
		}
	}
	in := cluster.Input{Kind: cluster.APIRequest, Method: http.MethodPost, URL: c.r.URL.EscapedPath() + "?" + query.Encode()}
	if as := request.Impersonate; as != nil {
		in.As, in.AsGroups = as.Username, as.Groups
	}
	return &request, in
}

// attach writes what the container prints from now on, until it ends. With stdin, its program is given what is typed.
func (c *command) attach(stdin bool) (code int32, err error) {
	if stdin {
		return c.converse()
	}
	zero := int64(0)
	request := *c.request
	request.Verb, request.Subresource, request.Exec = client.Get, "log", nil
	request.Log = &corev1.PodLogOptions{Container: c.request.Exec.Container, TailLines: &zero}
	err = c.server.followLog(c.r, &request, func(text string) error { return c.write(channelStdout, text) })
	if err != nil {
		return 0, err
	}
	_, status, err := c.server.container(c.r, c.request, c.request.Exec.Container)
	if err == nil && status != nil && status.State.Terminated != nil {
		code = status.State.Terminated.ExitCode
	}
	return code, err
}

// container finds a Pod and the status of one of its containers, the first if none is named; nil if there is none yet.
func (s *Server) container(r *http.Request, request *client.Request, name string) (*corev1.Pod, *corev1.ContainerStatus, error) {
	answer, err := s.loop.ask(r.Context(),
		&client.Request{Verb: client.Get, Resource: request.Resource, Namespace: request.Namespace, Name: request.Name})
	if err != nil {
		return nil, nil, err
	}
	pod := answer.(*corev1.Pod)
	return pod, endpoints.ContainerStatus(pod, name), nil
}

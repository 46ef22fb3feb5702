package httpapi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"github.com/moby/spdystream"

	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
)

// forwardProtocol is the subprotocol in which SPDY's frames travel in a WebSocket's messages.
// Upstream: apimachinery/pkg/util/portforward/constants.go.
const forwardProtocol = "SPDY/3.1+" + plainForwardProtocol

// plainForwardProtocol is that of a connection of SPDY without WebSockets.
const plainForwardProtocol = "portforward.k8s.io"

// portForward carries HTTP requests to a Pod's port. For each connection the client opens two streams, for errors and for data.
//
// Simplified: the containers speak HTTP, so only requests of HTTP get there.
// Upstream: kubelet/pkg/cri/streaming/portforward/httpstream.go.
func (s *Server) portForward(w http.ResponseWriter, r *http.Request, request *client.Request) {
	if err := s.admitted(r, request, http.MethodPost); err != nil {
		writeError(w, err)
		return
	}
	pod, _, err := s.container(r, request, "")
	if err != nil {
		writeError(w, err)
		return
	}
	f := &forwarding{server: s, pod: pod.Namespace + "/" + pod.Name, host: pod.Status.PodIP, failures: make(chan *spdystream.Stream, 16)}
	if pod.Spec.HostNetwork {
		f.host = pod.Spec.NodeName
	}
	if !isSPDY(r) && !slices.Contains(websocket.Subprotocols(r), forwardProtocol) {
		f.overChannels(w, r)
		return
	}
	conn := openForward(w, r)
	if conn == nil {
		return
	}
	defer conn.Close()
	go conn.Serve(f.stream)
	select {
	case <-conn.CloseChan():
	case <-s.closing.Done():
	}
}

// openForward makes a connection of SPDY: the request's own, or one in a WebSocket; nil if there is none, which has been answered.
func openForward(w http.ResponseWriter, r *http.Request) *spdystream.Connection {
	if isSPDY(r) {
		conn, _, _ := upgradeSPDY(w, r, plainForwardProtocol)
		return conn
	}
	ws, err := (&websocket.Upgrader{Subprotocols: []string{forwardProtocol}, CheckOrigin: anyOrigin}).Upgrade(w, r, nil)
	if err != nil {
		return nil
	}
	ws.SetReadLimit(maxBody)
	conn, err := spdystream.NewConnection(&tunnel{Conn: ws}, true)
	if err != nil {
		ws.Close()
		return nil
	}
	return conn
}

// tunnel is a WebSocket as a connection: bytes come in messages, which a reader does not see.
type tunnel struct {
	*websocket.Conn
	message io.Reader
}

// Read implements net.Conn.
func (t *tunnel) Read(p []byte) (int, error) {
	for {
		if t.message == nil {
			_, message, err := t.Conn.NextReader()
			if err != nil {
				return 0, io.EOF
			}
			t.message = message
		}
		n, err := t.message.Read(p)
		if err == io.EOF {
			t.message, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// Write implements net.Conn.
func (t *tunnel) Write(p []byte) (int, error) {
	return len(p), t.Conn.WriteMessage(websocket.BinaryMessage, p)
}

// SetDeadline implements net.Conn.
func (t *tunnel) SetDeadline(at time.Time) error {
	t.Conn.SetReadDeadline(at)
	return t.Conn.SetWriteDeadline(at)
}

var _ net.Conn = (*tunnel)(nil)

// forwarding is a kubectl port-forward that goes on.
type forwarding struct {
	server   *Server
	pod      string // "namespace/name"
	host     string // of its URL
	failures chan *spdystream.Stream
}

// stream takes a stream that the client opened.
func (f *forwarding) stream(stream *spdystream.Stream) {
	if stream.SendReply(http.Header{}, false) != nil {
		return
	}
	switch stream.Headers().Get("streamType") {
	case "error":
		select {
		case f.failures <- stream:
		default:
			stream.Reset()
		}
	case "data":
		port, _ := strconv.Atoi(stream.Headers().Get("port"))
		go func() { // the connection reads its next frame only when this function returns
			select {
			case failure := <-f.failures:
				f.serve(stream, failure, port)
			case <-time.After(30 * time.Second): // upstream: httpstream.go, streamCreationTimeout
				stream.Reset()
			}
		}()
	default:
		stream.Reset()
	}
}

// serve reads requests from a connection and writes what the Pod answers.
// Upstream: cri-streaming/pkg/streaming/portforward/httpstream.go, portForward.
func (f *forwarding) serve(data, failure io.ReadWriteCloser, port int) {
	defer data.Close()
	defer failure.Close()
	in, out := bufio.NewReader(io.LimitReader(data, maxBody)), bufio.NewWriter(data)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			if err != io.EOF {
				fmt.Fprintf(failure, "error forwarding port %d to pod %s, uid : only HTTP gets there: %v", port, f.pod, err)
			}
			return
		}
		io.Copy(io.Discard, r.Body)
		status, body, err := f.dial(port, r.Method, r.URL.RequestURI())
		if err != nil {
			fmt.Fprintf(failure, "error forwarding port %d to pod %s, uid : %v", port, f.pod, err)
			return
		}
		answer := http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
			ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)), Close: r.Close}
		if errors.Join(answer.Write(out), out.Flush()) != nil || r.Close {
			return
		}
	}
}

// dial sends a request to the Pod's port, from inside the Pod.
func (f *forwarding) dial(port int, method, path string) (status int, body string, err error) {
	in := cluster.Input{Kind: cluster.Ask, URL: fmt.Sprintf("http://%s:%d%s", f.host, port, path), From: f.pod}
	if method != http.MethodGet {
		in.Method = method
	}
	a, err := await(f.server.closing, f.server.loop, func(_ *cluster.Cluster, done func(cluster.Answer)) { f.server.loop.give(in, done) })
	if err == nil {
		err = a.Err
	}
	if err != nil {
		return 0, "", err
	}
	return int(a.Code), a.Result.(*client.Text).Body, nil
}

package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/moby/spdystream"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/controlplane/client"
)

// What a client without WebSockets asks for: the connection itself becomes one of SPDY, whose streams are what a WebSocket's channels are.
// Upstream: streaming/pkg/httpstream/spdy/upgrade.go, UpgradeResponse; httpstream.go, Handshake.
const (
	spdyProtocol           = "SPDY/3.1"
	headerProtocol         = "X-Stream-Protocol-Version"
	headerAcceptedProtocol = "X-Accepted-Stream-Protocol-Versions"
)

// spdyCommandProtocols are those of exec and attach, the preferred one first: the last two tell errors as text.
// Upstream: kubelet/pkg/cri/streaming/remotecommand/httpstream.go.
var spdyCommandProtocols = []string{"v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", plainProtocol}

const (
	// streamCreation is how long a client may take to open its streams. Upstream: kubelet/pkg/cri/streaming/remotecommand/constants.go.
	streamCreation = 30 * time.Second
	// streamClosing is how long it may take to close them.
	streamClosing = 5 * time.Second
)

func isSPDY(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), spdyProtocol) && strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade")
}

// upgradeSPDY makes the connection of a request one of SPDY, or answers why not. What a client offers are the protocols in its order.
func upgradeSPDY(w http.ResponseWriter, r *http.Request, protocols ...string) (conn *spdystream.Connection, protocol string, ok bool) {
	var offered []string
	for _, value := range r.Header.Values(headerProtocol) {
		for p := range strings.SplitSeq(value, ",") {
			offered = append(offered, strings.TrimSpace(p))
		}
	}
	if i := slices.IndexFunc(offered, func(p string) bool { return slices.Contains(protocols, p) }); i >= 0 {
		protocol = offered[i]
		w.Header().Set(headerProtocol, protocol)
	} else if len(offered) > 0 {
		w.Header()[headerAcceptedProtocol] = protocols
		http.Error(w, fmt.Sprintf("unable to negotiate protocol: client supports %v, server accepts %v", offered, protocols), http.StatusForbidden)
		return nil, "", false
	} else {
		protocol = protocols[len(protocols)-1]
	}
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", spdyProtocol)
	hijacker, can := w.(http.Hijacker)
	if !can { // HTTP/2, in which nothing is upgraded
		writeError(w, apierrors.NewBadRequest("unable to upgrade: the connection is not of HTTP/1.1"))
		return nil, "", false
	}
	w.WriteHeader(http.StatusSwitchingProtocols)
	raw, buffered, err := hijacker.Hijack()
	if err != nil {
		return nil, "", false
	}
	conn, err = spdystream.NewConnection(&hijacked{raw, buffered.Reader}, true)
	if err != nil {
		raw.Close()
		return nil, "", false
	}
	conn.SetCloseTimeout(streamClosing)
	return conn, protocol, true
}

// hijacked is a connection of which the server has read more than it needed.
type hijacked struct {
	net.Conn
	reader *bufio.Reader
}

func (h *hijacked) Read(p []byte) (int, error) { return h.reader.Read(p) }

// streams are those of an exec or attach.
type streams struct {
	conn *spdystream.Connection
	name string // of the protocol
	by   map[string]*spdystream.Stream
}

// streamOf is the stream that stands for a channel.
var streamOf = map[byte]string{channelStdin: "stdin", channelStdout: "stdout", channelStderr: "stderr", channelError: "error"}

// openStreams waits for the streams that a client opens. Upstream: kubelet/pkg/cri/streaming/remotecommand/httpstream.go, createHTTPStreamStreams.
func openStreams(w http.ResponseWriter, r *http.Request, asked *client.ExecOptions) (*streams, bool) {
	conn, protocol, ok := upgradeSPDY(w, r, spdyCommandProtocols...)
	if !ok {
		return nil, false
	}
	wanted := 1
	for _, opens := range []bool{asked.Stdin, asked.Stdout, asked.Stderr && !asked.TTY} {
		if opens {
			wanted++
		}
	}
	if asked.TTY && (protocol == spdyCommandProtocols[0] || protocol == spdyCommandProtocols[1]) {
		wanted++ // the size of the terminal
	}
	opened := make(chan *spdystream.Stream, wanted)
	go conn.Serve(func(stream *spdystream.Stream) {
		select {
		case opened <- stream:
			stream.SendReply(http.Header{}, false)
		default:
			stream.Reset()
		}
	})
	s := &streams{conn: conn, name: protocol, by: map[string]*spdystream.Stream{}}
	timer := time.NewTimer(streamCreation)
	defer timer.Stop()
	for range wanted {
		select {
		case stream := <-opened:
			s.by[stream.Headers().Get("streamType")] = stream
		case <-timer.C:
			s.close()
			return nil, false
		case <-conn.CloseChan():
			return nil, false
		}
	}
	if size := s.by["resize"]; size != nil {
		go io.Copy(io.Discard, size)
	}
	return s, true
}

func (s *streams) write(channel byte, text string) error {
	stream := s.by[streamOf[channel]]
	if stream == nil {
		return nil
	}
	_, err := io.WriteString(stream, text)
	return err
}

// plain implements wire. Upstream: remotecommand/httpstream.go, v1WriteStatusFunc and v4WriteStatusFunc.
func (s *streams) plain() bool { return s.name != spdyCommandProtocols[0] }

func (s *streams) closesStreams() bool { return true }

func (s *streams) gone() <-chan bool { return s.conn.CloseChan() }

// read implements wire.
func (s *streams) read(c *command) {
	defer close(c.stdin)
	stdin := s.by["stdin"]
	for stdin != nil {
		piece := make([]byte, 32<<10)
		n, err := stdin.Read(piece)
		if n > 0 && !c.take(piece[:n]) || err != nil {
			return
		}
	}
}

// close implements wire.
func (s *streams) close() {
	for _, name := range []string{"stdout", "stderr", "error"} {
		if stream := s.by[name]; stream != nil {
			stream.Close()
		}
	}
	for _, stream := range s.by { // order: each by itself
		stream.Reset()
	}
	s.conn.Close()
}

package httpapi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"kubewalk/playground/api/apierrors"
)

// forwardChannelProtocols are those of clients that forward ports without SPDY, such as the libraries for JavaScript and Python.
var forwardChannelProtocols = []string{"v4.channel.k8s.io", "v4.base64.channel.k8s.io"}

// overChannels forwards to the ports that the query names, each once. A port has two channels, for data and for errors, which begin with its number.
// Upstream: cri-streaming/pkg/streaming/portforward/websocket.go, handleWebSocketStreams.
func (f *forwarding) overChannels(w http.ResponseWriter, r *http.Request) {
	ports, err := forwardedPorts(r)
	if err != nil {
		writeError(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	conn := openChannels(w, r, forwardChannelProtocols)
	if conn == nil {
		return
	}
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-over:
		case <-f.server.closing.Done():
		}
		conn.close()
	}()
	var all sync.WaitGroup
	given := make([]*io.PipeWriter, len(ports))
	for i, port := range ports {
		number := string(binary.LittleEndian.AppendUint16(nil, port))
		from, to := io.Pipe()
		given[i] = to
		data, failure := portStream{from, conn, byte(2 * i)}, portStream{from, conn, byte(2*i + 1)}
		if conn.send(data.channel, number) != nil || conn.send(failure.channel, number) != nil {
			return
		}
		all.Go(func() { f.serve(data, failure, int(port)) })
	}
	go func() {
		for {
			channel, data, err := conn.receive()
			if err != nil {
				break
			}
			if i := int(channel) / 2; channel%2 == 0 && i < len(given) {
				given[i].Write(data) // one that has ended does not wait
			}
		}
		for _, to := range given {
			to.Close()
		}
	}()
	all.Wait()
}

// portStream is one channel of a port.
type portStream struct {
	*io.PipeReader
	conn    *channels
	channel byte
}

// Write implements io.Writer.
func (s portStream) Write(p []byte) (int, error) {
	if err := s.conn.send(s.channel, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// forwardedPorts are those of the query. Upstream: NewV4Options.
func forwardedPorts(r *http.Request) (ports []uint16, err error) {
	texts := r.URL.Query()["ports"]
	if len(texts) == 0 {
		return nil, errors.New(`query parameter "ports" is required`)
	}
	for _, text := range texts {
		if text == "" {
			return nil, errors.New(`query parameter "ports" cannot be empty`)
		}
		for _, p := range strings.Split(text, ",") {
			port, err := strconv.ParseUint(p, 10, 16)
			switch {
			case err != nil:
				return nil, fmt.Errorf("unable to parse %q as a port: %v", text, err)
			case port < 1:
				return nil, fmt.Errorf("port %q must be > 0", text)
			}
			ports = append(ports, uint16(port))
		}
	}
	return ports, nil
}

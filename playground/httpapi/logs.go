package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/endpoints"
)

// followPeriod is how often a log that somebody follows is read again.
const followPeriod = 200 * time.Millisecond

// follow answers with a container's log and then with what it goes on to print, until the container has ended.
// Upstream: kubelet's server, which reads the file as it grows.
func (s *Server) follow(w http.ResponseWriter, r *http.Request, request *client.Request) {
	flush := http.NewResponseController(w)
	started := false
	err := s.followLog(r, request, func(text string) error {
		if !started {
			started = true
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusOK)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
		return flush.Flush()
	})
	if err != nil && !started {
		writeError(w, err)
	}
}

// sendLog answers with a container's log over a WebSocket. Upstream: apiserver/pkg/endpoints/handlers/responsewriters/writers.go,
// StreamObject, and util/wsstream/stream.go.
func (s *Server) sendLog(w http.ResponseWriter, r *http.Request, request *client.Request) {
	if _, _, err := s.container(r, request, request.Log.Container); err != nil {
		writeError(w, err)
		return
	}
	conn, err := (&websocket.Upgrader{Subprotocols: []string{"binary.k8s.io"}, CheckOrigin: anyOrigin}).Upgrade(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer conn.Close()
	ctx, gone := context.WithCancel(r.Context())
	go func() {
		defer gone()
		for err := error(nil); err == nil; _, _, err = conn.ReadMessage() {
		}
	}()
	send := func(text string) error { return conn.WriteMessage(websocket.BinaryMessage, []byte(text)) }
	if r = r.WithContext(ctx); endpoints.Follows(request) {
		err = s.followLog(r, request, send)
	} else {
		var text string
		if text, err = s.log(r, request); err == nil {
			err = send(text)
		}
	}
	code, reason := websocket.CloseNormalClosure, ""
	if err != nil {
		code, reason = websocket.CloseInternalServerErr, err.Error()
	}
	conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason[:min(len(reason), maxCloseReason)]), time.Now().Add(time.Second))
}

// maxCloseReason is how much fits into the message that closes a WebSocket.
const maxCloseReason = 123

// followLog hands over a container's log as it grows, first what there is, which may be nothing. It returns when the container has
// ended or the client is gone.
func (s *Server) followLog(r *http.Request, request *client.Request, write func(text string) error) error {
	options := *request.Log
	options.Follow = false
	read := ""
	for first := true; ; first = false {
		ended, err := s.containerEnded(r, request)
		if err != nil {
			return err
		}
		one := *request
		one.Log = &options
		text, err := s.log(r, &one)
		if err != nil {
			return err
		}
		if more, grown := strings.CutPrefix(text, read); grown && (more != "" || first) {
			if err := write(more); err != nil {
				return err
			}
			read = text
		}
		if first { // from here on everything counts
			options.TailLines, options.SinceSeconds, options.SinceTime = nil, nil, nil
			if request.Log.TailLines != nil || request.Log.SinceSeconds != nil || request.Log.SinceTime != nil {
				if read, err = s.log(r, &client.Request{Verb: client.Get, Resource: request.Resource, Namespace: request.Namespace, Name: request.Name,
					Subresource: "log", Log: &options}); err != nil {
					return err
				}
			}
		}
		if ended {
			return nil
		}
		select {
		case <-time.After(followPeriod):
		case <-r.Context().Done():
			return nil
		case <-s.closing.Done():
			return nil
		}
	}
}

// log reads a log once.
func (s *Server) log(r *http.Request, request *client.Request) (string, error) {
	answer, err := s.loop.ask(r.Context(), request)
	if err != nil {
		return "", err
	}
	return answer.(*client.Text).Body, nil
}

// containerEnded tells whether a container will print nothing more.
func (s *Server) containerEnded(r *http.Request, request *client.Request) (bool, error) {
	pod, status, err := s.container(r, request, request.Log.Container)
	if err != nil {
		return false, err
	}
	return endpoints.ContainerEnded(pod, status), nil
}

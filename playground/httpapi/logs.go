package httpapi

import (
	"net/http"
	"strings"
	"time"

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

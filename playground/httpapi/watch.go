package httpapi

import (
	"net/http"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/endpoints"
)

// watch answers with events, a line each, until one side ends it.
// Upstream: endpoints/handlers/watch.go, ServeHTTP.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, asked *endpoints.Request, request *client.Request) {
	if s.watches.Add(1) > maxWatches {
		s.watches.Add(-1)
		writeError(w, apierrors.NewTooManyRequests("too many watches are open", 1))
		return
	}
	defer s.watches.Add(-1)
	connection := http.NewResponseController(w)
	events := s.backlogs.add(func() { connection.SetWriteDeadline(time.Unix(1, 0)) }) // which has passed
	defer events.close()
	opened := make(chan endpoints.Response, 1)
	var stop func()
	err := s.loop.do(func(*cluster.Cluster) {
		stop = s.endpoints.Watch(asked, request, func(response endpoints.Response) { opened <- response }, events.put, events.end)
	})
	var response endpoints.Response
	if err == nil {
		select {
		case response = <-opened:
		case <-s.loop.stopped:
			err = errStopped
		}
	}
	if err != nil {
		writeError(w, err)
		return
	}
	if response.Code != http.StatusOK {
		write(w, response)
		return
	}
	s.metrics.answered(request, http.StatusOK)
	defer s.loop.do(func(*cluster.Cluster) { stop() })
	write(w, response)
	connection.Flush()
	for {
		line, goesOn := events.first()
		switch {
		case line != nil:
			if _, err := w.Write(line); err != nil {
				return
			}
			if isLast := events.shift(); isLast {
				connection.Flush()
			}
			continue
		case !goesOn:
			return
		}
		select {
		case <-events.changed:
		case <-r.Context().Done():
			return
		case <-s.closing.Done():
			return
		}
	}
}

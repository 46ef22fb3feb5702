package httpapi

import (
	"net/http"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/endpoints"
)

// backlog is how many events may wait for a slow client; then its watch ends, and it starts anew.
// Upstream: storage/cacher/cache_watcher.go, forget.
const backlog = 1000

// watch answers with events, a line each, until one side ends it.
// Upstream: endpoints/handlers/watch.go, ServeHTTP.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, asked *endpoints.Request, request *client.Request) {
	if s.watches.Add(1) > maxWatches {
		s.watches.Add(-1)
		writeError(w, apierrors.NewTooManyRequests("too many watches are open", 1))
		return
	}
	defer s.watches.Add(-1)
	events := make(chan []byte, backlog)
	opened := make(chan endpoints.Response, 1)
	over := false // the loop's
	end := func() {
		if !over {
			over = true
			close(events)
		}
	}
	var stop func()
	err := s.loop.do(func(*cluster.Cluster) {
		stop = s.endpoints.Watch(asked, request, func(response endpoints.Response) { opened <- response }, func(line []byte) {
			if over {
				return
			}
			select {
			case events <- line:
			default:
				stop()
				end()
			}
		}, end)
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
	flush := http.NewResponseController(w)
	flush.Flush()
	for {
		select {
		case line, ok := <-events:
			if !ok {
				return
			}
			if _, err := w.Write(line); err != nil {
				return
			}
			if len(events) == 0 {
				flush.Flush()
			}
		case <-r.Context().Done():
			return
		case <-s.closing.Done():
			return
		}
	}
}

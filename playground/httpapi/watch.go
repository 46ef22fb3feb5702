package httpapi

import (
	"encoding/json"
	"net/http"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
)

// backlog is how many events may wait for a slow client; then its watch ends, and it starts anew.
// Upstream: storage/cacher/cache_watcher.go, forget.
const backlog = 1000

// watch answers with events, a line each, until one side ends it.
// Upstream: endpoints/handlers/watch.go, ServeHTTP.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, request *client.Request) {
	f, ok := negotiate(r)
	if !ok {
		writeNotAcceptable(w)
		return
	}
	if s.watches.Add(1) > maxWatches {
		s.watches.Add(-1)
		writeError(w, apierrors.NewTooManyRequests("too many watches are open", 1))
		return
	}
	defer s.watches.Add(-1)
	request.ManagedFields = true
	events := make(chan []byte, backlog)
	opened := make(chan error, 1)
	over := false // the loop's
	end := func() {
		if !over {
			over = true
			close(events)
		}
	}
	first := true
	var stop func()
	err := s.loop.do(func(c *cluster.Cluster) {
		stop = c.Watch(request, func(err error) { opened <- err }, func(e client.Event) {
			line, err := f.event(e, c, first)
			first = first && e.Type == client.Bookmark
			if over || err != nil {
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
	if err == nil {
		select {
		case err = <-opened:
		case <-s.loop.stopped:
			err = errStopped
		}
	}
	if err != nil {
		writeError(w, err)
		return
	}
	s.metrics.answered(request, http.StatusOK)
	defer s.loop.do(func(*cluster.Cluster) { stop() })
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
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

// event is a line of a watch. A table's columns are in the first alone.
func (f format) event(e client.Event, c *cluster.Cluster, first bool) ([]byte, error) {
	var object any = e.Status
	if e.Status == nil {
		object = f.convert(e.Object, c.Time())
	}
	if t, ok := object.(table); ok && !first {
		t.ColumnDefinitions = nil
		object = t
	}
	line, err := json.Marshal(struct {
		Type   client.EventType `json:"type"`
		Object any              `json:"object"`
	}{e.Type, object})
	return append(line, '\n'), err
}

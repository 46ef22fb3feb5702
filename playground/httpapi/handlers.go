package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/gorilla/websocket"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/protobuf"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/requestinfo"
	"kubewalk/playground/endpoints"
)

// route finds who answers a request.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	asked := askedFor(r)
	request, err := endpoints.Parse(asked)
	if err == nil {
		err = s.permit(r, asked, request)
	}
	switch {
	case err != nil:
		writeError(w, err)
	case request == nil:
		s.nonResource(w, r, asked)
	case endpoints.Proxied(request):
		s.proxy(w, r, request)
	case request.Verb == client.Watch:
		s.watch(w, r, asked, request)
	case request.Subresource == "log" && request.Log != nil && websocket.IsWebSocketUpgrade(r):
		s.sendLog(w, r, request)
	case endpoints.Follows(request):
		s.follow(w, r, request)
	case endpoints.Connects(request):
		s.connect(w, r, request)
	default:
		s.answer(w, r, asked, request)
	}
}

// askedFor is a request without its body.
func askedFor(r *http.Request) *endpoints.Request {
	return &endpoints.Request{Method: r.Method, URL: r.URL, Header: endpoints.Header(r.Header)}
}

// permit asks the API server whether a request may be made, where it does not see it itself.
func (s *Server) permit(r *http.Request, asked *endpoints.Request, request *client.Request) error {
	if request == nil && r.Header.Get("Authorization") == "" {
		return nil // it is one of the public paths
	}
	var answer error
	if err := s.loop.do(func(*cluster.Cluster) { answer = s.endpoints.Permit(asked, request) }); err != nil {
		return err
	}
	return answer
}

// answer sends a request to the cluster and writes what comes back.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, asked *endpoints.Request, request *client.Request) {
	select {
	case s.inflight <- struct{}{}:
		defer func() { <-s.inflight }()
	default: // upstream: server/filters/maxinflight.go, tooManyRequests
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
		return
	}
	media, body, err := s.readBody(w, r)
	if err != nil {
		writeError(w, err)
		return
	}
	asked.Body = body
	if media != r.Header.Get("Content-Type") {
		asked.Header = maps.Clone(asked.Header)
		asked.Header["Content-Type"] = []string{media}
	}
	response, err := await(r.Context(), s.loop, func(_ *cluster.Cluster, done func(endpoints.Response)) {
		s.endpoints.Answer(asked, request, done)
	})
	if err != nil {
		writeError(w, err)
		return
	}
	s.metrics.answered(request, response.Code)
	write(w, response)
}

// readBody reads a request's body as JSON, and its media type.
// Upstream: endpoints/handlers/rest.go, limitedReadBody.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) (media string, body []byte, err error) {
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return "", nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody))
	case err != nil:
		return "", nil, apierrors.NewBadRequest(err.Error())
	}
	media = r.Header.Get("Content-Type")
	if strings.HasPrefix(media, protobuf.MediaType) {
		if len(body) > 0 {
			if body, err = s.protobuf.ToJSON(body); err != nil {
				return "", nil, apierrors.NewBadRequest(err.Error())
			}
		}
		media = requestinfo.JSON
	}
	if strings.Contains(media, "yaml") && !json.Valid(body) {
		if body, err = fromYAML(w, r, body); err != nil {
			return "", nil, err
		}
	}
	return media, body, nil
}

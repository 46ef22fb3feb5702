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
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/flowcontrolv1"
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
		err = s.permit(w, r, asked, request)
	}
	refused := false
	if request == nil || !endpoints.Proxied(request) && !endpoints.Connects(request) && request.Subresource != "log" {
		if form, ok := s.inProtobuf(w, r); ok {
			defer form.finish()
			w, form.watch = form, request != nil && request.Verb == client.Watch
			if err == nil {
				refused, err = form.refuses(request, asked)
			}
		}
	}
	switch {
	case refused:
		write(w, s.endpoints.NotAcceptable())
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

// permit asks the API server whether a request may be made, where it does not see it itself, and says how it is classified.
func (s *Server) permit(w http.ResponseWriter, r *http.Request, asked *endpoints.Request, request *client.Request) error {
	anonymous := request == nil && r.Header.Get("Authorization") == "" // it is one of the public paths
	var answer error
	err := s.loop.do(func(c *cluster.Cluster) {
		as := endpoints.Impersonated(asked.Header)
		if anonymous {
			as = &authenticationv1.UserInfo{Username: "system:anonymous", Groups: []string{"system:unauthenticated"}}
		}
		if !anonymous {
			answer = s.endpoints.Permit(asked, request)
		}
		classify(c, w, as, request, asked) // of what is behind a proxy, Permit has cut the path off
	})
	if err != nil && !anonymous {
		return err
	}
	return answer
}

// classify says which FlowSchema and priority level a request belongs to: by their UIDs, since names would tell too much.
// Upstream: apiserver/pkg/server/filters/priority-and-fairness.go, setResponseHeaders.
func classify(c *cluster.Cluster, w http.ResponseWriter, as *authenticationv1.UserInfo, request *client.Request, asked *endpoints.Request) {
	if schema, level, ok := c.Classify(as, request, strings.ToLower(asked.Method), asked.URL.Path); ok {
		w.Header().Set(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID, string(schema))
		w.Header().Set(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID, string(level))
	}
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
	media, body, err := s.readBody(w, r, request)
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
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, request *client.Request) (media string, body []byte, err error) {
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
		text := body
		body, err = fromYAML(w, r, text)
		if request.Verb == client.Create || request.Verb == client.Update {
			err = s.unrecognized(request, text, body, err)
		}
		if err != nil {
			return "", nil, err
		}
	}
	return media, body, nil
}

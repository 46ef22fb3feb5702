package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/goccy/go-yaml"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/protobuf"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/discovery"
	"kubewalk/playground/controlplane/requestinfo"
)

// route finds who answers a request.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	request, err := requestinfo.Parse(r.Method, r.URL.Path, r.URL.Query())
	if err == nil {
		err = s.permit(r, request)
	}
	switch {
	case err != nil:
		writeError(w, err)
	case request == nil:
		s.nonResource(w, r)
	case request.Resource.GroupVersion() == discovery.Metrics && s.metricsServed:
		s.measured(w, r, request)
	case proxied(request):
		s.proxy(w, r, request)
	case request.Verb == client.Watch:
		s.watch(w, r, request)
	case request.Subresource == "log" && request.Log != nil && request.Log.Follow:
		s.follow(w, r, request)
	case request.Subresource == "exec", request.Subresource == "attach", request.Subresource == "portforward":
		s.connect(w, r, request)
	default:
		s.answer(w, r, request)
	}
}

// answer sends a request to the cluster and writes what comes back.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, request *client.Request) {
	select {
	case s.inflight <- struct{}{}:
		defer func() { <-s.inflight }()
	default: // upstream: server/filters/maxinflight.go, tooManyRequests
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
		return
	}
	f, ok := negotiate(r)
	if !ok {
		writeNotAcceptable(w)
		return
	}
	if f.as == asTable && request.Resource.Group == "authorization.k8s.io" { // reviews have no columns
		writeNotAcceptable(w)
		return
	}
	media, body, err := readBody(w, r)
	if err == nil {
		err = requestinfo.SetBody(request, media, body)
	}
	if err != nil {
		writeError(w, err)
		return
	}
	agent := ""
	if request.FieldManager == "" {
		agent = managerOf(r.UserAgent())
		request.FieldManager = agent
	}
	request.ManagedFields = true
	in := cluster.Input{Kind: cluster.APIRequest, Method: r.Method, URL: r.URL.RequestURI(), Body: cluster.CompactBody(body), Agent: agent}
	if as := request.Impersonate; as != nil {
		in.As, in.AsGroups = as.Username, as.Groups
	}
	if media != requestinfo.JSON && media != requestinfo.YAML { // a body of YAML is JSON by now
		in.ContentType = media
	}
	a, err := s.send(r, request, in, f)
	if err != nil {
		writeError(w, err)
		return
	}
	s.metrics.answered(request, a.code)
	for _, text := range a.warnings {
		w.Header().Add("Warning", fmt.Sprintf(`299 - %q`, text))
	}
	if a.failed != nil {
		writeError(w, a.failed)
		return
	}
	w.Header().Set("Content-Type", a.mediaType)
	w.WriteHeader(a.code)
	w.Write(a.body)
}

// answered is an answer ready to be written. Answers are encoded by the loop, because it alone may read objects.
type answered struct {
	code      int
	mediaType string
	body      []byte
	warnings  []string
	failed    error
}

// send has the cluster do a request, which is in as an input, and waits for what comes back, or for the client to give up.
func (s *Server) send(r *http.Request, request *client.Request, in cluster.Input, f format) (answered, error) {
	return await(r.Context(), s.loop, func(c *cluster.Cluster, done func(answered)) {
		if k := c.Kinds().ForResource(request.Resource); k != nil && k.Aggregated != nil {
			request.Table = f.as == asTable // its server knows the columns
		}
		s.loop.submit(request, in, func(a cluster.Answer) {
			out := answered{code: int(a.Code), warnings: a.Warnings, failed: a.Err}
			if text, ok := a.Result.(*client.Text); ok {
				out.mediaType, out.body = "text/plain", []byte(text.Body)
			} else if a.Err == nil {
				out.body, out.mediaType, out.failed = f.encode(f.convert(a.Result, c.Time()))
			}
			done(out)
		})
	})
}

// readBody reads a request's body as JSON, and its media type.
// Upstream: endpoints/handlers/rest.go, limitedReadBody.
func readBody(w http.ResponseWriter, r *http.Request) (media string, body []byte, err error) {
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
			if body, err = protobuf.ToJSON(body); err != nil {
				return "", nil, apierrors.NewBadRequest(err.Error())
			}
		}
		media = requestinfo.JSON
	}
	if strings.Contains(media, "yaml") && !json.Valid(body) {
		converted, err := yaml.YAMLToJSON(body)
		if err != nil {
			return "", nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
		}
		body = converted
	}
	return media, body, nil
}

// managerOf is the name of a program by its user agent: "kubectl/v1.36.3 (linux/amd64)" is kubectl.
// Upstream: endpoints/handlers/create.go, managerOrUserAgent and prefixFromUserAgent.
func managerOf(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	var b strings.Builder
	for _, c := range name {
		if b.Len() >= 128 {
			break
		}
		if c >= 0x20 && c != 0x7f {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// notFound is the answer to a path at which nothing is. Upstream: server/routes/index.go.
func notFound(w http.ResponseWriter) {
	http.Error(w, "404 page not found", http.StatusNotFound)
}

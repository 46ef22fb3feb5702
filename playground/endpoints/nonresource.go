package endpoints

import (
	"slices"
	"strings"

	"kubewalk/playground/controlplane/discovery"
)

// NonResource answers at the paths that are about no resource: discovery, /version, /healthz and its like, and the list of paths, to which more are added.
func (s *Server) NonResource(r *Request, more ...string) Response {
	path := strings.TrimSuffix(r.URL.Path, "/")
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case r.Method != "GET" && r.Method != "HEAD":
		return NotFound()
	case path == "":
		return s.index(more)
	case path == "/version" || parts[0] == "api" || parts[0] == "apis":
		return s.discover(r, path)
	}
	if code, text := discovery.Health(path, r.URL.Query(), s.Cluster.Serving()); code != 0 {
		return Response{Code: code, Body: []byte(text),
			Header: Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}}
	}
	return NotFound()
}

// discovery is what there is now.
func (s *Server) discovery() discovery.API {
	return discovery.API{Kinds: s.Cluster.Kinds()}
}

// discover answers with what there is, in the form that the client wants.
func (s *Server) discover(r *Request, path string) Response {
	f, ok := s.negotiate(r)
	if !ok {
		return s.NotAcceptable()
	}
	known := s.discovery()
	if known.Unavailable(path) {
		return plain(503, "service unavailable")
	}
	var answer any
	aggregated := f.as == asDiscovery && (path == "/api" || path == "/apis")
	if aggregated {
		answer = known.Aggregated(path == "/api")
	} else if answer, ok = known.At(path, s.Address); !ok {
		return NotFound()
	}
	body, mediaType, err := f.encode(answer)
	if err != nil {
		return Failure(err)
	}
	out := Response{Code: 200, Header: Header{"Content-Type": {mediaType}}, Body: body}
	if aggregated { // upstream: apiserver/pkg/endpoints/discovery/aggregated/etag.go, ServeHTTPWithETag
		out.Header = Header{"Content-Type": {mediaType + ";g=apidiscovery.k8s.io;v=v2;as=" + asDiscovery}, "Vary": {"Accept"}, "Cache-Control": {"public"}}
	}
	return out
}

// index lists the paths. Upstream: server/routes/index.go.
func (s *Server) index(more []string) Response {
	paths := slices.Concat([]string{"/api", "/api/v1", "/apis", "/version"}, discovery.HealthPaths(), more)
	for _, gv := range s.discovery().GroupVersions() {
		if gv.Group != "" {
			paths = append(paths, "/apis/"+gv.Group, "/apis/"+gv.String())
		}
	}
	slices.Sort(paths)
	return JSON(200, map[string][]string{"paths": slices.Compact(paths)})
}

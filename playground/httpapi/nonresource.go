package httpapi

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"net/http"
	"strings"

	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/discovery"
	"kubewalk/playground/endpoints"
)

// nonResource answers at the paths that are about no resource.
func (s *Server) nonResource(w http.ResponseWriter, r *http.Request, asked *endpoints.Request) {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	path := strings.TrimSuffix(r.URL.Path, "/")
	if reads && s.tokens != nil {
		if response, ok := s.issuer(path); ok {
			write(w, response)
			return
		}
	}
	switch {
	case reads && path == "/metrics":
		s.showMetrics(w)
	case reads && (path == "/openapi" || strings.HasPrefix(path, "/openapi/")):
		s.openAPI(w, r, path)
	default:
		var response endpoints.Response
		if err := s.loop.do(func(*cluster.Cluster) { response = s.endpoints.NonResource(asked, s.paths()...) }); err != nil {
			writeError(w, err)
			return
		}
		if response.Code == http.StatusOK && response.Header.Get("Cache-Control") == "public" { // all of discovery at once
			response = unlessKnown(r, response)
		}
		write(w, response)
	}
}

// unlessKnown gives a response an ETag; a client that has it already gets no body.
// Upstream: apiserver/pkg/endpoints/discovery/aggregated/etag.go.
func unlessKnown(r *http.Request, response endpoints.Response) endpoints.Response {
	etag := fmt.Sprintf("\"%X\"", sha512.Sum512(response.Body))
	response.Header["Etag"] = []string{etag}
	if r.Header.Get("If-None-Match") == etag {
		response.Code, response.Body = http.StatusNotModified, nil
		delete(response.Header, "Content-Type")
	}
	return response
}

// paths are those of the port alone.
func (s *Server) paths() []string {
	out := []string{"/metrics", "/openapi/v3"}
	if s.tokens != nil {
		out = append(out, discovery.OpenIDConfigPath, discovery.JWKSPath)
	}
	return out
}

func (s *Server) showMetrics(w http.ResponseWriter) {
	objects := map[string]int{}
	err := s.loop.do(func(c *cluster.Cluster) {
		for _, k := range c.Kinds() {
			if k.Resource != "" && k.NewList != nil {
				objects[k.GroupResource().String()] = c.Count(k.StorageName())
			}
		}
	})
	if err != nil {
		writeError(w, err)
		return
	}
	var b bytes.Buffer
	s.writeMetrics(&b, objects)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(b.Bytes())
}

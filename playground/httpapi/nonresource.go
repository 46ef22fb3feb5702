package httpapi

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/discovery"
)

// nonResource answers at the paths that are about no resource.
func (s *Server) nonResource(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		notFound(w)
		return
	}
	path := strings.TrimSuffix(r.URL.Path, "/")
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case path == "":
		s.index(w)
	case path == "/healthz", path == "/livez", path == "/readyz":
		s.health(w, r, path)
	case path == "/metrics":
		s.showMetrics(w)
	case parts[0] == "openapi":
		s.openAPI(w, r, path)
	case path == "/version" || parts[0] == "api" || parts[0] == "apis":
		s.discover(w, r, path)
	default:
		notFound(w)
	}
}

// discovery is what there is now.
func (s *Server) discovery() (discovery.API, error) {
	a := discovery.API{Metrics: s.metricsServed}
	err := s.loop.do(func(c *cluster.Cluster) { a.Kinds = c.Kinds() })
	return a, err
}

// discover answers with what there is, in the form that the client wants.
func (s *Server) discover(w http.ResponseWriter, r *http.Request, path string) {
	f, ok := negotiate(r)
	if !ok {
		writeNotAcceptable(w)
		return
	}
	w.Header().Set("Vary", "Accept")
	known, err := s.discovery()
	if err != nil {
		writeError(w, err)
		return
	}
	var answer any
	mediaType := ""
	if f.as == asDiscovery && (path == "/api" || path == "/apis") {
		answer, mediaType = known.Aggregated(path == "/api"), "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	} else if answer, ok = known.At(path, strings.TrimPrefix(s.URL(), "https://")); !ok {
		notFound(w)
		return
	}
	body, plain, err := f.encode(answer)
	if err != nil {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", cmp.Or(mediaType, plain))
	w.Write(body)
}

// index lists the paths. Upstream: server/routes/index.go.
func (s *Server) index(w http.ResponseWriter) {
	paths := []string{"/api", "/api/v1", "/apis", "/healthz", "/livez", "/metrics", "/openapi/v3", "/readyz", "/version"}
	known, err := s.discovery()
	if err != nil {
		writeError(w, err)
		return
	}
	for _, gv := range known.GroupVersions() {
		if gv.Group != "" {
			paths = append(paths, "/apis/"+gv.Group, "/apis/"+gv.String())
		}
	}
	slices.Sort(paths)
	writeJSON(w, http.StatusOK, map[string][]string{"paths": slices.Compact(paths)})
}

// health tells whether the API server answers. Upstream: server/healthz/healthz.go.
func (s *Server) health(w http.ResponseWriter, r *http.Request, path string) {
	serving := false
	if err := s.loop.do(func(c *cluster.Cluster) { serving = c.Serving() }); err != nil {
		serving = false
	}
	name := strings.TrimPrefix(path, "/")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	mark, result := "[+]", "ok"
	if !serving {
		mark, result = "[-]", "failed: reason withheld"
		w.WriteHeader(http.StatusInternalServerError)
	}
	if _, verbose := r.URL.Query()["verbose"]; !verbose && serving {
		fmt.Fprint(w, "ok")
		return
	}
	verdict := "passed"
	if !serving {
		verdict = "failed"
	}
	fmt.Fprintf(w, "[+]ping ok\n%setcd %s\n%s check %s\n", mark, result, name, verdict)
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

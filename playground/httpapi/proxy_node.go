package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
)

var nodes = api.GroupVersionResource{Version: "v1", Resource: "nodes"}

// proxyToNode sends a request on to a node's kubelet, and writes what that answers. It only reads, so it is no input.
//
// Absent: other ports of a node than its kubelet's.
// Upstream: pkg/registry/core/node/rest/proxy.go, ProxyREST, and node/strategy.go, ResourceLocation.
func (s *Server) proxyToNode(w http.ResponseWriter, r *http.Request, request *client.Request, path string) {
	name, port, err := nameAndPort(request)
	if err == nil {
		_, err = s.loop.ask(r.Context(), &client.Request{Verb: client.Get, Resource: nodes, Name: name})
	}
	if err != nil {
		writeError(w, err)
		return
	}
	var code int
	var text string
	stopped := s.loop.do(func(c *cluster.Cluster) { code, text, err = c.AskKubelet(name, port, r.Method, path) })
	switch {
	case stopped != nil:
		writeError(w, stopped)
		return
	case err != nil:
		writeError(w, apierrors.NewServiceUnavailable("error trying to reach service: "+err.Error()))
		return
	}
	kind := "text/plain; charset=utf-8"
	if code == http.StatusOK && json.Valid([]byte(text)) {
		kind = "application/json"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(code)
	if r.Method != http.MethodHead {
		io.WriteString(w, text)
	}
}

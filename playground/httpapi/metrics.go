package httpapi

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"kubewalk/playground/controlplane/client"
)

// metrics count what was asked for, as /metrics shows it.
type metrics struct {
	mu       sync.Mutex
	requests map[string]int64 // by labels
}

func (m *metrics) answered(r *client.Request, code int) {
	scope := "resource"
	switch {
	case r.Namespace != "":
		scope = "namespace"
	case r.Name == "":
		scope = "cluster"
	}
	labels := fmt.Sprintf("code=%q,group=%q,resource=%q,scope=%q,subresource=%q,verb=%q,version=%q", fmt.Sprint(code), r.Resource.Group, r.Resource.Resource,
		scope, r.Subresource, verbNames[r.Verb], r.Resource.Version)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.requests == nil {
		m.requests = map[string]int64{}
	}
	if _, known := m.requests[labels]; known || len(m.requests) < 10000 { // names of resources come from outside
		m.requests[labels]++
	}
}

// verbNames are the verbs as upstream's metrics name them: endpoints/metrics/metrics.go.
var verbNames = map[string]string{client.Get: "GET", client.List: "LIST", client.Watch: "WATCH", client.Create: "POST", client.Update: "PUT",
	client.Patch: "PATCH", client.Delete: "DELETE", client.DeleteCollection: "DELETECOLLECTION"}

// write prints the metrics in the text format of Prometheus.
func (s *Server) writeMetrics(w io.Writer, objects map[string]int) {
	fmt.Fprint(w, "# HELP apiserver_request_total Counter of apiserver requests broken out for each verb, group, version, resource, scope and code.\n"+
		"# TYPE apiserver_request_total counter\n")
	s.metrics.mu.Lock()
	var labels []string
	for l := range s.metrics.requests {
		labels = append(labels, l)
	}
	slices.Sort(labels)
	for _, l := range labels {
		fmt.Fprintf(w, "apiserver_request_total{%s} %d\n", l, s.metrics.requests[l])
	}
	s.metrics.mu.Unlock()
	fmt.Fprintf(w, "# HELP apiserver_current_inflight_requests Number of requests that are being served.\n"+
		"# TYPE apiserver_current_inflight_requests gauge\napiserver_current_inflight_requests %d\n", len(s.inflight))
	fmt.Fprintf(w, "# HELP apiserver_longrunning_requests Number of open watches.\n"+
		"# TYPE apiserver_longrunning_requests gauge\napiserver_longrunning_requests{verb=\"WATCH\"} %d\n", s.watches.Load())
	fmt.Fprint(w, "# HELP apiserver_storage_objects Number of stored objects by resource.\n# TYPE apiserver_storage_objects gauge\n")
	var resources []string
	for r := range objects {
		resources = append(resources, r)
	}
	slices.Sort(resources)
	for _, r := range resources {
		fmt.Fprintf(w, "apiserver_storage_objects{resource=%q} %d\n", r, objects[r])
	}
}

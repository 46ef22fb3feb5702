package metrics

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/metricsv1beta1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/sim"
)

// resources is what discovery is told.
const resources = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"metrics.k8s.io/v1beta1","resources":[` +
	`{"name":"nodes","singularName":"","namespaced":false,"kind":"NodeMetrics","verbs":["get","list"]},` +
	`{"name":"pods","singularName":"","namespaced":true,"kind":"PodMetrics","verbs":["get","list"]}]}`

const root = "/apis/metrics.k8s.io/v1beta1"

// Serve answers a request: its path with the query, and whether a table is wanted. Upstream: pkg/api, and pkg/server/server.go for the probes.
func (s *Server) Serve(method, path string, table bool) (status int, body string) {
	path, query, _ := strings.Cut(path, "?")
	switch path {
	case "/livez":
		if !s.synced || s.component.Kernel().Elapsed()-s.tick <= s.resolution*3/2 {
			return 200, "ok"
		}
		return 500, "[-]metric-collection-timely failed: reason withheld\nlivez check failed\n"
	case "/readyz", "/healthz":
		switch {
		case !s.synced:
			return 500, "[-]metric-informer-sync failed: reason withheld\nreadyz check failed\n"
		case !s.ready && path == "/readyz":
			s.component.Run(func() {
				s.component.Go("readyz", func(p *sim.Proc) {
					s.say(p, nil, "Failed probe", "probe", "metric-storage-ready", "err", "no metrics to serve")
				})
			})
			return 500, "[+]ping ok\n[-]metric-storage-ready failed: reason withheld\nreadyz check failed\n"
		}
		return 200, "ok"
	case root:
		return 200, resources
	}
	rest, ok := strings.CutPrefix(path, root+"/")
	if !ok || !s.synced {
		return 404, "404 page not found\n"
	}
	parts, namespace := strings.Split(rest, "/"), ""
	if len(parts) > 2 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	if len(parts) > 2 || parts[0] != "nodes" && parts[0] != "pods" {
		return 404, "404 page not found\n"
	}
	resource := metricsv1beta1.GroupVersion.WithResource(parts[0]).GroupResource()
	if method != "GET" && method != "" {
		return refused(apierrors.NewMethodNotSupported(resource, strings.ToLower(method)))
	}
	q := question{namespace: namespace, labels: labels.Everything(), fields: fields.Everything()}
	values, err := url.ParseQuery(query)
	if err == nil {
		q.labels, err = labels.Parse(values.Get("labelSelector"))
	}
	if err == nil {
		q.fields, err = fields.ParseSelector(values.Get("fieldSelector"))
	}
	if err != nil {
		return refused(apierrors.NewBadRequest(err.Error()))
	}
	if values.Get("watch") == "true" {
		return refused(apierrors.NewMethodNotSupported(resource, "watch"))
	}
	if len(parts) == 2 {
		q.name = parts[1]
	}
	var found []measured
	if parts[0] == "nodes" {
		found, err = s.nodeMetrics(q)
	} else {
		found, err = s.podMetrics(q)
	}
	switch {
	case err != nil:
		return refused(err)
	case table:
		return 200, encoded(asTable(found))
	case q.name != "":
		return 200, encoded(found[0].object)
	}
	items := make([]any, len(found))
	for i := range found {
		items[i] = found[i].object
	}
	kind := map[string]string{"nodes": "NodeMetricsList", "pods": "PodMetricsList"}[parts[0]]
	return 200, encoded(map[string]any{"kind": kind, "apiVersion": metricsv1beta1.GroupVersion.String(), "metadata": map[string]any{}, "items": items})
}

// question is what is asked for.
type question struct {
	namespace, name string // "" is all
	labels          labels.Selector
	fields          fields.Selector
}

func (q question) wants(m *metav1.ObjectMeta) bool {
	return (q.namespace == "" || m.Namespace == q.namespace) && (q.name == "" || m.Name == q.name) &&
		q.fields.Matches(fields.Set{"metadata.name": m.Name, "metadata.namespace": m.Namespace})
}

// measured is an object that answers, with what a table shows of it.
type measured struct {
	object any
	meta   metricsv1beta1.Metadata
	usage  corev1.ResourceList
	window string
}

// meta is that of an answer: it is created now.
func (s *Server) meta(of *metav1.ObjectMeta) metricsv1beta1.Metadata {
	return metricsv1beta1.Metadata{Name: of.Name, Namespace: of.Namespace, Labels: of.Labels, CreationTimestamp: metav1.NewTime(s.component.Kernel().Time())}
}

// podMetrics is upstream's podMetrics.List or Get, with podStorage.GetMetrics.
func (s *Server) podMetrics(q question) (out []measured, err error) {
	exists := false
	pods, err := s.pods.List(q.labels)
	for _, pod := range pods {
		if !q.wants(&pod.ObjectMeta) {
			continue
		}
		exists = true
		ref := podRef{pod.Namespace, pod.Name}
		last, prev := s.storage.last.pods[ref], s.storage.prev.pods[ref]
		m := metricsv1beta1.PodMetrics{TypeMeta: typeMeta("PodMetrics"), Metadata: s.meta(&pod.ObjectMeta)}
		sum := corev1.ResourceList{}
		complete := len(prev) > 0
		for _, name := range slices.Sorted(maps.Keys(last)) {
			before, found := prev[name]
			if complete = complete && found; !complete {
				break
			}
			used, window, err := usage(last[name], before)
			if err != nil {
				continue
			}
			m.Containers = append(m.Containers, metricsv1beta1.ContainerMetrics{Name: name, Usage: used})
			for r, n := range used { // order: each is its own
				q := sum[r]
				q.Add(n)
				sum[r] = q
			}
			if at := metav1.NewTime(last[name].at); m.Timestamp.IsZero() || at.Before(&m.Timestamp) {
				m.Timestamp, m.Window = at, metav1.Duration{Duration: window}
			}
		}
		if complete {
			out = append(out, measured{m, m.Metadata, sum, m.Window.Duration.String()})
		}
	}
	sorting.Func(out, func(a, b measured) int {
		return cmp.Or(strings.Compare(a.meta.Namespace, b.meta.Namespace), strings.Compare(a.meta.Name, b.meta.Name))
	})
	switch {
	case err != nil:
		return nil, err
	case q.name != "" && !exists:
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, q.name)
	case q.name != "" && len(out) == 0:
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: metricsv1beta1.GroupVersion.Group, Resource: "podmetrics"}, q.namespace+"/"+q.name)
	}
	return out, nil
}

// nodeMetrics is upstream's nodeMetrics.List or Get, with nodeStorage.GetMetrics.
func (s *Server) nodeMetrics(q question) (out []measured, err error) {
	exists := false
	nodes, err := s.nodes.List(q.labels)
	for _, node := range nodes {
		if !q.wants(&node.ObjectMeta) {
			continue
		}
		exists = true
		last, prev := s.storage.last.nodes[node.Name], s.storage.prev.nodes[node.Name]
		if prev.at.IsZero() {
			continue
		}
		used, window, err := usage(last, prev)
		if err != nil {
			continue
		}
		m := metricsv1beta1.NodeMetrics{TypeMeta: typeMeta("NodeMetrics"), Metadata: s.meta(&node.ObjectMeta), Timestamp: metav1.NewTime(last.at),
			Window: metav1.Duration{Duration: window}, Usage: used}
		out = append(out, measured{m, m.Metadata, used, window.String()})
	}
	sorting.Func(out, func(a, b measured) int { return strings.Compare(a.meta.Name, b.meta.Name) })
	switch {
	case err != nil:
		return nil, err
	case q.name != "" && !exists:
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "nodes"}, q.name)
	case q.name != "" && len(out) == 0:
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: metricsv1beta1.GroupVersion.Group, Resource: "nodemetrics"}, q.name)
	}
	return out, nil
}

func typeMeta(kind string) metricsv1beta1.TypeMeta {
	return metricsv1beta1.TypeMeta{Kind: kind, APIVersion: metricsv1beta1.GroupVersion.String()}
}

// asTable is what kubectl get shows. Upstream: pkg/api/table.go.
func asTable(found []measured) any {
	type row struct {
		Cells  []any `json:"cells"`
		Object any   `json:"object"`
	}
	table := struct {
		metricsv1beta1.TypeMeta
		Metadata          struct{}                       `json:"metadata"`
		ColumnDefinitions []metav1.TableColumnDefinition `json:"columnDefinitions"`
		Rows              []row                          `json:"rows"`
	}{TypeMeta: metricsv1beta1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"}, Rows: []row{}, ColumnDefinitions: []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name"}, {Name: "cpu", Type: "string", Format: "quantity"},
		{Name: "memory", Type: "string", Format: "quantity"}, {Name: "Window", Type: "string", Format: "duration"}}}
	for i := range found {
		cpu, memory := found[i].usage[corev1.ResourceCPU], found[i].usage[corev1.ResourceMemory]
		table.Rows = append(table.Rows, row{[]any{found[i].meta.Name, cpu.String(), memory.String(), found[i].window}, found[i].object})
	}
	return table
}

// refused is the Status of an error.
func refused(err error) (int, string) {
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	out := status.ErrStatus
	out.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return int(out.Code), encoded(out)
}

func encoded(v any) string {
	text, _ := json.Marshal(v) // texts, numbers and lists
	return string(text)
}

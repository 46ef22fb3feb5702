package httpapi

import (
	"net/http"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/discovery"
)

// podMetrics is a Pod's metrics, and nodeMetrics a node's, as metrics-server writes them.
// Upstream: k8s.io/metrics/pkg/apis/metrics/v1beta1/types.go.
type podMetrics struct {
	metav1.TypeMeta
	metav1.ObjectMeta `json:"metadata"`
	Timestamp         metav1.Time        `json:"timestamp"`
	Window            string             `json:"window"`
	Containers        []containerMetrics `json:"containers"`
}

type containerMetrics struct {
	Name  string              `json:"name"`
	Usage corev1.ResourceList `json:"usage"`
}

type nodeMetrics struct {
	metav1.TypeMeta
	metav1.ObjectMeta `json:"metadata"`
	Timestamp         metav1.Time         `json:"timestamp"`
	Window            string              `json:"window"`
	Usage             corev1.ResourceList `json:"usage"`
}

// measuredList is a list of either.
type measuredList struct {
	metav1.TypeMeta
	metav1.ListMeta `json:"metadata"`
	Items           []any `json:"items"`
}

// measured answers what Pods or nodes use.
// Upstream: metrics-server pkg/api/pod.go and node.go.
func (s *Server) measured(w http.ResponseWriter, r *http.Request, request *client.Request) {
	resource := api.GroupResource{Group: discovery.Metrics.Group, Resource: request.Resource.Resource}
	switch {
	case resource.Resource != "pods" && resource.Resource != "nodes":
		notFound(w)
		return
	case request.Verb != client.Get && request.Verb != client.List:
		writeError(w, apierrors.NewMethodNotSupported(resource, request.Verb))
		return
	}
	selector, err := labels.Parse(request.List.LabelSelector)
	if err != nil {
		writeError(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	type usage struct {
		items []any
		err   error
	}
	u, err := await(r.Context(), s.loop, func(c *cluster.Cluster, done func(usage)) {
		wanted := func(name string, set map[string]string) bool {
			return (request.Name == "" || name == request.Name) && selector.Matches(labels.Set(set))
		}
		if resource.Resource == "nodes" {
			c.MeasureNodes(func(found []cluster.NodeUsage, err error) {
				u := usage{err: err}
				for _, m := range found {
					if wanted(m.Name, m.Labels) {
						u.items = append(u.items, nodeMetrics{measuredKind("NodeMetrics"), metav1.ObjectMeta{Name: m.Name, Labels: m.Labels,
							CreationTimestamp: at(m.Timestamp)}, at(m.Timestamp), m.Window.String(), m.Usage})
					}
				}
				done(u)
			})
			return
		}
		c.MeasurePods(request.Namespace, func(found []cluster.PodUsage, err error) {
			u := usage{err: err}
			for _, m := range found {
				if !wanted(m.Name, m.Labels) {
					continue
				}
				p := podMetrics{measuredKind("PodMetrics"), metav1.ObjectMeta{Name: m.Name, Namespace: m.Namespace, Labels: m.Labels,
					CreationTimestamp: at(m.Timestamp)}, at(m.Timestamp), m.Window.String(), nil}
				for _, container := range m.Containers {
					p.Containers = append(p.Containers, containerMetrics(container))
				}
				u.items = append(u.items, p)
			}
			done(u)
		})
	})
	switch {
	case err != nil:
		writeError(w, err)
	case u.err != nil:
		writeError(w, apierrors.NewServiceUnavailable(u.err.Error()))
	case request.Verb == client.List:
		kind := map[string]string{"nodes": "NodeMetricsList", "pods": "PodMetricsList"}[resource.Resource]
		writeJSON(w, http.StatusOK, measuredList{TypeMeta: measuredKind(kind), Items: append([]any{}, u.items...)})
	case len(u.items) == 0:
		writeError(w, apierrors.NewNotFound(resource, request.Name))
	default:
		writeJSON(w, http.StatusOK, u.items[0])
	}
}

func measuredKind(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: kind, APIVersion: discovery.Metrics.String()}
}

func at(t time.Time) metav1.Time { return metav1.NewTime(t) }

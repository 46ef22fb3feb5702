package endpoints

import (
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
func (s *Server) measured(request *client.Request, answered func(Response)) {
	resource := api.GroupResource{Group: discovery.Metrics.Group, Resource: request.Resource.Resource}
	selector, err := labels.Parse(request.List.LabelSelector)
	switch {
	case resource.Resource != "pods" && resource.Resource != "nodes":
		answered(NotFound())
		return
	case request.Verb != client.Get && request.Verb != client.List:
		answered(Failure(apierrors.NewMethodNotSupported(resource, request.Verb)))
		return
	case err != nil:
		answered(Failure(apierrors.NewBadRequest(err.Error())))
		return
	}
	wanted := func(name string, set map[string]string) bool {
		return (request.Name == "" || name == request.Name) && selector.Matches(labels.Set(set))
	}
	done := func(kind string, items []any, err error) {
		switch {
		case err != nil:
			answered(Failure(apierrors.NewServiceUnavailable(err.Error())))
		case request.Verb == client.List:
			answered(JSON(200, measuredList{TypeMeta: measuredKind(kind), Items: append([]any{}, items...)}))
		case len(items) == 0:
			answered(Failure(apierrors.NewNotFound(resource, request.Name)))
		default:
			answered(JSON(200, items[0]))
		}
	}
	if resource.Resource == "nodes" {
		s.Cluster.MeasureNodes(func(found []cluster.NodeUsage, err error) {
			var items []any
			for _, m := range found {
				if wanted(m.Name, m.Labels) {
					items = append(items, nodeMetrics{measuredKind("NodeMetrics"), metav1.ObjectMeta{Name: m.Name, Labels: m.Labels,
						CreationTimestamp: at(m.Timestamp)}, at(m.Timestamp), m.Window.String(), m.Usage})
				}
			}
			done("NodeMetricsList", items, err)
		})
		return
	}
	s.Cluster.MeasurePods(request.Namespace, func(found []cluster.PodUsage, err error) {
		var items []any
		for _, m := range found {
			if !wanted(m.Name, m.Labels) {
				continue
			}
			p := podMetrics{measuredKind("PodMetrics"), metav1.ObjectMeta{Name: m.Name, Namespace: m.Namespace, Labels: m.Labels,
				CreationTimestamp: at(m.Timestamp)}, at(m.Timestamp), m.Window.String(), nil}
			for _, container := range m.Containers {
				p.Containers = append(p.Containers, containerMetrics(container))
			}
			items = append(items, p)
		}
		done("PodMetricsList", items, err)
	})
}

func measuredKind(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: kind, APIVersion: discovery.Metrics.String()}
}

func at(t time.Time) metav1.Time { return metav1.NewTime(t) }

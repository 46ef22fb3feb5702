// Package metricsv1beta1 holds what metrics.k8s.io/v1beta1 answers: what Pods and
// nodes use. Nobody stores these objects: metrics-server makes them when asked.
//
// They are asked for by a Go interface here (controller/podautoscaler/metrics,
// playground/node/metrics), not through the API server: upstream's passes such requests
// on to metrics-server. So there are no lists, no selectors and no kinds registered.
//
// Upstream: k8s.io/metrics/pkg/apis/metrics/v1beta1.
package metricsv1beta1

import (
	"time"

	"kubewalk/playground/api/corev1"
)

// PodMetrics is what a Pod's containers use: an average over the window that ends
// at the timestamp.
type PodMetrics struct {
	Namespace, Name string
	Timestamp       time.Time
	Window          time.Duration
	Containers      []ContainerMetrics
}

// ContainerMetrics is what one container uses.
type ContainerMetrics struct {
	Name  string
	Usage corev1.ResourceList // cpu and memory
}

// NodeMetrics is what all containers of a node use together.
type NodeMetrics struct {
	Name      string
	Timestamp time.Time
	Window    time.Duration
	Usage     corev1.ResourceList
}

// Package metricsv1beta1 holds what metrics.k8s.io/v1beta1 answers: what Pods and
// nodes use. Nobody stores these objects: metrics-server makes them when asked, and
// its clients read them. So no kinds are registered: the API server learns of them
// by an APIService.
//
// Upstream: k8s.io/metrics/pkg/apis/metrics/v1beta1.
package metricsv1beta1

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
)

// GroupVersion is theirs.
var GroupVersion = schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1beta1"}

// TypeMeta says which of them an object is. It is smaller than metav1.TypeMeta, as Metadata is smaller than ObjectMeta: these are no objects of the
// API's, whose methods would be linked with each of them.
type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

// Metadata are those of the Pod or node.
type Metadata struct {
	Name              string            `json:"name,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	CreationTimestamp metav1.Time       `json:"creationTimestamp,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
}

// PodMetrics is what a Pod's containers use: an average over the window that ends
// at the timestamp.
type PodMetrics struct {
	TypeMeta
	Metadata   Metadata           `json:"metadata"`
	Timestamp  metav1.Time        `json:"timestamp"`
	Window     metav1.Duration    `json:"window"`
	Containers []ContainerMetrics `json:"containers"`
}

// ContainerMetrics is what one container uses.
type ContainerMetrics struct {
	Name  string              `json:"name"`
	Usage corev1.ResourceList `json:"usage"` // cpu and memory
}

// NodeMetrics is what all of a node uses.
type NodeMetrics struct {
	TypeMeta
	Metadata  Metadata            `json:"metadata"`
	Timestamp metav1.Time         `json:"timestamp"`
	Window    metav1.Duration     `json:"window"`
	Usage     corev1.ResourceList `json:"usage"`
}

// PodMetricsList is a list of them.
type PodMetricsList struct {
	TypeMeta
	Metadata struct{}     `json:"metadata"`
	Items    []PodMetrics `json:"items"`
}

// NodeMetricsList is a list of them.
type NodeMetricsList struct {
	TypeMeta
	Metadata struct{}      `json:"metadata"`
	Items    []NodeMetrics `json:"items"`
}

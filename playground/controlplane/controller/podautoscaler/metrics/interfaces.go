// Package metrics is where the autoscaler gets its numbers from: the metrics of
// resources (metrics.k8s.io), of objects and Pods (custom.metrics.k8s.io), and of
// anything outside the cluster (external.metrics.k8s.io).
//
// In a real cluster these are API groups that the API server passes on to whoever has
// registered for them. Here they are one interface, API, which the cluster provides;
// without one the errors are those of a cluster in which nobody has registered.
//
// Upstream: pkg/controller/podautoscaler/metrics.
package metrics

import (
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metricsv1beta1"
	"kubewalk/playground/sim"
)

// API is the three metrics APIs.
type API interface {
	// PodMetrics lists what the Pods of a namespace use, by name.
	PodMetrics(p *sim.Proc, namespace string) ([]metricsv1beta1.PodMetrics, error)
	// CustomMetric returns the value of a metric of an object, in thousandths: kind
	// "Pod", "Service" …, or "" for a metric that comes from outside.
	CustomMetric(p *sim.Proc, kind, namespace, name, metric string) (Value, bool)
}

// Value is a metric's value, and since when it has it.
type Value struct {
	Milli     int64
	Timestamp time.Time
}

// PodMetric is one Pod's metric, in thousandths. Upstream: interfaces.go, PodMetric.
type PodMetric struct {
	Timestamp time.Time
	Window    time.Duration
	Value     int64
}

// PodMetricsInfo is by the name of the Pod.
type PodMetricsInfo map[string]PodMetric

// metricServerDefaultMetricWindow is the window of metrics that have none.
const metricServerDefaultMetricWindow = time.Minute

// Client asks for metrics and says what is wrong with them as upstream's does.
// Upstream: client.go, restMetricsClient.
type Client struct{ API API }

func notRegistered(resource string) error {
	return errors.New("the server could not find the requested resource (get " + resource + ")")
}

// GetResourceMetric returns what matching Pods use of a resource, all their
// containers together or one of them.
func (c Client) GetResourceMetric(p *sim.Proc, resource corev1.ResourceName, pods []*corev1.Pod, namespace, container string) (PodMetricsInfo, time.Time,
	error) {
	if c.API == nil {
		return nil, time.Time{}, fmt.Errorf("unable to fetch metrics from resource metrics API: %v", notRegistered("pods.metrics.k8s.io"))
	}
	all, err := c.API.PodMetrics(p, namespace)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("unable to fetch metrics from resource metrics API: %v", err)
	}
	wanted := map[string]bool{}
	for _, pod := range pods {
		wanted[pod.Name] = true
	}
	out := PodMetricsInfo{}
	var timestamp time.Time
	found := false
	for i := range all {
		m := &all[i]
		if !wanted[m.Name] {
			continue
		}
		if !found {
			timestamp = m.Timestamp
		}
		found = true
		value, ok, err := usage(m, resource, container)
		if err != nil {
			return nil, time.Time{}, fmt.Errorf("failed to get container metrics: %v", err)
		}
		if ok {
			out[m.Name] = PodMetric{Timestamp: m.Timestamp, Window: m.Window, Value: value}
		}
	}
	if !found {
		return nil, time.Time{}, errors.New("no metrics returned from resource metrics API")
	}
	return out, timestamp, nil
}

// usage adds up the containers. ok is false when one of them has no value.
func usage(m *metricsv1beta1.PodMetrics, resource corev1.ResourceName, container string) (total int64, ok bool, err error) {
	for i := range m.Containers {
		if container != "" && container != m.Containers[i].Name {
			continue
		}
		q, has := m.Containers[i].Usage[resource]
		if !has {
			return 0, false, nil
		}
		total += q.MilliValue()
		ok = true
	}
	if container != "" && !ok {
		return 0, false, fmt.Errorf("container %s not present in metrics for pod %s/%s", container, m.Namespace, m.Name)
	}
	return total, ok, nil
}

// GetRawMetric returns a custom metric of each Pod that has it.
func (c Client) GetRawMetric(p *sim.Proc, metric string, pods []*corev1.Pod, namespace string) (PodMetricsInfo, time.Time, error) {
	if c.API == nil {
		return nil, time.Time{}, fmt.Errorf("unable to fetch metrics from custom metrics API: %v", notRegistered("pods.custom.metrics.k8s.io"))
	}
	out := PodMetricsInfo{}
	var timestamp time.Time
	for _, pod := range pods {
		if v, ok := c.API.CustomMetric(p, "Pod", namespace, pod.Name, metric); ok {
			out[pod.Name] = PodMetric{Timestamp: v.Timestamp, Window: metricServerDefaultMetricWindow, Value: v.Milli}
			timestamp = v.Timestamp
		}
	}
	if len(out) == 0 {
		return nil, time.Time{}, errors.New("no metrics returned from custom metrics API")
	}
	return out, timestamp, nil
}

// GetObjectMetric returns a custom metric of one object, in thousandths.
func (c Client) GetObjectMetric(p *sim.Proc, metric, namespace, kind, name string) (int64, time.Time, error) {
	if c.API == nil {
		return 0, time.Time{}, fmt.Errorf("unable to fetch metrics from custom metrics API: %v", notRegistered(metric+".custom.metrics.k8s.io"))
	}
	v, ok := c.API.CustomMetric(p, kind, namespace, name, metric)
	if !ok {
		return 0, time.Time{}, fmt.Errorf("unable to fetch metrics from custom metrics API: the server could not find the metric %s for %s %s", metric, kind, name)
	}
	return v.Milli, v.Timestamp, nil
}

// GetExternalMetric returns a metric from outside, in thousandths.
func (c Client) GetExternalMetric(p *sim.Proc, metric, namespace string, _ labels.Selector) (int64, time.Time, error) {
	if c.API == nil {
		return 0, time.Time{}, fmt.Errorf("unable to fetch metrics from external metrics API: %v", notRegistered(metric+".external.metrics.k8s.io"))
	}
	v, ok := c.API.CustomMetric(p, "", namespace, "", metric)
	if !ok {
		return 0, time.Time{}, errors.New("no metrics returned from external metrics API")
	}
	return v.Milli, v.Timestamp, nil
}

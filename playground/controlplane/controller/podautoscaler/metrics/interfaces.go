// Package metrics is where the autoscaler gets its numbers from: the metrics of
// resources (metrics.k8s.io), of objects and Pods (custom.metrics.k8s.io), and of
// anything outside the cluster (external.metrics.k8s.io).
//
// These are API groups that the API server passes on to whoever has registered for
// them. For the latter two, nobody does here: they are one interface, API, which the
// cluster provides; without one the errors are those of a cluster without such a server.
//
// Upstream: pkg/controller/podautoscaler/metrics.
package metrics

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/metricsv1beta1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// API is custom.metrics.k8s.io and external.metrics.k8s.io.
type API interface {
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
type Client struct {
	Transport client.Transport
	API       API // nil where nobody serves it
}

func notRegistered(resource string) error {
	return errors.New("the server could not find the requested resource (get " + resource + ")")
}

// podMetrics lists what the Pods that a selector picks use.
// Upstream: k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1.
func (c Client) podMetrics(p *sim.Proc, namespace, selector string) ([]metricsv1beta1.PodMetrics, error) {
	r := &client.Request{Verb: client.List, Resource: metricsv1beta1.GroupVersion.WithResource("pods"), Namespace: namespace,
		List: metav1.ListOptions{LabelSelector: selector}}
	got, err := c.Transport.Do(p, r)
	if err != nil {
		return nil, client.NotServed(r, err)
	}
	text, err := api.Encode(got)
	if err != nil {
		return nil, err
	}
	var list metricsv1beta1.PodMetricsList
	err = json.Unmarshal(text, &list)
	return list.Items, err
}

// GetResourceMetric returns what matching Pods use of a resource, all their
// containers together or one of them.
func (c Client) GetResourceMetric(p *sim.Proc, resource corev1.ResourceName, namespace string, selector labels.Selector, container string) (PodMetricsInfo,
	time.Time, error) {
	all, err := c.podMetrics(p, namespace, selector.String())
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("unable to fetch metrics from resource metrics API: %v", err)
	}
	if len(all) == 0 {
		return nil, time.Time{}, errors.New("no metrics returned from resource metrics API")
	}
	out := PodMetricsInfo{}
	for i := range all {
		m := &all[i]
		value, ok, err := usage(m, resource, container)
		if err != nil {
			return nil, time.Time{}, fmt.Errorf("failed to get container metrics: %v", err)
		}
		if ok {
			out[m.Metadata.Name] = PodMetric{Timestamp: m.Timestamp.Time, Window: m.Window.Duration, Value: value}
		}
	}
	return out, all[0].Timestamp.Time, nil
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
		return 0, false, fmt.Errorf("container %s not present in metrics for pod %s/%s", container, m.Metadata.Namespace, m.Metadata.Name)
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

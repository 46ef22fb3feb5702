package cluster

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metricsv1beta1"
	"kubewalk/playground/api/resource"
	hpametrics "kubewalk/playground/controlplane/controller/podautoscaler/metrics"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/node/metrics"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// metricsAt is when metrics-server starts: behind the kubelets that it asks.
const metricsAt = 1100 * time.Millisecond

// SetMetric is the input that gives a metric a value that no kubelet knows: Metric, Value
// (a quantity; "" takes it away). Resource and Name say of which object it is; Pods may be "*",
// for all. Without a Resource it comes from outside the cluster.
const SetMetric Kind = "set-metric"

var _ = register(SetMetric, action{
	validate: func(in Input) error {
		if in.Metric == "" {
			return fmt.Errorf("input %q: needs a metric", in.Kind)
		}
		if in.Resource != "" && in.Name == "" {
			return fmt.Errorf("input %q: needs a name", in.Kind)
		}
		if in.Value == "" {
			return nil
		}
		if _, err := resource.ParseQuantity(in.Value); err != nil {
			return fmt.Errorf("input %q: value %q: %v", in.Kind, in.Value, err)
		}
		return nil
	},
	words: func(in Input) string {
		return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s %s", in.Kind, in.Resource, in.key(), in.Metric, in.Value)), " ")
	},
	attrs: func(in Input) []trace.Attr { return given("metric", in.Metric, "value", in.Value) },
	do: func(c *Cluster, i int) {
		c.results[i].Done = true
		if err := c.setMetric(c.results[i].Input); err != nil {
			c.results[i].Error = err.Error()
		}
	},
})

func (c *Cluster) setMetric(in Input) error {
	if !c.config.Metrics {
		return errors.New("this cluster serves no metrics: give it some with cluster: {metrics: true}")
	}
	kind := ""
	if in.Resource != "" {
		k := api.Resolve(in.Resource)
		if k == nil {
			return fmt.Errorf("the server doesn't have a resource type %q", in.Resource)
		}
		kind = k.Kind
	}
	namespace := in.Namespace
	if namespace == "" {
		namespace = "default"
	}
	if in.Value == "" {
		c.custom.Remove(kind, namespace, in.Name, in.Metric)
		return nil
	}
	q, err := resource.ParseQuantity(in.Value)
	if err == nil {
		c.custom.Set(kind, namespace, in.Name, in.Metric, q.MilliValue(), c.kernel.Time())
	}
	return err
}

// measured are the components that Metrics adds.
func (c Config) measured() []string {
	if !c.Metrics {
		return nil
	}
	return []string{metrics.Name}
}

// measure puts metrics-server on the agenda.
func (c *Cluster) measure() {
	if !c.config.Metrics {
		return
	}
	c.custom = metrics.NewTable()
	c.boot(program(metrics.Name, func() *sim.Component {
		component := c.kernel.Start(metrics.Name)
		component.Run(func() { c.metrics = metrics.Start(component, scraped{c}) })
		return component
	}), metricsAt)
}

// metricsAPI is where autoscalers ask; nil where nobody serves metrics.
func (c *Cluster) metricsAPI() hpametrics.API {
	if !c.config.Metrics {
		return nil
	}
	return served{c}
}

// served is the way to metrics-server. It implements podautoscaler/metrics.API.
type served struct{ cluster *Cluster }

// PodMetrics implements podautoscaler/metrics.API.
func (s served) PodMetrics(p *sim.Proc, namespace string) ([]metricsv1beta1.PodMetrics, error) {
	if !s.cluster.byName[metrics.Name].running() {
		return nil, errors.New("the server is currently unable to handle the request (get pods.metrics.k8s.io)")
	}
	return s.cluster.metrics.PodMetrics(p, namespace)
}

// CustomMetric implements podautoscaler/metrics.API.
func (s served) CustomMetric(_ *sim.Proc, kind, namespace, name, metric string) (hpametrics.Value, bool) {
	milli, at, ok := s.cluster.custom.Get(kind, namespace, name, metric)
	return hpametrics.Value{Milli: milli, Timestamp: at}, ok
}

// PodMetrics is what the Pods of a namespace ("" is all) use, as metrics-server knows it: what kubectl top asks for.
func (c *Cluster) PodMetrics(p *sim.Proc, namespace string) ([]metricsv1beta1.PodMetrics, error) {
	if !c.config.Metrics {
		return nil, errors.New("Metrics API not available")
	}
	return served{c}.PodMetrics(p, namespace)
}

// NodeMetrics is what the nodes use, as metrics-server knows it.
func (c *Cluster) NodeMetrics(p *sim.Proc) ([]metricsv1beta1.NodeMetrics, error) {
	if !c.config.Metrics || !c.byName[metrics.Name].running() {
		return nil, errors.New("Metrics API not available")
	}
	return c.metrics.NodeMetrics(p)
}

// scrapeTimeout is how long metrics-server waits for a kubelet. Upstream: metrics-server, cmd/metrics-server/app/options, kubelet-request-timeout.
const scrapeTimeout = 10 * time.Second

// scraped are the kubelets, as metrics-server reaches them. It implements metrics.Source.
type scraped struct{ cluster *Cluster }

// Nodes implements metrics.Source.
func (s scraped) Nodes() (names []string) {
	for _, m := range s.cluster.boxes {
		names = append(names, m.name)
	}
	return names
}

// Scrape implements metrics.Source.
func (s scraped) Scrape(p *sim.Proc, node string) ([]metrics.Usage, error) {
	p.Sleep(p.Kernel().Rand(metrics.Name).Between(2*time.Millisecond, 8*time.Millisecond))
	m := s.cluster.findBox(node)
	if s.cluster.unreachable(node) {
		p.Sleep(scrapeTimeout)
		return nil, fmt.Errorf("Get \"https://%s:10250/metrics/resource\": context deadline exceeded", m.ip)
	}
	if m.kubelet == nil || !m.kubelet.Component().Running() {
		return nil, fmt.Errorf("Get \"https://%s:10250/metrics/resource\": dial tcp %s:10250: connect: connection refused", m.ip, m.ip)
	}
	pods, err := m.kubelet.ListPodStats()
	if err != nil {
		return nil, err
	}
	var out []metrics.Usage
	for _, pod := range pods {
		for _, u := range pod.Containers {
			out = append(out, metrics.Usage{Namespace: pod.Namespace, Pod: pod.Name, Container: u.Container,
				CPUNanoCores: u.CPUNanoCores, MemoryWorkingSet: u.MemoryWorkingSet, StartedAt: u.StartedAt})
		}
	}
	return out, nil
}

// PodUsage is a Pod's metrics with its labels, which selectors ask for.
type PodUsage struct {
	metricsv1beta1.PodMetrics
	Labels map[string]string
}

// NodeUsage is a node's metrics with its labels.
type NodeUsage struct {
	metricsv1beta1.NodeMetrics
	Labels map[string]string
}

// MeasurePods asks metrics-server, for a program outside the cluster, what the Pods of a namespace ("" is all) use. done is called once.
func (c *Cluster) MeasurePods(namespace string, done func([]PodUsage, error)) {
	defer c.kernel.SetAside(c.kernel.SetAside(true))
	c.kubectl.Go("GET pods.metrics.k8s.io", func(p *sim.Proc) {
		found, err := c.PodMetrics(p, namespace)
		var out []PodUsage
		for _, m := range found {
			out = append(out, PodUsage{m, c.labelsOf("pods", m.Namespace, m.Name)})
		}
		done(out, err)
	})
}

// MeasureNodes is MeasurePods for nodes.
func (c *Cluster) MeasureNodes(done func([]NodeUsage, error)) {
	defer c.kernel.SetAside(c.kernel.SetAside(true))
	c.kubectl.Go("GET nodes.metrics.k8s.io", func(p *sim.Proc) {
		found, err := c.NodeMetrics(p)
		var out []NodeUsage
		for _, m := range found {
			out = append(out, NodeUsage{m, c.labelsOf("nodes", "", m.Name)})
		}
		done(out, err)
	})
}

func (c *Cluster) labelsOf(resource, namespace, name string) map[string]string {
	if obj := c.store.Current(store.Key{Resource: resource, Namespace: namespace, Name: name}); obj != nil {
		return obj.GetLabels()
	}
	return nil
}

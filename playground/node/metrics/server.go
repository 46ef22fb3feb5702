// Package metrics is metrics-server: a component that asks every kubelet each 15
// seconds what its containers use, and answers for the last time that it asked. So
// what an autoscaler learns is up to 15 seconds old, a node that does not answer
// loses its numbers, and a Pod that has just started has none.
//
// It also holds a table of other metrics (of objects, of Pods, from outside), which an
// input fills: it stands for the adapters that serve custom.metrics.k8s.io and
// external.metrics.k8s.io.
//
// A container's CPU is what it used when it was asked for; the real one takes two
// counters and divides by the time between. As there, a container counts once it
// has run for ten seconds, or was there the time before. A restart forgets all.
//
// Absent: labels of metrics, the API group in the API server's discovery; requests
// come by Go calls, with a little time on the way.
//
// Upstream: sigs.k8s.io/metrics-server, pkg/scraper and pkg/storage.
package metrics

import (
	"sort"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metricsv1beta1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/sim"
)

// Name is the component.
const Name = "metrics-server"

const (
	// Resolution is the time between two rounds. Upstream: --metric-resolution, as
	// its manifests set it.
	Resolution = 15 * time.Second
	// freshContainerMinMetricsResolution is how long a container that was not there
	// the time before has to have run.
	freshContainerMinMetricsResolution = 10 * time.Second
	// answerTime is how long a request for metrics takes.
	answerTime = 2 * time.Millisecond
)

// Usage is what one container uses at the moment of asking.
type Usage struct {
	Namespace, Pod, Container string
	CPUNanoCores              int64
	MemoryWorkingSet          int64 // bytes
	StartedAt                 time.Time
}

// Source is where the numbers come from: the kubelets.
type Source interface {
	// Nodes lists the nodes to ask, in order.
	Nodes() []string
	// Scrape asks a node. It takes the time of a request and fails when nobody answers.
	Scrape(p *sim.Proc, node string) ([]Usage, error)
}

// Server is metrics-server.
type Server struct {
	source Source

	pods  []metricsv1beta1.PodMetrics // by namespace and name
	nodes []metricsv1beta1.NodeMetrics
	seen  map[string]bool // containers of the last round: "namespace/pod/container/started"
}

// Start brings the server up.
func Start(c *sim.Component, source Source) *Server {
	s := &Server{source: source, seen: map[string]bool{}}
	c.Go("scrape", func(p *sim.Proc) {
		for {
			s.scrape(p)
			p.Sleep(Resolution)
		}
	})
	return s
}

// scrape asks every node and replaces what was known.
func (s *Server) scrape(p *sim.Proc) {
	var pods []metricsv1beta1.PodMetrics
	var nodes []metricsv1beta1.NodeMetrics
	seen := map[string]bool{}
	for _, name := range s.source.Nodes() {
		list, err := s.source.Scrape(p, name)
		if err != nil {
			p.Logger().Error(err, "Failed to scrape node", "node", name)
			continue
		}
		now := p.Time()
		node := metricsv1beta1.NodeMetrics{Name: name, Timestamp: now, Window: Resolution}
		var cpu, memory int64
		for _, u := range list {
			cpu, memory = cpu+u.CPUNanoCores, memory+u.MemoryWorkingSet
			key := u.Namespace + "/" + u.Pod + "/" + u.Container + "/" + u.StartedAt.String()
			seen[key] = true
			if !s.seen[key] && now.Sub(u.StartedAt) < freshContainerMinMetricsResolution {
				continue
			}
			i := len(pods) - 1
			if i < 0 || pods[i].Namespace != u.Namespace || pods[i].Name != u.Pod {
				pods = append(pods, metricsv1beta1.PodMetrics{Namespace: u.Namespace, Name: u.Pod, Timestamp: now, Window: Resolution})
				i++
			}
			pods[i].Containers = append(pods[i].Containers, metricsv1beta1.ContainerMetrics{Name: u.Container,
				Usage: usageOf(u.CPUNanoCores, u.MemoryWorkingSet)})
		}
		node.Usage = usageOf(cpu, memory)
		nodes = append(nodes, node)
		p.Logger().V(2).Info("Scraped node", "node", name, "containers", len(list), "cpuNanoCores", cpu, "memoryBytes", memory)
	}
	sort.SliceStable(pods, func(i, j int) bool {
		a, b := &pods[i], &pods[j]
		return a.Namespace < b.Namespace || a.Namespace == b.Namespace && a.Name < b.Name
	})
	s.pods, s.nodes, s.seen = pods, nodes, seen
}

func usageOf(nanoCores, bytes int64) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewScaledQuantity(nanoCores, resource.Nano),
		corev1.ResourceMemory: *resource.NewQuantity(bytes, resource.BinarySI),
	}
}

// PodMetrics lists what the Pods of a namespace used when they were last asked,
// by name; "" is all namespaces.
func (s *Server) PodMetrics(p *sim.Proc, namespace string) ([]metricsv1beta1.PodMetrics, error) {
	p.Sleep(answerTime)
	var out []metricsv1beta1.PodMetrics
	for _, m := range s.pods {
		if namespace == "" || m.Namespace == namespace {
			out = append(out, m)
		}
	}
	return out, nil
}

// NodeMetrics lists what the nodes used when they were last asked.
func (s *Server) NodeMetrics(p *sim.Proc) ([]metricsv1beta1.NodeMetrics, error) {
	p.Sleep(answerTime)
	return append([]metricsv1beta1.NodeMetrics(nil), s.nodes...), nil
}

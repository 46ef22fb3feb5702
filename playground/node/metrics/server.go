// Package metrics is metrics-server, the program of a container: every 15 seconds it
// asks each kubelet, over the network, what its containers have used so far, and it
// answers for metrics.k8s.io/v1beta1 behind the aggregation layer. It takes two rounds
// until it has anything to say, and until its readiness probe passes; after a restart
// it knows nothing.
//
// scrape is in this file, storage.go is what it makes of two rounds, decode.go reads
// the kubelets' answers, api.go answers requests. A kubelet believes who the header
// says asks (node/kubelet, Kubelet.Get), and so does this server: there is no TLS, and
// nobody is asked who may read what; the API server has asked before.
//
// table.go is something else: other metrics (of objects, of Pods, from outside), which
// an input fills. It stands for the adapters that serve custom.metrics.k8s.io and
// external.metrics.k8s.io.
//
// Absent: its own metrics, --node-selector and most other flags, swap.
//
// Upstream: sigs.k8s.io/metrics-server v0.9.0, pkg/server, pkg/scraper, pkg/storage, pkg/api.
package metrics

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Name is the component, and what its image calls it.
const Name = "metrics-server"

const (
	defaultResolution = time.Minute      // upstream: cmd/metrics-server/app/options, metric-resolution
	scrapeTimeout     = 10 * time.Second // kubelet-request-timeout, and at most nine tenths of the resolution
	// A round does not ask all nodes at once. Upstream: pkg/scraper/scraper.go.
	delayPerSource = 8 * time.Millisecond
	maxDelay       = 4 * time.Second
)

// Container is the one in which it runs.
type Container interface {
	// Command is its command line.
	Command() []string
	// Get sends a request, with the token of the Pod's ServiceAccount, and waits for the answer.
	Get(p *sim.Proc, url string, timeout time.Duration) (status int, body string, err error)
	// Log writes a line to the container's log.
	Log(line string)
	// Wake has the container look whether the program has ended.
	Wake()
}

// Server is metrics-server.
type Server struct {
	component  *sim.Component
	container  Container
	rand       *sim.Rand
	resolution time.Duration
	storage    *storage
	nodes      listers.NodeLister
	pods       listers.PodLister
	synced     bool // it knows the cluster, and listens
	tick       time.Duration
	ready      bool

	code  int32
	cause trace.ID
}

// Start brings it up in a container, as a component of that name. t is its way to the API server.
func Start(k *sim.Kernel, name string, t client.Transport, c Container) *Server {
	s := &Server{component: k.Start(name), container: c, rand: k.Rand(name), resolution: defaultResolution, code: 137}
	for _, flag := range c.Command() {
		if text, is := strings.CutPrefix(flag, "--metric-resolution="); is {
			if d, err := time.ParseDuration(text); err == nil && d > 0 {
				s.resolution = d
			}
		}
	}
	s.storage = newStorage(s.resolution)
	s.component.OnStop(func() {
		s.cause = k.Cause()
		c.Wake()
	})
	s.component.Run(func() {
		factory := informers.NewSharedInformerFactory(client.New(t), 0)
		nodes, pods := factory.Core().V1().Nodes(), factory.Core().V1().Pods()
		synced := []cache.InformerSynced{nodes.Informer().HasSynced, pods.Informer().HasSynced}
		s.nodes, s.pods = nodes.Lister(), pods.Lister()
		s.component.Go("scrape", func(p *sim.Proc) {
			factory.Start(p)
			if !cache.WaitForCacheSync(p, synced...) {
				return
			}
			s.synced = true
			s.say(p, nil, "Serving securely on [::]")
			for next := p.Now(); ; {
				s.tick = p.Now()
				s.scrape(p)
				for next <= p.Now() {
					next += s.resolution // a ticker drops what comes while nobody listens
				}
				p.Sleep(next - p.Now())
			}
		})
	})
	return s
}

// Component is the program in the trace.
func (s *Server) Component() *sim.Component { return s.component }

// Ended tells whether it runs no more, and with what it has ended.
func (s *Server) Ended() (code int32, cause trace.ID, ended bool) {
	return s.code, s.cause, !s.component.Running()
}

// Kill ends it at once.
func (s *Server) Kill(reason string) { s.component.Stop(reason) }

// Terminate is SIGTERM: nothing is under way that would have to be finished.
func (s *Server) Terminate() {
	s.code = 0
	s.component.Go("shutdown", func(p *sim.Proc) {
		p.Sleep(s.rand.Between(20*time.Millisecond, 200*time.Millisecond))
		s.component.Kernel().After(0, func() { s.component.Stop("exited") })
		p.Park()
	})
}

// say writes to the trace, and to the container's log as klog does.
func (s *Server) say(p *sim.Proc, failure error, message string, kv ...any) {
	letter := "I"
	if failure == nil {
		p.Logger().Info(message, kv...)
	} else {
		letter = "E"
		p.Logger().Error(failure, message, kv...)
		kv = append([]any{"err", failure.Error()}, kv...)
	}
	line := letter + p.Time().Format("0102 15:04:05.000000") + "       1 server.go] " + strconv.Quote(message)
	for i := 0; i+1 < len(kv); i += 2 {
		line += fmt.Sprintf(" %v=%q", kv[i], fmt.Sprint(kv[i+1]))
	}
	s.container.Log(line)
}

// scrape asks all nodes, and stores what they say. Upstream: server.tick, scraper.Scrape.
func (s *Server) scrape(p *sim.Proc) {
	nodes, err := s.nodes.List(labels.Everything())
	if err != nil {
		s.say(p, err, "Failed to list nodes")
	}
	slices.SortFunc(nodes, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	b := newBatch()
	spread := min(delayPerSource*time.Duration(len(nodes)), maxDelay)
	p.Fork("scrape", len(nodes), func(p *sim.Proc, i int) {
		node := nodes[i]
		p.Sleep(s.rand.Between(0, spread))
		switch err := s.collect(p, node, b); {
		case err != nil && !isReady(node):
			p.Logger().V(4).Info("Failed to scrape node, node is not ready", "node", node.Name, "err", err.Error())
		case errors.Is(err, errTimeout):
			s.say(p, err, "Failed to scrape node, timeout to access kubelet", "node", node.Name, "timeout", s.timeout().String())
		case err != nil:
			s.say(p, err, "Failed to scrape node", "node", node.Name)
		}
	})
	s.storage.store(b)
	for _, node := range nodes {
		if last, found := b.nodes[node.Name]; found {
			kv := []any{"node", node.Name, "memoryBytes", last.memory}
			if used, window, err := usage(last, s.storage.prev.nodes[node.Name]); err == nil && !s.storage.prev.nodes[node.Name].at.IsZero() {
				cpu := used[corev1.ResourceCPU]
				kv = append(kv, "cpuMillicores", cpu.MilliValue(), "window", window.Round(time.Millisecond).String())
			}
			p.Logger().V(2).Info("Scraped node", kv...)
		}
	}
	p.Logger().V(1).Info("Scrape finished", "duration", p.Now()-s.tick, "nodeCount", len(b.nodes), "podCount", len(b.pods))
	if nodesReady, podsReady := s.storage.ready(); (nodesReady && podsReady) != s.ready {
		s.ready = !s.ready
		message := "Metric storage is not ready"
		if s.ready {
			message = "Metric storage is ready"
		}
		s.say(p, nil, message, "nodeMetrics", nodesReady, "podMetrics", podsReady)
	}
}

func (s *Server) timeout() time.Duration { return min(scrapeTimeout, s.resolution*9/10) }

var errTimeout = errors.New("context deadline exceeded")

// collect asks one node. Upstream: pkg/scraper/client/resource/client.go, GetMetrics.
func (s *Server) collect(p *sim.Proc, node *corev1.Node, into batch) error {
	address := ""
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			address = a.Address
		}
	}
	if address == "" {
		return fmt.Errorf("no address matched types [InternalIP ExternalIP Hostname]")
	}
	asked := p.Time()
	url := "https://" + address + ":" + strconv.Itoa(kubeletPort) + "/metrics/resource"
	deadline := p.Now() + s.timeout()
	status, body, err := s.container.Get(p, url, s.timeout())
	switch {
	case err != nil && p.Now() >= deadline:
		return fmt.Errorf("Get %q: %w", url, errTimeout)
	case err != nil:
		return fmt.Errorf("Get %q: %w", url, err)
	case status != 200:
		return fmt.Errorf("request failed, status: %q", strconv.Itoa(status)+" "+map[int]string{401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
			500: "Internal Server Error"}[status])
	}
	return decode(body, asked, node.Name, into)
}

// kubeletPort is the one that a Node's status names, which is everywhere the same.
const kubeletPort = 10250

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

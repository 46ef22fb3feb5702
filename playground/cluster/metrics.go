package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/client"
	hpametrics "kubewalk/playground/controlplane/controller/podautoscaler/metrics"
	"kubewalk/playground/kubectl"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/metrics"
	"kubewalk/playground/node/network"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// metricsAt is when somebody installs metrics-server, and metricsRetry how long he waits after what the API server refused.
const (
	metricsAt    = 1100 * time.Millisecond
	metricsRetry = 2 * time.Second
)

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

func (c Config) validateMetrics() error {
	switch {
	case !c.Metrics:
		return nil
	case !c.Network:
		return errors.New("metrics needs network: metrics-server runs in a Pod, and asks the kubelets over the network")
	case len(c.Nodes) == 0:
		return errors.New("metrics needs nodes: metrics-server runs in a Pod")
	}
	running := c.controllers()
	for _, name := range []string{"deployment-controller", "replicaset-controller", "endpointslice-controller"} {
		if !slices.Contains(running, name) {
			return fmt.Errorf("metrics needs the controller %q: metrics-server is a Deployment behind a Service", name)
		}
	}
	return nil
}

// measure installs metrics-server, as kubectl apply -f components.yaml does.
func (c *Cluster) measure() {
	if !c.config.Metrics {
		return
	}
	c.custom = metrics.NewTable()
	c.byName[metrics.Name] = &part{name: metrics.Name, start: func() error { return errStartedByPod },
		stop:    func(reason string) { c.metrics[0].Kill(reason) },
		running: func() bool { return len(c.metrics) > 0 && c.metrics[0].Component().Running() }}
	c.kernel.After(metricsAt, func() {
		c.kubectl.Go("kubectl apply", func(p *sim.Proc) {
			k := kubectl.New(c.observed(c.server))
			for _, manifest := range metrics.Manifests {
				for k.Apply(p, []byte(manifest)).Failed {
					p.Sleep(metricsRetry)
				}
			}
		})
	})
}

// hostMetrics starts metrics-server in a container. While the first runs, as in a rollout, another one has a name with a number.
func (c *Cluster) hostMetrics(t client.Transport, user string, in *cri.Inside) cri.Guest {
	if c.fabric == nil {
		return nil
	}
	i := slices.IndexFunc(c.metrics, func(s *metrics.Server) bool { return !s.Component().Running() })
	if i < 0 {
		i = len(c.metrics)
		c.metrics = append(c.metrics, nil)
	}
	name := metrics.Name
	if i > 0 {
		name += "-" + strconv.Itoa(i+1)
	}
	c.metrics[i] = metrics.Start(c.kernel, name, t, measuring{in, user})
	return metricsGuest{c.metrics[i]}
}

// metricsGuest is metrics-server in its container: it implements cri.Guest, and answers requests.
type metricsGuest struct{ *metrics.Server }

// Serve answers a request.
func (g metricsGuest) Serve(r cri.Request, done func(status int, body string)) {
	table := slices.ContainsFunc(r.Header["Accept"], func(v string) bool { return strings.Contains(v, "as=Table") })
	done(g.Server.Serve(r.Method, network.ParseURL(r.URL).Path, table))
}

// measuring is what metrics-server sees of its container: it implements metrics.Container.
type measuring struct {
	*cri.Inside
	user string
}

// Get sends a request over the network.
func (m measuring) Get(p *sim.Proc, url string, timeout time.Duration) (int, string, error) {
	out := m.Do(p, cri.Request{Method: "GET", URL: url, Header: map[string][]string{"Authorization": {"Bearer " + m.user}}}, timeout)
	host := network.ParseURL(url)
	switch out.Failure {
	case "":
		return out.Status, out.Body, nil
	case cri.Refused:
		return 0, "", fmt.Errorf("dial tcp %s: connect: connection refused", network.Address(host.Host, host.Port))
	case cri.TimedOut:
		return 0, "", errors.New("context deadline exceeded")
	}
	return 0, "", fmt.Errorf("read tcp %s: %s", network.Address(host.Host, host.Port), out.Failure)
}

// metricsAPI is where autoscalers ask for metrics that no Pod serves here; nil where nobody does.
func (c *Cluster) metricsAPI() hpametrics.API {
	if !c.config.Metrics {
		return nil
	}
	return adapters{c}
}

// adapters serve what inputs set. It implements podautoscaler/metrics.API.
type adapters struct{ cluster *Cluster }

// CustomMetric implements podautoscaler/metrics.API.
func (s adapters) CustomMetric(_ *sim.Proc, kind, namespace, name, metric string) (hpametrics.Value, bool) {
	milli, at, ok := s.cluster.custom.Get(kind, namespace, name, metric)
	return hpametrics.Value{Milli: milli, Timestamp: at}, ok
}

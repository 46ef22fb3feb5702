//go:build !js || cel

package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/proxy"
	"kubewalk/playground/operator/clusterapi/bootstrap"
	"kubewalk/playground/operator/clusterapi/controlplane"
	"kubewalk/playground/operator/clusterapi/core"
	"kubewalk/playground/operator/clusterapi/infrastructure"
	"kubewalk/playground/sim"
)

// clusterAPI are its programs, which know of each other only by objects.
func clusterAPI() []operator {
	return []operator{
		{core.Name, func(c *Cluster) *sim.Component { return core.Start(c.kernel, c.Transport(), c.dial) }, nil},
		{bootstrap.Name, func(c *Cluster) *sim.Component { return bootstrap.Start(c.kernel, c.Transport(), c.dial) }, nil},
		{controlplane.Name, func(c *Cluster) *sim.Component { return controlplane.Start(c.kernel, c.Transport(), c.dial) }, nil},
		{infrastructure.Name, func(c *Cluster) *sim.Component {
			return infrastructure.Start(c.kernel, c.Transport(), toyCloud{c})
		}, nil},
	}
}

// toys are the machines of the toy cloud, beside those that the cluster began with. They outlive every program.
type toys struct {
	made   int
	byCall map[string]string // names, by the token of the call that asked for a machine
	// leaving are the machines that shut down, or have: they start no kubelet any more.
	leaving map[string]bool
	rand    *sim.Rand
	// workloads are the clusters whose API servers are behind load balancers of the cloud, in the order in which somebody asked for those.
	workloads []*workload
}

// toyCloud has machines join the cluster: it implements infrastructure.Cloud.
type toyCloud struct{ cluster *Cluster }

// How long the cloud takes for an answer, how long a machine boots, and how long it takes from there until kubeadm has started the kubelet.
const (
	minToyCall, maxToyCall = 50 * time.Millisecond, 150 * time.Millisecond
	minToyBoot, maxToyBoot = 3 * time.Second, 5 * time.Second
	minToyJoin, maxToyJoin = 2 * time.Second, 3 * time.Second
	toyShutdown            = 2 * time.Second
)

func (t toyCloud) call(p *sim.Proc) *sim.Rand {
	if t.cluster.toys.rand == nil {
		t.cluster.toys.rand = t.cluster.kernel.Rand("toy-cloud")
	}
	p.Sleep(t.cluster.toys.rand.Between(minToyCall, maxToyCall))
	return t.cluster.toys.rand
}

// Run implements infrastructure.Cloud. The machine boots, and does what the user data says.
func (t toyCloud) Run(p *sim.Proc, token string, cpus int, userData string) string {
	r, c := t.call(p), t.cluster
	if name := c.toys.byCall[token]; name != "" {
		return name
	}
	if c.toys.byCall == nil {
		c.toys.byCall, c.toys.leaving = map[string]string{}, map[string]bool{}
	}
	c.toys.made++
	name := fmt.Sprintf("vm-%d", c.toys.made)
	c.toys.byCall[token] = name
	p.Logger().Info("Instance is booting", "instance", name, "cpus", cpus)
	if w := c.toys.at(valueIn(userData, "controlPlaneEndpoint"), valueIn(userData, "apiServerEndpoint")); w != nil {
		w.run(p, name, cpus, userData, r)
		return name
	}
	n := Node{Name: name, CPU: fmt.Sprint(max(cpus, 1)), Memory: fmt.Sprintf("%dGi", 2*max(cpus, 1)), Pods: 110}
	first, joins := userDataOf(userData, name, &n)
	boot := r.Between(minToyBoot, maxToyBoot)
	c.machine(n, len(c.config.Nodes)+c.toys.made-1, boot, first) // no address comes again
	kubelet := c.byName[kubeletName(name)]
	start := kubelet.start
	join := func() error {
		if proxied := proxy.ComponentName(name); c.fabric != nil && c.byName[proxied] == nil { // upstream: a DaemonSet's Pod
			c.byName[proxied] = c.proxy(name)
			must(c.byName[proxied].start())
		}
		return start()
	}
	booted := c.kernel.Elapsed() + boot + r.Between(minToyJoin, maxToyJoin)
	kubelet.start = func() error { // not before kubeadm has run
		if c.kernel.Elapsed() >= booted && !c.toys.leaving[name] {
			return join()
		}
		return nil
	}
	if !joins {
		return name
	}
	c.kernel.At(booted, func() {
		if runtime := c.byName[runtimeName(name)]; runtime != nil && runtime.running() && !c.toys.leaving[name] && !kubelet.running() {
			must(join())
		}
	})
	return name
}

// userDataOf reads what kubeadm would: whether the machine joins, and the kubelet's flags and taints.
func userDataOf(text, instance string, n *Node) (first firstBoot, joins bool) {
	text = strings.ReplaceAll(text, "{{ ds.meta_data.instance_id }}", instance)
	flags, name := map[string]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "- name: "); ok {
			name = rest
		} else if rest, ok := strings.CutPrefix(line, "value: "); ok {
			flags[name] = strings.Trim(rest, "'\"")
		} else if key, ok := strings.CutPrefix(line, "key: "); ok {
			first.taints = append(first.taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		}
		joins = joins || strings.HasPrefix(line, "- kubeadm join ")
	}
	first.providerID = flags["provider-id"]
	for _, label := range strings.Split(flags["node-labels"], ",") {
		if key, value, ok := strings.Cut(label, "="); ok {
			if n.Labels == nil {
				n.Labels = map[string]string{}
			}
			n.Labels[key] = value
		}
	}
	return first, joins
}

// Find implements infrastructure.Cloud.
func (t toyCloud) Find(p *sim.Proc, token string) string {
	t.call(p)
	return t.cluster.toys.byCall[token]
}

// Running implements infrastructure.Cloud.
func (t toyCloud) Running(p *sim.Proc, name string) (bool, string) {
	t.call(p)
	box := t.cluster.findBox(name)
	if w := t.cluster.toys.with(name); w != nil {
		box = w.inner.findBox(name)
	}
	if box == nil {
		return false, ""
	}
	return t.cluster.byName[runtimeName(name)].running(), box.ip
}

// Terminate implements infrastructure.Cloud. A machine shuts down before it goes.
func (t toyCloud) Terminate(p *sim.Proc, name string) bool {
	t.call(p)
	c := t.cluster
	runtime := c.byName[runtimeName(name)]
	if runtime == nil {
		return true
	}
	if !runtime.running() {
		c.boxes = slices.DeleteFunc(c.boxes, func(b *box) bool { return b.name == name })
		if w := c.toys.with(name); w != nil {
			w.forget(name)
		}
		for _, part := range []string{kubeletName(name), runtimeName(name), proxy.ComponentName(name)} {
			delete(c.byName, part)
		}
		return true
	}
	p.Logger().Info("Instance is shutting down", "instance", name)
	if c.toys.leaving != nil {
		c.toys.leaving[name] = true
	}
	p.Sleep(toyShutdown)
	if runtime.running() {
		must(c.fault(Input{Kind: KillNode, Node: name}))
	}
	return false
}

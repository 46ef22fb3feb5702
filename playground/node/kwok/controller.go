package kwok

import (
	"maps"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "kwok-controller"

// How much is done at once. Upstream: KwokConfigurationOptions,
// podPlayStageParallelism, nodePlayStageParallelism and nodeLeaseParallelism, 4
// each; kubelets are as many as nodes, so there are more of them here.
const (
	podParallelism  = 16
	nodeParallelism = 16
)

const (
	leaseDurationSeconds = 40
	leaseRenewInterval   = leaseDurationSeconds * time.Second / 4
	statusReportInterval = 5 * time.Minute
	retryAfter           = time.Second
)

// Node is a hollow node.
type Node struct {
	Name       string
	Labels     map[string]string // besides those of every node
	Capacity   corev1.ResourceList
	InternalIP string
	PodCIDR    string // a range of 256 addresses
}

// Controller stands for nodes. All of its memory dies with its component.
type Controller struct {
	kernel    *sim.Kernel
	component *sim.Component
	client    *client.Clientset
	rand      *sim.Rand

	nodes   map[string]*node
	order   []*node
	pods    *line // Pods to treat
	renewal *line // nodes whose Lease is due
	reports *line // nodes whose status is due
}

// node is what the controller knows of one.
type node struct {
	Node
	down  bool
	lease *leaseState
	uid   string
	pool  pool
}

// Start brings the controller up. transport is its way to the API server.
func Start(k *sim.Kernel, transport client.Transport, nodes []Node) *Controller {
	component := k.Start(Name)
	c := &Controller{
		kernel: k, component: component, client: client.New(transport), rand: k.Rand(Name),
		nodes: make(map[string]*node, len(nodes)), order: make([]*node, len(nodes)),
		pods: newLine(k), renewal: newLine(k), reports: newLine(k),
	}
	all := make([]node, len(nodes))
	for i := range nodes {
		all[i] = node{Node: nodes[i], pool: newPool(nodes[i].PodCIDR)}
		c.order[i], c.nodes[nodes[i].Name] = &all[i], &all[i]
	}
	component.Run(func() { component.Go("main", c.run) })
	return c
}

// Component is the controller's program.
func (c *Controller) Component() *sim.Component { return c.component }

// SetDown says whether a node's machine is without power.
func (c *Controller) SetDown(name string, down bool) {
	n := c.nodes[name]
	if n == nil || n.down == down {
		return
	}
	n.down = down
	if down || !c.component.Running() {
		return
	}
	// It boots: its Lease and its status are due, and whatever was asked of its Pods meanwhile.
	c.component.Run(func() {
		c.renewal.put(name)
		c.reports.put(name)
		for _, key := range slices.Sorted(maps.Keys(n.pool.pods)) {
			if stageOf(n.pool.pods[key]) != "" {
				c.pods.put(name + " " + key)
			}
		}
	})
}

func (c *Controller) run(p *sim.Proc) {
	p.Logger().Info("Starting controller", "nodes", len(c.order))
	c.ensureNodes(p)
	pods := cache.NewReflector(cache.NewListWatch(c.client.Transport(), api.GroupVersionResource{Version: "v1", Resource: "pods"}, "",
		func(o *metav1.ListOptions) { o.FieldSelector = "spec.nodeName!=" }), &corev1.Pod{}, store{c}, 0)
	c.component.Go("reflector/pods", pods.Run)
	for range podParallelism {
		c.component.Go("pod-stage", func(p *sim.Proc) { c.pods.work(p, c.playPod) })
	}
	for range nodeParallelism {
		c.component.Go("node-lease", func(p *sim.Proc) { c.renewal.work(p, c.renewLease) })
	}
	c.component.Go("node-stage", func(p *sim.Proc) { c.reports.work(p, c.reportNode) })
	// They were not started in the same moment, so their heartbeats are spread.
	for _, n := range c.order {
		c.again(c.renewal, n.Name, c.rand.Between(0, leaseRenewInterval))
		c.again(c.reports, n.Name, c.rand.Between(0, statusReportInterval))
	}
}

// again puts something into a line after a time.
func (c *Controller) again(l *line, key string, after time.Duration) {
	c.component.Later(after, func() { l.put(key) })
}

func (c *Controller) jitter(d time.Duration) time.Duration { return wait.Jitter(c.rand, d, 4) }

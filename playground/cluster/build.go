package cluster

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kwok"
	"kubewalk/playground/sim"
)

// When programs start: machines first, then what needs the API server.
const (
	kubeletsAt    = 300 * time.Millisecond
	controllersAt = 600 * time.Millisecond
	schedulerAt   = 800 * time.Millisecond
	// between is how far apart the nodes' kubelets start at most.
	between = 400 * time.Millisecond
	// controllerInterval is between two controllers' starts, up to twice it.
	controllerInterval = 20 * time.Millisecond
)

func runtimeName(node string) string { return "containerd/" + node }
func kubeletName(node string) string { return "kubelet/" + node }
func isRuntime(name string) bool     { return strings.HasPrefix(name, "containerd/") }

func nodeOfKubelet(name string) (node string, ok bool) { return strings.CutPrefix(name, "kubelet/") }

// Components lists the components that a cluster of this configuration has, in
// the order in which they start.
func (c Config) Components() []string {
	names := append([]string{Etcd, APIServer, Kubectl}, c.kubeadms()...)
	for _, n := range c.Nodes {
		names = append(names, runtimeName(n.Name), kubeletName(n.Name))
	}
	if c.HollowNodes != nil && c.HollowNodes.Count > 0 {
		names = append(names, kwok.Name)
	}
	names = append(names, c.managers()...)
	names = append(names, c.controllers()...)
	names = append(names, c.schedulers()...)
	names = append(names, c.networked()...)
	names = append(names, c.clouded()...)
	names = append(names, c.measured()...)
	return append(names, c.Operators...)
}

// build puts every program of the cluster on the agenda.
func (c *Cluster) build() {
	k := c.kernel
	jitter := k.Rand("boot")
	c.boot(program(Etcd, func() *sim.Component {
		etcd := k.Start(Etcd)
		if c.store == nil {
			c.store = store.New(etcd, store.DefaultOptions())
			c.restore()
		} else {
			c.store.Start(etcd) // with its disk
		}
		c.count(etcd)
		return etcd
	}), 0)
	c.boot(c.supervised(APIServer, func() *sim.Component {
		component := k.Start(APIServer)
		if c.server == nil {
			options := apiserver.DefaultOptions()
			options.DisableAdmissionPlugins = c.config.disabledAdmission()
			options.Authorization = c.authorization()
			options.CEL, options.AllKinds, options.Devices = c.config.CEL || evaluates(), c.config.AllKinds, c.config.Devices
			options.Certificates, options.Tokens = c.config.Certificates, c.config.Tokens
			if c.config.CompactionInterval > 0 {
				options.CompactionInterval = c.config.CompactionInterval
			}
			c.server = apiserver.New(component, c.store, options)
			c.server.ConnectKubelets(kubelets{c})
			c.server.ConnectComponents(c.answers)
			if c.remembers {
				c.server.RememberOwners()
			}
			c.server.ConnectOutside(c.outside)
			if c.fabric != nil {
				c.server.ConnectPods(podDialer{c.fabric})
			}
		} else {
			c.server.Start(component)
		}
		c.showIssuer()
		return component
	}), 0)
	c.boot(program(Kubectl, func() *sim.Component {
		c.kubectl = k.Start(Kubectl)
		return c.kubectl
	}), 0)
	for i, n := range c.config.Nodes {
		c.machine(n, i, kubeletsAt+jitter.Between(0, between), c.firstBoot(n.Name))
	}
	c.hollowNodes()
	c.controllers()
	for _, name := range c.config.schedulers() {
		c.scheduler(name)
	}
	c.network()
	c.cloudController()
	c.measure()
	c.operators()
	c.kubeadm()
}

// addressOf is a machine's address. Where kubeadm makes one of them the control plane, that one has the API server's.
func (c Config) addressOf(index int) string {
	if c.Kubeadm && index == 0 {
		return apiserver.AdvertiseAddress
	}
	return internalIP(index)
}

// firstBoot is what a machine has been told when it booted first.
type firstBoot struct {
	providerID string
	taints     []corev1.Taint
}

// machine is a node: a container runtime, whose disk outlives a power cut, and
// a kubelet, which speaks to whichever runtime runs.
func (c *Cluster) machine(n Node, index int, after time.Duration, first firstBoot) {
	m := &box{name: n.Name, ip: c.config.addressOf(index)}
	c.boxes = append(c.boxes, m)
	disk := cri.NewDisk()
	cidr := fmt.Sprintf("10.244.%d.0/24", index+1)
	c.boot(program(runtimeName(n.Name), func() *sim.Component {
		memory := resource.MustParse(n.Memory)
		m.runtime = cri.Start(c.kernel, cri.Options{
			Node: n.Name, PodCIDR: cidr, Disk: disk, Registry: c.hub, Storage: c.storage, Memory: memory.Value(), Images: c.config.Images,
		})
		c.connect(n.Name, index, cidr, m.runtime)
		if !c.hostStatic(m.runtime) {
			c.host(m.runtime)
		}
		return m.runtime.Component()
	}), after)
	agent := program(kubeletName(n.Name), func() *sim.Component {
		options := kubelet.Options{
			Node:       n.Name,
			Labels:     n.Labels,
			InternalIP: m.ip,
			PodCIDR:    cidr,

			ClientLimit:           c.config.clientLimit(),
			ExternalCloudProvider: c.config.Cloud,
			ProviderID:            first.providerID,
			CSI:                   c.kubeletCSI(),
			Devices:               c.config.kubeletDevices(),
			Tokens:                c.config.kubeletTokens(),
			RegisterWithTaints:    first.taints,
			Capacity: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse(n.CPU),
				corev1.ResourceMemory: resource.MustParse(n.Memory),
				corev1.ResourcePods:   *resource.NewQuantity(int64(n.Pods), resource.DecimalSI),
			},
		}
		c.kubeadmKubelet(m, &options)
		m.kubelet = kubelet.Start(c.kernel, c.Transport(), m.runtime, options)
		c.listen(m)
		return m.kubelet.Component()
	})
	if c.config.Kubeadm {
		c.byName[agent.name] = agent // which kubeadm starts
		return
	}
	c.boot(agent, after)
}

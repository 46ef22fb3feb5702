package cloud

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/sim"
)

// Provider is a cloud, as its provider implements it. A call takes time.
// Upstream: k8s.io/cloud-provider/cloud.go, Interface, with InstancesV2 and LoadBalancer.
type Provider interface {
	ProviderName() string

	// InstanceExists tells whether the Node's instance is there; one that is shut down is.
	InstanceExists(p *sim.Proc, node *corev1.Node) (bool, error)
	// InstanceShutdown tells whether the Node's instance is shut down.
	InstanceShutdown(p *sim.Proc, node *corev1.Node) (bool, error)
	// InstanceMetadata is what is known of the Node's instance.
	InstanceMetadata(p *sim.Proc, node *corev1.Node) (*InstanceMetadata, error)

	// GetLoadBalancer tells whether the Service has a load balancer.
	GetLoadBalancer(p *sim.Proc, service *corev1.Service) (status *corev1.LoadBalancerStatus, exists bool, err error)
	// EnsureLoadBalancer makes one, or brings it up to date, and returns where it is reached.
	EnsureLoadBalancer(p *sim.Proc, service *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error)
	// UpdateLoadBalancer changes the nodes behind one.
	UpdateLoadBalancer(p *sim.Proc, service *corev1.Service, nodes []*corev1.Node) error
	// EnsureLoadBalancerDeleted takes it away, if it is there.
	EnsureLoadBalancerDeleted(p *sim.Proc, service *corev1.Service) error
}

// InstanceMetadata is upstream's k8s.io/cloud-provider.InstanceMetadata.
type InstanceMetadata struct {
	ProviderID, InstanceType, Zone, Region string
	NodeAddresses                          []corev1.NodeAddress
}

// Instance is a machine, as the cloud knows it.
type Instance struct {
	Name       string // the Node's
	Type, Zone string
	InternalIP string
	Running    func() bool
}

// Cloud is a small cloud: the machines of a cluster, and load balancers with addresses of TEST-NET-3. It outlives every
// program. Its load balancers carry no packets: nobody outside the cluster sends any.
type Cloud struct {
	rand      *sim.Rand
	instances []Instance
	balancers map[string]*balancer // by the name of upstream's DefaultLoadBalancerName
	addresses int                  // that were given out
}

type balancer struct {
	ip    string
	nodes []string
}

// region is where everything is.
const region = "region-1"

// How long the cloud takes for an answer, and for a load balancer.
const (
	minCall, maxCall       = 50 * time.Millisecond, 150 * time.Millisecond
	minBalancer, maxCreate = 2 * time.Second, 4 * time.Second
)

// NewCloud makes a cloud with these machines.
func NewCloud(k *sim.Kernel, instances []Instance) *Cloud {
	return &Cloud{rand: k.Rand("cloud"), instances: instances, balancers: map[string]*balancer{}}
}

// ProviderName implements Provider.
func (c *Cloud) ProviderName() string { return "kubewalk" }

func (c *Cloud) find(p *sim.Proc, node *corev1.Node) *Instance {
	p.Sleep(c.rand.Between(minCall, maxCall))
	i := slices.IndexFunc(c.instances, func(i Instance) bool { return i.Name == node.Name })
	if i < 0 {
		return nil
	}
	return &c.instances[i]
}

// InstanceExists implements Provider.
func (c *Cloud) InstanceExists(p *sim.Proc, node *corev1.Node) (bool, error) {
	return c.find(p, node) != nil, nil
}

// InstanceShutdown implements Provider.
func (c *Cloud) InstanceShutdown(p *sim.Proc, node *corev1.Node) (bool, error) {
	i := c.find(p, node)
	return i != nil && !i.Running(), nil
}

// InstanceMetadata implements Provider.
func (c *Cloud) InstanceMetadata(p *sim.Proc, node *corev1.Node) (*InstanceMetadata, error) {
	i := c.find(p, node)
	if i == nil {
		return nil, fmt.Errorf("instance not found")
	}
	return &InstanceMetadata{
		ProviderID: c.ProviderName() + "://" + i.Zone + "/" + i.Name, InstanceType: i.Type, Zone: i.Zone, Region: region,
		NodeAddresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: i.InternalIP}},
	}, nil
}

// loadBalancerName is upstream's k8s.io/cloud-provider/cloud.go, DefaultLoadBalancerName.
func loadBalancerName(service *corev1.Service) string {
	name := "a" + strings.ReplaceAll(string(service.UID), "-", "")
	return name[:min(len(name), 32)]
}

func (b *balancer) status() *corev1.LoadBalancerStatus {
	mode := corev1.LoadBalancerIPModeVIP
	return &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: b.ip, IPMode: &mode}}}
}

// GetLoadBalancer implements Provider.
func (c *Cloud) GetLoadBalancer(p *sim.Proc, service *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	p.Sleep(c.rand.Between(minCall, maxCall))
	if b := c.balancers[loadBalancerName(service)]; b != nil {
		return b.status(), true, nil
	}
	return nil, false, nil
}

// EnsureLoadBalancer implements Provider.
func (c *Cloud) EnsureLoadBalancer(p *sim.Proc, service *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	name := loadBalancerName(service)
	b := c.balancers[name]
	if b == nil {
		p.Sleep(c.rand.Between(minBalancer, maxCreate))
		c.addresses++
		b = &balancer{ip: fmt.Sprintf("203.0.113.%d", c.addresses%254+1)}
		c.balancers[name] = b
	}
	return b.status(), c.UpdateLoadBalancer(p, service, nodes)
}

// UpdateLoadBalancer implements Provider.
func (c *Cloud) UpdateLoadBalancer(p *sim.Proc, service *corev1.Service, nodes []*corev1.Node) error {
	p.Sleep(c.rand.Between(minCall, maxCall))
	b := c.balancers[loadBalancerName(service)]
	if b == nil {
		return fmt.Errorf("load balancer %s not found", loadBalancerName(service))
	}
	b.nodes = nil
	for _, n := range nodes {
		b.nodes = append(b.nodes, n.Name)
	}
	return nil
}

// EnsureLoadBalancerDeleted implements Provider.
func (c *Cloud) EnsureLoadBalancerDeleted(p *sim.Proc, service *corev1.Service) error {
	p.Sleep(c.rand.Between(minCall, maxCall))
	delete(c.balancers, loadBalancerName(service))
	return nil
}

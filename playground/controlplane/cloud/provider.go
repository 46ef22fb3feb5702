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
// Upstream: k8s.io/cloud-provider/cloud.go, Interface, with InstancesV2, LoadBalancer and Routes.
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

	// Routes are those of the cloud, if it has any.
	Routes() (Routes, bool)
}

// Routes is what a cloud with a table of routes can do. Upstream: k8s.io/cloud-provider/cloud.go, Routes.
type Routes interface {
	// ListRoutes lists the routes of a cluster.
	ListRoutes(p *sim.Proc, clusterName string) ([]*Route, error)
	// CreateRoute makes one. Its name is the cloud's to choose, which may use the hint.
	CreateRoute(p *sim.Proc, clusterName, nameHint string, route *Route) error
	// DeleteRoute takes away one that ListRoutes has returned.
	DeleteRoute(p *sim.Proc, clusterName string, route *Route) error
}

// Route says where packets for a range of addresses go. Upstream: k8s.io/cloud-provider/cloud.go, Route.
type Route struct {
	Name, TargetNode, DestinationCIDR string
	Blackhole                         bool // it leads to nobody
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

// Frontend is where load balancers take connections and routes lead, with the network around a cluster.
type Frontend interface {
	// Open has the address of a Service's load balancer answer, and says which nodes are behind it; again, when that changes.
	Open(ip string, service *corev1.Service, nodes []string)
	// Close has nobody answer there any more.
	Close(ip string)
	// Route has packets find their way to Pods with these ranges of addresses, and to no others of other machines.
	Route(cidrs []string)
}

// Outage is what is wrong with a cloud.
type Outage struct {
	Quota      bool // there are as many load balancers as the account may have
	RouteQuota bool // there are as many routes as the account may have
	APIErrors  bool // it answers every call with an error
}

// Cloud is a small cloud: the machines of a cluster, and load balancers with addresses of TEST-NET-3. It outlives every
// program.
type Cloud struct {
	rand      *sim.Rand
	instances []Instance
	balancers map[string]*balancer // by the name of upstream's DefaultLoadBalancerName
	addresses int                  // that were given out
	routing   bool                 // it leads packets between Pods of different nodes
	routes    []Route              // in the order in which they were made
	frontend  Frontend             // nil without a network
	outage    *Outage
}

type balancer struct{ ip string }

// region is where everything is.
const region = "region-1"

// How long the cloud takes for an answer, and for a load balancer.
const (
	minCall, maxCall       = 50 * time.Millisecond, 150 * time.Millisecond
	minBalancer, maxCreate = 2 * time.Second, 4 * time.Second
)

// NewCloud makes a cloud with these machines. Without a network there is no frontend. The outage may change at any time.
func NewCloud(k *sim.Kernel, instances []Instance, frontend Frontend, outage *Outage) *Cloud {
	return &Cloud{rand: k.Rand("cloud"), instances: instances, balancers: map[string]*balancer{}, frontend: frontend, outage: outage}
}

// Terminate gives a machine back: the cloud does not know it any more. It tells whether it did.
func (c *Cloud) Terminate(name string) bool {
	before := len(c.instances)
	c.instances = slices.DeleteFunc(c.instances, func(i Instance) bool { return i.Name == name })
	return len(c.instances) < before
}

// Knows tells whether there is a machine of that name.
func (c *Cloud) Knows(name string) bool {
	return slices.ContainsFunc(c.instances, func(i Instance) bool { return i.Name == name })
}

// call is what each call of the cloud's API comes to first.
func (c *Cloud) call(p *sim.Proc, method string) error {
	p.Sleep(c.rand.Between(minCall, maxCall))
	if c.outage.APIErrors {
		return fmt.Errorf("%s: 503 Service Unavailable", method)
	}
	return nil
}

// ProviderName implements Provider.
func (c *Cloud) ProviderName() string { return "kubewalk" }

func (c *Cloud) find(p *sim.Proc, node *corev1.Node, method string) (*Instance, error) {
	if err := c.call(p, method); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.instances, func(i Instance) bool { return i.Name == node.Name })
	if i < 0 {
		return nil, nil
	}
	return &c.instances[i], nil
}

// InstanceExists implements Provider.
func (c *Cloud) InstanceExists(p *sim.Proc, node *corev1.Node) (bool, error) {
	i, err := c.find(p, node, "GetInstance")
	return i != nil, err
}

// InstanceShutdown implements Provider.
func (c *Cloud) InstanceShutdown(p *sim.Proc, node *corev1.Node) (bool, error) {
	i, err := c.find(p, node, "GetInstance")
	return i != nil && !i.Running(), err
}

// InstanceMetadata implements Provider.
func (c *Cloud) InstanceMetadata(p *sim.Proc, node *corev1.Node) (*InstanceMetadata, error) {
	i, err := c.find(p, node, "GetInstance")
	if err != nil {
		return nil, err
	}
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

// status says Proxy: a node gets packets to its own port, and not to the load balancer's address.
func (b *balancer) status() *corev1.LoadBalancerStatus {
	mode := corev1.LoadBalancerIPModeProxy
	return &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: b.ip, IPMode: &mode}}}
}

// GetLoadBalancer implements Provider.
func (c *Cloud) GetLoadBalancer(p *sim.Proc, service *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	if err := c.call(p, "GetLoadBalancer"); err != nil {
		return nil, false, err
	}
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
		if err := c.call(p, "CreateLoadBalancer"); err != nil {
			return nil, err
		}
		if c.outage.Quota {
			return nil, fmt.Errorf("CreateLoadBalancer: quota exceeded: %s has %d load balancers of %d", region, len(c.balancers), len(c.balancers))
		}
		p.Sleep(c.rand.Between(minBalancer, maxCreate))
		c.addresses++
		b = &balancer{ip: fmt.Sprintf("203.0.113.%d", c.addresses%200+10)}
		c.balancers[name] = b
		p.Logger().V(4).Info("Load balancer is made", "service", service.Namespace+"/"+service.Name, "address", b.ip)
	}
	return b.status(), c.UpdateLoadBalancer(p, service, nodes)
}

// UpdateLoadBalancer implements Provider.
func (c *Cloud) UpdateLoadBalancer(p *sim.Proc, service *corev1.Service, nodes []*corev1.Node) error {
	if err := c.call(p, "UpdateLoadBalancer"); err != nil {
		return err
	}
	b := c.balancers[loadBalancerName(service)]
	if b == nil {
		return fmt.Errorf("load balancer %s not found", loadBalancerName(service))
	}
	if c.frontend != nil {
		c.frontend.Open(b.ip, service, names(nodes))
	}
	return nil
}

// EnsureLoadBalancerDeleted implements Provider.
func (c *Cloud) EnsureLoadBalancerDeleted(p *sim.Proc, service *corev1.Service) error {
	if err := c.call(p, "DeleteLoadBalancer"); err != nil {
		return err
	}
	name := loadBalancerName(service)
	if b := c.balancers[name]; b != nil {
		if c.frontend != nil {
			c.frontend.Close(b.ip)
		}
		p.Logger().V(4).Info("Load balancer is deleted", "service", service.Namespace+"/"+service.Name, "address", b.ip)
	}
	delete(c.balancers, name)
	return nil
}

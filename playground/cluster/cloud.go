package cluster

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/cloud"
	"kubewalk/playground/node/network"
	"kubewalk/playground/node/proxy"
	"kubewalk/playground/sim"
)

// cloudAt is when the cloud-controller-manager starts.
const cloudAt = 900 * time.Millisecond

// TerminateInstance is the input that gives a node's machine back to the cloud: Node. It stops as without power, and does not come back.
const TerminateInstance Kind = "terminate-instance"

// What a cloud can fail by: see cloud.Outage.
const (
	quota      = "quota"
	routeQuota = "route-quota"
	apiErrors  = "api-errors"
)

// clouded are the components that Cloud adds.
func (c Config) clouded() []string {
	if !c.Cloud {
		return nil
	}
	return []string{cloud.Name}
}

// cloudController puts the cloud-controller-manager on the agenda. The cloud itself is there before and after it.
func (c *Cluster) cloudController() {
	if !c.config.Cloud {
		return
	}
	var front cloud.Frontend
	if c.fabric != nil {
		front = &frontend{cluster: c, host: c.kernel.Start("load-balancer"), open: map[string]*service{}}
	}
	c.cloud = cloud.NewCloud(c.kernel, c.instances(), front, &c.outage)
	if c.config.CloudRoutes {
		c.cloud.Routing()
	}
	c.boot(c.supervised(cloud.Name, func() *sim.Component {
		return cloud.Start(c.kernel, c.Transport(), cloud.Options{Provider: c.cloud, ClusterCIDR: clusterCIDR, LeaderElect: c.config.LeaderElect})
	}), cloudAt)
}

// instances are the nodes as the cloud knows them: by their CPUs, in the zone that they are labelled with, or in turn.
func (c *Cluster) instances() (out []cloud.Instance) {
	for i, n := range c.config.Nodes {
		zone := n.Labels[corev1.LabelTopologyZone]
		if zone == "" {
			zone = "zone-" + string(rune('a'+i%3))
		}
		cpu := resource.MustParse(n.CPU)
		out = append(out, cloud.Instance{Name: n.Name, Zone: zone, Type: fmt.Sprintf("standard-%d", cpu.Value()), InternalIP: internalIP(i),
			Running: c.byName[runtimeName(n.Name)].running})
	}
	return out
}

var _ = nodeFault(TerminateInstance, "node", func(c *Cluster, in Input) error {
	switch {
	case c.cloud == nil:
		return errors.New("this cluster is in no cloud: put it into one with cluster: {cloud: true}")
	case c.findBox(in.Node) == nil:
		return fmt.Errorf("there is no node %q", in.Node)
	case !c.cloud.Terminate(in.Node):
		return fmt.Errorf("instance %q was terminated already", in.Node)
	}
	if c.byName[runtimeName(in.Node)].running() {
		return c.fault(Input{Kind: KillNode, Node: in.Node})
	}
	return nil
})

// frontend is the load balancers of the cloud, which pass connections on to the ports of nodes, and its routes: it implements cloud.Frontend.
// Each load balancer takes its nodes in turn, but for those that fail its health check.
type frontend struct {
	cluster *Cluster
	host    *sim.Component
	open    map[string]*service // by address
}

// service is what stands behind an address.
type service struct {
	namespace, name string
	local           bool            // externalTrafficPolicy
	nodePorts       map[int32]int32 // by port
	nodes           []string
	turn            int
}

// Open implements cloud.Frontend.
func (f *frontend) Open(ip string, svc *corev1.Service, nodes []string) {
	s := &service{namespace: svc.Namespace, name: svc.Name, nodes: nodes, nodePorts: map[int32]int32{},
		local: svc.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal}
	if before := f.open[ip]; before != nil {
		s.turn = before.turn
	}
	f.Close(ip)
	f.open[ip] = s
	for _, port := range svc.Spec.Ports {
		if port.Protocol != corev1.ProtocolTCP && port.Protocol != "" || port.NodePort == 0 {
			continue
		}
		s.nodePorts[port.Port] = port.NodePort
		f.cluster.fabric.Listen(ip, port.Port, &network.Host{Component: f.host, Serve: f.serve})
	}
}

// Close implements cloud.Frontend.
func (f *frontend) Close(ip string) {
	if s := f.open[ip]; s != nil {
		for port := range s.nodePorts { // order: of deletions
			f.cluster.fabric.Hush(ip, port)
		}
		delete(f.open, ip)
	}
}

// Route implements cloud.Frontend.
func (f *frontend) Route(cidrs []string) { f.cluster.fabric.Route(cidrs) }

func (f *frontend) serve(ip string, port int32, request network.Request, done func(network.Response)) {
	s := f.open[ip]
	if s == nil {
		done(network.Response{Failure: network.Reset}) // it went while the packet was on its way
		return
	}
	healthy := slices.DeleteFunc(slices.Clone(s.nodes), func(node string) bool { return !f.healthy(s, node) })
	log := f.cluster.kernel.Logger()
	if len(healthy) == 0 {
		log.Info("No healthy target", "service", s.namespace+"/"+s.name, "targets", len(s.nodes))
		done(network.Response{Failure: network.Refused})
		return
	}
	node := healthy[s.turn%len(healthy)]
	s.turn++
	to := network.Address(f.cluster.findBox(node).ip, s.nodePorts[port])
	log.Info("Forwarding", "service", s.namespace+"/"+s.name, "target", node, "address", to, "healthy", len(healthy), "targets", len(s.nodes))
	f.cluster.fabric.Forward(network.Source{Host: f.host, IP: ip}, to, request, done)
}

// healthy tells whether kube-proxy on a node would answer the load balancer's health check, and for a Service whose
// externalTrafficPolicy is Local, whether the node has a ready endpoint. Upstream: pkg/proxy/healthcheck.
func (f *frontend) healthy(s *service, node string) bool {
	c := f.cluster
	if !c.byName[proxy.ComponentName(node)].running() || c.cutOff(node) {
		return false
	}
	if !s.local {
		return true
	}
	for _, obj := range c.store.At("endpointslices", s.namespace, c.store.Revision()) {
		slice := obj.(*discoveryv1.EndpointSlice)
		if slice.Labels[discoveryv1.LabelServiceName] != s.name {
			continue
		}
		for _, e := range slice.Endpoints {
			if e.NodeName != nil && *e.NodeName == node && (e.Conditions.Ready == nil || *e.Conditions.Ready) {
				return true
			}
		}
	}
	return false
}

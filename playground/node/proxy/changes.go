package proxy

import (
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/types"
)

// ServicePortName is one port of a Service. Upstream: pkg/proxy/types.go.
type ServicePortName struct {
	types.NamespacedName
	Port     string
	Protocol corev1.Protocol
}

// String is how rules' comments and chains' names call it.
func (n ServicePortName) String() string {
	s := n.Namespace + "/" + n.Name
	if n.Port != "" {
		s += ":" + n.Port
	}
	return s
}

func (n ServicePortName) compare(m ServicePortName) int {
	if c := strings.Compare(n.String(), m.String()); c != 0 {
		return c
	}
	return strings.Compare(string(n.Protocol), string(m.Protocol))
}

// ServicePort is what the rules need of a Service's port. Upstream: pkg/proxy/serviceport.go.
type ServicePort struct {
	ClusterIP             string
	Port, NodePort        int32
	Protocol              string // lower case
	ExternalIPs           []string
	AffinitySeconds       int32 // 0: no affinity
	ExternalLocal, Inside bool  // the policies: externalTrafficPolicy and internalTrafficPolicy Local
}

// External says that it is reached from outside too.
func (s *ServicePort) External() bool { return s.NodePort != 0 || len(s.ExternalIPs) > 0 }

// UsesClusterEndpoints and UsesLocalEndpoints say which endpoints rules go to.
func (s *ServicePort) UsesClusterEndpoints() bool {
	return !s.Inside || s.External() && !s.ExternalLocal
}

// UsesLocalEndpoints says that some rules only go to endpoints of the node.
func (s *ServicePort) UsesLocalEndpoints() bool { return s.Inside || s.External() && s.ExternalLocal }

// Endpoint is one address behind a Service's port. Upstream: pkg/proxy/endpoint.go.
type Endpoint struct {
	IP                          string
	Port                        int32
	Ready, Serving, Terminating bool
	Local                       bool
	Zones, Nodes                []string // hints
}

func (e *Endpoint) address() string { return e.IP + ":" + strconv.Itoa(int(e.Port)) }

// ServicePortMap and EndpointsMap are all that a proxy knows.
type (
	ServicePortMap map[ServicePortName]*ServicePort
	EndpointsMap   map[ServicePortName][]*Endpoint
)

// ServiceChangeTracker collects Services that changed until a sync folds them in. Upstream: pkg/proxy/servicechangetracker.go.
type ServiceChangeTracker struct {
	items map[types.NamespacedName]*corev1.Service // nil: it is gone
}

// Update notes a Service's new state and says that there is something to do.
func (t *ServiceChangeTracker) Update(previous, current *corev1.Service) bool {
	svc := current
	if svc == nil {
		svc = previous
	}
	if current != nil && previous != nil && sameForProxy(previous, current) {
		return false
	}
	if t.items == nil {
		t.items = map[types.NamespacedName]*corev1.Service{}
	}
	t.items[types.NamespacedName{Namespace: svc.Namespace, Name: svc.Name}] = current
	return true
}

func sameForProxy(a, b *corev1.Service) bool {
	x, y := servicePorts(a), servicePorts(b)
	if len(x) != len(y) {
		return false
	}
	for name, port := range x { // order: all have to be the same
		other := y[name]
		if other == nil || port.ClusterIP != other.ClusterIP || port.Port != other.Port || port.NodePort != other.NodePort ||
			port.AffinitySeconds != other.AffinitySeconds || port.ExternalLocal != other.ExternalLocal || port.Inside != other.Inside ||
			!slices.Equal(port.ExternalIPs, other.ExternalIPs) {
			return false
		}
	}
	return true
}

// Apply folds the changes into the map and returns how many Services had some.
func (t *ServiceChangeTracker) Apply(m ServicePortMap) int {
	n := len(t.items)
	for name := range m { // order: each is looked at alone
		if _, changed := t.items[name.NamespacedName]; changed {
			delete(m, name)
		}
	}
	for _, svc := range t.items { // order: each has ports of its own
		if svc == nil {
			continue
		}
		for name, port := range servicePorts(svc) { // order: a map into a map
			m[name] = port
		}
	}
	t.items = nil
	return n
}

// servicePorts is what of a Service concerns a proxy: nothing if it has no address. Upstream: serviceToServiceMap.
func servicePorts(svc *corev1.Service) ServicePortMap {
	out := ServicePortMap{}
	spec := &svc.Spec
	if spec.ClusterIP == corev1.ClusterIPNone || spec.ClusterIP == "" || spec.Type == corev1.ServiceTypeExternalName ||
		svc.Labels["service.kubernetes.io/service-proxy-name"] != "" {
		return out
	}
	for i := range spec.Ports {
		p := &spec.Ports[i]
		info := &ServicePort{
			ClusterIP: spec.ClusterIP, Port: p.Port, NodePort: p.NodePort, Protocol: strings.ToLower(string(p.Protocol)), ExternalIPs: spec.ExternalIPs,
			ExternalLocal: spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal,
			Inside:        spec.InternalTrafficPolicy != nil && *spec.InternalTrafficPolicy == corev1.ServiceInternalTrafficPolicyLocal,
		}
		if spec.SessionAffinity == corev1.ServiceAffinityClientIP {
			info.AffinitySeconds = corev1.DefaultClientIPServiceAffinitySeconds
			if c := spec.SessionAffinityConfig; c != nil && c.ClientIP != nil && c.ClientIP.TimeoutSeconds != nil {
				info.AffinitySeconds = *c.ClientIP.TimeoutSeconds
			}
		}
		out[ServicePortName{types.NamespacedName{Namespace: svc.Namespace, Name: svc.Name}, p.Name, p.Protocol}] = info
	}
	return out
}

// EndpointsChangeTracker holds the slices of all Services, those that the last sync saw and those that came since.
// Upstream: pkg/proxy/endpointschangetracker.go and endpointslicecache.go.
type EndpointsChangeTracker struct {
	node    string
	slices  map[types.NamespacedName]map[string]*discoveryv1.EndpointSlice // by Service, then by name
	changed map[types.NamespacedName]bool
}

// EndpointSliceUpdate notes a slice's new state, or that it is gone, and says that there is something to do.
func (t *EndpointsChangeTracker) EndpointSliceUpdate(slice *discoveryv1.EndpointSlice, remove bool) bool {
	if slice.AddressType != "IPv4" {
		return false
	}
	name := slice.Labels[discoveryv1.LabelServiceName]
	if _, headless := slice.Labels[corev1.IsHeadlessService]; headless || name == "" {
		return false
	}
	if t.slices == nil {
		t.slices, t.changed = map[types.NamespacedName]map[string]*discoveryv1.EndpointSlice{}, map[types.NamespacedName]bool{}
	}
	key := types.NamespacedName{Namespace: slice.Namespace, Name: name}
	if t.slices[key] == nil {
		t.slices[key] = map[string]*discoveryv1.EndpointSlice{}
	}
	if remove {
		if t.slices[key][slice.Name] == nil {
			return false
		}
		delete(t.slices[key], slice.Name)
	} else {
		t.slices[key][slice.Name] = slice
	}
	t.changed[key] = true
	return true
}

// Apply folds the changes into the map and returns how many Services had some.
func (t *EndpointsChangeTracker) Apply(m EndpointsMap) int {
	n := len(t.changed)
	for name := range m { // order: each is looked at alone
		if t.changed[name.NamespacedName] {
			delete(m, name)
		}
	}
	for key := range t.changed { // order: each has ports of its own
		names := make([]string, 0, len(t.slices[key]))
		for name := range t.slices[key] { // order: sorted below
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			t.add(m, key, t.slices[key][name])
		}
		if len(names) == 0 {
			delete(t.slices, key)
		}
	}
	// An address stands in two slices while it moves from one to the other.
	for name, list := range m { // order: each is sorted alone
		slices.SortStableFunc(list, func(a, b *Endpoint) int { return strings.Compare(a.address(), b.address()) })
		m[name] = slices.CompactFunc(list, func(a, b *Endpoint) bool { return a.address() == b.address() })
	}
	t.changed = map[types.NamespacedName]bool{}
	return n
}

func (t *EndpointsChangeTracker) add(m EndpointsMap, key types.NamespacedName, slice *discoveryv1.EndpointSlice) {
	for i := range slice.Ports {
		p := &slice.Ports[i]
		if p.Port == nil || p.Protocol == nil {
			continue
		}
		name := ServicePortName{NamespacedName: key, Protocol: *p.Protocol}
		if p.Name != nil {
			name.Port = *p.Name
		}
		for j := range slice.Endpoints {
			e := &slice.Endpoints[j]
			c := &e.Conditions
			ready := c.Ready == nil || *c.Ready
			info := &Endpoint{IP: e.Addresses[0], Port: *p.Port, Ready: ready, Serving: c.Serving == nil && ready || c.Serving != nil && *c.Serving,
				Terminating: c.Terminating != nil && *c.Terminating, Local: e.NodeName != nil && *e.NodeName == t.node}
			if e.Hints != nil {
				for _, z := range e.Hints.ForZones {
					info.Zones = append(info.Zones, z.Name)
				}
				for _, n := range e.Hints.ForNodes {
					info.Nodes = append(info.Nodes, n.Name)
				}
			}
			m[name] = append(m[name], info)
		}
	}
}

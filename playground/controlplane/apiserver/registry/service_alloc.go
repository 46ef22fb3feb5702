package registry

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// Where a cluster's Services live. Upstream: the API server's flags --service-cluster-ip-range (here kubeadm's value)
// and --service-node-port-range.
const (
	ServiceCIDR  = "10.96.0.0/12"
	FirstPort    = 30000
	LastPort     = 32767
	managedBy    = "ipallocator.k8s.io" // ipallocator.ControllerName
	dynamicStart = 256                  // the first addresses of a large range are left to whoever names them
)

// Upstream: ipallocator/ipallocator.go and portallocator/allocator.go.
var (
	errAllocated         = errors.New("provided IP is already allocated")
	errMismatchedNetwork = errors.New("the provided network does not match the current range")
	errPortAllocated     = errors.New("provided port is already allocated")
	errFull              = errors.New("range is full")
)

var (
	ipAddresses  = api.GroupVersionResource{Group: networkingv1.GroupName, Version: "v1", Resource: "ipaddresses"}
	endpointsGVR = api.GroupVersionResource{Version: "v1", Resource: "endpoints"}
)

// allocators hand out what Services need. An address is taken when the IPAddress object of its name is stored, which
// only one can do. Ports have no objects: those of stored Services are taken, and those of Services that are being
// stored now (portsOnTheirWay), which a server forgets when it dies.
//
// Upstream keeps a bitmap of ports in etcd, and speaks to itself over HTTP to make IPAddresses.
// Upstream: pkg/registry/core/service/storage/alloc.go, Allocators.
type allocators struct {
	services *Store
	ips      *Store
}

func newAllocators(services *Store) *allocators {
	return &allocators{services: services, ips: services.sibling(ipAddresses)}
}

// allocate gives s what it needs beyond what old has. Upstream: Allocators.allocateCreate and allocateUpdate.
func (a *allocators) allocate(p *sim.Proc, s, old *corev1.Service, dryRun bool) (finishFunc, error) {
	if err := a.initIPFamilyFields(s); err != nil {
		return nil, err
	}
	if dryRun {
		return finishNothing, nil
	}
	ips, err := a.clusterIPs(p, s, old)
	if err != nil {
		return nil, err
	}
	ports, err := a.nodePorts(p, s)
	if err != nil {
		for _, ip := range ips {
			a.release(p, ip)
		}
		return nil, err
	}
	return func(p *sim.Proc, success bool) {
		a.services.ports.forget(ports)
		if !success {
			for _, ip := range ips {
				a.release(p, ip)
			}
			return
		}
		if old != nil && !needsClusterIP(s) {
			for _, ip := range old.Spec.ClusterIPs {
				a.release(p, ip)
			}
		}
	}, nil
}

// initIPFamilyFields fills in the families, in a cluster that has IPv4 only. Upstream: Allocators.initIPFamilyFields.
func (a *allocators) initIPFamilyFields(s *corev1.Service) error {
	spec := &s.Spec
	if spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	if spec.ClusterIP == corev1.ClusterIPNone && len(spec.Selector) == 0 {
		// Whoever writes the endpoints decides, so both families are possible.
		if spec.IPFamilyPolicy == nil {
			spec.IPFamilyPolicy = ptr(corev1.IPFamilyPolicyRequireDualStack)
		}
		if len(spec.IPFamilies) == 0 {
			spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
		}
		if len(spec.IPFamilies) == 1 && *spec.IPFamilyPolicy != corev1.IPFamilyPolicySingleStack {
			other := corev1.IPFamily("IPv6")
			if spec.IPFamilies[0] == other {
				other = corev1.IPv4Protocol
			}
			spec.IPFamilies = append(spec.IPFamilies, other)
		}
		return nil
	}
	var errs field.ErrorList
	if spec.IPFamilyPolicy != nil && *spec.IPFamilyPolicy == corev1.IPFamilyPolicyRequireDualStack {
		errs = append(errs, field.Invalid(field.NewPath("spec", "ipFamilyPolicy"), string(*spec.IPFamilyPolicy),
			"this cluster is not configured for dual-stack services"))
	}
	for i, f := range spec.IPFamilies {
		if f != corev1.IPv4Protocol {
			errs = append(errs, field.Invalid(field.NewPath("spec", "ipFamilies").Index(i), string(f), "not configured on this cluster"))
		}
	}
	for i, ip := range spec.ClusterIPs {
		addr, err := netip.ParseAddr(ip)
		if err == nil && !addr.Is4() {
			errs = append(errs, field.Invalid(field.NewPath("spec", "clusterIPs").Index(i), spec.ClusterIPs,
				"an IPv6 value as `clusterIPs["+fmt.Sprint(i)+"]` cannot be used when the cluster is not configured for IPv6"))
		}
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(a.services.Kind.GroupKind(), s.Name, errs)
	}
	if spec.IPFamilyPolicy == nil {
		spec.IPFamilyPolicy = ptr(corev1.IPFamilyPolicySingleStack)
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
	}
	return nil
}

func (a *allocators) invalid(s *corev1.Service, at *field.Path, value any, detail string) error {
	return apierrors.NewInvalid(a.services.Kind.GroupKind(), s.Name, field.ErrorList{field.Invalid(at, value, detail)})
}

// clusterIPs takes the address that s names, or the next free one. It returns what it took.
func (a *allocators) clusterIPs(p *sim.Proc, s, old *corev1.Service) ([]string, error) {
	spec := &s.Spec
	if !needsClusterIP(s) || spec.ClusterIP == corev1.ClusterIPNone || len(spec.ClusterIPs) > 1 {
		return nil, nil
	}
	if spec.ClusterIP != "" {
		if old != nil && len(old.Spec.ClusterIPs) > 0 && needsClusterIP(old) {
			return nil, nil // it has one, and may not change it
		}
		if _, err := netip.ParseAddr(spec.ClusterIP); err != nil {
			return nil, nil // validation will say so
		}
		if err := a.take(p, s, spec.ClusterIP); err != nil {
			return nil, a.invalid(s, field.NewPath("spec", "clusterIPs"), spec.ClusterIPs, fmt.Sprintf("failed to allocate IP %s: %v", spec.ClusterIP, err))
		}
		return []string{spec.ClusterIP}, nil
	}
	ip, err := a.takeNext(p, s)
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("failed to allocate a serviceIP: %v", err))
	}
	spec.ClusterIP, spec.ClusterIPs = ip, []string{ip}
	return spec.ClusterIPs, nil
}

// take stores the IPAddress of that name. Upstream: ipallocator.go, Allocator.createIPAddress.
func (a *allocators) take(p *sim.Proc, s *corev1.Service, ip string) error {
	addr, err := netip.ParseAddr(ip)
	if err != nil || !a.contains(addr) {
		return errMismatchedNetwork
	}
	_, err = a.ips.Create(p, &networkingv1.IPAddress{
		ObjectMeta: metav1.ObjectMeta{Name: addr.String(), Labels: map[string]string{
			networkingv1.LabelIPAddressFamily: string(corev1.IPv4Protocol), networkingv1.LabelManagedBy: managedBy,
		}},
		Spec: networkingv1.IPAddressSpec{ParentRef: &networkingv1.ParentReference{Resource: "services", Namespace: s.Namespace, Name: s.Name}},
	}, nil, false)
	if apierrors.IsAlreadyExists(err) {
		return errAllocated
	}
	return err
}

// takeNext draws addresses until one is free; from the part of the range that nobody names, if that has any left.
// Upstream: ipallocator.go, Allocator.AllocateNextService.
func (a *allocators) takeNext(p *sim.Proc, s *corev1.Service) (string, error) {
	chance := p.Kernel().Rand("apiserver/services")
	for _, prefix := range a.ranges() {
		size := 1 << (32 - prefix.Bits())
		// The first address is the network's, the last its broadcast address. Upstream: calculateRangeOffset.
		reserved := min(max(size/16, 16), dynamicStart)
		if size <= 32 {
			reserved = 0
		}
		lo, n := 1+reserved, size-2-reserved
		start := chance.IntN(max(n, 1))
		for i := range n {
			ip := addrAt(prefix, lo+(start+i)%n)
			if err := a.take(p, s, ip.String()); err != errAllocated {
				return ip.String(), err
			}
		}
		for i := 1; i <= reserved; i++ {
			ip := addrAt(prefix, i)
			if err := a.take(p, s, ip.String()); err != errAllocated {
				return ip.String(), err
			}
		}
	}
	return "", errFull
}

func addrAt(prefix netip.Prefix, i int) netip.Addr {
	b := prefix.Masked().Addr().As4()
	n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	n += uint32(i)
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}

// ranges are the ServiceCIDRs from which addresses are given: those that are not being deleted.
func (a *allocators) ranges() []netip.Prefix {
	var out []netip.Prefix
	for _, obj := range a.ips.Storage.At("servicecidrs", "", a.ips.Storage.Revision()) {
		if obj.GetDeletionTimestamp() != nil {
			continue
		}
		for _, cidr := range obj.(*networkingv1.ServiceCIDR).Spec.CIDRs {
			if prefix, err := netip.ParsePrefix(cidr); err == nil && prefix.Addr().Is4() {
				out = append(out, prefix)
			}
		}
	}
	return out
}

func (a *allocators) contains(ip netip.Addr) bool {
	return slices.ContainsFunc(a.ranges(), func(p netip.Prefix) bool { return p.Contains(ip) && ip != p.Masked().Addr() })
}

// release gives an address back.
func (a *allocators) release(p *sim.Proc, ip string) {
	if ip == corev1.ClusterIPNone {
		return
	}
	if _, err := a.ips.Storage.Delete(p, a.ips.Key("", ip), store.Preconditions{}, nil); err != nil && err != store.ErrNotFound {
		p.Logger().Error(err, "Unable to release cluster IP", "clusterIP", ip)
	}
}

func (a *allocators) deleteEndpoints(p *sim.Proc, s *corev1.Service) {
	endpoints := a.services.sibling(endpointsGVR)
	_, _, err := endpoints.Delete(p, s.Namespace, s.Name, &metav1.DeleteOptions{}, nil, false)
	if err != nil && !apierrors.IsNotFound(err) {
		p.Logger().Error(err, "Unable to delete service endpoints", "service", s.Namespace+"/"+s.Name)
	}
}

// portSet are the node ports of Services that are being stored. It belongs to the server's memory.
type portSet struct{ taken map[nodePort]bool }

type nodePort struct {
	protocol corev1.Protocol
	port     int32
}

func (s *portSet) forget(ports []nodePort) {
	for _, p := range ports {
		delete(s.taken, p)
	}
}

// nodePorts takes the ports that s names, and free ones where it names none.
// Upstream: Allocators.txnAllocNodePorts and initNodePorts; healthCheckNodePort is one of them.
func (a *allocators) nodePorts(p *sim.Proc, s *corev1.Service) (taken []nodePort, err error) {
	if !needsNodePort(s) {
		return nil, nil
	}
	inUse := map[nodePort]bool{}
	for _, obj := range a.services.Storage.At("services", "", a.services.Storage.Revision()) {
		if obj.GetNamespace() == s.Namespace && obj.GetName() == s.Name {
			continue // its own stay its own
		}
		other := obj.(*corev1.Service)
		for i := range other.Spec.Ports {
			inUse[nodePort{other.Spec.Ports[i].Protocol, other.Spec.Ports[i].NodePort}] = true
		}
		inUse[nodePort{corev1.ProtocolTCP, other.Spec.HealthCheckNodePort}] = true
	}
	free := func(n nodePort) bool { return !inUse[n] && !a.services.ports.taken[n] }
	take := func(n nodePort) {
		if a.services.ports.taken == nil {
			a.services.ports.taken = map[nodePort]bool{}
		}
		a.services.ports.taken[n] = true
		taken = append(taken, n)
	}
	fail := func(at *field.Path, value int32, err error) error {
		a.services.ports.forget(taken)
		return a.invalid(s, at, value, err.Error())
	}
	give := func(port *int32, protocol corev1.Protocol, at *field.Path) error {
		if *port != 0 {
			n := nodePort{protocol, *port}
			switch {
			case slices.Contains(taken, n): // twice in this Service: validation will say so
				return nil
			case *port < FirstPort || *port > LastPort:
				return fail(at, *port, fmt.Errorf("provided port is not in the valid range. The range of valid ports is %d-%d", FirstPort, LastPort))
			case !free(n):
				return fail(at, *port, errPortAllocated)
			}
			take(n)
			return nil
		}
		n, ok := a.nextPort(p, protocol, free)
		if !ok {
			a.services.ports.forget(taken)
			return apierrors.NewInternalError(fmt.Errorf("failed to allocate a nodePort: %v", errFull))
		}
		take(n)
		*port = n.port
		return nil
	}
	if shouldAllocateNodePorts(s) {
		path := field.NewPath("spec", "ports")
		for i := range s.Spec.Ports { // named ones first, so that none of them is drawn
			if port := &s.Spec.Ports[i]; port.NodePort != 0 {
				if err := give(&port.NodePort, port.Protocol, path.Index(i).Child("nodePort")); err != nil {
					return nil, err
				}
			}
		}
		for i := range s.Spec.Ports {
			port := &s.Spec.Ports[i]
			if port.NodePort != 0 {
				continue
			}
			// The same port of another protocol has the same node port: DNS is served so.
			for j := range s.Spec.Ports[:i] {
				if o := &s.Spec.Ports[j]; o.Port == port.Port && o.Protocol != port.Protocol && free(nodePort{port.Protocol, o.NodePort}) {
					port.NodePort = o.NodePort
				}
			}
			if err := give(&port.NodePort, port.Protocol, path.Index(i).Child("nodePort")); err != nil {
				return nil, err
			}
		}
	}
	if needsHCNodePort(s) {
		if err := give(&s.Spec.HealthCheckNodePort, corev1.ProtocolTCP, field.NewPath("spec", "healthCheckNodePort")); err != nil {
			return nil, err
		}
	}
	return taken, nil
}

// nextPort draws ports until one is free. The first 86 of the range are left to whoever names them.
// Upstream: portallocator/allocator.go, calculateRangeOffset.
func (a *allocators) nextPort(p *sim.Proc, protocol corev1.Protocol, free func(nodePort) bool) (nodePort, bool) {
	const size = LastPort - FirstPort + 1
	const reserved = min(max(16, size/32), 128)
	chance := p.Kernel().Rand("apiserver/services")
	start := chance.IntN(size - reserved)
	for i := range size - reserved {
		n := nodePort{protocol, int32(FirstPort + reserved + (start+i)%(size-reserved))}
		if free(n) {
			return n, true
		}
	}
	for i := range reserved {
		if n := (nodePort{protocol, int32(FirstPort + i)}); free(n) {
			return n, true
		}
	}
	return nodePort{}, false
}

// RecordIP stores the IPAddress of a Service's address if there is none.
func (e *Store) RecordIP(p *sim.Proc, s *corev1.Service, ip string) {
	a := newAllocators(e)
	if a.ips.Storage.Current(a.ips.Key("", ip)) != nil {
		return
	}
	p.Logger().Info("ClusterIP is not allocated; repairing", "service", s.Namespace+"/"+s.Name, "clusterIP", ip)
	if err := a.take(p, s, ip); err != nil {
		p.Logger().Error(err, "Unable to repair the ClusterIP", "clusterIP", ip)
	}
}

// ReleaseIP gives an address back.
func (e *Store) ReleaseIP(p *sim.Proc, ip string) { newAllocators(e).release(p, ip) }

// ForgetNodePorts drops what a server that died was about to store.
func (e *Store) ForgetNodePorts() { *e.ports = portSet{} }

package registry

import (
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/sim"
)

func init() {
	register("/services", serviceREST{})
	register("/services/status", serviceStatusStrategy{})
}

// serviceStrategy is upstream's pkg/registry/core/service/strategy.go.
type serviceStrategy struct{ plain }

type serviceStatusStrategy struct{ serviceStrategy }

// serviceREST is the strategy with what a Service holds: addresses and ports of the cluster.
// Upstream: pkg/registry/core/service/storage/storage.go, REST.
type serviceREST struct{ serviceStrategy }

func (serviceStrategy) ValidateName() validation.NameFunc { return validation.NameIsDNS1035Label }

func (serviceStrategy) PrepareForCreate(obj api.Object) {
	obj.(*corev1.Service).Status = corev1.ServiceStatus{}
}

func (serviceStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateService(obj.(*corev1.Service))
}

func (serviceStrategy) PrepareForUpdate(obj, old api.Object) {
	s, was := obj.(*corev1.Service), old.(*corev1.Service)
	s.Status = was.Status
	dropTypeDependentFields(s, was)
}

func (serviceStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateServiceUpdate(obj.(*corev1.Service), old.(*corev1.Service))
}

// SelectableFields lists what upstream's SelectableFields does.
func (serviceStrategy) SelectableFields(obj api.Object) fields.Set {
	s, _ := obj.(*corev1.Service)
	if s == nil {
		s = &corev1.Service{}
	}
	return fields.Set{"spec.clusterIP": s.Spec.ClusterIP, "spec.type": string(s.Spec.Type)}
}

func (serviceStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.Service).Spec = old.(*corev1.Service).Spec
}

func (serviceStatusStrategy) ValidateUpdate(_, _ api.Object) field.ErrorList { return nil }

func needsClusterIP(s *corev1.Service) bool { return s.Spec.Type != corev1.ServiceTypeExternalName }

func needsNodePort(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer
}

func needsHCNodePort(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

func shouldAllocateNodePorts(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort ||
		s.Spec.Type == corev1.ServiceTypeLoadBalancer && (s.Spec.AllocateLoadBalancerNodePorts == nil || *s.Spec.AllocateLoadBalancerNodePorts)
}

func sameNodePorts(a, b *corev1.Service) bool {
	return slices.Equal(usedNodePorts(a), usedNodePorts(b))
}

// usedNodePorts are the ports that a Service names, in order.
func usedNodePorts(s *corev1.Service) []int32 {
	var out []int32
	for _, p := range s.Spec.Ports {
		if p.NodePort != 0 {
			out = append(out, p.NodePort)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// dropTypeDependentFields takes away what the type before needed and the new one does not, unless the client asked for
// another value, which is then an error. Upstream: strategy.go, dropTypeDependentFields.
func dropTypeDependentFields(s, old *corev1.Service) {
	spec, was := &s.Spec, &old.Spec
	if needsClusterIP(old) && !needsClusterIP(s) {
		if slices.Equal(spec.ClusterIPs, was.ClusterIPs) && spec.ClusterIP == was.ClusterIP {
			spec.ClusterIP, spec.ClusterIPs = "", nil
		}
		if slices.Equal(spec.IPFamilies, was.IPFamilies) {
			spec.IPFamilies = nil
		}
		if api.SemanticDeepEqual(spec.IPFamilyPolicy, was.IPFamilyPolicy) {
			spec.IPFamilyPolicy = nil
		}
		if api.SemanticDeepEqual(spec.InternalTrafficPolicy, was.InternalTrafficPolicy) {
			spec.InternalTrafficPolicy = nil
		}
	}
	if needsNodePort(old) && !needsNodePort(s) && sameNodePorts(s, old) {
		for i := range spec.Ports {
			spec.Ports[i].NodePort = 0
		}
	}
	if needsHCNodePort(old) && !needsHCNodePort(s) && spec.HealthCheckNodePort == was.HealthCheckNodePort {
		spec.HealthCheckNodePort = 0
	}
	if was.Type == corev1.ServiceTypeLoadBalancer && spec.Type != corev1.ServiceTypeLoadBalancer {
		if api.SemanticDeepEqual(spec.AllocateLoadBalancerNodePorts, was.AllocateLoadBalancerNodePorts) {
			spec.AllocateLoadBalancerNodePorts = nil
		}
		if api.SemanticDeepEqual(spec.LoadBalancerClass, was.LoadBalancerClass) {
			spec.LoadBalancerClass = nil
		}
		s.Status.LoadBalancer = corev1.LoadBalancerStatus{}
	}
	if needsNodePort(old) && !needsNodePort(s) && len(spec.ExternalIPs) == 0 && spec.ExternalTrafficPolicy == was.ExternalTrafficPolicy {
		spec.ExternalTrafficPolicy = ""
	}
	if was.Type == corev1.ServiceTypeExternalName && spec.Type != corev1.ServiceTypeExternalName && spec.ExternalName == was.ExternalName {
		spec.ExternalName = ""
	}
}

// patchAllocatedValues keeps what was allocated when an update leaves it out. Upstream: storage.go, patchAllocatedValues.
func patchAllocatedValues(s, old *corev1.Service) {
	if needsClusterIP(old) && needsClusterIP(s) {
		if s.Spec.ClusterIP == "" {
			s.Spec.ClusterIP = old.Spec.ClusterIP
		}
		if len(s.Spec.ClusterIPs) == 0 && s.Spec.ClusterIP == old.Spec.ClusterIP {
			s.Spec.ClusterIPs = slices.Clone(old.Spec.ClusterIPs)
		}
	}
	if needsNodePort(old) && needsNodePort(s) {
		stays := usedNodePorts(s)
		byName := map[string]int32{}
		for _, p := range old.Spec.Ports {
			byName[p.Name] = p.NodePort
		}
		for i := range s.Spec.Ports {
			if p := &s.Spec.Ports[i]; p.NodePort == 0 && !slices.Contains(stays, byName[p.Name]) {
				p.NodePort = byName[p.Name]
			}
		}
	}
	if needsHCNodePort(old) && needsHCNodePort(s) && s.Spec.HealthCheckNodePort == 0 {
		s.Spec.HealthCheckNodePort = old.Spec.HealthCheckNodePort
	}
}

// normalizeClusterIPs keeps clusterIP and clusterIPs the same when a client changed only one of them.
// Upstream: storage.go, normalizeClusterIPs.
func normalizeClusterIPs(s, old *corev1.Service) {
	spec := &s.Spec
	if old == nil {
		if spec.ClusterIP != "" && len(spec.ClusterIPs) == 0 {
			spec.ClusterIPs = []string{spec.ClusterIP}
		}
		return
	}
	if spec.ClusterIP == old.Spec.ClusterIP {
		return
	}
	if slices.Equal(spec.ClusterIPs, old.Spec.ClusterIPs) {
		switch {
		case spec.ClusterIP == "":
			spec.ClusterIPs = nil
		case old.Spec.ClusterIP == "":
			spec.ClusterIPs = []string{spec.ClusterIP}
		default:
			spec.ClusterIPs = append([]string{spec.ClusterIP}, spec.ClusterIPs[min(1, len(spec.ClusterIPs)):]...)
		}
	}
}

// BeginCreate gives a new Service its addresses and ports.
func (serviceREST) BeginCreate(p *sim.Proc, e *Store, obj api.Object, dryRun bool) (finishFunc, error) {
	s := obj.(*corev1.Service)
	normalizeClusterIPs(s, nil)
	return newAllocators(e).allocate(p, s, nil, dryRun)
}

// BeginUpdate allocates what the new Service needs more; what it needs no longer is given back when it is stored.
func (serviceREST) BeginUpdate(p *sim.Proc, e *Store, obj, old api.Object, dryRun bool) (finishFunc, error) {
	s, was := obj.(*corev1.Service), old.(*corev1.Service)
	patchAllocatedValues(s, was)
	normalizeClusterIPs(s, was)
	return newAllocators(e).allocate(p, s, was, dryRun)
}

// AfterDelete gives everything back. The Endpoints go at once, so that a new Service of the same name does not find them.
// Upstream: storage.go, REST.afterDelete.
func (serviceREST) AfterDelete(p *sim.Proc, e *Store, obj api.Object) {
	s := obj.(*corev1.Service)
	a := newAllocators(e)
	a.deleteEndpoints(p, s)
	for _, ip := range s.Spec.ClusterIPs {
		a.release(p, ip)
	}
}

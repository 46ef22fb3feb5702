package apiserver

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// Where Pods find the API server: the first address of the Services' range, and behind it the server's own.
const (
	kubernetesServiceIP = "10.96.0.1"
	// AdvertiseAddress is the machine that the server runs on. Upstream: --advertise-address.
	AdvertiseAddress = "10.0.0.1"
	// SecurePort is the server's port. Upstream: --secure-port.
	SecurePort = 6443
	// repairInterval is between two looks for addresses that nobody has. Upstream: ipallocator/controller/repairip.go.
	repairInterval = 3 * time.Minute
)

// createKubernetesService stores what is missing of the range of Services' addresses, the Service kubernetes, and its
// endpoints: the server itself. Upstream: pkg/controlplane/controller/defaultservicecidr and kubernetesservice.
func (s *Server) createKubernetesService() {
	meta := func(namespace, name string, labels map[string]string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}
	}
	https, tcp, port, ready := "https", corev1.ProtocolTCP, int32(SecurePort), true
	policy, internal := corev1.IPFamilyPolicySingleStack, corev1.ServiceInternalTrafficPolicyCluster
	created := metav1.NewTime(s.kernel.Time()).Rfc3339Copy()
	s.ensure("servicecidrs", &networkingv1.ServiceCIDR{
		ObjectMeta: meta("", "kubernetes", nil),
		Spec:       networkingv1.ServiceCIDRSpec{CIDRs: []string{registry.ServiceCIDR}},
		Status: networkingv1.ServiceCIDRStatus{Conditions: []metav1.Condition{{
			Type: networkingv1.ServiceCIDRConditionReady, Status: metav1.ConditionTrue, LastTransitionTime: created,
			Message: "Kubernetes default Service CIDR is ready",
		}}},
	})
	s.ensure("ipaddresses", &networkingv1.IPAddress{
		ObjectMeta: meta("", kubernetesServiceIP, map[string]string{networkingv1.LabelIPAddressFamily: "IPv4", networkingv1.LabelManagedBy: "ipallocator.k8s.io"}),
		Spec:       networkingv1.IPAddressSpec{ParentRef: &networkingv1.ParentReference{Resource: "services", Namespace: "default", Name: "kubernetes"}},
	})
	s.ensure("services", &corev1.Service{
		ObjectMeta: meta("default", "kubernetes", map[string]string{"component": "apiserver", "provider": "kubernetes"}),
		Spec: corev1.ServiceSpec{
			ClusterIP: kubernetesServiceIP, ClusterIPs: []string{kubernetesServiceIP},
			Ports: []corev1.ServicePort{{Name: https, Port: 443, Protocol: tcp, TargetPort: intstr.FromInt32(SecurePort)}},
			Type:  corev1.ServiceTypeClusterIP, SessionAffinity: corev1.ServiceAffinityNone,
			IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol}, IPFamilyPolicy: &policy, InternalTrafficPolicy: &internal,
		},
	})
	s.ensure("endpoints", &corev1.Endpoints{
		ObjectMeta: meta("default", "kubernetes", map[string]string{discoveryv1.LabelSkipMirror: "true"}),
		Subsets: []corev1.EndpointSubset{{
			Addresses: []corev1.EndpointAddress{{IP: AdvertiseAddress}},
			Ports:     []corev1.EndpointPort{{Name: https, Port: port, Protocol: tcp}},
		}},
	})
	s.ensure("endpointslices", &discoveryv1.EndpointSlice{
		ObjectMeta:  meta("default", "kubernetes", map[string]string{discoveryv1.LabelServiceName: "kubernetes"}),
		AddressType: "IPv4",
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{AdvertiseAddress}, Conditions: discoveryv1.EndpointConditions{Ready: &ready}}},
		Ports:       []discoveryv1.EndpointPort{{Name: &https, Port: &port, Protocol: &tcp}},
	})
}

// ensure stores an object unless there is one of that name.
func (s *Server) ensure(resource string, obj api.Object) {
	key := store.Key{Resource: resource, Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if s.store.Current(key) != nil {
		return
	}
	obj.SetUID(types.UID(s.kernel.Rand("apiserver/bootstrap").UUID()))
	obj.SetCreationTimestamp(metav1.NewTime(s.kernel.Time()).Rfc3339Copy())
	if resource == "endpointslices" {
		obj.SetGeneration(1)
	}
	api.SetKind(obj)
	if _, err := s.store.Create(nil, key, obj); err != nil {
		s.kernel.Logger().Error(err, "Unable to create the kubernetes Service", "object", key.Ref().String())
	}
}

// repairIPs gives back, from time to time, addresses whose Service is gone: a server that died between storing an
// IPAddress and its Service leaves one. An address that a Service has and nobody recorded is recorded.
//
// Upstream: pkg/registry/core/service/ipallocator/controller/repairip.go, RepairIPAddress, which also writes Events.
func (s *Server) repairIPs(p *sim.Proc) {
	services := s.registries[api.GroupVersionResource{Version: "v1", Resource: "services"}]
	for {
		p.Sleep(repairInterval)
		revision := s.store.Revision()
		owners := map[string]trueOwner{}
		for _, obj := range s.store.At("services", "", revision) {
			svc := obj.(*corev1.Service)
			for _, ip := range svc.Spec.ClusterIPs {
				if ip != corev1.ClusterIPNone {
					owners[ip] = trueOwner{svc.Namespace, svc.Name}
					services.RecordIP(p, svc, ip)
				}
			}
		}
		for _, obj := range s.store.At("ipaddresses", "", revision) {
			ip := obj.(*networkingv1.IPAddress)
			ref := ip.Spec.ParentRef
			if ref == nil || ref.Resource != "services" || owners[ip.Name] == (trueOwner{ref.Namespace, ref.Name}) ||
				p.Time().Sub(ip.CreationTimestamp.Time) < time.Minute {
				continue
			}
			p.Logger().Info("IPAddress appears to have leaked: cleaning up", "ipAddress", ip.Name, "service", ref.Namespace+"/"+ref.Name)
			services.ReleaseIP(p, ip.Name)
		}
	}
}

type trueOwner struct{ namespace, name string }

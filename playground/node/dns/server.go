package dns

import (
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/node/network"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Name is the name server's component.
const Name = "coredns"

const (
	// Address is the machine that it runs on.
	Address = "10.0.0.2"
	// retryPeriod is between two tries to make its own Service.
	retryPeriod = 2 * time.Second
)

// Server answers queries.
type Server struct {
	component *sim.Component
	fabric    *network.Fabric
	chance    *sim.Rand
	lister    Lister
}

// Start brings the name server up. It listens once it knows the cluster: names must not be missing because it is young. installer is the way to
// the API server of who installs it.
func Start(k *sim.Kernel, t, installer client.Transport, fabric *network.Fabric) *Server {
	s := &Server{component: k.Start(Name), fabric: fabric, chance: k.Rand(Name)}
	s.component.Run(func() {
		cs := client.New(t)
		factory := informers.NewSharedInformerFactory(cs, 0)
		services, slices, namespaces := factory.Core().V1().Services(), factory.Discovery().V1().EndpointSlices(), factory.Core().V1().Namespaces()
		synced := []cache.InformerSynced{services.Informer().HasSynced, slices.Informer().HasSynced, namespaces.Informer().HasSynced}
		s.lister = Lister{Services: services.Lister(), Slices: slices.Lister(), Namespaces: namespaces.Lister()}
		s.component.Go("main", func(p *sim.Proc) {
			factory.Start(p)
			if !cache.WaitForCacheSync(p, synced...) {
				return
			}
			fabric.Listen(Address, 53, &network.Host{Component: s.component, Serve: s.serve})
			for s.install(p, client.New(installer)) != nil {
				p.Sleep(retryPeriod)
			}
		})
	})
	return s
}

// Component is the name server's program.
func (s *Server) Component() *sim.Component { return s.component }

// serve answers one query: its method is the type, its URL dns://NAME. The answer's body is the code and the values. A packet, as dig sends it, holds
// type and name instead; it is answered with the code and whole records, each in a line.
func (s *Server) serve(_ string, _ int32, r network.Request, done func(network.Response)) {
	name, packet := strings.TrimPrefix(r.URL, "dns://"), whole != nil && r.Body != ""
	if packet {
		r.Method, name, _ = strings.Cut(r.Body, " ")
	}
	s.component.After(s.chance.Between(50*time.Microsecond, 300*time.Microsecond), func() {
		answer, ours := s.lister.Lookup(name, r.Method)
		if !ours {
			answer = nothing
			if ip := s.fabric.Public(name); ip != "" { // forwarded to the world's name servers
				answer = Answer{NoError, []Record{{name, "A", ip, TTL}}}
			}
		}
		s.rotate(answer.Records)
		body := answer.Code
		for _, rec := range answer.Records {
			if rec.Type == r.Method {
				body += " " + rec.Value
			}
		}
		_, values, _ := strings.Cut(body, " ")
		if packet {
			body = whole(answer)
		}
		k := s.component.Kernel()
		id := k.Emit(trace.NetDNS, trace.Ref{}, trace.Attrs("name", name, "type", r.Method, "code", answer.Code, "answer", values))
		if id == 0 {
			done(network.Response{Body: body})
			return
		}
		k.Because(id, func() { done(network.Response{Body: body}) })
	})
}

// rotate begins a list of several addresses with another one each time. Upstream: plugin/loadbalance.
func (s *Server) rotate(records []Record) {
	if n := len(records); n > 1 && records[0].Type == "A" {
		i := s.chance.IntN(n)
		copy(records, append(append([]Record{}, records[i:]...), records[:i]...))
	}
}

// install makes the Service by which Pods reach the name server, as kubeadm's addon does.
func (s *Server) install(p *sim.Proc, cs *client.Clientset) error {
	labels := map[string]string{"k8s-app": "kube-dns", "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS"}
	port := func(name string, protocol corev1.Protocol) corev1.ServicePort {
		return corev1.ServicePort{Name: name, Port: 53, Protocol: protocol, TargetPort: intstr.FromInt32(53)}
	}
	_, err := cs.CoreV1().Services("kube-system").Create(p, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-dns", Labels: labels},
		Spec: corev1.ServiceSpec{ClusterIP: network.NameServer, ClusterIPs: []string{network.NameServer},
			Ports: []corev1.ServicePort{port("dns", corev1.ProtocolUDP), port("dns-tcp", corev1.ProtocolTCP)}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		p.Logger().Error(err, "Unable to create the name server's Service")
		return err
	}
	ready, number := true, int32(53)
	var ports []discoveryv1.EndpointPort
	for _, one := range []corev1.ServicePort{port("dns", corev1.ProtocolUDP), port("dns-tcp", corev1.ProtocolTCP)} {
		ports = append(ports, discoveryv1.EndpointPort{Name: &one.Name, Port: &number, Protocol: &one.Protocol})
	}
	_, err = cs.DiscoveryV1().EndpointSlices("kube-system").Create(p, &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-dns", Labels: map[string]string{discoveryv1.LabelServiceName: "kube-dns"}},
		AddressType: "IPv4", Ports: ports,
		Endpoints: []discoveryv1.Endpoint{{Addresses: []string{Address}, Conditions: discoveryv1.EndpointConditions{Ready: &ready}}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		p.Logger().Error(err, "Unable to create the name server's EndpointSlice")
		return err
	}
	return nil
}

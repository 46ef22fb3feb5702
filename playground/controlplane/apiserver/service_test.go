package apiserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var (
	svcResource = api.GroupVersionResource{Version: "v1", Resource: "services"}
	ipResource  = api.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses"}
)

func newService(name string, change func(s *corev1.ServiceSpec)) *corev1.Service {
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}}}
	if change != nil {
		change(&s.Spec)
	}
	return s
}

// addresses are the cluster IPs that are taken, without that of the Service kubernetes.
func (w *world) addresses() string {
	var out []string
	for _, obj := range w.st.At("ipaddresses", "", w.st.Revision()) {
		if ref := obj.(*networkingv1.IPAddress).Spec.ParentRef; ref.Name != "kubernetes" {
			out = append(out, obj.GetName()+" "+ref.Name)
		}
	}
	return strings.Join(out, ", ")
}

// What the API server says to a Service, in its own words.
func TestServiceMessages(t *testing.T) {
	w := newWorld(t, trace.Objects)
	w.run(func(p *sim.Proc) {
		w.must(p, create(svcResource, newService("taken", func(s *corev1.ServiceSpec) {
			s.ClusterIP, s.Type, s.Ports[0].NodePort = "10.96.0.50", corev1.ServiceTypeNodePort, 30080
		})))
		for _, test := range []struct {
			name   string
			change func(s *corev1.ServiceSpec)
			want   string // behind `Service "x" is invalid: `; "" for none
		}{
			{"Upper", nil, `metadata.name: Invalid value: "Upper": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character`},
			{"x", nil, ""},
			{"x", func(s *corev1.ServiceSpec) { s.Ports = nil }, "spec.ports: Required value"},
			{"x", func(s *corev1.ServiceSpec) { s.Ports = nil; s.ClusterIP = "None" }, ""},
			{"x", func(s *corev1.ServiceSpec) { s.Ports[0].Port = 0 },
				"[spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive]"},
			{"x", func(s *corev1.ServiceSpec) { s.Ports[0].Protocol = "ICMP" },
				`spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"`},
			{"x", func(s *corev1.ServiceSpec) { s.Ports = append(s.Ports, corev1.ServicePort{Port: 81}) },
				"[spec.ports[0].name: Required value, spec.ports[1].name: Required value]"},
			{"x", func(s *corev1.ServiceSpec) { s.Ports[0].TargetPort = intstr.FromString("a_b") },
				`spec.ports[0].targetPort: Invalid value: "a_b": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`},
			{"x", func(s *corev1.ServiceSpec) { s.Type = "Magic" },
				`spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"`},
			{"x", func(s *corev1.ServiceSpec) { s.SessionAffinity = "Magic" }, `spec.sessionAffinity: Unsupported value: "Magic": supported values: "ClientIP", "None"`},
			{"x", func(s *corev1.ServiceSpec) { s.Ports[0].NodePort = 30081 }, "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"},
			{"x", func(s *corev1.ServiceSpec) { s.ClusterIP = "10.96.0.50" },
				`spec.clusterIPs: Invalid value: ["10.96.0.50"]: failed to allocate IP 10.96.0.50: provided IP is already allocated`},
			{"x", func(s *corev1.ServiceSpec) { s.ClusterIP = "10.200.0.1" },
				`spec.clusterIPs: Invalid value: ["10.200.0.1"]: failed to allocate IP 10.200.0.1: the provided network does not match the current range`},
			{"x", func(s *corev1.ServiceSpec) { s.ClusterIP = "web" },
				`spec.clusterIPs[0]: Invalid value: "web": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`},
			{"x", func(s *corev1.ServiceSpec) { s.Type = corev1.ServiceTypeNodePort; s.Ports[0].NodePort = 30080 },
				"spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated"},
			{"x", func(s *corev1.ServiceSpec) { s.Type = corev1.ServiceTypeNodePort; s.Ports[0].NodePort = 80 },
				"spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767"},
			{"x", func(s *corev1.ServiceSpec) { s.Type = corev1.ServiceTypeNodePort; s.ClusterIP = "None" },
				`spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`},
			{"x", func(s *corev1.ServiceSpec) { s.Type = corev1.ServiceTypeExternalName }, "spec.externalName: Required value"},
			{"x", func(s *corev1.ServiceSpec) {
				s.Type = corev1.ServiceTypeExternalName
				s.ExternalName = "db.example.com."
			}, ""},
			{"x", func(s *corev1.ServiceSpec) { s.IPFamilies = []corev1.IPFamily{"IPv6"} }, `spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster`},
			{"x", func(s *corev1.ServiceSpec) { d := corev1.IPFamilyPolicyRequireDualStack; s.IPFamilyPolicy = &d },
				`spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services`},
			{"x", func(s *corev1.ServiceSpec) { s.ExternalTrafficPolicy = "Local" },
				`spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services`},
		} {
			before := w.addresses()
			_, err := w.do(p, create(svcResource, newService(test.name, test.change)))
			got := ""
			if err != nil {
				got = strings.TrimPrefix(err.Error(), fmt.Sprintf("Service %q is invalid: ", test.name))
			}
			if got != test.want && !(test.want != "" && strings.HasPrefix(got, test.want)) {
				t.Errorf("%s: %s\nwant %s", test.name, got, test.want)
			}
			if err == nil {
				w.must(p, remove(svcResource, test.name, metav1.DeleteOptions{}))
			}
			if after := w.addresses(); after != before {
				t.Errorf("%s (%s): addresses taken: %s, before: %s", test.name, test.want, after, before)
			}
		}
	})
}

// Types change, and what they hold with them.
func TestServiceTypes(t *testing.T) {
	w := newWorld(t, trace.Objects)
	w.run(func(p *sim.Proc) {
		show := func(s *corev1.Service) string {
			port := "-"
			if n := s.Spec.Ports[0].NodePort; n != 0 {
				port = "port"
			}
			ip := s.Spec.ClusterIP
			if strings.HasPrefix(ip, "10.") {
				ip = "ip"
			}
			families := len(s.Spec.IPFamilies)
			return fmt.Sprint(s.Spec.Type, " ", ip, " ", port, " ", s.Spec.ExternalTrafficPolicy, " families ", families)
		}
		svc := w.must(p, create(svcResource, newService("web", nil))).(*corev1.Service)
		first := svc.Spec.ClusterIP
		if got := show(svc); got != "ClusterIP ip -  families 1" || *svc.Spec.IPFamilyPolicy != "SingleStack" {
			t.Errorf("made: %s", got)
		}
		change := func(want string, do func(s *corev1.ServiceSpec)) {
			t.Helper()
			next := w.must(p, get(svcResource, "web")).(*corev1.Service).DeepCopy()
			do(&next.Spec)
			svc = w.must(p, update(svcResource, "", next)).(*corev1.Service)
			if got := show(svc); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		change("NodePort ip port Cluster families 1", func(s *corev1.ServiceSpec) { s.Type = corev1.ServiceTypeNodePort })
		port := svc.Spec.Ports[0].NodePort
		change("NodePort ip port Cluster families 1", func(s *corev1.ServiceSpec) { s.ClusterIP, s.ClusterIPs, s.Ports[0].NodePort = "", nil, 0 })
		if svc.Spec.ClusterIP != first || svc.Spec.Ports[0].NodePort != port {
			t.Errorf("an update that leaves them out: %s %d, before %s %d", svc.Spec.ClusterIP, svc.Spec.Ports[0].NodePort, first, port)
		}
		change("ClusterIP ip -  families 1", func(s *corev1.ServiceSpec) { s.Type = corev1.ServiceTypeClusterIP })
		change("ExternalName  -  families 0", func(s *corev1.ServiceSpec) { s.Type, s.ExternalName = corev1.ServiceTypeExternalName, "example.com" })
		if left := w.addresses(); left != "" {
			t.Errorf("still taken: %s", left)
		}
		change("ClusterIP ip -  families 1", func(s *corev1.ServiceSpec) { s.Type = corev1.ServiceTypeClusterIP })
		next := svc.DeepCopy()
		next.Spec.ClusterIP, next.Spec.ClusterIPs = "10.96.0.99", []string{"10.96.0.99"}
		_, err := w.do(p, update(svcResource, "", next))
		if err == nil || !strings.HasSuffix(err.Error(), `spec.clusterIPs[0]: Invalid value: ["10.96.0.99"]: may not change once set`) {
			t.Errorf("another address: %v", err)
		}
		w.must(p, remove(svcResource, "web", metav1.DeleteOptions{}))
		if left := w.addresses(); left != "" {
			t.Errorf("still taken: %s", left)
		}
	})
}

// No two Services get the same address or port, however many are made at once.
func TestAllocationsAreUnique(t *testing.T) {
	w := newWorld(t, trace.Objects)
	w.run(func(p *sim.Proc) {
		p.Fork("create", 40, func(p *sim.Proc, i int) {
			w.must(p, create(svcResource, newService(fmt.Sprint("s", i), func(s *corev1.ServiceSpec) { s.Type = corev1.ServiceTypeNodePort })))
		})
		ips, ports := map[string]bool{}, map[int32]bool{}
		for _, obj := range w.st.At("services", "default", w.st.Revision()) {
			svc := obj.(*corev1.Service)
			ips[svc.Spec.ClusterIP] = true
			if svc.Name != "kubernetes" {
				ports[svc.Spec.Ports[0].NodePort] = true
			}
		}
		if len(ips) != 41 || len(ports) != 40 {
			t.Errorf("%d addresses of 41 Services, %d ports of 40", len(ips), len(ports))
		}
	})
}

// An address whose Service was never stored is given back.
func TestRepair(t *testing.T) {
	w := newWorld(t, trace.Objects)
	w.run(func(p *sim.Proc) {
		leaked := &networkingv1.IPAddress{ObjectMeta: metav1.ObjectMeta{Name: "10.96.0.77"},
			Spec: networkingv1.IPAddressSpec{ParentRef: &networkingv1.ParentReference{Resource: "services", Namespace: "default", Name: "lost"}}}
		w.must(p, create(ipResource, leaked))
		w.must(p, create(svcResource, newService("web", func(s *corev1.ServiceSpec) { s.ClusterIP = "10.96.0.78" })))
		if _, err := w.st.Delete(p, store.Key{Resource: "ipaddresses", Name: "10.96.0.78"}, store.Preconditions{}, nil); err != nil {
			t.Fatal(err)
		}
		p.Sleep(2*repairInterval + time.Minute)
		if got := w.addresses(); got != "10.96.0.78 web" {
			t.Errorf("taken: %s", got)
		}
	})
}

func TestKubernetesService(t *testing.T) {
	w := newWorld(t, trace.Objects)
	w.run(func(p *sim.Proc) {
		svc := w.must(p, get(svcResource, "kubernetes")).(*corev1.Service)
		if svc.Spec.ClusterIP != "10.96.0.1" || svc.Spec.Ports[0].Port != 443 {
			t.Errorf("%+v", svc.Spec)
		}
	})
}

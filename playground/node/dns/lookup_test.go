package dns

import (
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/listers"
)

func lister(objects ...api.Object) Lister {
	index := func() cache.Indexer {
		return cache.NewIndexer(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	}
	services, slices, namespaces := index(), index(), index()
	for _, obj := range objects {
		switch obj.(type) {
		case *corev1.Service:
			services.Add(obj)
		case *discoveryv1.EndpointSlice:
			slices.Add(obj)
		case *corev1.Namespace:
			namespaces.Add(obj)
		}
	}
	return Lister{listers.NewServiceLister(services), listers.NewEndpointSliceLister(slices), listers.NewNamespaceLister(namespaces)}
}

// lookupTest is a name and what is known of it.
type lookupTest struct{ name, qtype, want string }

// reversed are those that not every build knows.
var reversed = func(string) []lookupTest { return nil }

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "default", Name: name} }

func TestLookup(t *testing.T) {
	yes, no, host, http, tcp, port := true, false, "db-0", "http", corev1.ProtocolTCP, int32(8080)
	slice := &discoveryv1.EndpointSlice{ObjectMeta: named("peers-x"), AddressType: "IPv4",
		Ports: []discoveryv1.EndpointPort{{Name: &http, Protocol: &tcp, Port: &port}},
		Endpoints: []discoveryv1.Endpoint{
			{Addresses: []string{"10.244.2.2"}, Conditions: discoveryv1.EndpointConditions{Ready: &yes}},
			{Addresses: []string{"10.244.1.2"}, Conditions: discoveryv1.EndpointConditions{Ready: &yes}, Hostname: &host},
			{Addresses: []string{"10.244.3.2"}, Conditions: discoveryv1.EndpointConditions{Ready: &no}},
		}}
	slice.Labels = map[string]string{discoveryv1.LabelServiceName: "peers"}
	svc := func(name, ip string) *corev1.Service {
		return &corev1.Service{ObjectMeta: named(name), Spec: corev1.ServiceSpec{ClusterIP: ip,
			Ports: []corev1.ServicePort{{Name: "http", Port: 80, Protocol: tcp}}}}
	}
	alias := func(name, to string) *corev1.Service {
		return &corev1.Service{ObjectMeta: named(name), Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: to}}
	}
	l := lister(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, svc("web", "10.96.0.20"), svc("peers", "None"), svc("nobody", "None"), slice,
		alias("alias", "web.default.svc.cluster.local"), alias("outside", "db.example.com"), alias("loop", "loop.default.svc.cluster.local"))
	const d = ".default.svc.cluster.local"
	for _, test := range append(reversed(d), []lookupTest{
		{"web" + d, "A", "NOERROR A 10.96.0.20"},
		{"WEB" + d, "A", "NOERROR A 10.96.0.20"},
		{"web" + d, "AAAA", "NOERROR"},
		{"web" + d, "SRV", "NOERROR SRV 0 100 80 web" + d},
		{"_http._tcp.web" + d, "SRV", "NOERROR SRV 0 100 80 web" + d},
		{"_dns._tcp.web" + d, "SRV", "NXDOMAIN"},
		{"nosuch" + d, "A", "NXDOMAIN"},
		{"web.nosuch.svc.cluster.local", "A", "NXDOMAIN"},
		{"default.svc.cluster.local", "A", "NOERROR"},
		{"svc.cluster.local", "A", "NOERROR"},
		{"cluster.local", "A", "NOERROR"},
		{"web.cluster.local", "A", "NXDOMAIN"},
		{"peers" + d, "A", "NOERROR A 10.244.1.2 A 10.244.2.2"},
		{"peers" + d, "SRV", "NOERROR SRV 0 100 8080 db-0.peers" + d + " SRV 0 100 8080 10-244-2-2.peers" + d},
		{"_http._tcp.peers" + d, "SRV", "NOERROR SRV 0 100 8080 db-0.peers" + d + " SRV 0 100 8080 10-244-2-2.peers" + d},
		{"db-0.peers" + d, "A", "NOERROR A 10.244.1.2"},
		{"10-244-2-2.peers" + d, "A", "NOERROR A 10.244.2.2"},
		{"10-244-3-2.peers" + d, "A", "NXDOMAIN"},
		{"nobody" + d, "A", "NXDOMAIN"},
		{"alias" + d, "A", "NOERROR CNAME web" + d + " A 10.96.0.20"},
		{"outside" + d, "A", "NOERROR CNAME db.example.com"},
		{"10-244-9-9.default.pod.cluster.local", "A", "NOERROR A 10.244.9.9"},
		{"ten.default.pod.cluster.local", "A", "NXDOMAIN"},
		{"example.com", "A", "not ours"},
	}...) {
		answer, ours := l.Lookup(test.name, test.qtype)
		got := answer.Code
		for _, r := range answer.Records {
			got += " " + r.Type + " " + r.Value
			if r.TTL != TTL || r.Name == "" {
				t.Errorf("%s %s: %+v", test.qtype, test.name, r)
			}
		}
		if !ours {
			got = "not ours"
		}
		if got != test.want {
			t.Errorf("%s %s: %s, want %s", test.qtype, test.name, got, test.want)
		}
	}
	if answer, _ := l.Lookup("loop"+d, "A"); len(answer.Records) != maxChain || !strings.HasPrefix(answer.Records[7].Value, "loop") {
		t.Errorf("a name that leads to itself: %+v", answer)
	}
}

package endpointslicemirroring

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func address(ip string) corev1.EndpointAddress { return corev1.EndpointAddress{IP: ip} }

func port(name string, number int32) corev1.EndpointPort {
	return corev1.EndpointPort{Name: name, Port: number, Protocol: corev1.ProtocolTCP}
}

// show is one line for each subset: addresses, those that are not ready in brackets, and ports.
func show(subsets []corev1.EndpointSubset) string {
	out := ""
	for _, s := range subsets {
		for _, a := range s.Addresses {
			out += a.IP + " "
		}
		for _, a := range s.NotReadyAddresses {
			out += "(" + a.IP + ") "
		}
		for _, p := range s.Ports {
			out += fmt.Sprintf(":%d", p.Port)
		}
		out += "\n"
	}
	return out
}

// Upstream: pkg/api/v1/endpoints/util_test.go, TestPackSubsets.
func TestRepackSubsets(t *testing.T) {
	for _, test := range []struct {
		name string
		in   []corev1.EndpointSubset
		want string
	}{
		{"ports of one address come together", []corev1.EndpointSubset{
			{Addresses: []corev1.EndpointAddress{address("10.0.0.1")}, Ports: []corev1.EndpointPort{port("a", 80)}},
			{Addresses: []corev1.EndpointAddress{address("10.0.0.1")}, Ports: []corev1.EndpointPort{port("b", 81)}},
		}, "10.0.0.1 :80:81\n"},
		{"not ready wins", []corev1.EndpointSubset{
			{Addresses: []corev1.EndpointAddress{address("10.0.0.1")}, Ports: []corev1.EndpointPort{port("a", 80)}},
			{NotReadyAddresses: []corev1.EndpointAddress{address("10.0.0.1")}, Ports: []corev1.EndpointPort{port("a", 80)}},
		}, "(10.0.0.1) :80\n"},
		{"other addresses stay apart", []corev1.EndpointSubset{
			{Addresses: []corev1.EndpointAddress{address("10.0.0.2"), address("10.0.0.1")}, Ports: []corev1.EndpointPort{port("a", 80)}},
			{Addresses: []corev1.EndpointAddress{address("10.0.0.3")}, Ports: []corev1.EndpointPort{port("a", 81)}},
		}, "10.0.0.1 10.0.0.2 :80\n10.0.0.3 :81\n"},
		{"no ports", []corev1.EndpointSubset{{Addresses: []corev1.EndpointAddress{address("10.0.0.1")}}}, "10.0.0.1 \n"},
	} {
		if got := show(repackSubsets(test.in)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// mirror is the controller with a server on which a Service without selector and its Endpoints are.
type mirror struct {
	t      *testing.T
	k      *sim.Kernel
	server *fake.Server
	svc    *corev1.Service
	eps    *corev1.Endpoints
}

func newMirror(t *testing.T) *mirror {
	k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
	t.Cleanup(k.Close)
	meta := metav1.ObjectMeta{Namespace: "default", Name: "db"}
	m := &mirror{t: t, k: k, server: fake.NewServer(k),
		svc: &corev1.Service{ObjectMeta: meta},
		eps: &corev1.Endpoints{ObjectMeta: *meta.DeepCopy(), Subsets: []corev1.EndpointSubset{{
			Addresses: []corev1.EndpointAddress{address("10.1.2.3")}, Ports: []corev1.EndpointPort{port("", 80)}}}}}
	m.eps.UID, m.eps.Labels = "eps", map[string]string{"team": "a"}
	m.eps.Annotations = map[string]string{"note": "x", corev1.EndpointsLastChangeTriggerTime: "now"}
	c := k.Start(Name)
	cs := client.New(m.server)
	f := informers.NewSharedInformerFactory(cs, 0)
	mirroring := NewController(c, f.Core().V1().Endpoints(), f.Discovery().V1().EndpointSlices(), f.Core().V1().Services(), MaxEndpointsPerSubset, cs)
	c.Go("controller", func(p *sim.Proc) {
		f.Start(p)
		mirroring.Run(p, 1)
	})
	return m
}

// put has the server hold the Endpoints, changed as said.
func (m *mirror) put(change func(*corev1.Endpoints)) {
	m.eps = m.eps.DeepCopy()
	change(m.eps)
	m.server.Put("endpoints", m.eps)
	m.run()
}

func (m *mirror) run() { m.k.RunUntil(m.k.Elapsed() + 5*time.Second) }

// want compares the slices that there are: "type addresses ports".
func (m *mirror) want(what, want string) {
	m.t.Helper()
	var out []string
	for _, obj := range m.server.Objects("endpointslices") {
		s := obj.(*discoveryv1.EndpointSlice)
		line := string(s.AddressType)
		for _, e := range s.Endpoints {
			line += fmt.Sprintf(" %s=%v", e.Addresses[0], *e.Conditions.Ready)
		}
		for _, p := range s.Ports {
			line += fmt.Sprintf(" %s:%d", *p.Name, *p.Port)
		}
		out = append(out, line)
	}
	slices.Sort(out)
	if got := strings.Join(out, ", "); got != want {
		m.t.Errorf("%s: slices %q, want %q", what, got, want)
	}
}

// What is written into Endpoints of a Service without selector is in slices, as long as it is there.
// Upstream: test/e2e/network/endpointslicemirroring.go, and reconciler_test.go.
func TestEndpointsAreMirrored(t *testing.T) {
	m := newMirror(t)
	m.put(func(*corev1.Endpoints) {})
	m.want("without a Service", "")
	m.server.Put("services", m.svc)
	m.run()
	m.want("with one", "IPv4 10.1.2.3=true :80")
	s := m.server.Objects("endpointslices")[0].(*discoveryv1.EndpointSlice)
	if s.Labels["team"] != "a" || s.Labels[discoveryv1.LabelManagedBy] != managedBy || s.Labels[discoveryv1.LabelServiceName] != "db" ||
		len(s.Annotations) != 1 || s.Annotations["note"] != "x" || len(s.OwnerReferences) != 1 || s.OwnerReferences[0].UID != "eps" {
		t.Errorf("metadata %+v", s.ObjectMeta)
	}
	name := s.Name
	m.put(func(e *corev1.Endpoints) { e.Subsets[0].Addresses[0].IP = "10.2.3.4" })
	m.want("another address", "IPv4 10.2.3.4=true :80")
	m.put(func(e *corev1.Endpoints) { e.Subsets[0].Ports[0].Port = 81 })
	m.want("another port", "IPv4 10.2.3.4=true :81")
	if s := m.server.Objects("endpointslices")[0].(*discoveryv1.EndpointSlice); s.Name != name {
		t.Errorf("the slice %s was not written again: there is %s", name, s.Name)
	}
	m.put(func(e *corev1.Endpoints) {
		e.Subsets[0].Addresses = []corev1.EndpointAddress{address("10.0.0.7"), address("2001:db8::1"), address("web.example.com")}
		e.Subsets[0].NotReadyAddresses = []corev1.EndpointAddress{address("10.0.0.8")}
	})
	m.want("both families", "IPv4 10.0.0.7=true 10.0.0.8=false :81, IPv6 2001:db8::1=true :81")
	before := len(m.server.Requests)
	m.put(func(e *corev1.Endpoints) { e.Annotations[corev1.EndpointsLastChangeTriggerTime] = "later" })
	for _, r := range m.server.Requests[before:] {
		if strings.Contains(r, "endpointslices") {
			t.Errorf("what changes nothing is written: %s", r)
		}
	}
	m.put(func(e *corev1.Endpoints) { e.Labels[discoveryv1.LabelSkipMirror] = "true" })
	m.want("skipped", "")
	m.put(func(e *corev1.Endpoints) { delete(e.Labels, discoveryv1.LabelSkipMirror) })
	m.want("and not any more", "IPv4 10.0.0.7=true 10.0.0.8=false :81, IPv6 2001:db8::1=true :81")
	m.svc = m.svc.DeepCopy()
	m.svc.Spec.Selector = map[string]string{"app": "db"}
	m.server.Put("services", m.svc)
	m.run()
	m.want("with a selector", "")
}

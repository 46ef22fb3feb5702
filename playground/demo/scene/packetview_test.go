package scene

import (
	"strconv"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/trace"
)

// web is a Service's address, as rules have it.
const web = "10.96.0.9"

// following is the picture of a request, with the Service web and its slice.
func following(layout Layout) *Stage {
	s := NewStage(Options{Layout: layout, Focus: FocusNetwork})
	s.Apply(&trace.Event{Op: trace.StoreCommit, Deltas: []trace.Delta{
		object("nodes", "node-1", &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}),
		object("nodes", "node-2", &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-2"}}),
		object("pods", "default/client", &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "client", Namespace: "default"},
			Spec: corev1.PodSpec{NodeName: "node-1"}}),
		object("services", "default/web", &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
			Spec: corev1.ServiceSpec{ClusterIP: web}}),
		object("endpointslices", "default/kubernetes", slice("default", "kubernetes", "192.0.2.1")),
		object("endpointslices", "default/web-x", slice("default", "web", "10.244.1.3")),
	}})
	return s
}

func object(resource, key string, o any) trace.Delta {
	return trace.Set(trace.Cell{Kind: trace.CellObject, Owner: resource, Key: key}, o)
}

func slice(namespace, service, address string) *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Name: service + "-x", Namespace: namespace, Labels: map[string]string{discoveryv1.LabelServiceName: service}},
		Endpoints:  []discoveryv1.Endpoint{{Addresses: []string{address}}}}
}

func rules(node, address, behind string) *trace.Event {
	return &trace.Event{Op: trace.NetRules, Attrs: trace.Attrs("node", node), Deltas: []trace.Delta{
		trace.Set(trace.Cell{Kind: trace.CellForward, Owner: "netfilter/" + node, Key: address}, behind)}}
}

// shapes are the shapes of a stage's picture by id.
func shapes(s *Stage) map[string]Shape {
	out := map[string]Shape{}
	for _, shape := range s.Scene().Shapes {
		out[shape.ID] = shape
	}
	return out
}

// TestASliceIsThereBeforeTheRules: what a user's Service has is shown before any node has rules for it, and never what every cluster has.
func TestASliceIsThereBeforeTheRules(t *testing.T) {
	s := following(Wide)
	for _, step := range []string{"before", "after"} {
		got := shapes(s)
		if _, there := got["slice/10.244.1.3"]; !there {
			t.Errorf("%s the rules, the slice of web is not shown", step)
		}
		if _, there := got["slice/192.0.2.1"]; there {
			t.Errorf("%s the rules, the slice of kubernetes is shown", step)
		}
		s.Apply(rules("node-1", web+":80/tcp", "10.244.1.3:8080"))
	}
	if _, there := shapes(s)["rules/10.244.1.3:8080"]; !there {
		t.Error("the rules do not lead to the Pod")
	}
}

// TestAServiceIsThereBeforeItsSlice: the API server has its address, and what is not there yet is said.
func TestAServiceIsThereBeforeItsSlice(t *testing.T) {
	s := NewStage(Options{Layout: Wide, Focus: FocusNetwork})
	apply := func(d ...trace.Delta) map[string]Shape {
		s.Apply(&trace.Event{Op: trace.StoreCommit, Deltas: d})
		return shapes(s)
	}
	got := apply(object("nodes", "node-1", &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}))
	if word := got["slice/none"].Word; word != "scene.rules.none" {
		t.Errorf("without a Service the slice says %q", word)
	}
	got = apply(object("services", "default/web", &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec: corev1.ServiceSpec{ClusterIP: web}}))
	if name, address := got["service/name"].Title, got["service/address"].Title; name != "Service web" || address != web {
		t.Errorf("the API server shows %q %q", name, address)
	}
	if word := got["slice/none"].Word; word != "scene.slice.none" {
		t.Errorf("without a slice it says %q", word)
	}
	empty := slice("default", "web", "")
	empty.Endpoints = nil
	got = apply(object("endpointslices", "default/web-x", empty))
	if none := got["slice/none"]; none.Word != "scene.slice.empty" || none.Args != "web" {
		t.Errorf("an empty slice says %q %q", none.Word, none.Args)
	}
}

// TestAnOutcomeIsShortenedToItsRoom: "connection refused" is "refused", and what has no room is said in a word.
func TestAnOutcomeIsShortenedToItsRoom(t *testing.T) {
	for _, c := range []struct {
		layout              Layout
		failure, says, word string
	}{
		{Wide, "timed out", "timed out", ""},
		{Wide, "connection refused", "refused", ""},
		{Narrow, "connection refused", "refused", ""},
		{Narrow, "the name server did not answer in five seconds", "", "scene.packet.failed"},
	} {
		s := following(c.layout)
		s.Apply(&trace.Event{Op: trace.NetRequest, Attrs: trace.Attrs("request", int64(1), "from", "default/client", "method", "GET", "url", "http://web")})
		s.Apply(&trace.Event{Op: trace.NetDone, Attrs: trace.Attrs("request", int64(2), "failure", "of another request")})
		if _, there := shapes(s)["packet/outcome"]; there {
			t.Error("another request's end is shown")
		}
		s.Apply(&trace.Event{Op: trace.NetDone, Attrs: trace.Attrs("request", int64(1), "failure", c.failure)})
		got := shapes(s)["packet/outcome"]
		if got.Title != c.says || got.Word != c.word || got.State != "missing" {
			t.Errorf("layout %s: %q is shown as %q %q (%s)", c.layout, c.failure, got.Title, got.Word, got.State)
		}
		if got.titleWidth(typeName) > got.W {
			t.Errorf("layout %s: %q has no room", c.layout, got.Title)
		}
	}
}

// TestEachNodeSaysWhereItsRulesLead: also when two nodes differ, and when kube-proxy of one is down.
func TestEachNodeSaysWhereItsRulesLead(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := following(layout)
		proxy := trace.Cell{Kind: trace.CellComponent, Owner: "kube-proxy/node-1"}
		s.Apply(&trace.Event{Op: trace.ComponentStart, Deltas: []trace.Delta{trace.Set(proxy, "running")}})
		s.Apply(rules("node-1", web+":80/tcp", "10.244.1.3:8080"))
		s.Apply(rules("node-2", web+":80/tcp", "10.244.1.3:8080"))
		s.Apply(&trace.Event{Op: trace.ComponentStop, Deltas: []trace.Delta{trace.Unset(proxy)}})
		s.Apply(rules("node-2", web+":80/tcp", "10.244.2.3:8080"))
		got := shapes(s)
		for node, want := range map[string]Shape{"node-1": {Args: "10.244.1.3", State: "down"}, "node-2": {Args: "10.244.2.3"}} {
			l := got["leads/"+node]
			if l.Word != "scene.rules.lead" && l.Title != "→ "+want.Args || l.Word != "" && l.Args != want.Args || l.State != want.State {
				t.Errorf("layout %s: %s says %q %q %q (%s)", layout, node, l.Word, l.Args, l.Title, l.State)
			}
		}
	}
}

// TestARequestFromOutsideMeetsTheRulesOfTheNodeItComesTo: it has no node of its own, and what it was sent to is a port of a node.
func TestARequestFromOutsideMeetsTheRulesOfTheNodeItComesTo(t *testing.T) {
	s := following(Wide)
	for _, node := range []string{"node-1", "node-2"} {
		s.Apply(rules(node, web+":80/tcp", "10.244.1.3:8080"))
	}
	s.Apply(&trace.Event{Op: trace.NetRequest, Attrs: trace.Attrs("request", int64(1), "from", "outside", "method", "GET", "url", "http://10.0.0.11:30080")})
	s.Apply(&trace.Event{Op: trace.NetSend, Attrs: trace.Attrs("request", int64(1), "from", "outside", "to", "node-2", "destination", "10.0.0.11:30080")})
	got := shapes(s)
	if about := got["rules"].About; about != "kube-proxy/node-2" {
		t.Errorf("the rules are those of %q, want kube-proxy/node-2", about)
	}
	if client := got["pod/outside"]; client.Detail != "" {
		t.Errorf("the client is on %q, want no node", client.Detail)
	}
	s.Apply(&trace.Event{Op: trace.NetTranslate,
		Attrs: trace.Attrs("request", int64(1), "node", "node-2", "before", "10.0.0.11:30080", "after", "10.244.1.3:8080")})
	if got := shapes(s); got["rules/10.244.1.3:8080"].State != "chosen" || got["packet/after"].Title != "→ 10.244.1.3:8080" {
		t.Errorf("the rule is %q and the packet goes %q", got["rules/10.244.1.3:8080"].State, got["packet/after"].Title)
	}
}

// TestANameThatIsNotThereIsNoDestination: a packet goes to addresses, not to NXDOMAIN.
func TestANameThatIsNotThereIsNoDestination(t *testing.T) {
	s := following(Wide)
	s.Apply(rules("node-1", web+":80/tcp", "10.244.1.3:8080"))
	s.Apply(&trace.Event{Op: trace.NetRequest, Attrs: trace.Attrs("request", int64(1), "from", "default/client", "method", "GET", "url", "http://shop.example")})
	for _, step := range []struct{ code, answer, want string }{{"NXDOMAIN", "", ""}, {"NOERROR", "192.0.2.7", "192.0.2.7"}} {
		s.Apply(&trace.Event{Op: trace.NetDNS, Attrs: trace.Attrs("name", "shop.example", "code", step.code, "answer", step.answer)})
		if got := shapes(s)["packet/before"].Title; got != step.want {
			t.Errorf("after %s, the packet goes to %q, want %q", step.code, got, step.want)
		}
	}
}

// net is an event of the network.
func net(op trace.Op, attrs ...any) *trace.Event {
	return &trace.Event{Op: op, Attrs: trace.Attrs(attrs...)}
}

// TestARequestGoesThroughAnIngress: the controller stands between the client and the Service, with the rule that was met, and the packet goes
// from there to a Pod, past kube-proxy's rules.
func TestARequestGoesThroughAnIngress(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := following(layout)
		s.Apply(rules("node-1", web+":80/tcp", "10.244.1.3:8080"))
		port, path := int32(8080), networkingv1.HTTPIngressPath{Path: "/", Backend: networkingv1.IngressBackend{
			Service: &networkingv1.IngressServiceBackend{Name: "web"}}}
		behind := slice("default", "web", "10.244.1.3")
		behind.Ports = []discoveryv1.EndpointPort{{Port: &port}}
		s.Apply(&trace.Event{Op: trace.StoreCommit, Deltas: []trace.Delta{object("endpointslices", "default/web-x", behind),
			object("ingresses", "default/shop", &networkingv1.Ingress{Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: "shop.example",
				IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{path}}}}}}})}})
		if rule := shapes(s)["ingress/rule"]; rule.Title != "shop.example/" || rule.State != "open" {
			t.Errorf("%s: before a request the rule is %q (%s)", layout, rule.Title, rule.State)
		}
		s.Apply(net(trace.NetRequest, "request", int64(1), "from", "outside", "method", "GET", "url", "http://shop.example/"))
		s.Apply(net(trace.NetSend, "request", int64(1), "from", "outside", "to", "ingress-controller", "destination", "10.0.0.10:80"))
		routing := net(trace.Log, "message", "Routing", "host", "shop.example", "path", "/", "rule", "shop.example/", "service", "default/web")
		routing.Component = "ingress-controller"
		s.Apply(routing)
		s.Apply(net(trace.NetRequest, "request", int64(2), "from", "node-1", "method", "GET", "url", "http://10.244.1.3:8080/"))
		s.Apply(&trace.Event{Op: trace.NetSend, Attrs: trace.Attrs("request", int64(2)), Deltas: []trace.Delta{
			trace.Set(trace.Cell{Kind: trace.CellPacket, Key: "3"}, trace.Packet{From: "node-1", To: "node-1", Destination: "10.244.1.3:8080", Label: "GET /"})}})
		s.Apply(net(trace.NetDone, "request", int64(2), "code", "200"))
		got := shapes(s)
		for id, want := range map[string]string{"pod/outside": "outside", "ingress/rule": "shop.example/", "rules": "Service web", "rules/10.244.1.3:8080": "10.244.1.3:8080"} {
			if got[id].Title != want {
				t.Errorf("%s: %s says %q, want %q", layout, id, got[id].Title, want)
			}
		}
		if got["ingress/rule"].State != "chosen" || got["rules/10.244.1.3:8080"].State != "chosen" {
			t.Errorf("%s: the rule is %q and the Pod's address %q", layout, got["ingress/rule"].State, got["rules/10.244.1.3:8080"].State)
		}
		door, way := got["component/ingress-controller"], strings.Fields(got["route/3"].Path)
		if door.W == 0 || len(way) < 3 {
			t.Fatalf("%s: the controller is %+v, the packet's way %q", layout, door, way)
		}
		if x, _ := strconv.Atoi(way[1]); x < door.X || x > door.X+door.W {
			t.Errorf("%s: the packet leaves at %d, not at the controller, %d to %d", layout, x, door.X, door.X+door.W)
		}
		if _, there := got["packet/outcome"]; there {
			t.Errorf("%s: the controller's own request ends that of the client", layout)
		}
		s.Apply(net(trace.NetRequest, "request", int64(4), "from", "outside", "method", "GET", "url", "http://10.0.0.10/"))
		s.Apply(net(trace.NetSend, "request", int64(4), "from", "outside", "to", "ingress-controller", "destination", "10.0.0.10:80"))
		routing = net(trace.Log, "message", "No rule matches", "host", "10.0.0.10", "path", "/")
		routing.Component = "ingress-controller"
		s.Apply(routing)
		s.Apply(net(trace.NetDone, "request", int64(4), "code", "404"))
		if end := shapes(s)["packet/outcome"]; end.Title != "404" || end.State != "missing" {
			t.Errorf("%s: the request ends with %q, %s", layout, end.Title, end.State)
		}
		if got := shapes(s); got["ingress/rule"].State != "rejected" || got["ingress/leads"].Word != "scene.ingress.none" {
			t.Errorf("%s: what no rule is about is %q and leads to %q", layout, got["ingress/rule"].State, got["ingress/leads"].Word)
		}
	}
}

// TestARequestGoesThroughALoadBalancer: it stands in front of the nodes, with its address, and the rules are those of the node that it chose.
func TestARequestGoesThroughALoadBalancer(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := following(layout)
		for _, node := range []string{"node-1", "node-2"} {
			s.Apply(rules(node, web+":80/tcp", "10.244.1.3:8080"))
		}
		balanced := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
			Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, ClusterIP: web}}
		s.Apply(&trace.Event{Op: trace.StoreCommit, Deltas: []trace.Delta{object("services", "default/web", balanced)}})
		if got := shapes(s)["balancer/address"].Title; got != "<pending>" {
			t.Errorf("%s: before it is there its address is %q", layout, got)
		}
		balanced = balanced.DeepCopy()
		balanced.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "203.0.113.11"}}
		s.Apply(&trace.Event{Op: trace.StoreCommit, Deltas: []trace.Delta{object("services", "default/web", balanced)}})
		s.Apply(net(trace.NetRequest, "request", int64(1), "from", "outside", "method", "GET", "url", "http://203.0.113.11"))
		s.Apply(net(trace.NetSend, "request", int64(1), "from", "outside", "to", "load-balancer", "destination", "203.0.113.11:80"))
		forwarding := net(trace.Log, "message", "Forwarding", "target", "node-2", "address", "10.0.0.11:30080")
		forwarding.Component = "load-balancer"
		s.Apply(forwarding)
		s.Apply(net(trace.NetSend, "request", int64(2), "from", "load-balancer", "to", "node-2", "destination", "10.0.0.11:30080"))
		s.Apply(net(trace.NetTranslate, "request", int64(2), "node", "node-2", "before", "10.0.0.11:30080", "after", "10.244.1.3:8080"))
		got := shapes(s)
		if address, to := got["balancer/address"].Title, got["balancer/to"].Title; address != "203.0.113.11" || strings.TrimPrefix(to, "→ ") != "node-2:30080" {
			t.Errorf("%s: the load balancer at %q sends it %q", layout, address, to)
		}
		if about, state := got["rules"].About, got["rules/10.244.1.3:8080"].State; about != "kube-proxy/node-2" || state != "chosen" {
			t.Errorf("%s: the rules are those of %q, and the Pod's address is %q", layout, about, state)
		}
		if _, there := got["component/coredns"]; there {
			t.Errorf("%s: DNS stands where the load balancer does", layout)
		}
	}
}

// TestAPhoneShowsTheSlice: in the API server, with its addresses and how many of them are ready.
func TestAPhoneShowsTheSlice(t *testing.T) {
	s, no := following(Narrow), false
	two := slice("default", "web", "10.244.1.3")
	two.Endpoints = append(two.Endpoints, discoveryv1.Endpoint{Addresses: []string{"10.244.2.3"}, Conditions: discoveryv1.EndpointConditions{Ready: &no}})
	s.Apply(&trace.Event{Op: trace.StoreCommit, Deltas: []trace.Delta{object("endpointslices", "default/web-x", two)}})
	got := shapes(s)
	if name := got["slice/name"]; name.Title != "EndpointSlice" || got["slice/ready"].Title != "ready 1/2" || name.About != "endpointslices default/web-x" {
		t.Errorf("the slice says %q %q of %q", name.Title, got["slice/ready"].Title, name.About)
	}
	server, stored := got["apiserver"], got["slice"]
	if server.Word != "scene.api" || stored.X < server.X || stored.Y < server.Y || stored.X+stored.W > server.X+server.W || stored.Y+stored.H > server.Y+server.H {
		t.Errorf("the slice is not in the API server that stores it: %+v, %+v", stored, server)
	}
	if address := got["service/address"].Title; address != "web "+web {
		t.Errorf("the API server has the Service as %q", address)
	}
	for address, state := range map[string]string{"10.244.1.3": "ready", "10.244.2.3": "waiting"} {
		if l := got["slice/"+address]; l.Title != address || l.State != state {
			t.Errorf("%s is shown as %q, %s", address, l.Title, l.State)
		}
	}
}

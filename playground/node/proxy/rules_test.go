package proxy

import (
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/network"
)

// Names that a real kube-proxy gives: pkg/proxy/iptables/proxier_test.go has them.
func TestChainNames(t *testing.T) {
	if got := chainHash("ns1/svc1:p80" + "tcp"); got != "XPGD46QRK7WJZT7O" {
		t.Errorf("KUBE-SVC-%s", got)
	}
	if got := chainHash("ns1/svc1:p80" + "tcp" + "10.180.0.1:80"); got != "SXIVWICOYRO3J4NJ" {
		t.Errorf("KUBE-SEP-%s", got)
	}
}

func portName(name string) ServicePortName {
	return ServicePortName{types.NamespacedName{Namespace: "ns1", Name: name}, "p80", corev1.ProtocolTCP}
}

func ready(ip, node string) *Endpoint {
	return &Endpoint{IP: ip, Port: 80, Ready: true, Serving: true, Local: node == "node-1"}
}

func ending(ip, node string) *Endpoint {
	return &Endpoint{IP: ip, Port: 80, Serving: true, Terminating: true, Local: node == "node-1"}
}

const golden = `*filter
:KUBE-NODEPORTS - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
:KUBE-FORWARD - [0:0]
-A KUBE-SERVICES -m comment --comment "ns1/svc2:p80 has no endpoints" -m tcp -p tcp -d 172.30.0.42 --dport 80 -j REJECT
-A KUBE-EXTERNAL-SERVICES -m comment --comment "ns1/svc2:p80 has no endpoints" -m addrtype --dst-type LOCAL -m tcp -p tcp --dport 3002 -j REJECT
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x4000/0x4000 -j ACCEPT
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
COMMIT
*nat
:KUBE-NODEPORTS - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-SVC-XPGD46QRK7WJZT7O - [0:0]
:KUBE-SEP-SXIVWICOYRO3J4NJ - [0:0]
:KUBE-SVC-4SW47YFZTEDKD3PK - [0:0]
:KUBE-SVL-4SW47YFZTEDKD3PK - [0:0]
:KUBE-EXT-4SW47YFZTEDKD3PK - [0:0]
:KUBE-SEP-UKSFD7AGPMPPLUHC - [0:0]
:KUBE-SEP-C6EBXVWJJZMIWKLZ - [0:0]
-A KUBE-NODEPORTS -m comment --comment ns4/svc4:p80 -m tcp -p tcp --dport 3004 -j KUBE-EXT-4SW47YFZTEDKD3PK
-A KUBE-SERVICES -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d 172.30.0.41 --dport 80 -j KUBE-SVC-XPGD46QRK7WJZT7O
-A KUBE-SERVICES -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 -j KUBE-SVC-4SW47YFZTEDKD3PK
-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --xor-mark 0x4000
-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully
-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000
-A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d 172.30.0.41 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 -> 10.180.0.1:80" -j KUBE-SEP-SXIVWICOYRO3J4NJ
-A KUBE-SEP-SXIVWICOYRO3J4NJ -m comment --comment ns1/svc1:p80 -s 10.180.0.1 -j KUBE-MARK-MASQ
-A KUBE-SEP-SXIVWICOYRO3J4NJ -m comment --comment ns1/svc1:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.1:80
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -m recent --name KUBE-SEP-UKSFD7AGPMPPLUHC --rcheck --seconds 10800 --reap -j KUBE-SEP-UKSFD7AGPMPPLUHC
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.5:80" -m recent --name KUBE-SEP-C6EBXVWJJZMIWKLZ --rcheck --seconds 10800 --reap -j KUBE-SEP-C6EBXVWJJZMIWKLZ
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -m statistic --mode random --probability 0.5000000000 -j KUBE-SEP-UKSFD7AGPMPPLUHC
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.5:80" -j KUBE-SEP-C6EBXVWJJZMIWKLZ
-A KUBE-SVL-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -m recent --name KUBE-SEP-UKSFD7AGPMPPLUHC --rcheck --seconds 10800 --reap -j KUBE-SEP-UKSFD7AGPMPPLUHC
-A KUBE-SVL-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -j KUBE-SEP-UKSFD7AGPMPPLUHC
-A KUBE-EXT-4SW47YFZTEDKD3PK -m comment --comment "pod traffic for ns4/svc4:p80 external destinations" -s 10.0.0.0/8 -j KUBE-SVC-4SW47YFZTEDKD3PK
-A KUBE-EXT-4SW47YFZTEDKD3PK -m comment --comment "masquerade LOCAL traffic for ns4/svc4:p80 external destinations" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ
-A KUBE-EXT-4SW47YFZTEDKD3PK -m comment --comment "route LOCAL traffic for ns4/svc4:p80 external destinations" -m addrtype --src-type LOCAL -j KUBE-SVC-4SW47YFZTEDKD3PK
-A KUBE-EXT-4SW47YFZTEDKD3PK -j KUBE-SVL-4SW47YFZTEDKD3PK
-A KUBE-SEP-UKSFD7AGPMPPLUHC -m comment --comment ns4/svc4:p80 -s 10.180.0.4 -j KUBE-MARK-MASQ
-A KUBE-SEP-UKSFD7AGPMPPLUHC -m comment --comment ns4/svc4:p80 -m recent --name KUBE-SEP-UKSFD7AGPMPPLUHC --set -m tcp -p tcp -j DNAT --to-destination 10.180.0.4:80
-A KUBE-SEP-C6EBXVWJJZMIWKLZ -m comment --comment ns4/svc4:p80 -s 10.180.0.5 -j KUBE-MARK-MASQ
-A KUBE-SEP-C6EBXVWJJZMIWKLZ -m comment --comment ns4/svc4:p80 -m recent --name KUBE-SEP-C6EBXVWJJZMIWKLZ --set -m tcp -p tcp -j DNAT --to-destination 10.180.0.5:80
COMMIT
`

func TestGoldenRules(t *testing.T) {
	four := ServicePortName{types.NamespacedName{Namespace: "ns4", Name: "svc4"}, "p80", corev1.ProtocolTCP}
	services := ServicePortMap{
		portName("svc1"): {ClusterIP: "172.30.0.41", Port: 80, Protocol: "tcp"},
		portName("svc2"): {ClusterIP: "172.30.0.42", Port: 80, NodePort: 3002, Protocol: "tcp"},
		four:             {ClusterIP: "172.30.0.44", Port: 80, NodePort: 3004, Protocol: "tcp", AffinitySeconds: 10800, ExternalLocal: true},
	}
	endpoints := EndpointsMap{
		portName("svc1"): {ready("10.180.0.1", "node-1")},
		four:             {ready("10.180.0.4", "node-1"), ready("10.180.0.5", "node-2")},
	}
	rules, forwards := BuildRules(services, endpoints, "node-1", "", "10.0.0.0/8")
	if got := rules.String(); got != golden {
		a, b := strings.Split(got, "\n"), strings.Split(golden, "\n")
		for i := range max(len(a), len(b)) {
			x, y := "", ""
			if i < len(a) {
				x = a[i]
			}
			if i < len(b) {
				y = b[i]
			}
			if x != y {
				t.Errorf("line %d:\ngot  %s\nwant %s", i+1, x, y)
			}
		}
	}
	for to, want := range map[string]string{
		"172.30.0.41:80/tcp": "10.180.0.1:80", "172.30.0.42:80/tcp": network.Reject, "node:3002/tcp": network.Reject,
		"172.30.0.44:80/tcp": "10.180.0.4:80 10.180.0.5:80", "node:3004/tcp": "10.180.0.4:80",
	} {
		if forwards[to] != want {
			t.Errorf("%s leads to %q, want %q", to, forwards[to], want)
		}
	}
}

func TestCategorizeEndpoints(t *testing.T) {
	zoned := func(e *Endpoint, zones ...string) *Endpoint { e.Zones = zones; return e }
	noded := func(e *Endpoint, nodes ...string) *Endpoint { e.Nodes = nodes; return e }
	notReady := func(ip, node string) *Endpoint { e := ready(ip, node); e.Ready, e.Serving = false, false; return e }
	plain := ServicePort{}
	inside := ServicePort{Inside: true}
	outside := ServicePort{NodePort: 1, ExternalLocal: true}
	for _, test := range []struct {
		name           string
		svc            ServicePort
		all            []*Endpoint
		cluster, local string
		any            bool
	}{
		{"none", plain, nil, "", "", false},
		{"only ready ones", plain, []*Endpoint{ready("a", "node-1"), notReady("b", "node-2")}, "a", "", true},
		{"not the ending ones", plain, []*Endpoint{ready("a", "node-1"), ending("b", "node-2")}, "a", "", true},
		{"unless there are only those", plain, []*Endpoint{notReady("a", "node-1"), ending("b", "node-2")}, "b", "", true},
		{"internal Local", inside, []*Endpoint{ready("a", "node-1"), ready("b", "node-2")}, "", "a", true},
		{"internal Local, none here", inside, []*Endpoint{ready("b", "node-2")}, "", "", true},
		{"internal Local, none at all", inside, []*Endpoint{notReady("a", "node-1")}, "", "", false},
		{"external Local", outside, []*Endpoint{ready("a", "node-1"), ready("b", "node-2")}, "a b", "a", true},
		{"external Local, one is ending here", outside, []*Endpoint{ending("a", "node-1"), ready("b", "node-2")}, "b", "a", true},
		{"zones", plain, []*Endpoint{zoned(ready("a", "node-1"), "x"), zoned(ready("b", "node-2"), "y")}, "a", "", true},
		{"zones, one without a hint", plain, []*Endpoint{zoned(ready("a", "node-1"), "x"), ready("b", "node-2")}, "a b", "", true},
		{"zones, none for this one", plain, []*Endpoint{zoned(ready("b", "node-2"), "y")}, "b", "", true},
		{"nodes", plain, []*Endpoint{noded(ready("a", "node-2"), "node-2"), noded(ready("b", "node-1"), "node-1")}, "b", "", true},
	} {
		names := func(list []*Endpoint) string {
			var out []string
			for _, e := range list {
				out = append(out, e.IP)
			}
			return strings.Join(out, " ")
		}
		cluster, local, any := CategorizeEndpoints(test.all, &test.svc, "node-1", "x")
		if got, want := fmt.Sprint(names(cluster), "|", names(local), any), fmt.Sprint(test.cluster, "|", test.local, test.any); got != want {
			t.Errorf("%s: %s, want %s", test.name, got, want)
		}
	}
}

// Whether a Service's traffic stays on its node is a change for the proxy; what no rule is made of is none.
func TestSameForProxy(t *testing.T) {
	local, anywhere := corev1.ServiceInternalTrafficPolicyLocal, corev1.ServiceInternalTrafficPolicyCluster
	svc := func(change func(*corev1.Service)) *corev1.Service {
		s := &corev1.Service{}
		s.Name, s.Namespace = "web", "default"
		s.Spec = corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, ClusterIP: "10.96.0.9", Ports: []corev1.ServicePort{{Port: 80, Protocol: "TCP"}},
			InternalTrafficPolicy: &anywhere}
		change(s)
		return s
	}
	for name, c := range map[string]struct {
		change func(*corev1.Service)
		same   bool
	}{
		"nothing":           {func(*corev1.Service) {}, true},
		"an annotation":     {func(s *corev1.Service) { s.Annotations = map[string]string{"a": "b"} }, true},
		"the policy inside": {func(s *corev1.Service) { s.Spec.InternalTrafficPolicy = &local }, false},
		"the address":       {func(s *corev1.Service) { s.Spec.ClusterIP = "10.96.0.8" }, false},
		"an address more":   {func(s *corev1.Service) { s.Spec.ExternalIPs = []string{"1.2.3.4"} }, false},
		"the port":          {func(s *corev1.Service) { s.Spec.Ports[0].Port = 81 }, false},
	} {
		if got := sameForProxy(svc(func(*corev1.Service) {}), svc(c.change)); got != c.same {
			t.Errorf("%s: same %v", name, got)
		}
	}
}

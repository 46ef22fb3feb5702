//go:build !js || cel

package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/trace"
)

// TestPacketsOfUDP: Kubernetes' conformance tests of the network, as they go about it, and what they leave out. A Service of UDP is found by its
// name and its port of nodes, and a packet that nobody answers is forgotten. Upstream: test/e2e/framework/network/utils.go, DialFromContainer
// and DialFromNode.
func TestPacketsOfUDP(t *testing.T) {
	netexec := func(name, spec, args string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","labels":{"app":"` + name + `"}},"spec":{` + spec + `"containers":[
			{"name":"webserver","image":"registry.k8s.io/e2e-test-images/agnhost:2.63.0","args":[` + args + `]}]}}`
	}
	w := newNetWorld(t, 1, false,
		netexec("server", `"nodeName":"node-2",`, `"netexec","--http-port=8083","--udp-port=8081"`),
		netexec("tester", `"nodeName":"node-1",`, `"netexec","--http-port=9080"`),
		netexec("host", `"nodeName":"node-1","hostNetwork":true,`, `"pause"`),
		service("packets", `{"type":"NodePort","selector":{"app":"server"},"ports":[
			{"name":"http","port":90,"targetPort":8083},{"name":"udp","port":90,"targetPort":8081,"protocol":"UDP","nodePort":30090}]}`),
		service("nobody", `{"selector":{"app":"nobody"},"ports":[{"name":"udp","port":90,"protocol":"UDP"}]}`))
	ip := w.podIP("server")
	dial := func(protocol, host, port string) string {
		return `exec tester -- curl -g -q -s 'http://` + w.podIP("tester") + `:9080/dial?request=hostname&protocol=` + protocol +
			`&host=` + host + `&port=` + port + `&tries=1'`
	}
	for _, c := range []struct{ line, want string }{
		{dial("http", ip, "8083"), `{"responses":["server"]}`},
		{dial("udp", ip, "8081"), `{"responses":["server"]}`},
		{dial("udp", "packets", "90"), `{"responses":["server"]}`},
		{dial("http", "packets", "90"), `{"responses":["server"]}`},
		{dial("udp", w.service("packets").Spec.ClusterIP, "90"), `{"responses":["server"]}`},
		{dial("udp", "10.0.0.10", "30090"), `{"responses":["server"]}`},
		{dial("udp", "nobody", "90"), `read: connection refused'"]}`},
		{dial("udp", "no-such-name", "90"), `host and/or port param are invalid. lookup no-such-name: no such host`},
		{dial("udp", "packets", "91"), `:91: i/o timeout'"]}`},
		{dial("udp", ip, "8083"), `read: connection refused'"]}`},
		{`exec host -- sh -c "echo hostName | nc -w 1 -u ` + ip + ` 8081 | grep -v '^\s*$'"`, "server"},
		{`exec host -- sh -c "curl -g -q -s --max-time 15 --connect-timeout 1 http://` + ip + `:8083/hostName | grep -v '^\s*$'"`, "server"},
		{`exec host -- sh -c "echo clientip | nc -w 1 -u ` + ip + ` 8081"`, "10.0.0.10:3"},
		{`exec host -- sh -c "echo nonsense | nc -w 1 -u ` + w.service("packets").Spec.ClusterIP + ` 90"`, ""},
	} {
		got := strings.TrimSpace(typed(t, w.Cluster, c.line, ""))
		if !strings.HasSuffix(got, c.want) && !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("$ %s\n%s\nwant …%s", c.line, got, c.want)
		}
	}
	connections := func() (n int) {
		for cell := range w.Trace().Now() {
			if cell.Kind == trace.CellConnection && strings.HasPrefix(cell.Key, "udp default/host ") {
				n++
			}
		}
		return n
	}
	if n := connections(); n != 1 {
		t.Errorf("%d packets are known that nobody has answered, want 1", n)
	}
	if w.RunUntil(w.Elapsed() + 31*time.Second); connections() != 0 {
		t.Errorf("they are known after half a minute, too")
	}
}

// podIP is the address of a Pod.
func (w *netWorld) podIP(name string) string {
	w.Helper()
	return typed(w.T, w.Cluster, "get pod "+name+" -o jsonpath={.status.podIP}", "")
}

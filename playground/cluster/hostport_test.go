package cluster_test

import (
	"strings"
	"testing"
)

// TestHostPorts: a port of the node leads to the Pod that has it, at the address and with the protocol that the Pod says. Upstream:
// test/e2e/network/hostport.go.
func TestHostPorts(t *testing.T) {
	pod := func(name, port string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `"},"spec":{"nodeName":"node-1","containers":[
			{"name":"a","image":"nginx","ports":[{"containerPort":80,` + port + `}]}]}}`
	}
	w := newNetWorld(t, 1, false, pod("local", `"hostPort":54323,"hostIP":"127.0.0.1"`), pod("node", `"hostPort":54323,"hostIP":"10.0.0.10"`),
		pod("any", `"hostPort":54324`),
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"host"},"spec":{"nodeName":"node-1","hostNetwork":true,"containers":[
			{"name":"sh","image":"alpine","command":["sleep","infinity"]}]}}`)
	for _, c := range []struct{ from, url, want string }{
		{"host", "http://127.0.0.1:54323", "local"}, {"host", "http://10.0.0.10:54323", "node"}, {"client", "http://10.0.0.10:54323", "node"},
		{"host", "http://127.0.0.1:54324", "any"}, {"host", "http://localhost:54324", "any"}, {"client", "http://10.0.0.10:54324", "any"},
		{"client", "http://10.0.0.11:54324", "wget: can't connect"}, {"client", "http://10.0.0.10:54325", "wget: can't connect"},
	} {
		got := typed(t, w.Cluster, "exec "+c.from+" -- wget -qO- "+c.url, "")
		if !strings.HasPrefix(strings.TrimPrefix(got, "! "), c.want) {
			t.Errorf("%s asks %s: %s, want %s", c.from, c.url, got, c.want)
		}
	}
	w.asks("outside", "http://10.0.0.10:54324", "200 any")
}

//go:build !js || cel

package cluster_test

import (
	"strings"
	"testing"
	"time"
)

// TestPreStopWrites: a Pod that is deleted tells another one before it ends. Upstream: test/e2e/node/pre_stop.go.
func TestPreStopWrites(t *testing.T) {
	w := newNetWorld(t, 1, false, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"server"},"spec":{"containers":[
		{"name":"server","image":"registry.k8s.io/e2e-test-images/agnhost:2.63.0","args":["nettest"],"ports":[{"containerPort":8080}]}]}}`)
	url := "http://" + w.podIP("server") + ":8080"
	typed(t, w.Cluster, "apply -f tester", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"tester"},"spec":{"containers":[
		{"name":"tester","image":"registry.k8s.io/e2e-test-images/busybox:1.37.0-1","command":["sleep","600"],"lifecycle":{"preStop":{"exec":
		{"command":["wget","-O-","--post-data={\"Source\": \"prestop\"}","`+url+`/write"]}}}}]}}`)
	w.pass(10 * time.Second)
	if got := w.ask("client", url+"/read").Output; !strings.Contains(got, `"Received": null`) {
		t.Errorf("before: %s", got)
	}
	typed(t, w.Cluster, "delete pod tester", "")
	if got := w.ask("client", url+"/read").Output; !strings.Contains(got, "\"Received\": {\n\t\t\"prestop\": 1\n\t}") {
		t.Errorf("after: %s", got)
	}
	if got := w.ask("client", url+"/status").Output; !strings.HasPrefix(got, "200 running") {
		t.Errorf("status: %s", got)
	}
}

// TestPorter: a server at each port that the Pod's variables name. Upstream: test/e2e/network/proxy.go.
func TestPorter(t *testing.T) {
	w := newNetWorld(t, 1, false, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"porter"},"spec":{"containers":[
		{"name":"a","image":"registry.k8s.io/e2e-test-images/agnhost:2.63.0","command":["/agnhost","porter"],"ports":[{"containerPort":162},{"containerPort":99}],
			"env":[{"name":"SERVE_PORT_80","value":"foo"},{"name":"SERVE_PORT_162","value":"bar"},{"name":"SERVE_TLS_PORT_443","value":"tls baz"}]}]}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"json"},"spec":{"containers":[
		{"name":"a","image":"registry.k8s.io/e2e-test-images/agnhost:2.63.0","command":["/agnhost","porter","--json-response"],
			"env":[{"name":"SERVE_PORT_80","value":"foo"}]}]}}`)
	ip := w.podIP("porter")
	for _, c := range []struct{ url, want string }{
		{"http://" + ip, "200 foo"}, {"http://" + ip + ":162/x", "200 bar"}, {"https://" + ip + ":443", "200 tls baz"},
		{"http://" + ip + ":443", "400 Client sent an HTTP request to an HTTPS server."}, {"http://" + ip + ":99", "http://" + ip + ":99: connection refused"},
		{"http://" + ip + ":81", "http://" + ip + ":81: connection refused"}, {"http://" + w.podIP("json"), `200 {"Method":"GET","Body":"foo"}`},
	} {
		w.asks("client", c.url, c.want)
	}
}

// TestLogsGenerator: so many lines, one after the other. Upstream: test/e2e/kubectl/logs.go.
func TestLogsGenerator(t *testing.T) {
	w := newNetWorld(t, 1, false)
	typed(t, w.Cluster, "run gen --image=registry.k8s.io/e2e-test-images/agnhost:2.63.0 --restart=Never -- logs-generator --log-lines-total 100 --run-duration 20s", "")
	w.pass(40 * time.Second)
	lines := strings.Split(typed(t, w.Cluster, "logs gen", ""), "\n")
	if len(lines) != 100 || !strings.Contains(lines[0], "logs_generator.go:78] 0 ") || !strings.Contains(lines[99], "] 99 ") {
		t.Errorf("%d lines, from %s to %s", len(lines), lines[0], lines[len(lines)-1])
	}
	if text := strings.Join(lines, "\n"); !strings.Contains(text, "/api/v1/namespaces/kube-system/pods/") || !strings.Contains(text, " PUT ") {
		t.Error("the lines are all the same")
	}
}

// TestGuestbook: what is written by the one in front is read from the replicas, also from those that come later. Upstream:
// test/e2e/kubectl/kubectl.go, "should create and stop a working application".
func TestGuestbook(t *testing.T) {
	pod := func(name, args string, port string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","labels":{"app":"` + name + `"}},"spec":{"containers":[
			{"name":"a","image":"registry.k8s.io/e2e-test-images/agnhost:2.63.0","args":["guestbook",` + args + `],"ports":[{"containerPort":` + port + `}]}]}}`
	}
	replica := pod("agnhost-replica", `"--replicaof","agnhost-primary","--http-port","6379"`, "6379")
	w := newNetWorld(t, 1, false, replica, pod("agnhost-primary", `"--http-port","6379"`, "6379"), pod("frontend", `"--backend-port","6379"`, "80"),
		service("agnhost-primary", `{"selector":{"app":"agnhost-primary"},"ports":[{"port":6379}]}`),
		service("agnhost-replica", `{"selector":{"app":"agnhost-replica"},"ports":[{"port":6379}]}`))
	front := "http://" + w.podIP("frontend") + "/guestbook?cmd="
	w.asks("client", front+"get&key=messages", `200 {"data":""}`)
	w.asks("client", front+"set&key=messages&value=TestEntry", `200 {"message":"Updated"}`)
	w.asks("client", front+"get&key=messages", `200 {"data":"TestEntry"}`)
	w.asks("client", front+"put", "400 unsupported cmd: 'put'")
	typed(t, w.Cluster, "delete pod agnhost-replica", "")
	w.asks("client", front+"get&key=messages", "417 encountered error: ")
	typed(t, w.Cluster, "apply -f replica", replica)
	w.pass(20 * time.Second)
	w.asks("client", front+"get&key=messages", `200 {"data":"TestEntry"}`)
}

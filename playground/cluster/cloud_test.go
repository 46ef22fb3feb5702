package cluster_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// cloudWorld is a cluster of three nodes in a cloud, with three web Pods.
func cloudWorld(t *testing.T) *netWorld {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Network, config.Cloud = true, true
	w := &netWorld{t, cluster.New(config, 1), 1}
	t.Cleanup(w.Close)
	w.pass(12 * time.Second)
	typed(t, w.Cluster, "apply -f web", webManifest)
	typed(t, w.Cluster, "apply -f client", clientManifest)
	w.RunUntil(40 * time.Second)
	return w
}

func (w *netWorld) pass(d time.Duration) { w.RunUntil(w.Elapsed() + d) }

const (
	wants   = `{"type":"LoadBalancer","selector":{"app":"web"},"ports":[{"port":8080,"targetPort":"http"}]}`
	address = "get service lb -o jsonpath={.status.loadBalancer.ingress[0].ip}"
	events  = "get events --field-selector reason="
)

// balancer creates a Service that wants a load balancer, and returns the address and port.
func (w *netWorld) balancer() string {
	w.Helper()
	typed(w.T, w.Cluster, "apply -f lb", service("lb", wants))
	w.pass(20 * time.Second)
	ip := typed(w.T, w.Cluster, address, "")
	if !strings.HasPrefix(ip, "203.0.113.") {
		w.Fatalf("its address is %q", ip)
	}
	return "http://" + ip + ":8080"
}

// asks is what came of a request.
func (w *netWorld) asks(from, url, want string) {
	w.Helper()
	o := w.ask(from, url)
	if got := o.Output + o.Error; !strings.HasPrefix(got, want) {
		w.Errorf("%s asks %s: got %q, want %q", from, url, got, want)
	}
}

// TestALoadBalancerAnswers: to whoever is outside or inside, while its Service wants it, by the nodes that are healthy.
func TestALoadBalancerAnswers(t *testing.T) {
	w := cloudWorld(t)
	url := w.balancer()
	for _, from := range []string{"outside", "outside", "outside", "client", "node-2"} {
		w.asks(from, url, "200 web-")
	}
	w.asks("outside", strings.Replace(url, "8080", "8081", 1), strings.Replace(url, "8080", "8081", 1)+": timed out")
	typed(t, w.Cluster, "patch service lb -p '{\"spec\":{\"ports\":[{\"port\":8080,\"targetPort\":81}]}}'", "")
	w.pass(10 * time.Second)
	w.asks("outside", url, url+": connection refused")
	typed(t, w.Cluster, "patch service lb -p '{\"spec\":{\"ports\":[{\"port\":8080,\"targetPort\":\"http\"}]}}'", "")
	w.pass(10 * time.Second)
	w.asks("outside", url, "200 web-")

	for _, node := range []string{"node-1", "node-2"} {
		w.do(cluster.Input{Kind: cluster.Stop, Component: "kube-proxy/" + node})
	}
	w.pass(time.Second)
	for range 4 {
		w.asks("outside", url, "200 web-") // by the third
	}
	w.do(cluster.Input{Kind: cluster.Stop, Component: "kube-proxy/node-3"})
	w.pass(time.Second)
	w.asks("outside", url, url+": connection refused")
	w.do(cluster.Input{Kind: cluster.Start, Component: "kube-proxy/node-3"})
	w.pass(10 * time.Second)
	w.asks("outside", url, "200 web-")

	typed(t, w.Cluster, `patch service lb -p '{"spec":{"type":"ClusterIP"}}'`, "")
	w.pass(10 * time.Second)
	w.asks("outside", url, url+": timed out")
	if got := typed(t, w.Cluster, address, ""); got != "" {
		t.Errorf("its address is still %q", got)
	}
}

// TestALocalLoadBalancer asks only nodes that have an endpoint.
func TestALocalLoadBalancer(t *testing.T) {
	w := cloudWorld(t)
	typed(t, w.Cluster, "scale rs web --replicas=1", "")
	w.pass(5 * time.Second)
	url := w.balancer()
	typed(t, w.Cluster, `patch service lb -p '{"spec":{"externalTrafficPolicy":"Local"}}'`, "")
	w.pass(10 * time.Second)
	for range 4 {
		w.asks("outside", url, "200 web-")
	}
	typed(t, w.Cluster, "scale rs web --replicas=0", "")
	w.pass(30 * time.Second)
	w.asks("outside", url, url+": connection refused")
}

// TestAServiceWaitsForItsLoadBalancer: the finalizer keeps it while the cloud fails, and the address answers.
func TestAServiceWaitsForItsLoadBalancer(t *testing.T) {
	w := cloudWorld(t)
	url := w.balancer()
	w.do(fail("cloud-controller-manager", "api-errors"))
	typed(t, w.Cluster, "delete service lb --wait=false", "")
	w.pass(30 * time.Second)
	if got, want := typed(t, w.Cluster, "get service lb -o jsonpath={.metadata.finalizers}", ""), `["service.kubernetes.io/load-balancer-cleanup"]`; got != want {
		t.Errorf("finalizers %s, want %s", got, want)
	}
	w.asks("outside", url, "200 web-")
	w.do(heal("", "cloud-controller-manager", ""))
	w.pass(time.Minute)
	if got := typed(t, w.Cluster, "get service lb --ignore-not-found", ""); got != "" {
		t.Errorf("it is there: %s", got)
	}
	w.asks("outside", url, url+": timed out")
}

// TestTheQuotaOfACloud: a second load balancer has to wait.
func TestTheQuotaOfACloud(t *testing.T) {
	w := cloudWorld(t)
	w.balancer()
	w.do(fail("cloud-controller-manager", "quota"))
	typed(t, w.Cluster, "apply -f second", service("second", wants))
	w.pass(20 * time.Second)
	if got := typed(t, w.Cluster, "get service second --no-headers", ""); !strings.Contains(got, "<pending>") {
		t.Errorf("got %s", got)
	}
	got := typed(t, w.Cluster, events+"SyncLoadBalancerFailed -o jsonpath='{.items[0].type} {.items[0].source.component} {.items[0].message}'", "")
	want := "Warning service-controller Error syncing load balancer: failed to ensure load balancer: " +
		"CreateLoadBalancer: quota exceeded: region-1 has 1 load balancers of 1"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	w.do(heal("", "cloud-controller-manager", ""))
	w.pass(time.Minute)
	if got := typed(t, w.Cluster, "get service second --no-headers", ""); !strings.Contains(got, "203.0.113.") {
		t.Errorf("got %s", got)
	}
}

// TestAnInstanceIsTerminated: its Node goes and its Pods are replaced, no load balancer asks it, and it can't be switched on.
func TestAnInstanceIsTerminated(t *testing.T) {
	w := cloudWorld(t)
	url := w.balancer()
	w.do(cluster.Input{Kind: cluster.TerminateInstance, Node: "node-2"})
	w.pass(2 * time.Minute)
	for range 6 {
		w.asks("outside", url, "200 web-")
	}
	if got, want := typed(t, w.Cluster, "get nodes -o name", ""), "node/node-1\nnode/node-3"; strings.TrimSpace(got) != want {
		t.Errorf("got %s", got)
	}
	if got, want := typed(t, w.Cluster, events+"DeletingNode -o jsonpath='{.items[0].message}'", ""),
		"Deleting node node-2 because it does not exist in the cloud provider"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := typed(t, w.Cluster, events+"UpdatedLoadBalancer -o jsonpath='{.items[0].message}'", ""), "Updated load balancer with new hosts"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := typed(t, w.Cluster, "get pods -l app=web --no-headers -o wide", ""); len(regexp.MustCompile(`1/1 +Running`).FindAllString(got, -1)) != 3 ||
		strings.Contains(got, "node-2") {
		t.Errorf("got\n%s", got)
	}
	for _, test := range []struct {
		kind cluster.Kind
		node string
		want string
	}{
		{cluster.StartNode, "node-2", `instance "node-2" was terminated: the cloud has no machine to switch on`},
		{cluster.TerminateInstance, "node-2", `instance "node-2" was terminated already`},
		{cluster.TerminateInstance, "node-9", `there is no node "node-9"`},
		{cluster.KillNode, "node-3", ""},
		{cluster.TerminateInstance, "node-3", ""},
	} {
		w.do(cluster.Input{Kind: test.kind, Node: test.node})
		w.pass(time.Second)
		if all := w.Outcomes(); all[len(all)-1].Error != test.want {
			t.Errorf("%s %s: got %q, want %q", test.kind, test.node, all[len(all)-1].Error, test.want)
		}
	}
}

// TestAnInstanceIsShutDown: its Node stays, with a taint, until it runs again.
func TestAnInstanceIsShutDown(t *testing.T) {
	w := cloudWorld(t)
	taints := func() string { return typed(t, w.Cluster, "get node node-2 -o jsonpath='{.spec.taints[*].key}'", "") }
	w.do(cluster.Input{Kind: cluster.KillNode, Node: "node-2"})
	w.pass(2 * time.Minute)
	if got := taints(); !strings.Contains(got, "node.cloudprovider.kubernetes.io/shutdown") {
		t.Errorf("taints: %s", got)
	}
	w.do(cluster.Input{Kind: cluster.StartNode, Node: "node-2"})
	w.pass(time.Minute)
	if got := taints(); got != "" {
		t.Errorf("it runs again, with taints %s", got)
	}
}

func TestNoCloud(t *testing.T) {
	c := up(t)
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.TerminateInstance, Node: "node-1"})
	c.RunUntil(c.Elapsed() + time.Second)
	if got, want := c.Outcomes()[0].Error, "this cluster is in no cloud: put it into one with cluster: {cloud: true}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// on is a Pod on a node.
func on(name, node, image string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},"spec":{"nodeSelector":{"kubernetes.io/hostname":%q},`+
		`"terminationGracePeriodSeconds":1,"containers":[{"name":"c","image":%q,"command":["sleep","infinity"]}]}}`, name, node, image)
}

// routedWorld is a cluster of two nodes in a cloud with routes. node-1 has the Pods client and near, node-2 the Pod far.
func routedWorld(t *testing.T) *netWorld {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Nodes, config.Network, config.Cloud, config.CloudRoutes = cluster.NumberedNodes(2), true, true, true
	config.Authorization = cluster.RBAC
	w := &netWorld{t, cluster.New(config, 1), 1}
	t.Cleanup(w.Close)
	w.pass(20 * time.Second)
	for name, node := range map[string]string{"client": "node-1", "near": "node-1", "far": "node-2"} {
		manifest := on(name, node, "busybox:1.36")
		if name != "client" {
			manifest = strings.Replace(on(name, node, "nginx:1.27"), `,"command":["sleep","infinity"]`, "", 1)
		}
		typed(t, w.Cluster, "apply -f "+name, manifest)
	}
	w.pass(15 * time.Second)
	return w
}

// pod is a Pod's address, as a URL.
func (w *netWorld) pod(name string) string {
	w.Helper()
	return "http://" + typed(w.T, w.Cluster, "get pod "+name+" -o jsonpath={.status.podIP}", "")
}

// route is what a Node says of its routes, and its taints.
func (w *netWorld) route(node string) string {
	w.Helper()
	return typed(w.T, w.Cluster, "get node "+node+
		` -o jsonpath='{.status.conditions[?(@.type=="NetworkUnavailable")].reason} {.spec.taints[*].key}'`, "")
}

// again has a node's Node deleted, and made again by its kubelet.
func (w *netWorld) again(node string) {
	w.Helper()
	w.do(cluster.Input{Kind: cluster.Stop, Component: "kubelet/" + node})
	typed(w.T, w.Cluster, "delete node "+node, "")
	w.pass(15 * time.Second)
	w.do(cluster.Input{Kind: cluster.Start, Component: "kubelet/" + node})
	w.pass(2 * time.Second)
}

// TestPodsNeedARoute: from node to node, in both directions; not within a node, and not to a node's own address.
func TestPodsNeedARoute(t *testing.T) {
	w := routedWorld(t)
	far, near := w.pod("far"), w.pod("near")
	if got, want := w.route("node-2"), "RouteCreated "; got != want {
		t.Errorf("node-2: got %q, want %q", got, want)
	}
	w.asks("client", far, "200 far")
	w.asks("client", near, "200 near")

	w.again("node-2")
	w.asks("client", far, far+": timed out")
	w.asks("node-1", far, "200 far") // the request has taken so long that there is a route now
	w.do(fail("cloud-controller-manager", "route-quota"))
	w.again("node-1")
	w.asks("client", near, "200 near")
	w.asks("client", far, far+": timed out") // the answer finds no way
	w.asks("node-1", far, "200 far")
}

// TestNoRouteKeepsPodsAway: the condition, the taint and the Event, until the cloud makes a route.
func TestNoRouteKeepsPodsAway(t *testing.T) {
	w := routedWorld(t)
	w.do(fail("cloud-controller-manager", "route-quota"))
	w.again("node-2")
	w.pass(13 * time.Second)
	if got, want := w.route("node-2"), "NoRouteCreated node.kubernetes.io/network-unavailable"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got := typed(t, w.Cluster, events+"FailedToCreateRoute "+
		"-o jsonpath='{.items[0].type} {.items[0].source.component} {.items[0].involvedObject.name} {.items[0].message}'", "")
	if !strings.HasPrefix(got, "Warning route_controller node-2 Could not create route ") ||
		!strings.HasSuffix(got, "ms: CreateRoute: quota exceeded: region-1 has 1 routes of 1") || !strings.Contains(got, " 10.244.2.0/24 for node node-2 after ") {
		t.Errorf("got %s", got)
	}
	typed(t, w.Cluster, "apply -f late", on("late", "node-2", "busybox:1.36"))
	w.pass(5 * time.Second)
	if got := typed(t, w.Cluster, "get pod late --no-headers", ""); !strings.Contains(got, "Pending") {
		t.Errorf("got %s", got)
	}
	w.do(heal("", "cloud-controller-manager", ""))
	w.pass(20 * time.Second)
	if got, want := w.route("node-2"), "RouteCreated "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := typed(t, w.Cluster, "get pod late --no-headers", ""); !strings.Contains(got, "Running") {
		t.Errorf("got %s", got)
	}
}

func TestNoRoutes(t *testing.T) {
	if err := (cluster.Config{CloudRoutes: true}).Validate(); err == nil || err.Error() != "cloudRoutes needs cloud" {
		t.Errorf("got %v", err)
	}
	w := cloudWorld(t)
	w.do(fail("cloud-controller-manager", "route-quota"))
	w.pass(time.Second)
	all := w.Outcomes()
	if got, want := all[len(all)-1].Error, "this cluster's cloud has no routes: give it some with cluster: {cloudRoutes: true}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := w.route("node-1"), " "; got != want {
		t.Errorf("without routes: got %q, want %q", got, want)
	}
}

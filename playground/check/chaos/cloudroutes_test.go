package chaos

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// What is said of a cloud's routes, and of Nodes without one.
func TestRoutes(t *testing.T) {
	node := func(change func(*corev1.Node)) *corev1.Node {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", Labels: map[string]string{routedLabel: ""}}, Spec: corev1.NodeSpec{PodCIDR: "10.244.1.0/24"},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeNetworkUnavailable, Status: corev1.ConditionFalse, Reason: "RouteCreated"}}}}
		change(n)
		return n
	}
	as := func(*corev1.Node) {}
	type logged struct {
		at      time.Duration
		message string
		cidr    string
		node    string
	}
	to := func(node, cidr string) logged { return logged{0, "Route is made", cidr, node} }
	look := func(at time.Duration) logged { return logged{at, "action for Node", "10.244.1.0/24", "node-1"} }
	own, other := to("node-1", "10.244.1.0/24"), to("node-2", "10.244.2.0/24")
	tainted := func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeNetworkUnavailable}} }
	for name, test := range map[string]struct {
		node *corev1.Node
		logs []logged
		want string
	}{
		"as it should be":    {node(as), []logged{own}, ""},
		"no condition":       {node(func(n *corev1.Node) { n.Status = corev1.NodeStatus{} }), []logged{own}, "has no route"},
		"a failed one":       {node(func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionTrue }), []logged{own}, "has no route"},
		"the taint":          {node(tainted), []logged{own}, "has the taint"},
		"no routes there":    {node(func(n *corev1.Node) { n.Labels, n.Status = nil, corev1.NodeStatus{} }), nil, ""},
		"none was made":      {node(as), nil, `the cloud routes that to ""`},
		"to another node":    {node(as), []logged{to("node-2", "10.244.1.0/24")}, `the cloud routes that to "node-2"`},
		"two":                {node(as), []logged{own, own}, "a second route"},
		"to nobody":          {node(as), []logged{own, other, look(FaultsEnd + time.Second), look(FaultsEnd + 11*time.Second)}, "10.244.2.0/24 to node-2"},
		"to nobody, not yet": {node(as), []logged{own, other, look(time.Second), look(FaultsEnd + 11*time.Second)}, ""},
		"it went":            {node(as), []logged{own, other, {0, "Route is deleted", "10.244.2.0/24", ""}, look(80 * time.Second), look(90 * time.Second)}, ""},
	} {
		k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
		manager := k.Start(cloudManager)
		k.Emit(trace.StoreCommit, trace.Ref{Resource: "nodes", Name: "node-1"}, trace.Attrs("type", "ADDED"),
			trace.Set(trace.Cell{Kind: trace.CellObject, Owner: "nodes", Key: "node-1"}, test.node))
		for _, l := range test.logs {
			k.RunUntil(max(l.at, k.Elapsed()))
			manager.Run(func() {
				k.Emit(trace.Log, trace.Ref{}, trace.Attrs("message", l.message, "cidr", l.cidr, "node", l.node))
			})
		}
		var said []string
		routeUnsettled(test.node, into(&said))
		routesHold(k.Trace(), into(&said))
		if got := strings.Join(said, "; "); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: it says %q, want %q", name, got, test.want)
		}
		k.Close()
	}
}

// A Node begins to say that it has a route when the cloud has one.
func TestRouteCreated(t *testing.T) {
	for _, made := range []bool{true, false} {
		k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
		manager := k.Start(cloudManager)
		say := func(status corev1.ConditionStatus, reason string) {
			k.Emit(trace.StoreCommit, trace.Ref{Resource: "nodes", Name: "node-1"}, trace.Attrs("type", "MODIFIED"),
				trace.Set(trace.Cell{Kind: trace.CellObject, Owner: "nodes", Key: "node-1"}, &corev1.Node{
					ObjectMeta: metav1.ObjectMeta{Name: "node-1", Labels: map[string]string{routedLabel: ""}}, Spec: corev1.NodeSpec{PodCIDR: "10.244.1.0/24"},
					Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeNetworkUnavailable, Status: status, Reason: reason}}}}))
		}
		route := func() {
			manager.Run(func() {
				k.Emit(trace.Log, trace.Ref{}, trace.Attrs("message", "Route is made", "cidr", "10.244.1.0/24", "node", "node-1"))
			})
		}
		say(corev1.ConditionTrue, "NoRouteCreated")
		if made {
			route()
		}
		say(corev1.ConditionFalse, "RouteCreated")
		if !made {
			route()
		}
		var said []string
		routesHold(k.Trace(), into(&said))
		if told := strings.Contains(strings.Join(said, "; "), "says that it has a route"); told == made {
			t.Errorf("with the route there: %v, it says %q", made, said)
		}
		k.Close()
	}
}

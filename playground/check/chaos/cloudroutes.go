package chaos

import (
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// routedLabel marks the Nodes of a cloud that leads packets between Pods by routes, a part of the ingredient "cloud".
const routedLabel = "example.com/routed"

// registerAgain has a Node deleted and, sooner or later, made again by its kubelet.
func (d *dice) registerAgain(at time.Duration, node string) {
	kubelet := "kubelet/" + node
	start := cluster.Input{Kind: cluster.Start, Component: kubelet}
	if _, down := d.down[kubelet]; !down {
		d.toggle(at, kubelet, cluster.Input{Kind: cluster.Stop, Component: kubelet}, start)
	}
	d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "nodes", Name: node})
	later := at + d.Between(0, 20*time.Second)
	if later < FaultsEnd-5*time.Second {
		start.At = later
		d.add(start)
	}
}

// routeUnsettled: a Node of such a cloud has its route, and no taint that says otherwise.
func routeUnsettled(n *corev1.Node, say sayer) {
	if _, routed := n.Labels[routedLabel]; !routed {
		return
	}
	if !saysRouted(n) {
		say("node %s has no route", n.Name)
	}
	if slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeNetworkUnavailable }) {
		say("node %s has the taint %s", n.Name, corev1.TaintNodeNetworkUnavailable)
	}
}

// saysRouted tells whether a Node has the condition of one that has its route.
func saysRouted(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeNetworkUnavailable && c.Status == corev1.ConditionFalse && c.Reason == "RouteCreated"
	})
}

// routesHold: the cloud has one route to each range of addresses, and to a Node's when the Node begins to say so; at the end, one to each Node's,
// and none to a Node that was gone before the route controller looked twice.
func routesHold(rec *trace.Recorder, say sayer) {
	there := map[string]string{}       // nodes, by range
	gone := map[string]time.Duration{} // since when there is no such Node
	var looked []time.Duration         // when the controller looked at the Nodes
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op == trace.StoreCommit && e.Object.Resource == "nodes" && e.Text("type") == "DELETED" {
			gone[e.Object.Name] = e.At
		}
		if e.Op == trace.StoreCommit {
			for _, d := range e.Deltas {
				was, before := d.Old.(*corev1.Node)
				n, is := d.New.(*corev1.Node)
				if before && is && !saysRouted(was) && saysRouted(n) && there[n.Spec.PodCIDR] != n.Name {
					say("event %d: node %s says that it has a route, and the cloud routes %s to %q", e.ID, n.Name, n.Spec.PodCIDR, there[n.Spec.PodCIDR])
				}
			}
		}
		if e.Op != trace.Log || e.Component != cloudManager {
			continue
		}
		switch cidr := e.Text("cidr"); e.Text("message") {
		case "Route is made":
			if there[cidr] != "" {
				say("event %d: a second route to %s", e.ID, cidr)
			}
			there[cidr] = e.Text("node")
		case "Route is deleted":
			delete(there, cidr)
		case "action for Node":
			if len(looked) == 0 || looked[len(looked)-1] < e.At-5*time.Second {
				looked = append(looked, e.At)
			}
		}
	}
	state := rec.Now()
	if !runs(state, cloudManager) {
		return
	}
	for _, c := range state.Cells(trace.CellObject) {
		if n, is := state[c].(*corev1.Node); is {
			if _, routed := n.Labels[routedLabel]; routed && there[n.Spec.PodCIDR] != n.Name {
				say("node %s has the range %s, and the cloud routes that to %q", n.Name, n.Spec.PodCIDR, there[n.Spec.PodCIDR])
			}
			delete(there, n.Spec.PodCIDR)
		}
	}
	for cidr, node := range there { // order: the sentences are sorted
		since := max(gone[node], FaultsEnd)
		if len(looked) >= 2 && looked[len(looked)-2] > since {
			say("the cloud routes %s to %s, which is not there since %s", cidr, node, gone[node])
		}
	}
}

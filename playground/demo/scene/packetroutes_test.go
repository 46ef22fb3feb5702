package scene

import (
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// Where a cloud routes packets, its routes are drawn: the one that the request takes, and the one that is missing.
func TestTheCloudsRoutesAreDrawn(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := NewStage(Options{Layout: layout, Focus: FocusNetwork})
		node := func(name, cidr string) trace.Delta {
			return object("nodes", name, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{PodCIDR: cidr}})
		}
		logs := func(message, cidr, name string) {
			s.Apply(&trace.Event{Op: trace.Log, Component: castCloud, Attrs: trace.Attrs("message", message, "cidr", cidr, "node", name)})
		}
		s.Apply(&trace.Event{Op: trace.StoreCommit, Deltas: []trace.Delta{
			node("node-1", "10.244.1.0/24"), node("node-2", "10.244.2.0/24"),
			object("pods", "default/near", &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "near", Namespace: "default"}, Spec: corev1.PodSpec{NodeName: "node-1"}}),
		}})
		if title := shapes(s)["rules/10.244.1.0/24"]; title.ID != "" {
			t.Errorf("%s: a route is drawn where no cloud makes any", layout)
		}
		logs("Starting route controller", "", "")
		logs("Route is made", "10.244.1.0/24", "node-1")
		logs("Route is made", "10.244.2.0/24", "node-2")
		s.Apply(&trace.Event{Op: trace.NetRequest, Attrs: trace.Attrs("request", int64(1), "from", "default/near", "method", "GET", "url", "http://10.244.2.2")})
		row := shapes(s)["rules/10.244.2.0/24"]
		if row.State != "chosen" || row.Title != "10.244.2.0/24 → node-2" {
			t.Errorf("%s: the route that is taken is drawn as %+v", layout, row)
		}
		if other := shapes(s)["rules/10.244.1.0/24"]; other.State != "open" {
			t.Errorf("%s: another route is drawn as %+v", layout, other)
		}
		logs("Route is deleted", "10.244.2.0/24", "")
		if row = shapes(s)["rules/10.244.2.0/24"]; row.State != "rejected" || row.Word != "scene.routes.none" {
			t.Errorf("%s: a route that is missing is drawn as %+v", layout, row)
		}
	}
}

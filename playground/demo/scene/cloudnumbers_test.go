package scene

import (
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// TestNumbersOfACloud: beside its cache, the cloud's controller shows what the cloud has, which an instance leaves before its Node does.
func TestNumbersOfACloud(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := NewStage(Options{Layout: layout, Insides: []string{castCloud}})
		s.Apply(&trace.Event{Op: trace.CacheSet, Component: castCloud, Deltas: []trace.Delta{
			trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: castCloud}, "running"),
			object("nodes", "node-1", &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", ResourceVersion: "1"}}),
			trace.Set(trace.Cell{Kind: trace.CellCache, Owner: castCloud + "/nodes", Key: "node-1"}, "1")}})
		does := func(op trace.Op, component string, attrs ...trace.Attr) {
			s.Apply(&trace.Event{Op: op, Component: component, Attrs: attrs})
		}
		check := func(when, nodes, instances, balancers string) {
			t.Helper()
			all := shapes(s)
			for key, want := range map[string]string{"cache/nodes": nodes, "instances": instances, "balancers": balancers} {
				if got := all["component/"+castCloud+"/"+key].Title; got != want {
					t.Errorf("%s %s: %s: it shows %q, not %q", layout, when, key, got, want)
				}
			}
		}
		does(trace.ComponentStart, "containerd/node-1")
		does(trace.Log, castCloud, trace.Attr{Key: "message", Value: "Load balancer is made"}, trace.Attr{Key: "service", Value: "default/shop"})
		check("a machine and a load balancer", "1", "1", "1")
		does(trace.Input, "user", trace.Attr{Key: "kind", Value: "terminate-instance"}, trace.Attr{Key: "node", Value: "node-1"})
		does(trace.Log, castCloud, trace.Attr{Key: "message", Value: "Load balancer is deleted"}, trace.Attr{Key: "service", Value: "default/shop"})
		check("both are gone", "1", "0", "0")
	}
}

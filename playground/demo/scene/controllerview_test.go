package scene

import (
	"encoding/json"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// TestASampleControllersFoo: what a Foo asks for stands beside what its own Deployment does, and that outlives it.
func TestASampleControllersFoo(t *testing.T) {
	yes, three := true, int32(3)
	foo := &api.Unstructured{Fields: map[string]any{
		"spec":   map[string]any{"replicas": json.Number("1"), "deploymentName": "web"},
		"status": map[string]any{"availableReplicas": json.Number("0")}}}
	foo.Kind, foo.Name, foo.Namespace, foo.UID, foo.ResourceVersion = "Foo", "one", "default", "f", "1"
	deployment := func(name string, owners ...metav1.OwnerReference) *appsv1.Deployment {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", ResourceVersion: "2", OwnerReferences: owners}}
		d.Spec.Replicas = &three
		return d
	}
	for _, layout := range []Layout{Wide, Narrow} {
		s := NewStage(Options{Layout: layout, Focus: sampleController})
		cached := func(resource, key, version string) trace.Delta {
			return trace.Set(trace.Cell{Kind: trace.CellCache, Owner: sampleController + "/" + resource, Key: key}, version)
		}
		const foos = "foos.samplecontroller.k8s.io"
		s.Apply(&trace.Event{Op: trace.QueueGet, Component: sampleController, Attrs: trace.Attrs("key", "default/one"), Deltas: []trace.Delta{
			trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: sampleController}, "running"),
			object(foos, "default/one", foo), cached(foos, "default/one", "1"),
			object("deployments", "default/a", deployment("a")), cached("deployments", "default/a", "2"),
			object("deployments", "default/web", deployment("web", metav1.OwnerReference{UID: "f", Controller: &yes})), cached("deployments", "default/web", "2"),
		}})
		all := shapes(s)
		panel := "component/" + sampleController
		if want, have := all[panel+"/want"].Title, all[panel+"/have"].Title; want != "1" || have != "3" {
			t.Errorf("layout %s: it says %q and %q", layout, want, have)
		}
		if card, is := all["workload/"+foos+" default/one"]; !is || layout == Wide && (card.Title != "one" || card.Detail != "Foo") {
			t.Errorf("layout %s: the Foo is %+v", layout, card)
		}
		if _, is := all["workload/deployments default/web"]; is != (layout == Wide) {
			t.Errorf("layout %s: its Deployment is drawn: %v", layout, is)
		}
		s.Apply(&trace.Event{Op: trace.CacheDelete, Component: sampleController, Deltas: []trace.Delta{
			trace.Unset(trace.Cell{Kind: trace.CellObject, Owner: foos, Key: "default/one"}),
			trace.Unset(trace.Cell{Kind: trace.CellCache, Owner: sampleController + "/" + foos, Key: "default/one"})}})
		all = shapes(s)
		if _, is := all["workload/"+foos+" default/one"]; is {
			t.Errorf("layout %s: the Foo is still drawn", layout)
		}
		if _, is := all["workload/deployments default/web"]; !is {
			t.Errorf("layout %s: its Deployment is not drawn", layout)
		}
	}
}

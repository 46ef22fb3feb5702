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
		if _, is := all["workload/deployments default/web"]; !is {
			t.Errorf("layout %s: its Deployment is not drawn", layout)
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

// TestASampleControllersOthers: a Deployment that has a Foo's name, or that a handler looks at, is drawn, and said not to be the Foo's; before there is
// a Foo, and when that of the last sync is gone, the controller says so.
func TestASampleControllersOthers(t *testing.T) {
	const foos, panel = "foos.samplecontroller.k8s.io", "component/" + sampleController
	foo := func(name, wants string) *api.Unstructured {
		o := &api.Unstructured{Fields: map[string]any{"spec": map[string]any{"replicas": json.Number("1"), "deploymentName": wants}}}
		o.Kind, o.Name, o.Namespace, o.ResourceVersion = "Foo", name, "default", "1"
		o.UID = o.UID + "f"
		return o
	}
	one := int32(1)
	report := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "report", Namespace: "default", ResourceVersion: "2"}}
	report.Spec.Replicas = &one
	cell := func(resource, key string) trace.Cell {
		return trace.Cell{Kind: trace.CellCache, Owner: sampleController + "/" + resource, Key: key}
	}
	for _, layout := range []Layout{Wide, Narrow} {
		s := NewStage(Options{Layout: layout, Focus: sampleController})
		apply := func(op trace.Op, attrs []trace.Attr, deltas ...trace.Delta) map[string]Shape {
			s.Apply(&trace.Event{Op: op, Component: sampleController, Attrs: attrs, Deltas: deltas})
			return shapes(s)
		}
		if all := apply(trace.Input, nil); all[panel].State != "unstarted" || all[panel].DetailWord != "scene.unstarted" {
			t.Errorf("layout %s: before it starts it is %+v", layout, all[panel])
		}
		if all := apply(trace.ComponentStart, nil, trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: sampleController}, "running")); all[panel+"/nothing"].Word != "scene.cache.empty" {
			t.Errorf("layout %s: before it has listed, it says %+v", layout, all[panel+"/nothing"])
		}
		if all := apply(trace.CacheReplace, trace.Attrs("resource", foos)); all[panel+"/nothing"].Word != "scene.cache.synced" {
			t.Errorf("layout %s: after it has listed, it says %+v", layout, all[panel+"/nothing"])
		}
		apply(trace.CacheSet, nil, object(foos, "default/one", foo("one", "web")), trace.Set(cell(foos, "default/one"), "1"))
		apply(trace.QueueGet, trace.Attrs("key", "default/one"), object("deployments", "default/report", report), trace.Set(cell("deployments", "default/report"), "2"))
		if _, is := shapes(s)["workload/deployments default/report"]; is {
			t.Errorf("layout %s: a Deployment is drawn that no Foo asks for", layout)
		}
		notOwned := func(all map[string]Shape) string {
			if layout == Wide {
				return all["workload/deployments default/report/says"].Word
			}
			return all["workload/deployments default/report"].Word
		}
		if word := notOwned(apply(trace.Log, trace.Attrs("message", "Processing object", "object", "default/report"))); word != map[Layout]string{
			Wide: "scene.notOwned", Narrow: "scene.notOwned.line"}[layout] {
			t.Errorf("layout %s: a handler looks at a Deployment without an owner: %q", layout, word)
		}
		apply(trace.CacheSet, nil, object(foos, "default/two", foo("two", "report")), trace.Set(cell(foos, "default/two"), "1"))
		all := apply(trace.QueueGet, trace.Attrs("key", "default/two"))
		if word := notOwned(all); word == "" || all[panel+"/have"].Title != "0" {
			t.Errorf("layout %s: a Deployment that has the Foo's name is said to be %q, and it counts %q", layout, word, all[panel+"/have"].Title)
		}
		all = apply(trace.CacheDelete, nil, trace.Unset(trace.Cell{Kind: trace.CellObject, Owner: foos, Key: "default/two"}), trace.Unset(cell(foos, "default/two")))
		if says := all[panel+"/nothing"]; says.Word != "scene.cache.lacks" || says.Args != "Foo two" {
			t.Errorf("layout %s: of a Foo that is gone it says %+v", layout, says)
		}
	}
}

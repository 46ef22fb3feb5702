package manager_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// mapIn makes a ConfigMap in a namespace.
func (w *world) mapIn(namespace, name string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
	w.t.Helper()
	var out *corev1.ConfigMap
	w.do(func(p *sim.Proc) (err error) {
		out, err = w.cs.CoreV1().ConfigMaps(namespace).Create(p, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace,
			OwnerReferences: owners}}, metav1.CreateOptions{})
		return err
	})
	return out
}

func (w *world) newNode(name string, owners ...metav1.OwnerReference) *corev1.Node {
	w.t.Helper()
	var out *corev1.Node
	w.do(func(p *sim.Proc) (err error) {
		out, err = w.cs.CoreV1().Nodes().Create(p, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}}, metav1.CreateOptions{})
		return err
	})
	return out
}

// there lists ConfigMaps as namespace/name, and Nodes.
func (w *world) there() string {
	var out []string
	for _, cm := range objects[*corev1.ConfigMap](w, "configmaps") {
		out = append(out, cm.Namespace+"/"+cm.Name)
	}
	for _, n := range objects[*corev1.Node](w, "nodes") {
		out = append(out, n.Name)
	}
	return strings.Join(out, " ")
}

// Owners are looked for where references can mean them, whatever the UID says.
func TestOwnersAreWhereTheyCanBe(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(w *world)
		want   string
		events int // OwnerRefInvalidNamespace
	}{
		{"an owner in another namespace is none", func(w *world) {
			w.createNamespace("team")
			a := w.configMap("a")
			w.mapIn("team", "b", ownedByMap(a, true))
		}, "default/a", 1},
		{"and another dependent, of the owner's namespace, stays", func(w *world) {
			w.createNamespace("team")
			a := w.configMap("a")
			w.configMap("good", ownedByMap(a, true))
			w.mapIn("team", "bad", ownedByMap(a, true))
		}, "default/a default/good", 1},
		{"a cluster-scoped owner is meant from anywhere", func(w *world) {
			n := w.newNode("machine")
			w.configMap("b", metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "machine", UID: n.UID})
		}, "default/b machine", 0},
		{"and its dependents follow it", func(w *world) {
			n := w.newNode("machine")
			w.configMap("b", metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "machine", UID: n.UID})
			w.do(func(p *sim.Proc) error { return w.cs.CoreV1().Nodes().Delete(p, "machine", metav1.DeleteOptions{}) })
		}, "", 0},
		{"what is cluster-scoped cannot have a namespaced owner, and is left alone", func(w *world) {
			a := w.configMap("a")
			w.newNode("machine", ownedByMap(a, true))
			w.deleteMap("a", metav1.DeletePropagationBackground)
		}, "machine", 1},
		{"an owner of another kind is none", func(w *world) {
			a := w.configMap("a")
			ref := ownedByMap(a, true)
			ref.Kind = "Secret"
			w.configMap("b", ref)
			w.configMap("c", ownedByMap(a, true))
		}, "default/a default/c", 0},
		{"two coordinates of an owner that never was", func(w *world) {
			for i, name := range []string{"x", "y"} {
				w.configMap([]string{"b", "c"}[i], metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: "no-such-uid"})
			}
		}, "", 0},
		{"who no longer blocks is not waited for", func(w *world) {
			a := w.configMap("a")
			w.do(func(p *sim.Proc) error {
				_, err := w.cs.CoreV1().ConfigMaps("default").Create(p, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default",
					Finalizers: []string{"example.com/keep"}, OwnerReferences: []metav1.OwnerReference{ownedByMap(a, true)}}}, metav1.CreateOptions{})
				return err
			})
			w.deleteMap("a", metav1.DeletePropagationForeground)
			w.run(2 * time.Second)
			if got := w.there(); got != "default/a default/b" {
				w.t.Errorf("while it blocks there are %q", got)
			}
			w.do(func(p *sim.Proc) error {
				_, err := w.cs.CoreV1().ConfigMaps("default").Patch(p, "b", types.StrategicMergePatchType,
					[]byte(`{"metadata":{"ownerReferences":[{"uid":"`+string(a.UID)+`","blockOwnerDeletion":false}]}}`), metav1.PatchOptions{})
				return err
			})
		}, "default/b", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, only("garbage-collector-controller"))
			c.do(w)
			w.until(20*time.Second, "left are "+c.want, func() bool { return w.there() == c.want })
			w.run(5 * time.Second)
			if got := w.there(); got != c.want {
				t.Errorf("left are %q, want %q to stay", got, c.want)
			}
			events := w.events("OwnerRefInvalidNamespace")
			if len(events) != c.events {
				t.Errorf("%d events, want %d", len(events), c.events)
			}
			for _, e := range events {
				if ns := e.InvolvedObject.Namespace; ns == "default" || !strings.Contains(e.Message, `does not exist in namespace "`+ns+`"`) {
					t.Errorf("event on %s: %q", e.InvolvedObject.Namespace, e.Message)
				}
			}
		})
	}
}

// The log tells the whole graph: what it says last of each object is what there is.
func TestTheGraphCanBeReadFromTheLog(t *testing.T) {
	w := newWorld(t, only("garbage-collector-controller"))
	a := w.configMap("a")
	b := w.configMap("b", ownedByMap(a, true))
	w.configMap("c", ownedByMap(b, false))
	w.run(time.Second)
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().ConfigMaps("default").Patch(p, "c", types.MergePatchType, []byte(`{"metadata":{"ownerReferences":null}}`), metav1.PatchOptions{})
		return err
	})
	w.deleteMap("a", metav1.DeletePropagationBackground)
	w.run(5 * time.Second)
	graph := map[string]string{}
	for _, e := range w.k.Trace().Events(1) {
		if e.Op != trace.Log || e.Text("message") != "GraphBuilder process object" || !strings.Contains(e.Text("object"), "ConfigMap, namespace: default") {
			continue
		}
		graph[e.Text("object")] = e.Text("owners")
		if e.Text("eventType") == "delete" {
			delete(graph, e.Text("object"))
		}
	}
	got := ""
	for object, owners := range graph { // order: there is to be one
		got += object + " owners: " + owners
	}
	if want := "[v1/ConfigMap, namespace: default, name: c, uid: "; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "owners: ") || len(graph) != 1 {
		t.Errorf("the log leaves %q, want c without owners", got)
	}
}

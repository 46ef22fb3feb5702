package manager_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/sim"
)

// configMap makes one that is owned by others: name → options of the reference.
func (w *world) configMap(name string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
	w.t.Helper()
	var out *corev1.ConfigMap
	w.do(func(p *sim.Proc) (err error) {
		out, err = w.cs.CoreV1().ConfigMaps("default").Create(p, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default",
			OwnerReferences: owners}}, metav1.CreateOptions{})
		return err
	})
	return out
}

func ownedByMap(cm *corev1.ConfigMap, block bool) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: cm.Name, UID: cm.UID, BlockOwnerDeletion: &block}
}

func (w *world) deleteMap(name string, policy metav1.DeletionPropagation) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		return w.cs.CoreV1().ConfigMaps("default").Delete(p, name, metav1.DeleteOptions{PropagationPolicy: &policy})
	})
}

// maps lists the ConfigMaps that are there, those in deletion with a cross.
func (w *world) maps() string {
	var out []string
	for _, cm := range objects[*corev1.ConfigMap](w, "configmaps") {
		if cm.Namespace != "default" || strings.HasPrefix(cm.Name, "kube-") {
			continue
		}
		name := cm.Name
		if cm.DeletionTimestamp != nil {
			name += "†"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func (w *world) expectMaps(want string) {
	w.t.Helper()
	w.until(10*time.Second, "left are "+want, func() bool { return w.maps() == want })
	w.run(5 * time.Second)
	if got := w.maps(); got != want {
		w.t.Errorf("left are %q, want %q to stay", got, want)
	}
}

// A reference means the object with its UID, not whoever has the name by now. The collector finds that out with the dependent too, not only
// when it looks for the owner, which here waits for its next attempt.
func TestASuccessorOfTheNameIsNoOwner(t *testing.T) {
	options := manager.DefaultOptions()
	options.Controllers = []string{"garbage-collector-controller"}
	w := newWorld(t, options)
	away := true
	w.refuse = func(component string, r *client.Request) error {
		if away && component == "generic-garbage-collector" && r.Verb == client.Get && r.Name == "successor" {
			return apierrors.NewServiceUnavailable("the server is currently unable to handle the request")
		}
		return nil
	}
	a := w.configMap("a")
	successor := w.configMap("successor")
	predecessor := ownedByMap(successor, true)
	predecessor.UID = "uid-of-its-predecessor"
	w.configMap("b", ownedByMap(a, true), predecessor)
	w.run(25 * time.Second) // by now an attempt comes every ten seconds and more
	if got := w.maps(); got != "a b successor" {
		t.Fatalf("there are %q", got)
	}
	away = false
	w.deleteMap("a", metav1.DeletePropagationBackground)
	w.run(2 * time.Second)
	if got := w.maps(); got != "successor" {
		t.Errorf("left are %q, want the dependent to be gone with its last owner", got)
	}
}

// While an owner waits for its dependents to be orphaned it may go by another hand, and have a successor of its name, whose finalizers are not the old one's.
func TestASuccessorKeepsItsFinalizers(t *testing.T) {
	options := manager.DefaultOptions()
	options.Controllers = []string{"garbage-collector-controller"}
	w := newWorld(t, options)
	away := true
	w.refuse = func(component string, r *client.Request) error {
		if away && component == "generic-garbage-collector" && r.Verb == client.Patch && r.Name == "b" {
			return apierrors.NewServiceUnavailable("the server is currently unable to handle the request")
		}
		return nil
	}
	w.configMap("b", ownedByMap(w.configMap("a"), true))
	w.deleteMap("a", metav1.DeletePropagationOrphan)
	w.run(time.Second)
	w.do(func(p *sim.Proc) error {
		maps := w.cs.CoreV1().ConfigMaps("default")
		if _, err := maps.Patch(p, "a", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
			return err
		}
		successor := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "default", Finalizers: []string{metav1.FinalizerOrphanDependents}}}
		_, err := maps.Create(p, successor, metav1.CreateOptions{})
		return err
	})
	away = false
	w.run(time.Minute)
	left := objects[*corev1.ConfigMap](w, "configmaps")
	i := slices.IndexFunc(left, func(cm *corev1.ConfigMap) bool { return cm.Name == "a" })
	if i < 0 || len(left[i].Finalizers) != 1 {
		t.Errorf("left are %q, want the successor with its finalizer", w.maps())
	}
}

func TestGarbage(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world)
		want string
	}{
		{"a chain goes to its end", func(w *world) {
			a := w.configMap("a")
			b := w.configMap("b", ownedByMap(a, true))
			w.configMap("c", ownedByMap(b, true))
			w.deleteMap("a", metav1.DeletePropagationBackground)
		}, ""},
		{"an owner that never was", func(w *world) {
			w.configMap("b", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "a", UID: "no-such-uid"})
		}, ""},
		{"an owner of the name and another UID", func(w *world) {
			w.configMap("a")
			w.configMap("b", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "a", UID: "no-such-uid"})
		}, "a"},
		{"one owner of two is left", func(w *world) {
			a, b := w.configMap("a"), w.configMap("b")
			w.configMap("c", ownedByMap(a, true), ownedByMap(b, true))
			w.deleteMap("a", metav1.DeletePropagationBackground)
		}, "b c"},
		{"and then none", func(w *world) {
			a, b := w.configMap("a"), w.configMap("b")
			w.configMap("c", ownedByMap(a, true), ownedByMap(b, true))
			w.deleteMap("a", metav1.DeletePropagationBackground)
			w.run(time.Second)
			w.deleteMap("b", metav1.DeletePropagationBackground)
		}, ""},
		{"orphans stay", func(w *world) {
			a := w.configMap("a")
			w.configMap("b", ownedByMap(a, true))
			w.deleteMap("a", metav1.DeletePropagationOrphan)
		}, "b"},
		{"in the foreground a chain goes from its end", func(w *world) {
			a := w.configMap("a")
			b := w.configMap("b", ownedByMap(a, true))
			w.configMap("c", ownedByMap(b, true))
			w.deleteMap("a", metav1.DeletePropagationForeground)
		}, ""},
		{"in the foreground, with somebody who keeps it", func(w *world) {
			a := w.configMap("a")
			w.do(func(p *sim.Proc) error {
				_, err := w.cs.CoreV1().ConfigMaps("default").Create(p, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default",
					Finalizers: []string{"example.com/keep"}, OwnerReferences: []metav1.OwnerReference{ownedByMap(a, true)}}}, metav1.CreateOptions{})
				return err
			})
			w.deleteMap("a", metav1.DeletePropagationForeground)
		}, "a† b†"},
		{"who does not block is not waited for", func(w *world) {
			a := w.configMap("a")
			w.do(func(p *sim.Proc) error {
				_, err := w.cs.CoreV1().ConfigMaps("default").Create(p, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default",
					Finalizers: []string{"example.com/keep"}, OwnerReferences: []metav1.OwnerReference{ownedByMap(a, false)}}}, metav1.CreateOptions{})
				return err
			})
			w.deleteMap("a", metav1.DeletePropagationForeground)
		}, "b†"},
		{"a circle in the foreground", func(w *world) {
			a := w.configMap("a")
			b := w.configMap("b", ownedByMap(a, true))
			w.do(func(p *sim.Proc) error {
				_, err := w.cs.CoreV1().ConfigMaps("default").Patch(p, "a", types.MergePatchType,
					[]byte(`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"`+string(b.UID)+`","blockOwnerDeletion":true}]}}`),
					metav1.PatchOptions{})
				return err
			})
			w.run(time.Second)
			w.deleteMap("a", metav1.DeletePropagationForeground)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := manager.DefaultOptions()
			options.Controllers = []string{"garbage-collector-controller"}
			w := newWorld(t, options)
			c.do(w)
			w.expectMaps(c.want)
		})
	}
}

// A collector that was down finds what it missed.
func TestGarbageAfterRestart(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions())
	a := w.configMap("a")
	w.configMap("b", ownedByMap(a, true))
	if err := w.m.StopController("generic-garbage-collector", "crash"); err != nil {
		t.Fatal(err)
	}
	w.deleteMap("a", metav1.DeletePropagationBackground)
	w.run(time.Minute)
	if got := w.maps(); got != "b" {
		t.Fatalf("without a collector: %q", got)
	}
	if err := w.m.StartController("generic-garbage-collector"); err != nil {
		t.Fatal(err)
	}
	w.expectMaps("")
}

package manager_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// zoned is a world of nodes a-1, a-2 … and b-1, b-2 … in two zones.
func zoned(t *testing.T, a, b int) *world {
	var names []string
	for i := range a {
		names = append(names, fmt.Sprintf("a-%d", i+1))
	}
	for i := range b {
		names = append(names, fmt.Sprintf("b-%d", i+1))
	}
	w := newWorld(t, only("node-lifecycle-controller"), names...)
	w.do(func(p *sim.Proc) error {
		for _, name := range names {
			patch := fmt.Sprintf(`{"metadata":{"labels":{"topology.kubernetes.io/zone":%q}}}`, name[:1])
			if _, err := w.cs.CoreV1().Nodes().Patch(p, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
	w.run(20 * time.Second)
	return w
}

// evicting lists the nodes that have a NoExecute taint.
func (w *world) evicting() []string {
	var out []string
	for _, n := range objects[*corev1.Node](w, "nodes") {
		if strings.Contains(w.taints(n.Name), "NoExecute") {
			out = append(out, n.Name)
		}
	}
	return out
}

// zoneStates are what the controller says of the zones that are not well.
func (w *world) zoneStates() string {
	var out []string
	for _, e := range w.k.Trace().Events(1) {
		if e.Op == trace.Log && e.Text("message") == "Controller detected that zone is now in new state" {
			_, zone, _ := strings.Cut(e.Text("zone"), ":\x00:")
			if state := e.Text("newState"); state != "Normal" {
				out = append(out, zone+" "+state)
			}
		}
	}
	return strings.Join(out, ", ")
}

func TestZones(t *testing.T) {
	for _, c := range []struct {
		name   string
		a, b   int
		silent string // begins the names of those that fall silent
		states string
		after  time.Duration // since the first NoExecute taint
		want   int           // nodes with one by then
	}{
		{"one node of many", 3, 3, "b-1", "", 30 * time.Second, 1},
		{"a whole zone goes at the usual rate: it is not the control plane's network", 2, 4, "b", "b FullDisruption", 15 * time.Second, 2},
		{"and in time all of it", 2, 4, "b", "b FullDisruption", 35 * time.Second, 4},
		{"three of four, in a small cluster: nobody is evicted", 2, 4, "b-1 b-2 b-3", "b PartialDisruption", time.Minute, 0},
		{"two of four are not yet a disruption", 2, 4, "b-1 b-2", "", 30 * time.Second, 2},
		{"everything: it is the network", 2, 2, "a b", "", time.Minute, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := zoned(t, c.a, c.b)
			for _, n := range objects[*corev1.Node](w, "nodes") {
				for _, prefix := range strings.Fields(c.silent) {
					if strings.HasPrefix(n.Name, prefix) {
						w.silent[n.Name] = true
					}
				}
			}
			for end := w.k.Elapsed() + 75*time.Second; w.k.Elapsed() < end && len(w.evicting()) == 0; {
				w.run(100 * time.Millisecond)
			}
			w.run(c.after)
			if got := w.evicting(); len(got) != c.want {
				t.Errorf("%d nodes are evicted from, want %d: %v", len(got), c.want, got)
			}
			if got := w.zoneStates(); got != c.states {
				t.Errorf("zones: %q, want %q", got, c.states)
			}
		})
	}
}

// Somebody says that a dead node is off: what terminates there need not wait.
func TestOutOfServiceNode(t *testing.T) {
	w, _ := deadNode(t, 30)
	w.until(3*time.Minute, "evicted", func() bool {
		for _, p := range w.onNode("node-2") {
			if p.DeletionTimestamp == nil {
				return false
			}
		}
		return true
	})
	w.run(time.Minute)
	if n := len(w.onNode("node-2")); n != 2 {
		t.Fatalf("%d Pods terminate on the dead node, want 2", n)
	}
	w.do(func(p *sim.Proc) error {
		return controller.AddOrUpdateTaintOnNode(p, w.cs, "node-2", &corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown",
			Effect: corev1.TaintEffectNoExecute})
	})
	w.until(21*time.Second, "collected", func() bool { return len(w.onNode("node-2")) == 0 })
}

// Finished Pods are kept up to a number, the newest.
func TestTerminatedPodsAreCollected(t *testing.T) {
	options := manager.DefaultOptions()
	options.Controllers, options.TerminatedPodThreshold = []string{"pod-garbage-collector-controller"}, 2
	w := newWorld(t, options)
	for i := range 5 {
		w.do(func(p *sim.Proc) error {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("done-%d", i), Namespace: "default"},
				Spec: corev1.PodSpec{NodeName: "node-9", Containers: []corev1.Container{{Name: "c", Image: "busybox"}}}}
			made, err := w.cs.CoreV1().Pods("default").Create(p, pod, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			made = made.DeepCopy()
			made.Status.Phase = corev1.PodSucceeded
			if i == 4 {
				made.Status.Phase, made.Status.Reason = corev1.PodFailed, "Evicted"
			}
			_, err = w.cs.CoreV1().Pods("default").UpdateStatus(p, made, metav1.UpdateOptions{})
			return err
		})
		w.run(1100 * time.Millisecond) // ages are in seconds
	}
	w.until(25*time.Second, "two are left", func() bool { return len(w.pods()) == 2 })
	if got := strings.Join(sortedNames(w.pods()), " "); got != "done-2 done-3" {
		t.Errorf("left are %s, want the newest that were not evicted", got)
	}
}

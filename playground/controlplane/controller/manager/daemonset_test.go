package manager_test

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func daemons() manager.Options {
	return only("daemonset-controller", "generic-garbage-collector", "pod-garbage-collector-controller")
}

func agent() *appsv1.DaemonSet {
	rs := webReplicaSet(0)
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: "default"}}
	ds.Spec.Selector, ds.Spec.Template = rs.Spec.Selector, rs.Spec.Template
	return ds
}

func (w *world) createDaemonSet(ds *appsv1.DaemonSet) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.AppsV1().DaemonSets(ds.Namespace).Create(p, ds, metav1.CreateOptions{})
		return err
	})
}

// Pods are made in batches that double: an error stops what would fail anyway. Upstream: daemon_controller.go, syncNodes, controller.SlowStartInitialBatchSize.
func TestDaemonSetStartsSlowly(t *testing.T) {
	w := newWorld(t, daemons(), "node-1", "node-2", "node-3", "node-4", "node-5", "node-6", "node-7", "node-8")
	w.created = nil
	w.createDaemonSet(agent())
	w.until(20*time.Second, "8 Pods", func() bool { return len(w.pods()) == 8 })
	if got := batches(w.created); !reflect.DeepEqual(got, []int{1, 2, 4, 1}) {
		t.Errorf("created in batches of %v, want 1, 2, 4 and 1", got)
	}
}

func (w *world) changeDaemonSet(change func(ds *appsv1.DaemonSet)) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		c := w.cs.AppsV1().DaemonSets("default")
		for {
			ds, err := c.Get(p, "agent", metav1.GetOptions{})
			if err != nil {
				return err
			}
			ds = ds.DeepCopy()
			change(ds)
			if _, err = c.Update(p, ds, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				return err
			}
		}
	})
}

func (w *world) changeNode(name string, change func(n *corev1.Node)) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		for {
			n, err := w.cs.CoreV1().Nodes().Get(p, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			n = n.DeepCopy()
			change(n)
			if _, err = w.cs.CoreV1().Nodes().Update(p, n, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				return err
			}
		}
	})
}

func (w *world) daemonSet() *appsv1.DaemonSet {
	for _, ds := range objects[*appsv1.DaemonSet](w, "daemonsets") {
		return ds
	}
	return nil
}

// where lists the nodes with a ready Pod, one entry for each Pod.
func (w *world) where() string {
	var out []string
	for _, p := range w.pods() {
		if p.DeletionTimestamp == nil && controller.IsPodReady(p) {
			out = append(out, p.Spec.NodeName)
		}
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

func (w *world) daemonsOn(nodes ...string) func() bool {
	return func() bool {
		ds := w.daemonSet()
		n := int32(len(nodes))
		return ds != nil && w.where() == strings.Join(nodes, " ") && len(w.pods()) == len(nodes) && ds.Status.NumberAvailable == n &&
			ds.Status.DesiredNumberScheduled == n && ds.Status.CurrentNumberScheduled == n && ds.Status.UpdatedNumberScheduled == n &&
			ds.Status.NumberMisscheduled == 0 && ds.Status.ObservedGeneration == ds.Generation
	}
}

func TestDaemonSetFollowsNodes(t *testing.T) {
	w := newWorld(t, daemons(), threeNodes...)
	w.createDaemonSet(agent())
	w.until(10*time.Second, "one on each", w.daemonsOn("node-1", "node-2", "node-3"))
	pod := w.pods()[0]
	required := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(required) != 1 || required[0].MatchFields[0].Key != "metadata.name" || required[0].MatchFields[0].Values[0] != pod.Spec.NodeName {
		t.Errorf("%s on %s requires %+v", pod.Name, pod.Spec.NodeName, required)
	}
	if len(pod.Spec.Tolerations) < 6 || pod.Labels["pod-template-generation"] != "1" || pod.Labels["controller-revision-hash"] == "" {
		t.Errorf("tolerations %+v, labels %v", pod.Spec.Tolerations, pod.Labels)
	}

	// A node comes.
	w.k.Start("kubelet/node-4").Go("kubelet", func(p *sim.Proc) { w.kubelet(p, "node-4", 3) })
	w.do(func(p *sim.Proc) error { return w.addNode(p, "node-4") })
	w.until(10*time.Second, "one on the new node", w.daemonsOn("node-1", "node-2", "node-3", "node-4"))

	// A taint keeps new Pods away; those that are there stay, unless it says NoExecute.
	w.changeNode("node-2", func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule}}
	})
	w.until(10*time.Second, "still there, but not wanted", func() bool {
		return w.where() == "node-1 node-2 node-3 node-4" && w.daemonSet().Status.DesiredNumberScheduled == 3 && w.daemonSet().Status.NumberMisscheduled == 1
	})
	w.changeNode("node-2", func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoExecute}}
	})
	w.until(10*time.Second, "gone from node-2", w.daemonsOn("node-1", "node-3", "node-4"))
	w.changeNode("node-2", func(n *corev1.Node) { n.Spec.Taints = nil })
	w.until(10*time.Second, "back on node-2", w.daemonsOn("node-1", "node-2", "node-3", "node-4"))

	// A cordoned node is tolerated.
	w.changeNode("node-3", func(n *corev1.Node) {
		n.Spec.Unschedulable = true
		n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
	})
	w.run(2 * time.Second)
	if !w.daemonsOn("node-1", "node-2", "node-3", "node-4")() {
		t.Errorf("a cordoned node lost its Pod: %s", w.show())
	}

	// A node goes, and its Pod with it.
	w.do(func(p *sim.Proc) error { return w.cs.CoreV1().Nodes().Delete(p, "node-4", metav1.DeleteOptions{}) })
	w.until(2*time.Minute, "gone with the node", w.daemonsOn("node-1", "node-2", "node-3"))

	// Only nodes with a label.
	w.changeNode("node-1", func(n *corev1.Node) { n.Labels["disk"] = "ssd" })
	w.changeDaemonSet(func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.NodeSelector = map[string]string{"disk": "ssd"} })
	w.until(30*time.Second, "on node-1 only", w.daemonsOn("node-1"))
}

// A Pod that was deleted comes back on its node; one that failed is replaced, ever more slowly.
func TestDaemonSetHeals(t *testing.T) {
	w := newWorld(t, daemons(), threeNodes...)
	w.createDaemonSet(agent())
	w.until(10*time.Second, "one on each", w.daemonsOn("node-1", "node-2", "node-3"))
	w.do(func(p *sim.Proc) error {
		return w.cs.CoreV1().Pods("default").Delete(p, w.pods()[0].Name, metav1.DeleteOptions{})
	})
	w.until(10*time.Second, "one on each", w.daemonsOn("node-1", "node-2", "node-3"))

	w.silent["node-1"] = true
	var replaced []time.Duration
	for len(replaced) < 5 {
		name := ""
		w.until(time.Minute, "a Pod on node-1 that can fail", func() bool {
			for _, p := range w.pods() {
				if p.Spec.NodeName == "node-1" && p.DeletionTimestamp == nil && p.Status.Phase != corev1.PodFailed {
					name = p.Name
				}
			}
			return name != ""
		})
		replaced = append(replaced, w.k.Elapsed())
		w.do(func(p *sim.Proc) error {
			pod, err := w.cs.CoreV1().Pods("default").Get(p, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			pod = pod.DeepCopy()
			pod.Status.Phase = corev1.PodFailed
			_, err = w.cs.CoreV1().Pods("default").UpdateStatus(p, pod, metav1.UpdateOptions{})
			return err
		})
	}
	for i := 2; i < len(replaced); i++ {
		if got, least := replaced[i]-replaced[i-1], time.Second<<(i-2); got < least {
			t.Errorf("replacement %d came after %v, at least %v were due (%v)", i, got, least, replaced)
		}
	}
	if e := w.events("FailedDaemonPod"); len(e) == 0 || !strings.HasPrefix(e[0].Message, "Found failed daemon pod default/agent-") {
		t.Errorf("events %+v", e)
	}
}

func TestDaemonSetRollingUpdate(t *testing.T) {
	nodes := []string{"node-1", "node-2", "node-3", "node-4", "node-5"}
	for _, c := range []struct {
		maxUnavailable, maxSurge intstr.IntOrString
		down, up                 int // how many nodes may be without an available Pod; how many Pods more than nodes
	}{
		{intstr.FromInt32(1), intstr.FromInt32(0), 1, 0},
		{intstr.FromString("40%"), intstr.FromInt32(0), 2, 0},
		{intstr.FromInt32(0), intstr.FromInt32(1), 0, 1},
		{intstr.FromInt32(0), intstr.FromString("50%"), 0, 3},
	} {
		name := fmt.Sprintf("maxUnavailable=%s maxSurge=%s", c.maxUnavailable.String(), c.maxSurge.String())
		w := newWorld(t, daemons(), nodes...)
		ds := agent()
		ds.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxUnavailable: &c.maxUnavailable, MaxSurge: &c.maxSurge}
		w.createDaemonSet(ds)
		w.until(20*time.Second, name, w.daemonsOn(nodes...))
		from := w.k.Trace().Len()
		w.changeDaemonSet(func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.Containers[0].Image = "nginx:1.28" })
		w.until(time.Minute, name, func() bool { return w.daemonsOn(nodes...)() && w.images("nginx:1.28") })
		w.checkDaemons(name, from, len(nodes), c.down, c.up)
		if n := len(objects[*appsv1.ControllerRevision](w, "controllerrevisions")); n != 2 {
			t.Errorf("%s: %d ControllerRevisions, want 2", name, n)
		}
		// Back again: the old revision is the newest.
		w.changeDaemonSet(func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.Containers[0].Image = "nginx:1.27" })
		w.until(time.Minute, name, func() bool { return w.daemonsOn(nodes...)() && w.images("nginx:1.27") })
		var numbers []string
		for _, r := range objects[*appsv1.ControllerRevision](w, "controllerrevisions") {
			numbers = append(numbers, fmt.Sprint(r.Revision))
		}
		sort.Strings(numbers)
		if got := strings.Join(numbers, " "); got != "2 3" {
			t.Errorf("%s: revisions %s, want 2 3", name, got)
		}
	}
}

func (w *world) images(image string) bool {
	for _, p := range w.pods() {
		if p.Spec.Containers[0].Image != image {
			return false
		}
	}
	return true
}

// checkDaemons looks at the Pods after every commit.
func (w *world) checkDaemons(name string, from, nodes, down, up int) {
	w.t.Helper()
	pods := map[string]*corev1.Pod{}
	for i, e := range w.k.Trace().Events(1) {
		if e.Op != trace.StoreCommit || e.Object.Resource != "pods" {
			continue
		}
		for _, d := range e.Deltas {
			if d.Cell.Kind == trace.CellObject {
				delete(pods, d.Cell.Key)
				if pod, ok := d.New.(*corev1.Pod); ok {
					pods[d.Cell.Key] = pod
				}
			}
		}
		available, active := map[string]bool{}, 0
		for _, p := range pods {
			if controller.IsPodActive(p) {
				active++
				if controller.IsPodReady(p) {
					available[p.Spec.NodeName] = true
				}
			}
		}
		if i >= from && (len(available) < nodes-down || active > nodes+up) {
			w.t.Errorf("%s: after event %d at %v %d nodes have an available Pod, and there are %d Pods", name, e.ID, e.At, len(available), active)
			return
		}
	}
}

func TestDaemonSetOnDelete(t *testing.T) {
	w := newWorld(t, daemons(), threeNodes...)
	ds := agent()
	ds.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	w.createDaemonSet(ds)
	w.until(10*time.Second, "one on each", w.daemonsOn("node-1", "node-2", "node-3"))
	w.changeDaemonSet(func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.Containers[0].Image = "nginx:1.28" })
	w.run(5 * time.Second)
	if !w.images("nginx:1.27") {
		t.Error("a Pod was replaced without having been deleted")
	}
	w.do(func(p *sim.Proc) error {
		return w.cs.CoreV1().Pods("default").Delete(p, w.pods()[0].Name, metav1.DeleteOptions{})
	})
	w.until(10*time.Second, "one updated", func() bool {
		return len(w.pods()) == 3 && w.daemonSet().Status.UpdatedNumberScheduled == 1 && w.daemonSet().Status.NumberAvailable == 3
	})
}

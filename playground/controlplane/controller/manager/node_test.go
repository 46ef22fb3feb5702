package manager_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/sim"
)

func (w *world) readyCondition(node string) (status corev1.ConditionStatus, reason, message string) {
	for _, c := range w.node(node).Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status, c.Reason, c.Message
		}
	}
	return "", "", ""
}

func (w *world) taints(node string) string {
	var out []string
	for _, t := range w.node(node).Spec.Taints {
		out = append(out, strings.TrimPrefix(t.Key, "node.kubernetes.io/")+":"+string(t.Effect))
	}
	return strings.Join(out, " ")
}

// tolerate is what the admission plugin DefaultTolerationSeconds writes into a Pod.
func tolerate(seconds int64) []corev1.Toleration {
	return []corev1.Toleration{
		{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
		{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
	}
}

// deadNode is a world with six Pods of which two are on node-2, which falls silent now.
func deadNode(t *testing.T, toleration int64) (w *world, died time.Duration) {
	w = newWorld(t, manager.DefaultOptions(), threeNodes...)
	rs := webReplicaSet(6)
	rs.Spec.Template.Spec.Tolerations = tolerate(toleration)
	w.create(rs)
	w.until(10*time.Second, "6 ready", w.ready("web", 6))
	w.run(20 * time.Second)
	if w.taints("node-2") != "" || len(w.events("RegisteredNode")) != 3 {
		t.Fatalf("before: taints %q, %d nodes registered", w.taints("node-2"), len(w.events("RegisteredNode")))
	}
	w.silent["node-2"] = true
	return w, w.k.Elapsed()
}

func (w *world) onNode(name string) (pods []*corev1.Pod) {
	for _, p := range w.pods() {
		if p.Spec.NodeName == name {
			pods = append(pods, p)
		}
	}
	return pods
}

func TestNodeDiesAndReturns(t *testing.T) {
	w, died := deadNode(t, 300)
	w.until(60*time.Second, "Unknown", func() bool { s, _, _ := w.readyCondition("node-2"); return s == corev1.ConditionUnknown })
	// Up to 10 s since the last sign, 50 s of grace, up to 5 s until the last sign was noted.
	if after := w.k.Elapsed() - died; after < 40*time.Second || after > 55500*time.Millisecond {
		t.Errorf("found silent after %v", after)
	}
	if _, reason, message := w.readyCondition("node-2"); reason != "NodeStatusUnknown" || message != "Kubelet stopped posting node status." {
		t.Errorf("condition %s: %s", reason, message)
	}
	w.until(6*time.Second, "tainted", func() bool { return w.taints("node-2") == "unreachable:NoSchedule unreachable:NoExecute" })
	w.until(time.Second, "the Pods not ready", func() bool {
		for _, p := range w.onNode("node-2") {
			if controller.IsPodReady(p) {
				return false
			}
		}
		return w.replicaSet("web").Status.ReadyReplicas == 4
	})
	tainted := w.k.Elapsed()
	w.run(2 * time.Second)
	var messages []string
	for _, e := range w.events("NodeNotReady") {
		messages = append(messages, e.Type+" "+e.InvolvedObject.Kind+": "+e.Message)
	}
	if got := strings.Join(messages, "; "); strings.Count(got, "Warning Pod: Node is not ready") != 2 ||
		!strings.Contains(got, "Normal Node: Node node-2 status is now: NodeNotReady") {
		t.Errorf("events NodeNotReady: %s", got)
	}

	// It returns before the Pods' time is up: nothing was lost.
	w.run(200 * time.Second)
	if n := w.count("taint-eviction-controller delete pods ok"); n != 0 {
		t.Errorf("%d Pods evicted after %v", n, w.k.Elapsed()-tainted)
	}
	w.silent["node-2"] = false
	w.until(20*time.Second, "untainted", func() bool { return w.taints("node-2") == "" })
	w.until(20*time.Second, "6 ready", w.ready("web", 6))
	w.run(10 * time.Minute)
	if n := w.count("taint-eviction-controller delete pods ok"); n != 0 {
		t.Errorf("%d Pods evicted from a node that is well", n)
	}
	if len(w.events("TaintManagerEviction")) == 0 || !strings.HasPrefix(w.events("TaintManagerEviction")[0].Message, "Cancelling deletion of Pod default/web-") {
		t.Errorf("events TaintManagerEviction: %+v", w.events("TaintManagerEviction"))
	}
}

func TestNodeStaysDead(t *testing.T) {
	w, _ := deadNode(t, 300)
	w.until(70*time.Second, "tainted", func() bool { return strings.Contains(w.taints("node-2"), "NoExecute") })
	tainted := w.k.Elapsed()
	w.until(310*time.Second, "evicted", func() bool {
		for _, p := range w.onNode("node-2") {
			if p.DeletionTimestamp == nil {
				return false
			}
		}
		return true
	})
	if after := w.k.Elapsed() - tainted; after < 299*time.Second || after > 302*time.Second {
		t.Errorf("evicted %v after the taint, want 300 s", after)
	}
	for _, p := range w.onNode("node-2") {
		if _, c := controller.GetPodCondition(&p.Status, corev1.DisruptionTarget); c == nil || c.Reason != "DeletionByTaintManager" {
			t.Errorf("%s: condition %+v", p.Name, c)
		}
	}
	// Replaced elsewhere at once; the old ones can't be confirmed gone.
	w.until(10*time.Second, "6 ready", func() bool { return w.replicaSet("web").Status.ReadyReplicas == 6 })
	if n := len(w.onNode("node-2")); n != 2 {
		t.Errorf("%d Pods on the dead node, want 2 that never end", n)
	}
	if n := *w.replicaSet("web").Status.TerminatingReplicas; n != 2 {
		t.Errorf("%d terminating replicas, want 2", n)
	}
	// Somebody removes the Node: 40 s of quarantine, and they are collected.
	w.audit = nil
	removed := w.k.Elapsed()
	w.do(func(p *sim.Proc) error { return w.cs.CoreV1().Nodes().Delete(p, "node-2", metav1.DeleteOptions{}) })
	w.until(2*time.Minute, "no Pods on the node", func() bool { return len(w.onNode("node-2")) == 0 })
	if after := w.k.Elapsed() - removed; after < 40*time.Second || after > 81*time.Second {
		t.Errorf("collected after %v", after)
	}
	w.expectCount("pod-garbage-collector delete pods ok", 2)
	w.until(10*time.Second, "6 Pods", w.ready("web", 6))
	if len(w.events("RemovingNode")) != 1 {
		t.Errorf("events RemovingNode: %+v", w.events("RemovingNode"))
	}
}

// When every node falls silent it is more likely the network: nobody is evicted.
func TestAllNodesFallSilent(t *testing.T) {
	w, _ := deadNode(t, 30)
	for _, name := range threeNodes {
		w.silent[name] = true
	}
	w.run(10 * time.Minute)
	for _, name := range threeNodes {
		if s, _, _ := w.readyCondition(name); s != corev1.ConditionUnknown {
			t.Errorf("%s: Ready is %s", name, s)
		}
		if strings.Contains(w.taints(name), "NoExecute") {
			t.Errorf("%s has taints %s", name, w.taints(name))
		}
	}
	if n := w.count("taint-eviction-controller delete pods ok"); n != 0 {
		t.Errorf("%d Pods were evicted", n)
	}
	for _, name := range threeNodes {
		w.silent[name] = false
	}
	w.until(time.Minute, "6 ready", w.ready("web", 6))
	w.until(time.Minute, "no taints", func() bool {
		return w.taints("node-1")+w.taints("node-2")+w.taints("node-3") == ""
	})
}

// A Pod that does not tolerate a taint goes at once; one that always does stays.
func TestNoExecuteTaint(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	bare, steady := webReplicaSet(3), webReplicaSet(3)
	steady.Name = "steady"
	steady.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "steady"}}
	steady.Spec.Template.Labels = map[string]string{"app": "steady"}
	steady.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	w.create(bare)
	w.create(steady)
	w.until(10*time.Second, "6 ready", func() bool {
		return w.replicaSet("web").Status.ReadyReplicas == 3 && w.replicaSet("steady").Status.ReadyReplicas == 3
	})
	before := map[string]string{}
	for _, p := range w.onNode("node-1") {
		before[p.Name] = p.Labels["app"]
	}
	if len(before) != 2 {
		t.Fatalf("on node-1: %v", before)
	}
	w.do(func(p *sim.Proc) error {
		return controller.AddOrUpdateTaintOnNode(p, w.cs, "node-1", &corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute})
	})
	w.until(5*time.Second, "web moved", func() bool {
		return w.replicaSet("web").Status.ReadyReplicas == 3 && len(w.onNode("node-1")) < 2
	})
	w.run(5 * time.Second)
	for _, p := range w.onNode("node-1") {
		if p.Labels["app"] != "steady" {
			t.Errorf("%s does not tolerate the taint and is still there", p.Name)
		}
	}
	steadyBefore := 0
	for _, app := range before {
		if app == "steady" {
			steadyBefore++
		}
	}
	if n := len(w.onNode("node-1")); n != steadyBefore {
		t.Errorf("%d Pods that tolerate everything are left, want %d", n, steadyBefore)
	}
}

// kubectl cordon: the taint follows the field, both ways.
func TestUnschedulable(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	w.until(10*time.Second, "no taints", func() bool { return w.taints("node-1") == "" })
	for _, c := range []struct {
		patch, want string
	}{{`{"spec":{"unschedulable":true}}`, "unschedulable:NoSchedule"}, {`{"spec":{"unschedulable":null}}`, ""}} {
		w.do(func(p *sim.Proc) error {
			_, err := w.cs.CoreV1().Nodes().Patch(p, "node-1", "application/merge-patch+json", []byte(c.patch), metav1.PatchOptions{})
			return err
		})
		w.until(5*time.Second, "taints "+c.want, func() bool { return w.taints("node-1") == c.want })
	}
}

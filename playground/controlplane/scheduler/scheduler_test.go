package scheduler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/scheduler"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// world is a scheduler on a wire, with node-1 to node-3 of 4 CPU and 8 GiB.
type world struct {
	*wire
	t      testing.TB
	seed   uint64
	comp   *sim.Component
	sched  *scheduler.Scheduler
	serial int
}

func newWorld(t testing.TB, seed uint64, nodes int, delay time.Duration, faults int) *world {
	k := sim.New(seed, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	w := &world{wire: newWire(k, delay, faults), t: t, seed: seed}
	for i := range nodes {
		w.put("nodes", newNode(fmt.Sprintf("node-%d", i+1)))
	}
	return w
}

func (w *world) start() {
	w.comp = w.kernel.Start(scheduler.Component)
	w.sched = scheduler.New(w.comp, client.New(w.wire), scheduler.Options{})
	w.comp.Go("main", w.sched.Run)
}

func (w *world) run(d time.Duration) { w.kernel.RunUntil(w.kernel.Elapsed() + d) }

func newNode(name string) *corev1.Node {
	n := &corev1.Node{}
	n.Name, n.UID = name, types.UID(name)
	n.Labels = map[string]string{corev1.LabelHostname: name}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewQuantity(4, resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(8<<30, resource.BinarySI),
		corev1.ResourcePods:   *resource.NewQuantity(110, resource.DecimalSI),
	}
	return n
}

func (w *world) newPod(name string, milliCPU int64) *corev1.Pod {
	w.serial++
	p := &corev1.Pod{}
	p.Namespace, p.Name, p.UID = "default", name, types.UID(fmt.Sprintf("%s-%d", name, w.serial))
	p.Spec.SchedulerName = corev1.DefaultSchedulerName
	c := corev1.Container{Name: "c", Image: "nginx"}
	if milliCPU > 0 {
		c.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(milliCPU, resource.DecimalSI)}
	}
	p.Spec.Containers = []corev1.Container{c}
	return p
}

// change writes a new version of a node.
func (w *world) change(node string, do func(*corev1.Node)) {
	n := w.objects["nodes//"+node].(*corev1.Node).DeepCopy()
	do(n)
	w.put("nodes", n)
}

func (w *world) message(pod string) string {
	for _, c := range w.pod(pod).Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}

func (w *world) wantNode(pod, node string) {
	w.t.Helper()
	if got := w.pod(pod).Spec.NodeName; got != node {
		w.t.Errorf("at %v %s is on %q, want %q; %s", w.kernel.Elapsed(), pod, got, node, w.message(pod))
	}
}

func (w *world) wantMessage(pod, message string) {
	w.t.Helper()
	if got := w.message(pod); got != message {
		w.t.Errorf("%s says\n  %s\nwant\n  %s", pod, got, message)
	}
}

const notHelpful = " no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."

var unschedulable = corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

// TestTheRecordedSchedulingCases follows a transcript recorded from a real
// 1.36.3 cluster (05-scheduling), with what the node lifecycle controller does
// when a node is cordoned.
func TestTheRecordedSchedulingCases(t *testing.T) {
	w := newWorld(t, 1, 3, time.Millisecond, 0)
	w.start()
	w.run(time.Second)
	cordon := func(node string) {
		w.change(node, func(n *corev1.Node) { n.Spec.Unschedulable = true })
		w.run(50 * time.Millisecond)
		w.change(node, func(n *corev1.Node) { n.Spec.Taints = append(n.Spec.Taints, unschedulable) })
		w.run(2 * time.Second)
	}
	uncordon := func(node string) {
		w.change(node, func(n *corev1.Node) { n.Spec.Unschedulable = false })
		w.run(50 * time.Millisecond)
		w.change(node, func(n *corev1.Node) {
			n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == unschedulable.Key })
		})
		w.run(2 * time.Second)
	}

	big := w.newPod("big", 64000)
	w.put("pods", big)
	w.run(2 * time.Second)
	w.wantMessage("big", "Unschedulable: 0/3 nodes are available: 3 Insufficient cpu."+notHelpful)

	w.change("node-2", func(n *corev1.Node) { n.Labels["disk"] = "ssd" })
	ssd := w.newPod("ssd", 0)
	ssd.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	w.run(time.Second)
	w.put("pods", ssd)
	w.run(time.Second)
	w.wantNode("ssd", "node-2")

	cordon("node-1")
	w.change("node-3", func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule})
	})
	w.run(2 * time.Second)
	w.put("pods", w.newPod("plain", 0))
	w.run(time.Second)
	w.wantNode("plain", "node-2")

	db := w.newPod("db", 0)
	db.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "db", Effect: corev1.TaintEffectNoSchedule}}
	db.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"node-1", "node-2"}}}}}}}}
	w.put("pods", db)
	w.run(time.Second)
	w.wantNode("db", "node-3")

	cordon("node-2")
	w.put("pods", w.newPod("stuck", 0))
	w.run(2 * time.Second)
	w.wantMessage("stuck", "Unschedulable: 0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) were unschedulable."+notHelpful)

	// The taint goes a moment after spec.unschedulable, so it fails once more in
	// between: that is why the recording has two FailedScheduling.
	uncordon("node-1")
	w.wantNode("stuck", "node-1")
	var stuck []string
	for _, e := range w.events {
		if strings.Contains(e, " stuck: ") {
			stuck = append(stuck, e)
		}
	}
	want := []string{
		"Warning FailedScheduling Scheduling stuck: 0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) were unschedulable." + notHelpful,
		"Warning FailedScheduling Scheduling stuck: 0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s)." + notHelpful,
		"Normal Scheduled Binding stuck: Successfully assigned default/stuck to node-1",
	}
	if !slices.Equal(stuck, want) {
		t.Errorf("events of stuck:\n  %s\nwant\n  %s", strings.Join(stuck, "\n  "), strings.Join(want, "\n  "))
	}
	// The order of writes in the recorded audit trail.
	if got, want := strings.Join(w.writes, ", "), "pods/status big, pods/binding ssd, pods/status big, pods/status big, "+
		"pods/binding plain, pods/binding db, pods/status big, pods/status stuck, pods/status stuck, pods/status big, "+
		"pods/binding stuck, pods/status big"; got != want {
		t.Errorf("writes:\n  %s\nwant, as recorded,\n  %s", got, want)
	}
}

func TestNoNodes(t *testing.T) {
	w := newWorld(t, 1, 0, time.Millisecond, 0)
	w.start()
	w.put("pods", w.newPod("a", 0))
	w.run(3 * time.Second)
	w.wantMessage("a", "Unschedulable: no nodes available to schedule pods")
	w.put("nodes", newNode("node-1"))
	w.run(12 * time.Second)
	w.wantNode("a", "node-1")
}

// A Pod that waits for its claim is tried again when the claim comes, not when the queue is flushed after five minutes.
func TestAPodWaitsForItsClaim(t *testing.T) {
	w := newWorld(t, 1, 1, time.Millisecond, 0)
	w.start()
	pod := w.newPod("a", 0)
	pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	w.put("pods", pod)
	w.run(3 * time.Second)
	if got := w.message("a"); !strings.Contains(got, `persistentvolumeclaim "data" not found`) {
		t.Fatalf("without its claim: %s", got)
	}
	volume := &corev1.PersistentVolume{}
	volume.Name, volume.UID = "disk", "disk"
	volume.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "default", Name: "data", UID: "data"}
	w.put("persistentvolumes", volume)
	claim := &corev1.PersistentVolumeClaim{}
	claim.Namespace, claim.Name, claim.UID, claim.Spec.VolumeName = "default", "data", "data", "disk"
	claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	claim.Status.Phase = corev1.ClaimBound
	w.put("persistentvolumeclaims", claim)
	w.run(12 * time.Second)
	w.wantNode("a", "node-1")
}

func TestTheNextCycleOverlapsTheBinding(t *testing.T) {
	w := newWorld(t, 1, 3, 20*time.Millisecond, 0)
	w.start()
	w.run(time.Second)
	for i := range 3 {
		w.put("pods", w.newPod(fmt.Sprint("p", i), 3000)) // one to a node
	}
	w.run(time.Second)
	nodes := map[string]bool{}
	var lastAssumed, firstBound time.Duration
	for i := range 3 {
		nodes[w.pod(fmt.Sprint("p", i)).Spec.NodeName] = true
	}
	for _, e := range w.kernel.Trace().Events(1) {
		switch {
		case e.Op == trace.PodAssume:
			lastAssumed = e.At
		case e.Text("message") == "Successfully bound pod to node" && firstBound == 0:
			firstBound = e.At
		}
	}
	if len(nodes) != 3 || nodes[""] {
		t.Errorf("three Pods of 3 CPU on nodes of 4 CPU are on %v", nodes)
	}
	if lastAssumed >= firstBound {
		t.Errorf("the last Pod was assumed at %v, after the first was bound at %v: the cycles did not overlap", lastAssumed, firstBound)
	}
	if left := w.kernel.Trace().Now().Cells(trace.CellAssumed); len(left) > 0 {
		t.Errorf("still assumed after all bindings came back: %v", left)
	}
}

func TestABindingThatFailsIsTriedAgain(t *testing.T) {
	w := newWorld(t, 1, 1, time.Millisecond, 0)
	w.start()
	w.run(time.Second)
	w.refuse = 1
	w.put("pods", w.newPod("a", 3000))
	w.run(20 * time.Millisecond)
	w.wantNode("a", "")
	w.wantMessage("a", `SchedulerError: running Bind plugin "DefaultBinder": Internal error occurred: etcdserver: request timed out`)
	if place := w.sched.SchedulingQueue.Pending("default/a"); place != "backoffQ" {
		t.Errorf("it is in %q", place)
	}
	if left := w.kernel.Trace().Now().Cells(trace.CellAssumed); len(left) > 0 {
		t.Errorf("still assumed: %v", left)
	}
	// Meanwhile its place is free.
	w.put("pods", w.newPod("b", 3000))
	w.run(100 * time.Millisecond)
	w.wantNode("b", "node-1")
	w.remove("pods", "default", "b")
	w.run(3 * time.Second)
	w.wantNode("a", "node-1")
}

func TestAPodThatSomebodyElseBinds(t *testing.T) {
	w := newWorld(t, 1, 1, time.Millisecond, 0)
	w.start()
	w.put("pods", w.newPod("a", 64000))
	w.run(time.Second)
	if place := w.sched.SchedulingQueue.Pending("default/a"); place != "unschedulablePods" {
		t.Fatalf("it is in %q", place)
	}
	bound := w.pod("a").DeepCopy()
	bound.Spec.NodeName = "node-1"
	w.put("pods", bound)
	w.run(time.Second)
	if place := w.sched.SchedulingQueue.Pending("default/a"); place != "" {
		t.Errorf("it is still in %q", place)
	}
	if n := w.sched.Cache.PodCount(); n != 1 {
		t.Errorf("%d Pods are counted", n)
	}
}

func TestADeletedPodFreesItsPlace(t *testing.T) {
	w := newWorld(t, 1, 1, time.Millisecond, 0)
	w.start()
	w.put("pods", w.newPod("a", 3000))
	w.run(time.Second)
	w.put("pods", w.newPod("b", 3000))
	w.run(time.Second)
	w.wantMessage("b", "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.")
	w.remove("pods", "default", "a")
	w.run(100 * time.Millisecond)
	w.wantNode("b", "node-1")
}

func TestVerdictsStayUntilTheNextCycle(t *testing.T) {
	w := newWorld(t, 1, 3, time.Millisecond, 0)
	w.start()
	w.change("node-1", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	w.run(time.Second)
	w.put("pods", w.newPod("a", 1000))
	w.run(time.Second)
	verdicts := func() string {
		var out []string
		now := w.kernel.Trace().Now()
		for _, c := range now.Cells(trace.CellVerdict) {
			out = append(out, fmt.Sprintf("%s %s: %v", c.Owner, c.Key, now[c]))
		}
		return strings.Join(out, ", ")
	}
	// 3 × 100 for taints, (75+97)/2 for what is left, 68 for balance.
	if got, want := verdicts(), "default/a node-1: node(s) were unschedulable, default/a node-2: score 454, default/a node-3: score 454"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	w.put("pods", w.newPod("b", 64000))
	w.run(time.Second)
	if got := verdicts(); strings.Contains(got, "default/a") || !strings.Contains(got, "default/b node-2: Insufficient cpu") {
		t.Error(got)
	}
}

func TestARestartedSchedulerKnowsEverything(t *testing.T) {
	w := newWorld(t, 7, 3, 5*time.Millisecond, 0)
	w.start()
	w.run(time.Second)
	for i := range 6 {
		w.put("pods", w.newPod(fmt.Sprint("p", i), 1500)) // two to a node
	}
	for w.pod("p1").Spec.NodeName == "" {
		w.run(time.Millisecond)
	}
	w.comp.Stop("killed")
	for _, kind := range []trace.CellKind{trace.CellAssumed, trace.CellScheduling, trace.CellVerdict} {
		if left := w.kernel.Trace().Now().Cells(kind); len(left) > 0 {
			t.Errorf("the dead scheduler left %v", left)
		}
	}
	w.run(time.Second)
	w.start()
	w.run(5 * time.Second)
	w.check()
	for i := range 6 {
		if w.pod(fmt.Sprint("p", i)).Spec.NodeName == "" {
			t.Errorf("p%d has no node: %s", i, w.message(fmt.Sprint("p", i)))
		}
	}
}

func TestADeletedNodeGetsNoPods(t *testing.T) {
	w := newWorld(t, 1, 2, time.Millisecond, 0)
	w.start()
	w.run(time.Second)
	w.remove("nodes", "", "node-1")
	w.run(100 * time.Millisecond)
	for i := range 4 {
		w.put("pods", w.newPod(fmt.Sprint("p", i), 100))
	}
	w.run(time.Second)
	for i := range 4 {
		w.wantNode(fmt.Sprint("p", i), "node-2")
	}
}

func TestEverythingIsDueToAnInput(t *testing.T) {
	w := newWorld(t, 1, 3, time.Millisecond, 0)
	w.start()
	w.run(time.Second)
	input := w.kernel.Emit(trace.Input, trace.Ref{}, trace.Attrs("kind", "apply"))
	w.kernel.Because(input, func() { w.put("pods", w.newPod("a", 100)) })
	w.run(time.Second)
	rec := w.kernel.Trace()
	for _, op := range []trace.Op{trace.SchedulingQueue, trace.SchedulingPop, trace.NodeFilter, trace.NodeScore, trace.PodAssume} {
		found := false
		for _, e := range rec.Events(input + 1) {
			if e.Op != op {
				continue
			}
			found = true
			root := e.ID
			for rec.Event(root).Cause != 0 {
				root = rec.Event(root).Cause
			}
			if root != input {
				t.Errorf("%s walks back to %s of %q, not to the input", op, rec.Event(root).Op, rec.Event(root).Component)
			}
		}
		if !found {
			t.Errorf("no %s in the trace", op)
		}
	}
	for _, e := range rec.Events(input + 1) {
		if e.Text("message") == "Attempting to bind pod to node" && rec.Event(e.Cause).Op != trace.PodAssume {
			t.Errorf("the binding is due to %s, want %s", rec.Event(e.Cause).Op, trace.PodAssume)
		}
	}
}

// check fails when a Pod was bound twice or a node holds more than it has. The
// latter can happen, here as upstream, when an answer to a binding is lost, or a
// scheduler dies between sending a binding and its coming true: then nobody knows
// of it until the watch tells. A kubelet would turn the Pod away.
func (w *world) check() {
	w.t.Helper()
	for uid, nodes := range w.bindings {
		if len(nodes) > 1 {
			w.t.Fatalf("seed=%d: pod %s was bound %d times: %v", w.seed, uid, len(nodes), nodes)
		}
	}
	if w.faults > 0 {
		return
	}
	used := map[string]int64{}
	for _, o := range w.objects {
		if p, ok := o.(*corev1.Pod); ok && p.Spec.NodeName != "" {
			q := p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]
			used[p.Spec.NodeName] += q.MilliValue()
		}
	}
	for node, milli := range used {
		if milli > 4000 {
			w.t.Fatalf("seed=%d: %s holds %dm of 4000m", w.seed, node, milli)
		}
	}
}

// TestNoPodIsBoundTwice lets Pods, nodes, the wire and the scheduler itself come
// and go at random. The number of bindings the API server accepts, and what the
// nodes hold, are checked after every step; at the end, with the wire healthy,
// every Pod that fits has a node.
func TestNoPodIsBoundTwice(t *testing.T) {
	seeds := 60
	if testing.Short() {
		seeds = 10
	}
	for seed := uint64(1); seed <= uint64(seeds); seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			faults := 15 * int(seed%2) // with every other seed
			w := newWorld(t, seed, 3, 30*time.Millisecond, faults)
			w.start()
			r := w.kernel.Rand("inputs")
			names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
			for range 150 {
				name := names[r.IntN(len(names))]
				pod := w.pod(name)
				switch n := r.IntN(20); {
				case n < 9 && pod == nil:
					w.put("pods", w.newPod(name, int64(r.IntN(4)+1)*700))
				case n < 11 && pod != nil:
					w.remove("pods", "default", name)
				case n < 13 && pod != nil && pod.DeletionTimestamp == nil:
					now := metav1.NewTime(w.kernel.Time())
					dying := pod.DeepCopy()
					dying.DeletionTimestamp = &now
					w.put("pods", dying)
				case n < 15:
					node := fmt.Sprintf("node-%d", r.IntN(3)+1)
					if w.objects["nodes//"+node] != nil {
						w.remove("nodes", "", node)
					} else {
						w.put("nodes", newNode(node))
					}
				case n < 17 && pod != nil && pod.Spec.NodeName == "":
					touched := pod.DeepCopy()
					touched.Labels = map[string]string{"touched": fmt.Sprint(r.IntN(100))}
					w.put("pods", touched)
				case n == 17 && faults > 0:
					w.comp.Stop("killed")
					w.run(r.Between(0, 50*time.Millisecond))
					w.watches = nil
					w.start()
				}
				w.run(r.Between(0, 40*time.Millisecond))
				w.check()
			}
			for i := range 3 {
				if name := fmt.Sprintf("node-%d", i+1); w.objects["nodes//"+name] == nil {
					w.put("nodes", newNode(name))
				}
			}
			for _, name := range names {
				w.remove("pods", "default", name)
			}
			w.run(10 * time.Second)
			w.faults = 0
			for i := range 6 {
				w.put("pods", w.newPod(fmt.Sprint("last-", i), 2000))
			}
			w.run(30 * time.Second)
			w.check()
			for i := range 6 {
				if name := fmt.Sprint("last-", i); w.pod(name).Spec.NodeName == "" {
					t.Errorf("seed=%d: %s has no node though there is room: %s; it is in %q", seed, name, w.message(name),
						w.sched.SchedulingQueue.Pending("default/"+name))
				}
			}
			if left := w.kernel.Trace().Now().Cells(trace.CellAssumed); len(left) > 0 {
				t.Errorf("seed=%d: still assumed: %v", seed, left)
			}
		})
	}
}

// TestSameSeedSameTrace runs one experiment twice.
func TestSameSeedSameTrace(t *testing.T) {
	record := func() string {
		w := newWorld(t, 42, 3, 10*time.Millisecond, 10)
		w.start()
		for i := range 10 {
			w.put("pods", w.newPod(fmt.Sprint("p", i), 1000))
			w.run(7 * time.Millisecond)
		}
		w.run(20 * time.Second)
		var b strings.Builder
		for _, e := range w.kernel.Trace().Events(1) {
			fmt.Fprintln(&b, e.ID, e.Cause, e.At, e.Component, e.Process, e.Op, e.Object, e.Attrs)
		}
		return b.String()
	}
	if a, b := record(), record(); a != b {
		la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
		for i := range la {
			if i >= len(lb) || la[i] != lb[i] {
				t.Fatalf("the second run differs at line %d:\n  %s\n  %s", i, la[i], lb[min(i, len(lb)-1)])
			}
		}
	}
}

// BenchmarkSchedulePod is the scheduler's own cost of a Pod on three nodes, the
// wire and the trace included.
func BenchmarkSchedulePod(b *testing.B) {
	for range b.N {
		w := newWorld(b, 1, 3, time.Millisecond, 0)
		w.start()
		w.run(time.Second)
		for i := range 300 {
			w.put("pods", w.newPod(fmt.Sprint("p", i), 10))
		}
		w.run(10 * time.Second)
		if len(w.bindings) != 300 {
			b.Fatalf("%d of 300 Pods are bound", len(w.bindings))
		}
		w.kernel.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*300), "µs/pod")
}

package queue

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// bench is a queue with one process that pops when it is told to.
type bench struct {
	t      *testing.T
	kernel *sim.Kernel
	queue  *PriorityQueue
	worker *sim.Proc
	wanted int
	popped []*framework.QueuedPodInfo
	serial int
}

var nodeAdd = framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add}

type gate struct{}

func (gate) Name() string { return "Gate" }
func (gate) PreEnqueue(pod *corev1.Pod) *framework.Status {
	if len(pod.Spec.SchedulingGates) > 0 {
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, "gated")
	}
	return nil
}

func newBench(t *testing.T) *bench {
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	c := k.Start("kube-scheduler")
	b := &bench{t: t, kernel: k}
	b.queue = NewPriorityQueue(c, Options{
		Less: func(a, b *framework.QueuedPodInfo) bool {
			if pa, pb := framework.PodPriority(a.Pod), framework.PodPriority(b.Pod); pa != pb {
				return pa > pb
			}
			if a.Timestamp != b.Timestamp {
				return a.Timestamp < b.Timestamp
			}
			return a.Sequence < b.Sequence
		},
		Profiles: map[string]Profile{"": {PreEnqueue: []framework.PreEnqueuePlugin{gate{}}, Hints: QueueingHintMap{
			{PluginName: "Fit", Event: nodeAdd, QueueingHintFn: func(_ *corev1.Pod, _, newObj api.Object) framework.QueueingHint {
				if newObj.GetName() == "big" {
					return framework.Queue
				}
				return framework.QueueSkip
			}},
			{PluginName: "Waits", Event: nodeAdd},
			{PluginName: "Gate", Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.UpdatePodSchedulingGatesEliminated}},
		}}},
	})
	b.worker = c.Go("scheduler", func(p *sim.Proc) {
		for {
			for b.wanted == 0 {
				p.Park()
			}
			b.wanted--
			b.popped = append(b.popped, b.queue.Pop(p))
		}
	})
	b.run(0)
	return b
}

func (b *bench) run(d time.Duration) { b.kernel.RunUntil(b.kernel.Elapsed() + d) }

// pop asks for a Pod and returns it if there is one.
func (b *bench) pop() *framework.QueuedPodInfo {
	b.t.Helper()
	n := len(b.popped)
	b.wanted++
	b.worker.Wake()
	b.run(0)
	if len(b.popped) == n {
		return nil
	}
	return b.popped[n]
}

func (b *bench) mustPop(name string) *framework.QueuedPodInfo {
	b.t.Helper()
	q := b.pop()
	if q == nil || q.Pod.Name != name {
		b.t.Fatalf("popped %v, want %s; %s", q, name, b)
	}
	return q
}

func (b *bench) pod(name string, priority int32) *corev1.Pod {
	b.serial++
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(fmt.Sprint(b.serial))},
		Spec:       corev1.PodSpec{Priority: &priority},
	}
}

func node(name string) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }

func (b *bench) fail(q *framework.QueuedPodInfo, plugins ...string) {
	b.t.Helper()
	q.UnschedulablePlugins = plugins
	if err := b.queue.AddUnschedulableIfNotPresent(q); err != nil {
		b.t.Fatal(err)
	}
}

// String is where every Pod is, according to the trace.
func (b *bench) String() string {
	var out []string
	for _, c := range b.kernel.Trace().Now().Cells(trace.CellScheduling) {
		out = append(out, fmt.Sprintf("%s/%s=%v", c.Owner, strings.TrimPrefix(c.Key, "default/"), b.kernel.Trace().Now()[c]))
	}
	return strings.Join(out, " ")
}

func (b *bench) want(state string) {
	b.t.Helper()
	if got := b.String(); got != state {
		b.t.Fatalf("at %v the Pods are\n  %s\nwant\n  %s", b.kernel.Elapsed(), got, state)
	}
}

func TestHigherPriorityFirstThenWhoCameFirst(t *testing.T) {
	b := newBench(t)
	for _, p := range []*corev1.Pod{b.pod("a", 0), b.pod("b", 5), b.pod("c", 0), b.pod("d", 5)} {
		b.queue.Add(p)
	}
	for _, name := range []string{"b", "d", "a", "c"} {
		b.mustPop(name)
	}
	if q := b.pop(); q != nil {
		t.Errorf("popped %s from an empty queue", q.Pod.Name)
	}
}

func TestPopBlocksUntilThereIsAPod(t *testing.T) {
	b := newBench(t)
	if b.pop() != nil {
		t.Fatal("popped from an empty queue")
	}
	b.queue.Add(b.pod("a", 0))
	b.run(0)
	if len(b.popped) != 1 {
		t.Fatal("the process that waits was not woken")
	}
	b.want("inFlight/a=attempt 1")
	events := b.kernel.Trace().Events(1)
	pop := events[len(events)-1]
	if cause := b.kernel.Trace().Event(pop.Cause); pop.Op != trace.SchedulingPop || cause.Op != trace.SchedulingQueue {
		t.Errorf("%s is due to %s, want scheduling.pop due to scheduling.queue", pop.Op, cause.Op)
	}
}

func TestHintsDecideWhoIsTriedAgain(t *testing.T) {
	for _, c := range []struct {
		name, rejector, node string
		want                 string
	}{
		{"the plugin says that it does not help", "Fit", "small", "unschedulablePods/a=ScheduleAttemptFailure"},
		{"the plugin says that it may help", "Fit", "big", "backoffQ/a=NodeAdd"},
		{"a plugin without an opinion", "Waits", "small", "backoffQ/a=NodeAdd"},
		{"a plugin that waits for nothing", "Other", "big", "unschedulablePods/a=ScheduleAttemptFailure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.queue.Add(b.pod("a", 0))
			b.fail(b.mustPop("a"), c.rejector)
			b.want("unschedulablePods/a=ScheduleAttemptFailure")
			b.queue.MoveAllToActiveOrBackoffQueue(nodeAdd, nil, node(c.node), nil)
			b.want(c.want)
		})
	}
}

func TestEventsDuringFlightAreNotLost(t *testing.T) {
	b := newBench(t)
	b.queue.Add(b.pod("before", 1))
	before := b.mustPop("before")
	b.queue.MoveAllToActiveOrBackoffQueue(nodeAdd, nil, node("big"), nil)
	b.queue.Add(b.pod("after", 0))
	after := b.mustPop("after")
	b.fail(before, "Fit") // was in flight when the node came
	b.fail(after, "Fit")  // saw the node already
	b.want("backoffQ/before=ScheduleAttemptFailure unschedulablePods/after=ScheduleAttemptFailure")
	if n := b.queue.inFlight.events.Len(); n != 0 {
		t.Errorf("%d events are kept for nobody", n)
	}
}

func TestBackoffDoublesUpToTheMaximum(t *testing.T) {
	b := newBench(t)
	bq := b.queue.backoffQ
	for count, want := range []time.Duration{0, 1, 2, 4, 8, 10, 10, 10} {
		q := &framework.QueuedPodInfo{UnschedulableCount: count}
		if got := bq.calculateBackoffDuration(q); got != want*time.Second {
			t.Errorf("after %d failures: %v, want %v", count, got, want*time.Second)
		}
	}
	if got := bq.calculateBackoffDuration(&framework.QueuedPodInfo{UnschedulableCount: 1000}); got != 10*time.Second {
		t.Errorf("after 1000 failures: %v", got)
	}
}

func TestBackoffAfterAnErrorIsSatOut(t *testing.T) {
	b := newBench(t)
	b.run(2300 * time.Millisecond)
	b.queue.Add(b.pod("a", 0))
	b.fail(b.mustPop("a")) // nobody turned it down: an error
	b.want("backoffQ/a=ScheduleAttemptFailure")
	if b.pop() != nil {
		t.Fatal("popped before its backoff was over")
	}
	// 2.3 s + 1 s, in windows of a second: over when 3 s is past, at 4 s.
	b.run(1690 * time.Millisecond)
	b.want("backoffQ/a=ScheduleAttemptFailure")
	b.run(20 * time.Millisecond)
	if len(b.popped) != 2 {
		t.Fatalf("not popped after its backoff; %s", b)
	}
	if at := b.kernel.Elapsed(); at != 4010*time.Millisecond {
		t.Errorf("at %v", at)
	}
}

func TestAnIdleSchedulerDoesNotLetPodsWait(t *testing.T) {
	b := newBench(t)
	b.queue.Add(b.pod("a", 0))
	b.fail(b.mustPop("a"), "Fit")
	b.queue.MoveAllToActiveOrBackoffQueue(nodeAdd, nil, node("big"), nil)
	b.want("backoffQ/a=NodeAdd")
	if q := b.mustPop("a"); q.Attempts != 2 {
		t.Errorf("%d attempts", q.Attempts)
	}
}

func TestLeftoversAreTriedAfterFiveMinutes(t *testing.T) {
	b := newBench(t)
	b.queue.Add(b.pod("a", 0))
	b.fail(b.mustPop("a"), "Other")
	b.run(5 * time.Minute)
	b.want("unschedulablePods/a=ScheduleAttemptFailure")
	b.run(30 * time.Second)
	b.want("activeQ/a=UnschedulableTimeout")
}

func TestGatesKeepAPodOutUntilTheyAreGone(t *testing.T) {
	b := newBench(t)
	gated := b.pod("a", 0)
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "wait"}}
	b.queue.Add(gated)
	b.want("unschedulablePods/a=Gate")
	b.queue.MoveAllToActiveOrBackoffQueue(nodeAdd, nil, node("big"), nil)
	b.want("unschedulablePods/a=Gate")
	open := gated.DeepCopy()
	open.Spec.SchedulingGates = nil
	b.queue.Update(gated, open)
	b.want("activeQ/a=UnscheduledPodUpdatePodSchedulingGatesEliminated")
	if q := b.mustPop("a"); q.Attempts != 1 {
		t.Errorf("%d attempts", q.Attempts)
	}
}

func TestUpdateAndDeleteWhereverThePodIs(t *testing.T) {
	for _, place := range []string{activeQ, backoffQ, unschedulablePods} {
		t.Run(place, func(t *testing.T) {
			b := newBench(t)
			pod := b.pod("a", 0)
			b.queue.Add(pod)
			if place != activeQ {
				b.fail(b.mustPop("a"), "Fit")
			}
			if place == backoffQ {
				b.queue.MoveAllToActiveOrBackoffQueue(nodeAdd, nil, node("big"), nil)
			}
			if got := b.queue.Pending("default/a"); got != place {
				t.Fatalf("it is in %q", got)
			}
			updated := pod.DeepCopy()
			updated.Annotations = map[string]string{"new": "yes"}
			b.queue.Update(pod, updated)
			if got := b.queue.Pending("default/a"); got != place {
				t.Fatalf("an update that does not matter moved it to %q", got)
			}
			b.queue.Delete(updated)
			b.want("")
			if q := b.pop(); q != nil {
				t.Errorf("popped a deleted Pod: %v", q.Pod.Annotations)
			}
		})
	}
}

func TestPodsThatVanishInFlightLeaveNothing(t *testing.T) {
	b := newBench(t)
	pod := b.pod("a", 0)
	b.queue.Add(pod)
	q := b.mustPop("a")
	b.queue.Delete(pod)
	b.queue.Done(q.Pod)
	b.queue.Done(q.Pod)
	b.want("")
	if len(b.queue.inFlight.pods) != 0 {
		t.Error("it is still in flight")
	}
}

func TestAnUpdateInFlightIsRememberedNotQueued(t *testing.T) {
	for _, c := range []struct {
		name, rejector, want string
	}{
		{"it may help", "Gate", "backoffQ/a=ScheduleAttemptFailure"},
		{"it does not help", "Fit", "unschedulablePods/a=ScheduleAttemptFailure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			pod := b.pod("a", 0)
			b.queue.Add(pod)
			q := b.mustPop("a")
			before := pod.DeepCopy()
			before.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "wait"}}
			b.queue.Update(before, pod)
			b.want("inFlight/a=attempt 1")
			b.fail(q, c.rejector)
			b.want(c.want)
		})
	}
}

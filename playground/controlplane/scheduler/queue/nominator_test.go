package queue

import (
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/framework"
)

func nominatedFor(q *PriorityQueue, node string) string {
	var out []string
	for _, pi := range q.NominatedPodsForNode(node) {
		out = append(out, pi.Pod.Name)
	}
	return strings.Join(out, " ")
}

func TestNominations(t *testing.T) {
	override := func(node string) *framework.NominatingInfo {
		return &framework.NominatingInfo{NominatedNodeName: node, NominatingMode: framework.ModeOverride}
	}
	b := newBench(t)
	want := func(when, a, other string) {
		t.Helper()
		if got := nominatedFor(b.queue, "a"); got != a {
			t.Errorf("%s: on a %q, want %q", when, got, a)
		}
		if got := nominatedFor(b.queue, "b"); got != other {
			t.Errorf("%s: on b %q, want %q", when, got, other)
		}
	}
	first, second := b.pod("first", 0), b.pod("second", 0)
	second.Status.NominatedNodeName = "a"
	b.queue.Add(first)
	b.queue.Add(second)
	want("what its status says, when it comes into the queue", "second", "")
	b.queue.AddNominatedPod(framework.NewPodInfo(first), override("a"))
	want("in the order of the nominations", "second first", "")
	b.queue.AddNominatedPod(framework.NewPodInfo(second), nil)
	want("no news leaves it where its status says", "first second", "")

	// The watch brings a version of before the nomination: it stays.
	labelled := first.DeepCopy()
	labelled.Labels = map[string]string{"a": "b"}
	b.queue.Update(first, labelled)
	want("an update that does not know of it", "second first", "")
	if pi := b.queue.NominatedPodsForNode("a")[1]; pi.Pod.Labels["a"] != "b" {
		t.Error("the nominated Pod is an old version")
	}
	// It brings one that says otherwise: it goes.
	moved := second.DeepCopy()
	moved.Status.NominatedNodeName = "b"
	b.queue.Update(second, moved)
	want("nominated for another node", "first", "second")
	b.queue.AddNominatedPod(framework.NewPodInfo(moved), override(""))
	want("taken back", "first", "")
	b.queue.Delete(labelled)
	want("deleted", "", "")
}

func TestThoseWhoAreGoneAreNotNominated(t *testing.T) {
	b := newBench(t)
	pods := map[string]*corev1.Pod{}
	b.queue.nominator.live = func(_, name string) *corev1.Pod { return pods[name] }
	bound, waits := b.pod("bound", 0), b.pod("waits", 0)
	bound.Spec.NodeName = "a"
	pods["bound"], pods["waits"] = bound, waits
	for _, p := range []*corev1.Pod{b.pod("gone", 0), bound, waits} {
		b.queue.AddNominatedPod(framework.NewPodInfo(p), &framework.NominatingInfo{NominatedNodeName: "a", NominatingMode: framework.ModeOverride})
	}
	if got := nominatedFor(b.queue, "a"); got != "waits" {
		t.Errorf("nominated are %q", got)
	}
}

func TestActivate(t *testing.T) {
	for place, want := range map[string]string{
		unschedulablePods: "activeQ/a=ForceActivate",
		backoffQ:          "activeQ/a=ForceActivate",
		inFlightPods:      "backoffQ/a=ScheduleAttemptFailure",
	} {
		b := newBench(t)
		pod := b.pod("a", 0)
		b.queue.Add(pod)
		q := b.mustPop("a")
		if place != inFlightPods {
			b.fail(q, "Fit")
		}
		if place == backoffQ {
			b.queue.MoveAllToActiveOrBackoffQueue(nodeAdd, nil, node("big"), nil)
		}
		b.queue.Activate(pod)
		if place == inFlightPods {
			b.fail(q, "Fit") // it comes back, and is not left lying
		}
		if got := b.String(); got != want {
			t.Errorf("from %s: %s, want %s", place, got, want)
		}
	}
	b := newBench(t)
	gated := b.pod("a", 0)
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "wait"}}
	b.queue.Add(gated)
	b.queue.Activate(gated)
	b.want("unschedulablePods/a=Gate")
}

func TestProfilesHaveTheirOwnHints(t *testing.T) {
	b := newBench(t)
	b.queue.options.Profiles["other"] = Profile{} // its plugins wait for nothing, and gate nobody
	pod := b.pod("a", 0)
	pod.Spec.SchedulerName = "other"
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "wait"}}
	b.queue.Add(pod)
	b.fail(b.mustPop("a"), "Fit")
	b.queue.MoveAllToActiveOrBackoffQueue(nodeAdd, nil, node("big"), nil)
	b.want("unschedulablePods/a=ScheduleAttemptFailure")
}

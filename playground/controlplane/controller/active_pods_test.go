package controller

import (
	"math/rand"
	"sort"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
)

// ago is a time that lies d before "now" of these tests.
func ago(d time.Duration) metav1.Time { return metav1.NewTime(epoch.Add(24*time.Hour - d)) }

type podOption func(*corev1.Pod)

func testPod(name string, options ...podOption) *corev1.Pod {
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace, pod.UID = name, "default", types.UID(name)
	pod.Spec.NodeName = "node-1"
	pod.Status.Phase = corev1.PodRunning
	pod.CreationTimestamp = ago(time.Hour)
	for _, o := range options {
		o(pod)
	}
	return pod
}

func onNode(n string) podOption          { return func(p *corev1.Pod) { p.Spec.NodeName = n } }
func phase(ph corev1.PodPhase) podOption { return func(p *corev1.Pod) { p.Status.Phase = ph } }
func created(d time.Duration) podOption  { return func(p *corev1.Pod) { p.CreationTimestamp = ago(d) } }
func withUID(uid string) podOption       { return func(p *corev1.Pod) { p.UID = types.UID(uid) } }
func cost(text string) podOption {
	return func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.PodDeletionCost: text} }
}
func ready(d time.Duration) podOption {
	return func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: ago(d)}}
	}
}
func restarts(n int32) podOption {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "web", RestartCount: n}}
	}
}
func sidecarRestarts(n int32) podOption {
	return func(p *corev1.Pod) {
		always := corev1.ContainerRestartPolicyAlways
		p.Spec.InitContainers = []corev1.Container{{Name: "proxy", RestartPolicy: &always}, {Name: "init"}}
		p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "proxy", RestartCount: n}, {Name: "init", RestartCount: 99}}
	}
}

// In each case the first Pod goes before the second.
func TestWhichPodDiesFirst(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, then *corev1.Pod
		ranks       [2]int
		undecided   bool
	}{
		{name: "without a node, although ready", first: testPod("a", onNode(""), ready(time.Hour)), then: testPod("b")},
		{name: "pending before unknown", first: testPod("a", phase(corev1.PodPending)), then: testPod("b", phase(corev1.PodUnknown))},
		{name: "unknown before running", first: testPod("a", phase(corev1.PodUnknown)), then: testPod("b")},
		{name: "not ready before ready", first: testPod("a"), then: testPod("b", ready(time.Minute))},
		{name: "cheaper before dearer", first: testPod("a", ready(time.Hour), cost("-5")), then: testPod("b", ready(time.Minute))},
		{name: "a cost that can't be read is 0", first: testPod("a", cost("-1")), then: testPod("b", cost("cheap"))},
		{name: "cost decides before the crowd", first: testPod("a", cost("3")), then: testPod("b", cost("4")), ranks: [2]int{0, 5}},
		{name: "readiness decides before cost", first: testPod("a", cost("1000")), then: testPod("b", ready(time.Minute), cost("-1000"))},
		{name: "crowded before alone", first: testPod("a", ready(time.Hour)), then: testPod("b", ready(time.Minute)), ranks: [2]int{3, 1}},
		{name: "ready for a shorter time", first: testPod("a", ready(time.Minute)), then: testPod("b", ready(time.Hour))},
		{name: "within a step of time the UID decides", first: testPod("a", ready(50*time.Minute), withUID("1")),
			then: testPod("b", ready(40*time.Minute), withUID("2"))},
		{name: "more restarts", first: testPod("a", restarts(3)), then: testPod("b", restarts(1))},
		{name: "more restarts of a sidecar, not of an init container", first: testPod("a", restarts(1), sidecarRestarts(2)),
			then: testPod("b", restarts(1), sidecarRestarts(1))},
		{name: "created later", first: testPod("a", created(time.Minute)), then: testPod("b", created(time.Hour))},
		{name: "created within a step: the UID", first: testPod("a", created(50*time.Minute), withUID("1")),
			then: testPod("b", created(40*time.Minute), withUID("2"))},
		{name: "without a creation time", first: testPod("a", func(p *corev1.Pod) { p.CreationTimestamp = metav1.Time{} }), then: testPod("b", created(time.Second))},
		{name: "the same in everything", first: testPod("a"), then: testPod("b"), undecided: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ActivePodsWithRanks{Pods: []*corev1.Pod{c.first, c.then}, Rank: c.ranks[:], Now: epoch.Add(24 * time.Hour)}
			if got := s.Less(0, 1); got == c.undecided {
				t.Errorf("%s before %s: %v", c.first.Name, c.then.Name, got)
			}
			if s.Less(1, 0) {
				t.Errorf("%s before %s as well: this is no order", c.then.Name, c.first.Name)
			}
		})
	}
}

func TestDeletionCost(t *testing.T) {
	for text, want := range map[string]int32{"": 0, "7": 7, "-7": -7, "0": 0, "+7": 0, "07": 0, "1.5": 0, "2147483648": 0, "-2147483648": -2147483648} {
		if got := deletionCost(testPod("a", cost(text))); got != want {
			t.Errorf("cost %q = %d, want %d", text, got, want)
		}
	}
}

// Whatever the order in which a cache lists Pods, the same ones die.
func TestOrderDoesNotDependOnTheInput(t *testing.T) {
	var pods []*corev1.Pod
	var rank []int
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		pods = append(pods, testPod(name, ready(time.Duration(i*i)*time.Minute), onNode([]string{"node-1", "node-2"}[i%2])))
		rank = append(rank, 2-i%2)
	}
	var want string
	for round := range 50 {
		s := ActivePodsWithRanks{Pods: append([]*corev1.Pod(nil), pods...), Rank: append([]int(nil), rank...), Now: epoch.Add(24 * time.Hour)}
		rand.New(rand.NewSource(int64(round))).Shuffle(len(s.Pods), s.Swap)
		sort.Sort(s)
		got := ""
		for _, p := range s.Pods {
			got += p.Name
		}
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("round %d: order %s, before it was %s", round, got, want)
		}
	}
}

func TestAvailability(t *testing.T) {
	now := epoch.Add(24 * time.Hour)
	pods := []*corev1.Pod{testPod("a", ready(3*time.Second)), testPod("b", ready(20*time.Second)), testPod("c")}
	for _, c := range []struct {
		pod       int
		min       int32
		available bool
	}{{0, 0, true}, {0, 3, true}, {0, 4, false}, {1, 10, true}, {2, 0, false}} {
		if got := IsPodAvailable(pods[c.pod], c.min, now); got != c.available {
			t.Errorf("pod %s, minReadySeconds %d: available = %v", pods[c.pod].Name, c.min, got)
		}
	}
	for _, c := range []struct {
		min  int32
		late time.Duration
		want time.Duration
		ok   bool
	}{{0, 0, 0, false}, {10, 0, 7 * time.Second, true}, {30, 0, 10 * time.Second, true}, {10, 8 * time.Second, 0, true}, {2, 0, 0, false}} {
		got, ok := FindMinNextPodAvailabilityCheck(pods, c.min, now, now.Add(c.late))
		if got != c.want || ok != c.ok {
			t.Errorf("minReadySeconds %d, %v late: next check in %v (%v), want %v (%v)", c.min, c.late, got, ok, c.want, c.ok)
		}
	}
}

// TestFilterClaimedPods: a ReplicaSet's terminating Pods are those that it owns and selects. Upstream: controller_utils.go, FilterClaimedPods.
func TestFilterClaimedPods(t *testing.T) {
	pod := func(name, app string, owner types.UID) *corev1.Pod {
		yes := true
		return testPod(name, func(p *corev1.Pod) {
			p.Labels, p.OwnerReferences = map[string]string{"app": app}, []metav1.OwnerReference{{UID: owner, Controller: &yes}}
		})
	}
	got := FilterClaimedPods(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "rs"}}, labels.SelectorFromSet(labels.Set{"app": "web"}),
		[]*corev1.Pod{pod("a", "web", "rs"), pod("b", "other", "rs"), pod("c", "web", "another"), pod("d", "web", "rs")})
	if len(got) != 2 || got[0].Name != "a" || got[1].Name != "d" {
		t.Errorf("%v", got)
	}
}

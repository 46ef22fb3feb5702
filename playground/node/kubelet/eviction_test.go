package kubelet_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

func memory(request, limit string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		r := &pod.Spec.Containers[0].Resources
		if request != "" {
			r.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(request)}
		}
		if limit != "" {
			r.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(limit)}
		}
	}
}

func condition(n *node, t corev1.NodeConditionType) corev1.ConditionStatus {
	for _, c := range current[*corev1.Node](n, "nodes", "", "node-1").Status.Conditions {
		if c.Type == t {
			return c.Status
		}
	}
	return ""
}

// TestMemoryPressure: the Pod that uses most above its request goes, the node
// says so for five minutes, and takes no more Pods without requests.
func TestMemoryPressure(t *testing.T) {
	n := newNode(t, 30)
	n.pass(3 * time.Second)
	n.create(bound("modest", memory("1Gi", "")))
	n.create(bound("greedy", memory("64Mi", "")))
	n.until("running", 20*time.Second, isRunning(n, "modest"))
	n.until("running", 20*time.Second, isRunning(n, "greedy"))
	if err := n.runtime.SetMemory("default", "modest", "", 900<<20); err != nil {
		t.Fatal(err)
	}
	if err := n.runtime.SetMemory("default", "greedy", "", 7000<<20); err != nil {
		t.Fatal(err)
	}
	n.until("evicted", 15*time.Second, func() bool { return n.pod("greedy").Status.Phase == corev1.PodFailed })
	s := n.pod("greedy").Status
	want := "The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. Container web was using 7000Mi, request is 64Mi, has larger consumption of memory. "
	if s.Reason != "Evicted" || s.Message != want {
		t.Errorf("%s: %q, want %q", s.Reason, s.Message, want)
	}
	disrupted := false
	for _, c := range s.Conditions {
		disrupted = disrupted || c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue && c.Reason == "TerminationByKubelet" &&
			c.Message == want
	}
	if !disrupted {
		t.Errorf("no condition DisruptionTarget: %v", s.Conditions)
	}
	events := n.events("Pod", "greedy")
	expect(t, "events", events[len(events)-2:], "Warning Evicted: The node was low on resource: memory. .*", "Normal Killing: Stopping container web")
	n.until("under pressure", 15*time.Second, func() bool { return condition(n, corev1.NodeMemoryPressure) == corev1.ConditionTrue })
	n.create(bound("best-effort", nil))
	n.create(bound("burstable", memory("10Mi", "")))
	n.until("refused", 5*time.Second, func() bool { return n.pod("best-effort").Status.Phase == corev1.PodFailed })
	if s := n.pod("best-effort").Status; s.Reason != "Evicted" || s.Message != "Pod was rejected: The node had condition: [MemoryPressure]. " {
		t.Errorf("%s: %s", s.Reason, s.Message)
	}
	n.until("running", 10*time.Second, isRunning(n, "burstable"))
	n.pass(6 * time.Minute)
	if condition(n, corev1.NodeMemoryPressure) != corev1.ConditionFalse {
		t.Error("six minutes later the node is still under pressure")
	}
	if !isRunning(n, "modest")() {
		t.Error("a Pod within its request was evicted")
	}
	n.create(bound("best-effort-2", nil))
	n.until("running", 10*time.Second, isRunning(n, "best-effort-2"))
}

// TestDiskPressure: images that nobody uses go first; only then Pods.
func TestDiskPressure(t *testing.T) {
	n := newNode(t, 31)
	n.pass(3 * time.Second)
	n.create(bound("web", nil))
	n.create(bound("job", func(pod *corev1.Pod) {
		pod.Spec.RestartPolicy = corev1.RestartPolicyNever
		pod.Spec.Containers[0].Image, pod.Spec.Containers[0].Command = "busybox", []string{"true"}
	}))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	n.pass(time.Minute)
	zero := int64(0)
	n.delete("job", deleteOptions(&zero))
	n.pass(2 * time.Minute)
	n.runtime.FillDisk(96 << 30)
	n.until("under pressure", time.Minute, func() bool { return condition(n, corev1.NodeDiskPressure) == corev1.ConditionTrue })
	n.until("evicted", time.Minute, func() bool { return n.pod("web").Status.Reason == "Evicted" })
	images := n.runtime.ListImages()
	for _, i := range images {
		if strings.Contains(i.Name, "busybox") {
			t.Errorf("an image that nobody uses was kept: %v", images)
		}
	}
	n.runtime.FillDisk(0)
	n.pass(7 * time.Minute)
	if condition(n, corev1.NodeDiskPressure) != corev1.ConditionFalse {
		t.Error("the pressure doesn't end")
	}
}

func TestOOMKilled(t *testing.T) {
	n := newNode(t, 32)
	n.pass(3 * time.Second)
	n.create(bound("leak", func(pod *corev1.Pod) {
		memory("", "50Mi")(pod)
		pod.Spec.Containers[0].Image, pod.Spec.Containers[0].Args = "kubewalk.dev/app", []string{"--leak=4Mi"}
	}))
	n.until("running", 20*time.Second, isRunning(n, "leak"))
	n.until("killed", 12*time.Second, func() bool {
		last := n.pod("leak").Status.ContainerStatuses[0].LastTerminationState.Terminated
		return last != nil && last.Reason == "OOMKilled" && last.ExitCode == 137
	})
	if got := summary(n.pod("leak")); !strings.HasPrefix(got, "Running ready web:runningx1") {
		t.Error(got)
	}
	n.until("in a crash loop", time.Minute, func() bool { return strings.Contains(summary(n.pod("leak")), "CrashLoopBackOff") })
	// A fault does the same to a container that behaves.
	n.create(bound("web", memory("", "64Mi")))
	n.until("running", 30*time.Second, isRunning(n, "web"))
	if err := n.runtime.SetMemory("default", "web", "web", 65<<20); err != nil {
		t.Fatal(err)
	}
	n.until("restarted", 5*time.Second, func() bool { return strings.Contains(summary(n.pod("web")), "web:runningx1") })
	stats, err := n.runtime.ListContainerStats()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range stats {
		if s.Pod == "web" {
			found = s.MemoryWorkingSet == 9<<20 && s.CPUNanoCores > 0
		}
	}
	if !found {
		t.Errorf("stats %+v", stats)
	}
}

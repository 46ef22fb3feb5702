package kubelet_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/trace"
)

func isRunning(n *node, name string) func() bool {
	return func() bool {
		pod := n.pod(name)
		return pod != nil && strings.HasPrefix(summary(pod), "Running ready")
	}
}

func isGone(n *node, name string) func() bool {
	return func() bool { return n.pod(name) == nil }
}

func matches(pattern, text string) bool {
	return regexp.MustCompile("^(?:" + pattern + ")$").MatchString(text)
}

// expect compares lines; each wanted line is a regular expression.
func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = regexp.MustCompile("^(?:" + want[i] + ")$").MatchString(got[i])
	}
	if !ok {
		t.Errorf("%s:\n\t%s\nwant:\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestNodeRegistersAndBecomesReady(t *testing.T) {
	n := newNode(t, 1)
	took := n.until("ready", 5*time.Second, func() bool {
		node := current[*corev1.Node](n, "nodes", "", "node-1")
		if node == nil {
			return false
		}
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue && c.Reason == "KubeletReady" {
				return true
			}
		}
		return false
	})
	t.Logf("ready after %v", took)
	n.pass(5 * time.Minute)
	node := current[*corev1.Node](n, "nodes", "", "node-1")
	if node.Labels["kubernetes.io/hostname"] != "node-1" || node.Status.NodeInfo.KubeletVersion != "v1.36.3" {
		t.Errorf("labels %v, node info %+v", node.Labels, node.Status.NodeInfo)
	}
	if q := node.Status.Allocatable[corev1.ResourceCPU]; q.String() != "4" {
		t.Errorf("allocatable cpu %s", q.String())
	}
	lease := current[*coordinationv1.Lease](n, "leases", "kube-node-lease", "node-1")
	if lease == nil {
		t.Fatalf("no lease\n%s", n.log(20))
	}
	if age := n.k.Time().Sub(lease.Spec.RenewTime.Time); age > 11*time.Second {
		t.Errorf("the lease is %v old", age)
	}
	if len(lease.OwnerReferences) != 1 || lease.OwnerReferences[0].UID != node.UID || *lease.Spec.LeaseDurationSeconds != 40 {
		t.Errorf("lease %+v", lease)
	}
	expect(t, "events", n.events("Node", "node-1"),
		"Normal Starting: Starting kubelet.",
		"Normal NodeHasSufficientMemory: Node node-1 status is now: NodeHasSufficientMemory",
		"Normal NodeHasNoDiskPressure: Node node-1 status is now: NodeHasNoDiskPressure",
		"Normal NodeHasSufficientPID: Node node-1 status is now: NodeHasSufficientPID",
		"Normal NodeReady: Node node-1 status is now: NodeReady")
	patches := 0
	for _, r := range n.requests("nodes") {
		if r == "patch 200" {
			patches++
		}
	}
	if patches < 1 || patches > 3 {
		t.Errorf("%d status patches in five minutes: they should come when something changes, and every five minutes", patches)
	}
}

func TestPodRuns(t *testing.T) {
	n := newNode(t, 2)
	n.pass(3 * time.Second)
	n.create(bound("web", nil))
	t.Logf("running after %v", n.until("running", 20*time.Second, isRunning(n, "web")))
	n.pass(time.Second)
	expect(t, "statuses", n.history("web"),
		"Pending",
		"Pending web:ContainerCreating",
		"Running ready web:running")
	expect(t, "events", n.events("Pod", "web"),
		`Normal Pulling: Pulling image "nginx:1.27"`,
		`Normal Pulled: Successfully pulled image "nginx:1.27" in [0-9.]+m?s \([0-9.]+m?s including waiting\). Image size: 72189351 bytes.`,
		`Normal Created: Container created`,
		`Normal Started: Container started`)
	expect(t, "runtime", n.ops(""),
		"sandbox.start starting", "sandbox.start ready", "image.pull docker.io/library/nginx:1.27", "image.pulled docker.io/library/nginx:1.27",
		"container.made web", "container.start web")
	pod := n.pod("web")
	s := pod.Status
	if s.PodIP != "10.244.1.2" || s.HostIP != "10.0.0.11" || s.QOSClass != corev1.PodQOSBestEffort || s.StartTime == nil ||
		s.ObservedGeneration != pod.Generation {
		t.Errorf("status %+v", s)
	}
	var conditions []string
	for _, c := range s.Conditions {
		conditions = append(conditions, string(c.Type)+"="+string(c.Status))
	}
	expect(t, "conditions", conditions, "PodReadyToStartContainers=True", "Initialized=True", "Ready=True", "ContainersReady=True", "PodScheduled=True")
	c := s.ContainerStatuses[0]
	if !strings.HasPrefix(c.ContainerID, "containerd://") || !strings.HasPrefix(c.ImageID, "docker.io/library/nginx@sha256:") ||
		c.Image != "docker.io/library/nginx:1.27" || c.Started == nil || !*c.Started {
		t.Errorf("container status %+v", c)
	}
	// The network was reported while the image was still being pulled.
	seen := false
	for _, e := range n.k.Trace().Events(1) {
		if e.Op == trace.ImagePulled {
			break
		}
		for _, d := range e.Deltas {
			if pod, ok := d.New.(*corev1.Pod); ok && e.Op == trace.StoreCommit {
				for _, c := range pod.Status.Conditions {
					seen = seen || (c.Type == corev1.PodReadyToStartContainers && c.Status == corev1.ConditionTrue)
				}
			}
		}
	}
	if !seen {
		t.Error("PodReadyToStartContainers was not reported before the image had come")
	}
	n.create(bound("web2", nil))
	n.until("running", 5*time.Second, isRunning(n, "web2"))
	n.pass(time.Second)
	expect(t, "events of the second Pod", n.events("Pod", "web2"),
		`Normal Pulled: Container image "nginx:1.27" already present on machine and can be accessed by the pod`,
		`Normal Created: Container created`, `Normal Started: Container started`)
	if ip := n.pod("web2").Status.PodIP; ip != "10.244.1.3" {
		t.Errorf("the second Pod's address is %s", ip)
	}
}

func TestEveryContainerStartWalksBackToAnInput(t *testing.T) {
	n := newNode(t, 3)
	n.pass(3 * time.Second)
	n.create(bound("web", nil))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	tr := n.k.Trace()
	var path []string
	for _, e := range tr.Events(1) {
		if e.Op != trace.ContainerStart {
			continue
		}
		for id := e.ID; id != 0; id = tr.Event(id).Cause {
			path = append(path, tr.Event(id).Component+" "+string(tr.Event(id).Op))
		}
	}
	text := strings.Join(path, " < ")
	for _, want := range []string{"containerd/node-1 container.start", "kubelet/node-1 watch.receive", "kube-apiserver", "kubectl request.send"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not among the causes: %s", want, text)
		}
	}
}

func TestDeletionWithGrace(t *testing.T) {
	n := newNode(t, 4)
	n.pass(3 * time.Second)
	n.create(bound("web", nil))
	n.create(bound("deaf", func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Command = []string{"sleep", "3600"}
		ten := int64(10)
		pod.Spec.TerminationGracePeriodSeconds = &ten
	}))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	n.until("running", 20*time.Second, isRunning(n, "deaf"))
	n.delete("web", metav1.DeleteOptions{})
	t.Logf("web gone after %v", n.until("gone", 5*time.Second, isGone(n, "web")))
	expect(t, "statuses", n.history("web")[2:],
		"Running ready web:running", "Running ready deleting web:running",
		"Succeeded deleting web:Completed/0", "gone")
	n.delete("deaf", metav1.DeleteOptions{})
	took := n.until("gone", 15*time.Second, isGone(n, "deaf"))
	if took < 10*time.Second || took > 13*time.Second {
		t.Errorf("a container that ignores SIGTERM kept its Pod for %v, with a grace period of 10s", took)
	}
	history := n.history("deaf")
	expect(t, "statuses", history[len(history)-3:], "Running ready deleting web:running", "Failed deleting web:Error/137", "gone")
	n.pass(2 * time.Minute)
	for _, kind := range []trace.CellKind{trace.CellSandbox, trace.CellContainer} {
		if cells := n.k.Trace().Now().Cells(kind); len(cells) > 0 {
			t.Errorf("left on the node: %v", cells)
		}
	}
	expect(t, "events", n.events("Pod", "web")[4:], "Normal Killing: Stopping container web")
}

func TestForceDeletion(t *testing.T) {
	n := newNode(t, 5)
	n.pass(3 * time.Second)
	n.create(bound("web", nil))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	zero := int64(0)
	n.delete("web", metav1.DeleteOptions{GracePeriodSeconds: &zero})
	if n.pod("web") != nil {
		t.Fatal("a Pod that is deleted by force stays in the API")
	}
	n.pass(time.Minute)
	expect(t, "what the runtime did", n.ops("container.")[2:], "container.kill web SIGTERM", "container.exit web 0", "container.exit web removed 0")
}

func TestKubeletRestartTakesContainersOver(t *testing.T) {
	n := newNode(t, 6)
	n.pass(3 * time.Second)
	n.create(bound("web", nil))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	before := n.ops("")
	n.pass(30 * time.Second)
	n.restartKubelet()
	n.pass(30 * time.Second)
	if after := n.ops(""); len(after) != len(before) {
		t.Errorf("after the kubelet's restart the runtime was asked for %v", after[len(before):])
	}
	if got := summary(n.pod("web")); got != "Running ready web:running" {
		t.Errorf("status %q", got)
	}
	if h := n.history("web"); h[len(h)-1] != "Running ready web:running" || len(h) != 3 {
		t.Errorf("the status flapped: %q", h)
	}
	// Deleted while no kubelet ran.
	n.kubelet.Component().Stop("stop")
	n.delete("web", metav1.DeleteOptions{})
	n.pass(10 * time.Second)
	n.startKubelet()
	n.until("gone", 10*time.Second, isGone(n, "web"))
	// Deleted by force while no kubelet ran: an orphan.
	n.create(bound("orphan", nil))
	n.until("running", 20*time.Second, isRunning(n, "orphan"))
	n.kubelet.Component().Stop("stop")
	zero := int64(0)
	n.delete("orphan", metav1.DeleteOptions{GracePeriodSeconds: &zero})
	n.startKubelet()
	n.pass(2 * time.Minute)
	if cells := n.k.Trace().Now().Cells(trace.CellContainer); len(cells) > 0 {
		t.Errorf("the orphan still has %v", cells)
	}
}

func TestKubeletRestartDuringAPull(t *testing.T) {
	n := newNode(t, 7)
	n.pass(3 * time.Second)
	n.create(bound("web", nil))
	n.until("pulling", 5*time.Second, func() bool { return len(n.ops("image.pull")) == 1 })
	n.restartKubelet()
	n.until("running", 30*time.Second, isRunning(n, "web"))
	n.pass(10 * time.Second)
	expect(t, "what the runtime did", n.ops("")[:4],
		"sandbox.start starting", "sandbox.start ready",
		"image.pull docker.io/library/nginx:1.27", "image.pull docker.io/library/nginx:1.27") // the second kubelet's
	if made, started := n.ops("container.made"), n.ops("container.start"); len(made) != 1 || len(started) != 1 {
		t.Errorf("made %v, started %v", made, started)
	}
	if cells := n.k.Trace().Now().Cells(trace.CellImage); len(cells) != 1 || n.k.Trace().Now()[cells[0]] != "present" {
		t.Errorf("images: %v", cells)
	}
	if s := n.pod("web").Status.ContainerStatuses[0]; s.RestartCount != 0 {
		t.Errorf("restarts %d", s.RestartCount)
	}
}

func TestPowerCut(t *testing.T) {
	n := newNode(t, 8)
	n.pass(3 * time.Second)
	n.create(bound("web", nil))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	uid := n.pod("web").UID
	n.powerCut()
	n.pass(20 * time.Second)
	if got := summary(n.pod("web")); got != "Running ready web:running" {
		t.Errorf("nobody is there to say so, but the status changed: %q", got)
	}
	n.boot()
	n.until("restarted", 30*time.Second, func() bool { return summary(n.pod("web")) == "Running ready web:runningx1" })
	pod := n.pod("web")
	last := pod.Status.ContainerStatuses[0].LastTerminationState.Terminated
	if pod.UID != uid || last == nil || last.ExitCode != 255 || last.Reason != "Unknown" {
		t.Errorf("last state %+v", last)
	}
	events := n.events("Pod", "web")
	expect(t, "events", events[4:],
		"Normal SandboxChanged: Pod sandbox changed, it will be killed and re-created.",
		"Normal Pulled: .* already present on machine .*", "Normal Created: Container created", "Normal Started: Container started")
	// A machine whose disk is lost as well.
	n.powerCut()
	n.disk = newDisk()
	n.pass(5 * time.Second)
	n.boot()
	n.until("restarted", 30*time.Second, func() bool { return summary(n.pod("web")) == "Running ready web:runningx2" })
}

func TestImagePullBackOff(t *testing.T) {
	n := newNode(t, 9)
	n.pass(3 * time.Second)
	n.create(bound("web", func(pod *corev1.Pod) { pod.Spec.Containers[0].Image = "nginx:no-such-tag" }))
	n.until("failing", 10*time.Second, func() bool { return strings.HasSuffix(summary(n.pod("web")), "ErrImagePull") })
	n.until("backing off", 30*time.Second, func() bool { return strings.HasSuffix(summary(n.pod("web")), "ImagePullBackOff") })
	message := n.pod("web").Status.ContainerStatuses[0].State.Waiting.Message
	if want := `Back-off pulling image "nginx:no-such-tag": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:no-such-tag": ` +
		`failed to resolve reference "docker.io/library/nginx:no-such-tag": docker.io/library/nginx:no-such-tag: not found`; message != want {
		t.Errorf("message %q\nwant %q", message, want)
	}
	n.pass(10 * time.Minute)
	var gaps []time.Duration
	var last time.Duration
	for _, e := range n.k.Trace().Events(1) {
		if e.Op == trace.ImagePullStart {
			if last != 0 {
				gaps = append(gaps, (e.At - last).Truncate(time.Second))
			}
			last = e.At
		}
	}
	want := []time.Duration{10, 20, 40, 80, 160}
	if len(gaps) < 5 {
		t.Fatalf("tried after %v", gaps)
	}
	for i, w := range want {
		if gaps[i] < w*time.Second || gaps[i] > w*time.Second*3/2+70*time.Second {
			t.Errorf("the pull was tried after %v; want 10 s doubled each time, and up to a sync more", gaps)
			break
		}
	}
	expect(t, "first events", n.events("Pod", "web")[:5],
		`Normal Pulling: .*`, `Warning Failed: Failed to pull image "nginx:no-such-tag": rpc error: .*`, `Warning Failed: Error: ErrImagePull`,
		`Normal BackOff: Back-off pulling image "nginx:no-such-tag"`, `Warning Failed: Error: ImagePullBackOff`)
}

func TestCrashLoopBackOff(t *testing.T) {
	n := newNode(t, 10)
	n.pass(3 * time.Second)
	n.create(bound("web", func(pod *corev1.Pod) { pod.Spec.Containers[0].Command = []string{"sh", "-c", "sleep 1; exit 3"} }))
	n.until("in a crash loop", time.Minute, func() bool { return strings.Contains(summary(n.pod("web")), "CrashLoopBackOffx") })
	s := n.pod("web").Status.ContainerStatuses[0]
	if want := "back-off 10s restarting failed container=web pod=web_default(" + string(n.pod("web").UID) + ")"; s.State.Waiting.Message != want {
		t.Errorf("message %q, want %q", s.State.Waiting.Message, want)
	}
	if last := s.LastTerminationState.Terminated; last == nil || last.ExitCode != 3 || last.Reason != "Error" {
		t.Errorf("last state %+v", last)
	}
	if n.pod("web").Status.Phase != corev1.PodRunning {
		t.Errorf("phase %s", n.pod("web").Status.Phase)
	}
	n.pass(15 * time.Minute)
	var starts []time.Duration
	for _, e := range n.k.Trace().Events(1) {
		if e.Op == trace.ContainerStart {
			starts = append(starts, e.At.Truncate(time.Second))
		}
	}
	var gaps []time.Duration
	for i := 1; i < len(starts); i++ {
		gaps = append(gaps, starts[i]-starts[i-1])
	}
	if len(gaps) < 6 || gaps[0] > 6*time.Second || gaps[2] < 20*time.Second || gaps[len(gaps)-1] < 150*time.Second {
		t.Errorf("restarted after %v; want at once, then 10 s doubled each time up to 5 min", gaps)
	}
}

// While a container waits, its status says how it ended: the sync that refused to
// start it had written the status before it asked. CrashLoopBackOff is what the
// next sync writes, when the wait is over and just before it starts the container.
// Only waits that are longer than the time between two syncs show it for longer.
//
// Upstream: Kubelet.SyncPod, which sets the status first, and podWorkers.completeWork,
// which since 1.34 comes back when the back-off is over, at most syncFrequency later.
func TestCrashLoopBackOffIsSeenLate(t *testing.T) {
	n := newNode(t, 10)
	n.pass(3 * time.Second)
	n.create(bound("web", func(pod *corev1.Pod) { pod.Spec.Containers[0].Command = []string{"sh", "-c", "sleep 1; exit 3"} }))
	for wait := 10 * time.Second; wait <= 160*time.Second; wait *= 2 {
		starts := max(len(n.ops("container.start")), 2) // the first restart doesn't wait
		n.until("ended", 6*time.Minute, func() bool {
			return len(n.ops("container.start")) == starts && strings.Contains(summary(n.pod("web")), "web:Error/3x")
		})
		ended := n.k.Elapsed()
		n.until("CrashLoopBackOff", 6*time.Minute, func() bool { return strings.Contains(summary(n.pod("web")), "CrashLoopBackOff") })
		seen := n.k.Elapsed()
		n.until("started", 6*time.Minute, func() bool { return len(n.ops("container.start")) > starts })
		late, before := seen-ended, n.k.Elapsed()-seen
		switch {
		case wait <= 40*time.Second && (late < wait-2*time.Second || before > time.Second):
			t.Errorf("of %v, CrashLoopBackOff was seen after %v, %v before the start", wait, late, before)
		case wait >= 160*time.Second && (late < 58*time.Second || late > 92*time.Second || before < time.Minute):
			t.Errorf("of %v, CrashLoopBackOff was seen after %v, %v before the start", wait, late, before)
		}
	}
}

func TestPodsThatEnd(t *testing.T) {
	for _, c := range []struct {
		name    string
		policy  corev1.RestartPolicy
		command []string
		want    string
	}{
		{"well", corev1.RestartPolicyNever, []string{"sleep", "2"}, "Succeeded web:Completed/0"},
		{"badly", corev1.RestartPolicyNever, []string{"false"}, "Failed web:Error/1"},
		{"well-at-last", corev1.RestartPolicyOnFailure, []string{"true"}, "Succeeded web:Completed/0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNode(t, 11)
			n.pass(3 * time.Second)
			n.create(bound(c.name, func(pod *corev1.Pod) {
				pod.Spec.RestartPolicy, pod.Spec.Containers[0].Command = c.policy, c.command
			}))
			n.until(c.want, time.Minute, func() bool { return summary(n.pod(c.name)) == c.want })
			n.pass(time.Minute)
			if got := summary(n.pod(c.name)); got != c.want {
				t.Errorf("later it is %q", got)
			}
			if starts := n.ops("container.start"); len(starts) != 1 {
				t.Errorf("started %d times", len(starts))
			}
			n.restartKubelet()
			n.pass(time.Minute)
			if got := summary(n.pod(c.name)); got != c.want || len(n.ops("container.start")) != 1 {
				t.Errorf("after a restart of the kubelet it is %q, started %d times", got, len(n.ops("container.start")))
			}
			n.delete(c.name, metav1.DeleteOptions{})
			n.until("gone", 10*time.Second, isGone(n, c.name))
		})
	}
}

func TestInitContainersAndSidecars(t *testing.T) {
	n := newNode(t, 12)
	n.pass(3 * time.Second)
	always := corev1.ContainerRestartPolicyAlways
	n.create(bound("web", func(pod *corev1.Pod) {
		pod.Spec.InitContainers = []corev1.Container{
			{Name: "first", Image: "busybox", Command: []string{"sleep", "1"}},
			{Name: "proxy", Image: "nginx", RestartPolicy: &always},
			{Name: "last", Image: "busybox", Command: []string{"true"}},
		}
	}))
	n.until("running", time.Minute, isRunning(n, "web"))
	expect(t, "order", n.ops("container.start"), "container.start first", "container.start proxy", "container.start last", "container.start web")
	if got := summary(n.pod("web")); got != "Running ready first:Completed/0 proxy:running last:Completed/0 web:running" {
		t.Error(got)
	}
	if h := n.history("web"); h[1] != "Pending first:PodInitializing proxy:PodInitializing last:PodInitializing web:PodInitializing" {
		t.Errorf("%q", h)
	}
	n.delete("web", metav1.DeleteOptions{})
	n.until("gone", 10*time.Second, isGone(n, "web"))
	expect(t, "order of stopping", n.ops("container.kill"), "container.kill web SIGTERM", "container.kill proxy SIGTERM")
}

func TestAdmission(t *testing.T) {
	n := newNode(t, 13)
	n.pass(3 * time.Second)
	cpu := func(q string) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(q)}
		}
	}
	n.create(bound("big", cpu("3")))
	n.until("running", 20*time.Second, isRunning(n, "big"))
	n.create(bound("too-big", cpu("1500m")))
	n.until("rejected", 5*time.Second, func() bool { return n.pod("too-big").Status.Phase == corev1.PodFailed })
	s := n.pod("too-big").Status
	if s.Reason != "OutOfcpu" || s.Message != "Pod was rejected: Node didn't have enough resource: cpu, requested: 1500, used: 3000, capacity: 4000" {
		t.Errorf("%s: %s", s.Reason, s.Message)
	}
	n.pass(10 * time.Second)
	if starts := n.ops("container.start"); len(starts) != 1 {
		t.Errorf("started %v", starts)
	}
	n.delete("too-big", metav1.DeleteOptions{})
	n.until("gone", 15*time.Second, isGone(n, "too-big"))
}

func TestProbes(t *testing.T) {
	n := newNode(t, 14)
	n.pass(3 * time.Second)
	n.create(bound("web", func(pod *corev1.Pod) {
		pod.Annotations = map[string]string{"answers-from.kubewalk.dev/web": "5s", "breaks-after.kubewalk.dev/web": "60s"}
		probe := func() *corev1.Probe {
			p := &corev1.Probe{PeriodSeconds: 2, FailureThreshold: 3, SuccessThreshold: 1, TimeoutSeconds: 1}
			p.HTTPGet = &corev1.HTTPGetAction{Path: "/"}
			p.HTTPGet.Port.IntVal = 80
			return p
		}
		c := &pod.Spec.Containers[0]
		c.ReadinessProbe, c.LivenessProbe, c.StartupProbe = probe(), probe(), probe()
		c.StartupProbe.FailureThreshold = 10
	}))
	n.until("running", 10*time.Second, func() bool { return summary(n.pod("web")) == "Running web:running" })
	n.until("ready", 12*time.Second, isRunning(n, "web"))
	n.until("unready", 70*time.Second, func() bool { return !isRunning(n, "web")() })
	n.until("restarted", 10*time.Second, func() bool { return strings.Contains(summary(n.pod("web")), "web:runningx1") })
	text := strings.Join(n.events("Pod", "web"), "\n")
	for _, want := range []string{"Unhealthy: Startup probe failed: ", "Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500",
		"Killing: Container web failed liveness probe, will be restarted"} {
		if !strings.Contains(text, want) {
			t.Errorf("no event %q in\n%s", want, text)
		}
	}
}

// A probe has to succeed, and to fail, as often in a row as it says before anything follows.
func TestThresholdsOfProbes(t *testing.T) {
	readyAfter := func(successes int32) time.Duration {
		n := newNode(t, 14)
		n.pass(3 * time.Second)
		n.create(bound("web", func(pod *corev1.Pod) {
			pod.Spec.Containers[0].ReadinessProbe = &corev1.Probe{PeriodSeconds: 4, TimeoutSeconds: 1, FailureThreshold: 1, SuccessThreshold: successes,
				ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromInt32(80)}}}
		}))
		n.until("running", 10*time.Second, func() bool { return strings.HasPrefix(summary(n.pod("web")), "Running ") })
		return n.until("ready", 30*time.Second, isRunning(n, "web"))
	}
	once, thrice := readyAfter(1), readyAfter(3)
	// As long as it has no result, a worker is asked to probe with each look at the Pod; so the second success may come early, not with the first.
	if once > 4500*time.Millisecond || thrice < once+time.Second {
		t.Errorf("ready %v after the start with one success, %v with three", once, thrice)
	}
}

func TestPreStopTakesPartOfTheGracePeriod(t *testing.T) {
	n := newNode(t, 15)
	n.pass(3 * time.Second)
	n.create(bound("web", func(pod *corev1.Pod) {
		ten := int64(10)
		pod.Spec.TerminationGracePeriodSeconds = &ten
		pod.Spec.Containers[0].Command = []string{"sleep", "infinity"}
		pod.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 4}}}
	}))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	n.delete("web", metav1.DeleteOptions{})
	if took := n.until("gone", 20*time.Second, isGone(n, "web")); took < 10*time.Second || took > 13*time.Second {
		t.Errorf("took %v", took)
	}
	for _, e := range n.k.Trace().Events(1) {
		if e.Op == trace.ContainerKill && e.Text("signal") == "SIGTERM" && e.Text("grace") != "6s" {
			t.Errorf("SIGTERM was sent with a grace period of %s, want 6s", e.Text("grace"))
		}
	}
}

func TestSameSeedSameTrace(t *testing.T) {
	run := func() string {
		n := newNode(t, 16)
		n.pass(3 * time.Second)
		n.create(bound("web", nil))
		n.create(bound("job", func(pod *corev1.Pod) { pod.Spec.Containers[0].Command = []string{"false"} }))
		n.pass(30 * time.Second)
		n.restartKubelet()
		n.delete("web", metav1.DeleteOptions{})
		n.pass(time.Minute)
		return n.log(1 << 20)
	}
	if a, b := run(), run(); a != b {
		t.Error("two runs of the same seed differ")
	}
}

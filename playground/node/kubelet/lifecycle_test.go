package kubelet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func script(text string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		c := &pod.Spec.Containers[0]
		c.Image, c.Command = "busybox", []string{"sh", "-c", text}
	}
}

func (n *node) logs(pod, container string, o kubelet.LogOptions) string {
	text, err := n.kubelet.GetKubeletContainerLogs("default", pod, container, o)
	if err != nil {
		return "error: " + err.Error()
	}
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "|")
}

func TestRestartRules(t *testing.T) {
	policy := func(p corev1.ContainerRestartPolicy, values ...int32) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			c := &pod.Spec.Containers[0]
			c.RestartPolicy = &p
			if len(values) > 0 {
				c.RestartPolicyRules = []corev1.ContainerRestartRule{{Action: corev1.ContainerRestartRuleActionRestart,
					ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: values}}}
			}
		}
	}
	for _, c := range []struct {
		name   string
		pod    corev1.RestartPolicy
		change func(*corev1.Pod)
		script string
		want   string // the status a minute later begins so
		starts bool   // more than once
	}{
		{"never, but the Pod always", corev1.RestartPolicyAlways, policy(corev1.ContainerRestartPolicyNever), "exit 3", "Failed web:Error/3", false},
		{"on failure, the Pod never", corev1.RestartPolicyNever, policy(corev1.ContainerRestartPolicyOnFailure), "exit 3", "Running", true},
		{"on failure, well", corev1.RestartPolicyNever, policy(corev1.ContainerRestartPolicyOnFailure), "exit 0", "Succeeded", false},
		{"a rule", corev1.RestartPolicyNever, policy(corev1.ContainerRestartPolicyNever, 42, 43), "exit 42", "Running", true},
		{"no rule", corev1.RestartPolicyNever, policy(corev1.ContainerRestartPolicyNever, 42, 43), "exit 41", "Failed web:Error/41", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNode(t, 50)
			n.pass(3 * time.Second)
			n.create(bound("p", func(pod *corev1.Pod) {
				script(c.script)(pod)
				pod.Spec.RestartPolicy = c.pod
				c.change(pod)
			}))
			n.pass(time.Minute)
			if text := n.log(1 << 20); strings.Contains(text, "Failed to update status") {
				t.Errorf("a status was refused:\n%s", text[strings.Index(text, "Failed to update status"):][:200])
			}
			if got := summary(n.pod("p")); !strings.HasPrefix(got, c.want) || (len(n.ops("container.start")) > 1) != c.starts {
				t.Errorf("%q, started %d times", got, len(n.ops("container.start")))
			}
		})
	}
}

// TestRestartAllContainers: one container's end may make all begin again, the
// init containers first, in the same sandbox.
func TestRestartAllContainers(t *testing.T) {
	n := newNode(t, 61)
	n.pass(3 * time.Second)
	never := corev1.ContainerRestartPolicyNever
	n.create(bound("p", func(pod *corev1.Pod) {
		pod.Spec.RestartPolicy = corev1.RestartPolicyNever
		pod.Spec.InitContainers = []corev1.Container{{Name: "first", Image: "busybox", Command: []string{"true"}}}
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "watcher", Image: "busybox", RestartPolicy: &never,
			Command: []string{"sh", "-c", "sleep 5; exit 88"},
			RestartPolicyRules: []corev1.ContainerRestartRule{{Action: corev1.ContainerRestartRuleActionRestartAllContainers,
				ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{88}}}}})
	}))
	n.until("restarted", time.Minute, func() bool {
		return strings.Contains(summary(n.pod("p")), "watcher:runningx1") && strings.Contains(summary(n.pod("p")), "web:runningx1")
	})
	expect(t, "order", n.ops("container.start")[:6], "container.start first", "container.start web", "container.start watcher",
		"container.start first", "container.start web", "container.start watcher")
	if sandboxes := n.ops("sandbox.start"); len(sandboxes) != 2 { // starting, ready
		t.Errorf("sandboxes: %v", sandboxes)
	}
}

func TestTerminationMessages(t *testing.T) {
	for _, c := range []struct {
		name, script string
		policy       corev1.TerminationMessagePolicy
		want         string
	}{
		{"file", "echo ignored; echo 'the disk is full' > /dev/termination-log; exit 1", corev1.TerminationMessageReadFile, "the disk is full\n"},
		{"file, nothing in it", "echo ignored; exit 1", corev1.TerminationMessageReadFile, ""},
		{"log", "echo 'the disk is full'; exit 1", corev1.TerminationMessageFallbackToLogsOnError, "the disk is full\n"},
		{"log whose line has no end", "echo -n 'the disk '; echo -n 'is full'; exit 1", corev1.TerminationMessageFallbackToLogsOnError, "the disk is full"},
		{"log, but it ended well", "echo fine", corev1.TerminationMessageFallbackToLogsOnError, ""},
	} {
		n := newNode(t, 51)
		n.pass(3 * time.Second)
		n.create(bound("p", func(pod *corev1.Pod) {
			script(c.script)(pod)
			pod.Spec.RestartPolicy = corev1.RestartPolicyNever
			pod.Spec.Containers[0].TerminationMessagePath, pod.Spec.Containers[0].TerminationMessagePolicy = "/dev/termination-log", c.policy
		}))
		n.until("over", 20*time.Second, func() bool {
			return n.pod("p").Status.Phase != corev1.PodPending && n.pod("p").Status.Phase != corev1.PodRunning
		})
		if got := n.pod("p").Status.ContainerStatuses[0].State.Terminated.Message; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestImagesThatCannotBeHad: reason, message, and the Events that say so.
func TestImagesThatCannotBeHad(t *testing.T) {
	for _, c := range []struct {
		image           string
		policy          corev1.PullPolicy
		reason, message string
		event           string
	}{
		{"nginx:1.27", corev1.PullNever, "ErrImageNeverPull", `Container image "nginx:1.27" is not present with pull policy of Never`,
			`Warning ErrImageNeverPull: Container image "nginx:1.27" is not present with pull policy of Never`},
		{"Nginx:1.27", corev1.PullIfNotPresent, "InvalidImageName",
			`Failed to apply default image tag "Nginx:1.27": couldn't parse image name "Nginx:1.27": invalid reference format: repository name (library/Nginx) must be lowercase`,
			`Warning InspectFailed: Failed to apply default image tag .*`},
		{"registry.invalid/web:1", corev1.PullAlways, "ErrImagePull",
			`failed to pull and unpack image "registry.invalid/web:1": failed to resolve reference "registry.invalid/web:1": ` +
				`failed to do request: Head "https://registry.invalid/v2/web/manifests/1": dial tcp: lookup registry.invalid: no such host`,
			`Warning Failed: Failed to pull image "registry.invalid/web:1": rpc error: code = Unknown desc = .*`},
	} {
		n := newNode(t, 52)
		n.pass(3 * time.Second)
		n.create(bound("p", func(pod *corev1.Pod) {
			pod.Spec.Containers[0].Image, pod.Spec.Containers[0].ImagePullPolicy = c.image, c.policy
		}))
		n.until(c.reason, 20*time.Second, func() bool { return strings.HasSuffix(summary(n.pod("p")), c.reason) })
		if w := n.pod("p").Status.ContainerStatuses[0].State.Waiting; !strings.HasSuffix(w.Message, c.message) {
			t.Errorf("%s: message %q, want %q", c.image, w.Message, c.message)
		}
		n.pass(time.Second)
		found := false
		for _, e := range n.events("Pod", "p") {
			found = found || matches(c.event, e)
		}
		if !found {
			t.Errorf("%s: no event %q in %q", c.image, c.event, n.events("Pod", "p"))
		}
	}
}

// A command that the image doesn't hold isn't run: no shell is there to report 126 or 127.
// Upstream: runc's create fails, and containerd_start.go ends the container with 128, StartError.
func TestACommandThatIsNotThere(t *testing.T) {
	for i, c := range []struct{ image, command, message string }{
		{"busybox", "serve-me", `exec: "serve-me": executable file not found in $PATH`},
		{"nginx:1.27", "nginy", `exec: "nginy": executable file not found in $PATH`},
		{"traefik/whoami", "sh", `exec: "sh": executable file not found in $PATH`},
		{"kubewalk.dev/app", "/bin/serve", `exec: "/bin/serve": stat /bin/serve: no such file or directory`},
	} {
		n := newNode(t, uint64(53+i))
		n.pass(3 * time.Second)
		n.create(bound("p", func(pod *corev1.Pod) {
			pod.Spec.Containers[0].Image, pod.Spec.Containers[0].Command = c.image, []string{c.command}
		}))
		n.until("failing", 20*time.Second, func() bool { return strings.Contains(summary(n.pod("p")), "RunContainerError") })
		s := n.pod("p").Status.ContainerStatuses[0]
		if !strings.HasSuffix(s.State.Waiting.Message, c.message) {
			t.Errorf("%s: message %q", c.image, s.State.Waiting.Message)
		}
		n.pass(20 * time.Second)
		last := n.pod("p").Status.ContainerStatuses[0].LastTerminationState.Terminated
		if last == nil || last.ExitCode != 128 || last.Reason != "StartError" || !strings.HasSuffix(last.Message, c.message) {
			t.Errorf("%s: last state %+v", c.image, last)
		}
		if text := strings.Join(n.events("Pod", "p"), "\n"); !strings.Contains(text, "Warning Failed: Error: failed to create containerd task: ") {
			t.Errorf("%s: events\n%s", c.image, text)
		}
		if n.ops("container.start") != nil {
			t.Errorf("%s was started", c.image)
		}
	}
}

// A container whose variables double each other 60 times does not start: no kernel takes such an environment, and the kubelet does not make all of it.
func TestAnEnvironmentThatIsTooLong(t *testing.T) {
	ten := []corev1.EnvVar{{Name: "A0", Value: "0123456789"}}
	doubled := func(times int, first ...corev1.EnvVar) []corev1.EnvVar {
		for i := range times {
			first = append(first, corev1.EnvVar{Name: fmt.Sprint("A", i+1), Value: fmt.Sprintf("$(A%d)$(A%d)", i, i)})
		}
		return first
	}
	long := corev1.EnvVar{Name: "B", Value: strings.Repeat("b", 100<<10)}
	many := []corev1.EnvVar{long}
	for i := range 30 {
		many = append(many, corev1.EnvVar{Name: fmt.Sprint("C", i), Value: "$(B)"})
	}
	for name, c := range map[string]struct {
		env    []corev1.EnvVar
		starts bool
	}{
		"one of 80 kB":                  {doubled(13, ten...), true},
		"one of 160 kB":                 {doubled(14, ten...), false},
		"more than any memory":          {doubled(60, ten...), false},
		"short ones, 2 MB together":     {many, false},
		"short ones, 1.9 MB together":   {many[:19], true},
		"131,072 bytes with name and 0": {[]corev1.EnvVar{{Name: "D", Value: strings.Repeat("d", 128<<10-3)}}, true},
		"131,073 bytes with name and 0": {[]corev1.EnvVar{{Name: "D", Value: strings.Repeat("d", 128<<10-2)}}, false},
	} {
		n := newNode(t, 61)
		n.pass(3 * time.Second)
		n.create(bound("p", func(pod *corev1.Pod) {
			pod.Spec.Containers[0].Image, pod.Spec.Containers[0].Command, pod.Spec.Containers[0].Env = "busybox", []string{"sleep", "1d"}, c.env
		}))
		n.pass(20 * time.Second)
		text := summary(n.pod("p"))
		if starts := n.ops("container.start") != nil; starts != c.starts || !starts && !strings.Contains(text, "RunContainerError") && !strings.Contains(text, "CrashLoop") {
			t.Errorf("%s: starts: %v, %s", name, starts, text)
		}
		last := n.pod("p").Status.ContainerStatuses[0].LastTerminationState.Terminated
		if !c.starts && (last == nil || !strings.HasSuffix(last.Message, "error during container init: exec /bin/sleep: argument list too long")) {
			t.Errorf("%s: %+v", name, last)
		}
	}
}

func TestHooks(t *testing.T) {
	n := newNode(t, 54)
	n.pass(3 * time.Second)
	n.create(bound("web", func(pod *corev1.Pod) {
		c := &pod.Spec.Containers[0]
		c.Lifecycle = &corev1.Lifecycle{
			PostStart: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"sh", "-c", "sleep 2; echo started > /tmp/started"}}},
			PreStop:   &corev1.LifecycleHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/bye", Port: intstr.FromInt32(80)}},
		}
	}))
	n.until("started", 20*time.Second, func() bool { return len(n.ops("container.start")) == 1 })
	n.pass(time.Second)
	if got := summary(n.pod("web")); got != "Pending web:ContainerCreating" {
		t.Errorf("while the postStart hook runs: %q", got)
	}
	n.until("running", 5*time.Second, isRunning(n, "web"))
	if got := n.exec("web", "web", "cat /tmp/started"); got != "started" {
		t.Errorf("the hook left %q", got)
	}
	// One that fails has its container killed.
	n.create(bound("fails", func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PostStart: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"sh", "-c",
			"echo no; exit 1"}}}}
	}))
	n.until("failed", 20*time.Second, func() bool { return strings.Contains(summary(n.pod("fails")), "PostStartHookError") })
	n.pass(time.Second)
	text := strings.Join(n.events("Pod", "fails"), "\n")
	for _, want := range []string{"Warning FailedPostStartHook: PostStartHook failed", "Normal Killing: FailedPostStartHook"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	// A preStop hook that fails is said, and the container stopped.
	n.create(bound("stops", func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"false"}}}}
	}))
	n.until("running", 10*time.Second, isRunning(n, "stops"))
	n.delete("stops", metav1.DeleteOptions{})
	n.until("gone", 10*time.Second, isGone(n, "stops"))
	if text := strings.Join(n.events("Pod", "stops"), "\n"); !strings.Contains(text, "Warning FailedPreStopHook: PreStopHook failed") {
		t.Errorf("events\n%s", text)
	}
	// One that takes too long costs the grace period.
	n.create(bound("slow", func(pod *corev1.Pod) {
		five := int64(5)
		pod.Spec.TerminationGracePeriodSeconds = &five
		pod.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"sleep", "60"}}}}
	}))
	n.until("running", 10*time.Second, isRunning(n, "slow"))
	n.delete("slow", metav1.DeleteOptions{})
	if took := n.until("gone", 20*time.Second, isGone(n, "slow")); took < 5*time.Second || took > 8*time.Second {
		t.Errorf("gone after %v", took)
	}
}

func TestKindsOfProbes(t *testing.T) {
	port := intstr.FromString("http")
	for _, c := range []struct {
		name      string
		handler   corev1.ProbeHandler
		args      []string
		failure   string // of the readiness probe, a pattern; "" for none
		readyAt   time.Duration
		unhealthy int // Events at most
	}{
		{"http", corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: port}}, []string{"--ready-after=5s"},
			`Get "http://10.244.1.2:8080/": dial tcp 10.244.1.2:8080: connect: connection refused`, 5 * time.Second, 3},
		{"http slow", corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: port}}, []string{"--latency=1500ms"},
			`Get "http://10.244.1.2:8080/": context deadline exceeded \(Client.Timeout exceeded while awaiting headers\)`, -1, 100},
		{"http 500", corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: port}}, []string{"--break-after=100ms"},
			`HTTP probe failed with statuscode: 500`, -1, 100},
		{"tcp", corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: port}}, []string{"--ready-after=5s"},
			`dial tcp 10.244.1.2:8080: connect: connection refused`, 5 * time.Second, 3},
		{"tcp, another port", corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(81)}}, nil,
			`dial tcp 10.244.1.2:81: connect: connection refused`, -1, 100},
		{"grpc", corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: 8080}}, []string{"--break-after=100ms"},
			`service unhealthy \(responded with "NOT_SERVING"\)`, -1, 100},
		{"exec", corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"cat", "/tmp/ready"}}}, nil,
			`cat: can't open '/tmp/ready': No such file or directory\n`, -1, 100},
		{"exec, silent", corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"test", "-e", "/tmp/ready"}}}, nil, `$`, -1, 100},
		{"exec well", corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"sh", "-c", "test $HOSTNAME = p"}}}, nil, "", 0, 0},
		{"exec too long", corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"sleep", "3"}}}, nil,
			`command timed out: "sleep 3" timed out after 1s`, -1, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNode(t, 55)
			n.pass(3 * time.Second)
			n.create(bound("p", func(pod *corev1.Pod) {
				w := &pod.Spec.Containers[0]
				w.Image, w.Args = "kubewalk.dev/app", c.args
				w.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}}
				w.ReadinessProbe = &corev1.Probe{ProbeHandler: c.handler, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 3, SuccessThreshold: 1}
			}))
			n.until("started", 20*time.Second, func() bool { return len(n.ops("container.start")) == 1 })
			began := n.k.Elapsed()
			if c.readyAt >= 0 {
				n.until("ready", 20*time.Second, isRunning(n, "p"))
				if took := n.k.Elapsed() - began; took < c.readyAt || took > c.readyAt+4*time.Second {
					t.Errorf("ready after %v", took)
				}
			} else if n.pass(20 * time.Second); isRunning(n, "p")() {
				t.Error("it became ready")
			}
			n.pass(2 * time.Second)
			found := 0
			for _, e := range n.events("Pod", "p") {
				if strings.Contains(e, "Unhealthy") {
					if found++; !matches("Warning Unhealthy: Readiness probe failed: "+c.failure, e) {
						t.Errorf("event %q", e)
					}
				}
			}
			if (found > 0) != (c.failure != "") || found > c.unhealthy {
				t.Errorf("%d Events Unhealthy", found)
			}
		})
	}
}

// TestSidecarsGate: what comes after a sidecar waits for its startup probe, and
// sidecars are stopped last, the last one first.
func TestSidecarsGate(t *testing.T) {
	n := newNode(t, 56)
	n.pass(3 * time.Second)
	always := corev1.ContainerRestartPolicyAlways
	sidecar := func(name string, args ...string) corev1.Container {
		return corev1.Container{Name: name, Image: "kubewalk.dev/app", Args: args, RestartPolicy: &always, StartupProbe: &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromInt32(80)}}, PeriodSeconds: 1, FailureThreshold: 30,
			SuccessThreshold: 1, TimeoutSeconds: 1}}
	}
	n.create(bound("web", func(pod *corev1.Pod) {
		pod.Spec.InitContainers = []corev1.Container{sidecar("one", "--ready-after=4s"), sidecar("two")}
	}))
	n.until("running", time.Minute, isRunning(n, "web"))
	var starts []time.Duration
	for _, e := range n.k.Trace().Events(1) {
		if e.Op == trace.ContainerStart {
			starts = append(starts, e.At)
		}
	}
	expect(t, "order", n.ops("container.start"), "container.start one", "container.start two", "container.start web")
	if starts[1]-starts[0] < 4*time.Second {
		t.Errorf("the second sidecar was started %v after the first", starts[1]-starts[0])
	}
	n.delete("web", metav1.DeleteOptions{})
	n.until("gone", 10*time.Second, isGone(n, "web"))
	expect(t, "order of stopping", n.ops("container.kill"), "container.kill web SIGTERM", "container.kill two SIGTERM", "container.kill one SIGTERM")
}

func TestActiveDeadline(t *testing.T) {
	n := newNode(t, 57)
	n.pass(3 * time.Second)
	n.create(bound("p", func(pod *corev1.Pod) {
		ten := int64(10)
		pod.Spec.ActiveDeadlineSeconds = &ten
	}))
	took := n.until("failed", 20*time.Second, func() bool { return n.pod("p").Status.Phase == corev1.PodFailed })
	s := n.pod("p").Status
	if took < 10*time.Second || took > 13*time.Second || s.Reason != "DeadlineExceeded" ||
		s.Message != "Pod was active on the node longer than the specified deadline" {
		t.Errorf("after %v: %s: %s", took, s.Reason, s.Message)
	}
	n.pass(time.Second)
	if text := strings.Join(n.events("Pod", "p"), "\n"); strings.Count(text, "Normal DeadlineExceeded: Pod was active") != 1 ||
		!strings.Contains(text, "Killing") {
		t.Errorf("events\n%s", text)
	}
}

func TestEphemeralContainers(t *testing.T) {
	n := newNode(t, 58)
	n.pass(3 * time.Second)
	n.create(bound("web", nil))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	n.do("debug", func(p *sim.Proc, cs *client.Clientset) error {
		patch := `{"spec":{"ephemeralContainers":[{"name":"debugger","image":"busybox","command":["sh","-c","wget -qO- localhost; sleep 5; exit 3"],"targetContainerName":"web"}]}}`
		_, err := cs.CoreV1().Pods("default").Patch(p, "web", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "ephemeralcontainers")
		return err
	})
	n.until("running", 10*time.Second, func() bool {
		s := n.pod("web").Status.EphemeralContainerStatuses
		return len(s) == 1 && s[0].State.Running != nil
	})
	if got := n.logs("web", "debugger", kubelet.LogOptions{}); got != "web" {
		t.Errorf("the debugger's log: %q", got)
	}
	n.until("ended", 15*time.Second, func() bool {
		s := n.pod("web").Status.EphemeralContainerStatuses[0].State.Terminated
		return s != nil && s.ExitCode == 3
	})
	n.pass(2 * time.Minute)
	if starts := n.ops("container.start"); len(starts) != 2 || summary(n.pod("web")) != "Running ready web:running" {
		t.Errorf("started %v; %s", starts, summary(n.pod("web")))
	}
	if text := strings.Join(n.events("Pod", "web"), "\n"); strings.Count(text, "Started") != 2 {
		t.Errorf("events\n%s", text)
	}
}

func TestLogs(t *testing.T) {
	n := newNode(t, 59)
	n.pass(3 * time.Second)
	n.create(bound("p", script("echo one; echo two >&2; sleep 1; echo three; sleep 2; exit 1")))
	n.until("started", 20*time.Second, func() bool { return len(n.ops("container.start")) == 1 })
	n.pass(1500 * time.Millisecond)
	two, five := int64(2), int64(5)
	for _, c := range []struct {
		o    kubelet.LogOptions
		want string
	}{
		{kubelet.LogOptions{}, "one|two|three"},
		{kubelet.LogOptions{TailLines: &two}, "two|three"},
		{kubelet.LogOptions{LimitBytes: &five}, "one|t"},
		{kubelet.LogOptions{Previous: true}, `error: previous terminated container "web" in pod "p" not found`},
	} {
		if got := n.logs("p", "", c.o); got != c.want {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
	if got := n.logs("p", "web", kubelet.LogOptions{Timestamps: true, TailLines: &two}); !strings.HasPrefix(got, "2026-01-15T09:00:") {
		t.Errorf("with times: %q", got)
	}
	n.until("restarted", 10*time.Second, func() bool { return len(n.ops("container.start")) == 2 })
	if got := n.logs("p", "", kubelet.LogOptions{Previous: true}); got != "one|two|three" {
		t.Errorf("the previous container's log: %q", got)
	}
	n.create(bound("none", func(pod *corev1.Pod) { pod.Spec.Containers[0].Image = "nginx:no-such-tag" }))
	n.until("failing", 20*time.Second, func() bool { return strings.Contains(summary(n.pod("none")), "Image") })
	if got := n.logs("none", "", kubelet.LogOptions{}); got != `error: container "web" in pod "none" is waiting to start: trying and failing to pull image` {
		t.Error(got)
	}
}

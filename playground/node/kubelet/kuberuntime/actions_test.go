package kuberuntime

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// verdicts answers for the probes, by container ID.
type verdicts map[string]Verdict

func (verdicts) IsPodTerminationRequested(types.UID) bool             { return false }
func (verdicts) OnPodSandboxReady(*sim.Proc, *corev1.Pod)             {}
func (verdicts) PrepareDynamicResources(*sim.Proc, *corev1.Pod) error { return nil }
func (v verdicts) Liveness(id string) Verdict                         { return v["live/"+id] }
func (v verdicts) Startup(id string) Verdict                          { return v["start/"+id] }
func (verdicts) GenerateRunContainerOptions(*sim.Proc, *corev1.Pod, *corev1.Container, string) (*RunContainerOptions, error) {
	return &RunContainerOptions{}, nil
}
func (a podActions) String() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if a.KillPod {
		add("kill-pod")
	}
	if a.CreateSandbox {
		add("sandbox-%d", a.Attempt)
	}
	for _, k := range a.ContainersToKill {
		add("kill(%s)", k.message)
	}
	for _, i := range a.InitContainersToStart {
		add("init-%d", i)
	}
	for _, i := range a.ContainersToStart {
		add("start-%d", i)
	}
	return strings.Join(parts, " ")
}

// TestComputePodActions: a Pod is written as "init containers | containers",
// a sidecar with a + behind it; its state as "sandbox; name=state name=state",
// the newest first, where a state is run, created, unknown or an exit code.
func TestComputePodActions(t *testing.T) {
	always, onFailure, never := corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever
	for _, c := range []struct {
		name, pod string
		policy    corev1.RestartPolicy
		state     string
		verdicts  verdicts
		want      string
	}{
		{"new", "|a b", always, "", nil, "kill-pod sandbox-0 start-0 start-1"},
		{"new with init", "i j|a", always, "", nil, "kill-pod sandbox-0 init-0"},
		{"sandbox only", "|a", always, "ready", nil, "start-0"},
		{"runs", "|a b", always, "ready; a=run b=run", nil, ""},
		{"one ended, Always", "|a b", always, "ready; a=0 b=run", nil, "start-0"},
		{"one ended well, OnFailure", "|a b", onFailure, "ready; a=0 b=run", nil, ""},
		{"one failed, OnFailure", "|a b", onFailure, "ready; a=1 b=run", nil, "start-0"},
		{"one failed, Never", "|a b", never, "ready; a=1 b=run", nil, ""},
		{"all ended well, OnFailure", "|a b", onFailure, "ready; a=0 b=0", nil, "kill-pod"},
		{"all ended, Never", "|a", never, "ready; a=1", nil, "kill-pod"},
		{"only the newest counts", "|a", onFailure, "ready; a=0 a=1", nil, "kill-pod"},
		{"created but never started", "|a", never, "ready; a=created", nil, "start-0"},
		{"unknown", "|a", always, "ready; a=unknown", nil, `kill(Container is in "unknown" state, try killing it before restart) start-0`},
		{"image changed", "|a b", never, "ready; a!=run b=run", nil, "kill(Container a definition changed, will be restarted) start-0"},
		{"not alive, Always", "|a", always, "ready; a=run", verdicts{"live/a0": Failure}, "kill(Container a failed liveness probe, will be restarted) start-0"},
		{"not alive, Never", "|a", never, "ready; a=run", verdicts{"live/a0": Failure}, "kill-pod kill(Container a failed liveness probe)"},
		{"didn't start", "|a", always, "ready; a=run", verdicts{"start/a0": Failure}, "kill(Container a failed startup probe, will be restarted) start-0"},

		{"after a reboot", "|a", always, "notready; a=255", nil, "kill-pod sandbox-1 start-0"},
		{"after a reboot, with init", "i|a", always, "notready; a=255 i=0", nil, "kill-pod sandbox-1 init-0"},
		{"after a reboot, Never", "|a", never, "notready; a=255", nil, "kill-pod"},
		{"after a reboot, one had succeeded", "|a b", onFailure, "notready; a=0 b=255", nil, "kill-pod sandbox-1 start-1"},
		{"after a reboot, all had succeeded", "|a", onFailure, "notready; a=0", nil, "kill-pod"},
		{"sandbox died before any container, Never", "|a", never, "notready", nil, "kill-pod sandbox-1 start-0"},

		{"first init to start", "i j|a", always, "ready", nil, "init-0"},
		{"first init runs", "i j|a", always, "ready; i=run", nil, ""},
		{"first init done", "i j|a", always, "ready; i=0", nil, "init-1"},
		{"first init failed", "i j|a", always, "ready; i=1", nil, "init-0"},
		{"first init failed, Never", "i j|a", never, "ready; i=1", nil, "kill-pod"},
		{"last init done", "i j|a b", always, "ready; j=0 i=0", nil, "start-0 start-1"},
		{"last init done, the first was removed", "i j|a", always, "ready; j=0", nil, "start-0"},
		{"runs, inits were removed", "i j|a", always, "ready; a=run", nil, ""},

		{"sidecar to start", "s+|a", always, "ready", nil, "init-0"},
		{"sidecar runs", "s+|a", always, "ready; s=run", nil, "start-0"},
		{"sidecar runs, next init", "s+ i|a", always, "ready; s=run", nil, "init-1"},
		{"sidecar ended during init", "s+ i|a", always, "ready; i=run s=1", nil, "init-0"},
		{"sidecar ended", "s+|a", always, "ready; a=run s=1", nil, "init-0"},
		{"sidecar ended, Never", "s+|a", never, "ready; a=run s=1", nil, "init-0"},
		{"sidecar doesn't keep the Pod alive", "s+|a", never, "ready; a=0 s=run", nil, "kill-pod"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pod := parsePod(c.pod, c.policy)
			status := parseState(t, c.state, pod)
			k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
			m := &Manager{helper: c.verdicts}
			if got := m.computePodActions(k.Logger(), pod, status).String(); got != c.want {
				t.Errorf("Pod %q in %q: got %q, want %q", c.pod, c.state, got, c.want)
			}
		})
	}
}

func parsePod(text string, policy corev1.RestartPolicy) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "1"}}
	pod.Spec.RestartPolicy = policy
	inits, containers, _ := strings.Cut(text, "|")
	always := corev1.ContainerRestartPolicyAlways
	for _, name := range strings.Fields(inits) {
		c := corev1.Container{Name: strings.TrimSuffix(name, "+"), Image: "img"}
		if strings.HasSuffix(name, "+") {
			c.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	}
	for _, name := range strings.Fields(containers) {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: name, Image: "img"})
	}
	return pod
}

func parseState(t *testing.T, text string, pod *corev1.Pod) *container.PodStatus {
	status := &container.PodStatus{ID: pod.UID}
	sandbox, containers, _ := strings.Cut(text, ";")
	switch sandbox {
	case "ready":
		status.SandboxStatuses = []cri.PodSandbox{{ID: "s", IP: "10.244.1.2"}}
	case "notready":
		status.SandboxStatuses = []cri.PodSandbox{{ID: "s", State: cri.SandboxNotReady}}
	}
	for i, one := range strings.Fields(containers) {
		name, state, _ := strings.Cut(one, "=")
		s := &container.Status{Name: strings.TrimSuffix(name, "!"), State: container.StateExited}
		s.ID = fmt.Sprint(s.Name, i)
		s.Hash = hashContainer(&corev1.Container{Name: s.Name, Image: "img"})
		if s.Name != name {
			s.Hash = "other"
		}
		switch state {
		case "run":
			s.State = container.StateRunning
		case "created":
			s.State = container.StateCreated
		case "unknown":
			s.State = container.StateUnknown
		default:
			if _, err := fmt.Sscan(state, &s.ExitCode); err != nil {
				t.Fatalf("state %q: %v", one, err)
			}
		}
		status.ContainerStatuses = append(status.ContainerStatuses, s)
	}
	return status
}

package kubelet

import (
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/node/kubelet/status"
)

// TestPhaseAndConditions: a Pod is written as "init | containers", each as
// name=state, where a state is run (and ready), unready, wait, an exit code, or
// -N for one that ended with N and waits to be started again. A + behind the
// name makes an init container a sidecar.
func TestPhaseAndConditions(t *testing.T) {
	always, onFailure, never := corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever
	for _, c := range []struct {
		pod      string
		policy   corev1.RestartPolicy
		terminal bool
		phase    corev1.PodPhase
		// "" is True, else the reason
		initialized, ready, message string
	}{
		{"| a=wait", always, false, "Pending", "", "ContainersNotReady", "containers with unready status: [a]"},
		{"| a=run", always, false, "Running", "", "", ""},
		{"| a=run b=unready", always, false, "Running", "", "ContainersNotReady", "containers with unready status: [b]"},
		{"| a=run b=wait", always, false, "Pending", "", "ContainersNotReady", "containers with unready status: [b]"},
		{"| a=-1", always, false, "Running", "", "ContainersNotReady", "containers with unready status: [a]"},
		{"| a=0", always, false, "Running", "", "ContainersNotReady", "containers with unready status: [a]"},
		{"| a=0", onFailure, false, "Succeeded", "", "PodCompleted", ""},
		{"| a=1", onFailure, false, "Running", "", "ContainersNotReady", "containers with unready status: [a]"},
		{"| a=0 b=1", never, false, "Failed", "", "PodFailed", ""},
		{"| a=0 b=run", never, false, "Running", "", "ContainersNotReady", "containers with unready status: [a]"},
		{"| a=0", always, true, "Succeeded", "", "PodCompleted", ""},
		{"| a=137", always, true, "Failed", "", "PodFailed", ""},
		{"i=run | a=wait", always, false, "Pending", "ContainersNotInitialized", "ContainersNotReady", "containers with unready status: [a]"},
		{"i=0 j=wait | a=wait", always, false, "Pending", "ContainersNotInitialized", "ContainersNotReady", "containers with unready status: [a]"},
		{"i=0 | a=run", always, false, "Running", "", "", ""},
		{"i=1 | a=wait", never, false, "Failed", "ContainersNotInitialized", "PodFailed", ""},
		{"i=-1 | a=wait", always, false, "Pending", "ContainersNotInitialized", "ContainersNotReady", "containers with unready status: [a]"},
		{"s+=run | a=run", always, false, "Running", "", "", ""},
		{"s+=wait | a=wait", always, false, "Pending", "ContainersNotInitialized", "ContainersNotReady", "containers with unready status: [s a]"},
		{"s+=0 | a=0", never, false, "Succeeded", "", "PodCompleted", ""},
	} {
		pod := &corev1.Pod{}
		pod.Spec.RestartPolicy = c.policy
		var all []corev1.ContainerStatus
		inits, containers, _ := strings.Cut(c.pod, "|")
		for _, one := range strings.Fields(inits) {
			spec, s := parseContainer(t, one, true)
			pod.Spec.InitContainers, all = append(pod.Spec.InitContainers, spec), append(all, s)
		}
		for _, one := range strings.Fields(containers) {
			spec, s := parseContainer(t, one, false)
			pod.Spec.Containers, all = append(pod.Spec.Containers, spec), append(all, s)
		}
		phase := getPhase(pod, all, c.terminal, false)
		ready := status.GeneratePodReadyCondition(pod, nil, all, phase)
		initialized := status.GeneratePodInitializedCondition(pod, all, phase)
		if initialized.Reason == "PodCompleted" && initialized.Status == corev1.ConditionTrue {
			initialized.Reason = ""
		}
		if phase != c.phase || initialized.Reason != c.initialized || ready.Reason != c.ready || ready.Message != c.message ||
			(ready.Status == corev1.ConditionTrue) != (c.ready == "") {
			t.Errorf("%q %s: phase %s, Initialized %q, Ready %q %q; want %s, %q, %q %q",
				c.pod, c.policy, phase, initialized.Reason, ready.Reason, ready.Message, c.phase, c.initialized, c.ready, c.message)
		}
	}
}

func parseContainer(t *testing.T, text string, init bool) (spec corev1.Container, s corev1.ContainerStatus) {
	name, state, _ := strings.Cut(text, "=")
	sidecar := strings.HasSuffix(name, "+")
	name = strings.TrimSuffix(name, "+")
	spec.Name, s.Name = name, name
	if sidecar {
		always := corev1.ContainerRestartPolicyAlways
		spec.RestartPolicy = &always
	}
	switch state {
	case "run", "unready":
		started := true
		s.State.Running, s.Started = &corev1.ContainerStateRunning{}, &started
		s.Ready = state == "run" && (!init || sidecar)
	case "wait":
		s.State = waiting(containerCreating, "")
	default:
		var code int32
		if _, err := fmt.Sscan(strings.TrimPrefix(state, "-"), &code); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}
		if strings.HasPrefix(state, "-") {
			s.State, s.LastTerminationState = waiting("CrashLoopBackOff", ""), ended
		} else {
			s.State = ended
		}
		s.Ready = init && !sidecar && code == 0 && !strings.HasPrefix(state, "-")
	}
	return spec, s
}

// What a Pod asks for is what its containers do, or its init containers if that is more, and its runtime's overhead.
func TestPodRequests(t *testing.T) {
	cpu := func(q string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(q)}
	}
	asks := func(q string) corev1.Container {
		return corev1.Container{Resources: corev1.ResourceRequirements{Requests: cpu(q)}}
	}
	always := corev1.ContainerRestartPolicyAlways
	sidecar := asks("300m")
	sidecar.RestartPolicy = &always
	for name, c := range map[string]struct {
		spec corev1.PodSpec
		want string
	}{
		"containers":          {corev1.PodSpec{Containers: []corev1.Container{asks("100m"), asks("200m")}}, "300m"},
		"with overhead":       {corev1.PodSpec{Containers: []corev1.Container{asks("100m")}, Overhead: cpu("50m")}, "150m"},
		"init with overhead":  {corev1.PodSpec{InitContainers: []corev1.Container{asks("1")}, Containers: []corev1.Container{asks("100m")}, Overhead: cpu("50m")}, "1050m"},
		"a sidecar":           {corev1.PodSpec{InitContainers: []corev1.Container{sidecar}, Containers: []corev1.Container{asks("100m")}}, "400m"},
		"init beside sidecar": {corev1.PodSpec{InitContainers: []corev1.Container{sidecar, asks("500m")}, Containers: []corev1.Container{asks("100m")}}, "800m"},
	} {
		got := podRequests(&corev1.Pod{Spec: c.spec})[corev1.ResourceCPU]
		if want := resource.MustParse(c.want); got.Cmp(want) != 0 {
			t.Errorf("%s: %s, want %s", name, got.String(), c.want)
		}
	}
}

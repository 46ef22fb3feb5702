package kuberuntime

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// podActions is what has to be done with a Pod.
// Upstream: kuberuntime_manager.go podActions.
type podActions struct {
	// KillPod: stop all containers and the sandbox, because it has changed or nothing is left to run.
	KillPod       bool
	CreateSandbox bool
	SandboxID     string // the present one
	Attempt       int    // of the sandbox to create
	// InitContainersToStart and ContainersToStart are indices into the spec.
	InitContainersToStart      []int
	ContainersToStart          []int
	EphemeralContainersToStart []int
	ContainersToUpdate         []containerToUpdate
	// RestartAll, if not "", is the container whose end makes all begin again, in the same sandbox.
	RestartAll       string
	ContainersToKill []containerToKill
}

type containerToKill struct {
	status  *container.Status
	spec    *corev1.Container
	message string
	reason  killReason
}

// containerToUpdate is one whose limits change while it runs.
type containerToUpdate struct {
	status *container.Status
	spec   *corev1.Container
}

// killReason tells why a container is killed; a failed probe has its own grace period.
type killReason string

const (
	reasonStartupProbe  killReason = "StartupProbe"
	reasonLivenessProbe killReason = "LivenessProbe"
	reasonUnknown       killReason = "Unknown"

	reasonFailedPostStartHook killReason = "FailedPostStartHook"
	reasonRestartAll          killReason = "RestartAllContainers"
)

// podSandboxChanged tells whether a Pod needs a new sandbox, which attempt that
// would be, and which sandbox it has.
// Upstream: kuberuntime/util/util.go PodSandboxChanged.
func podSandboxChanged(log sim.Logger, pod *corev1.Pod, status *container.PodStatus) (changed bool, attempt int, id string) {
	if len(status.SandboxStatuses) == 0 {
		log.V(2).Info("No sandbox for pod can be found. Need to start a new one", "pod", container.PodKey(pod))
		return true, 0, ""
	}
	ready := 0
	for _, s := range status.SandboxStatuses {
		if s.State == cri.SandboxReady {
			ready++
		}
	}
	newest := status.SandboxStatuses[0]
	next := newest.Config.Attempt + 1
	switch {
	case ready > 1:
		log.V(2).Info("Multiple sandboxes are ready for Pod. Need to reconcile them", "pod", container.PodKey(pod))
		return true, next, newest.ID
	case newest.State != cri.SandboxReady:
		log.V(2).Info("No ready sandbox for pod can be found. Need to start a new one", "pod", container.PodKey(pod))
		return true, next, newest.ID
	case !pod.Spec.HostNetwork && newest.IP == "":
		log.V(2).Info("Sandbox for pod has no IP address. Need to start a new one", "pod", container.PodKey(pod))
		return true, next, newest.ID
	}
	return false, newest.Config.Attempt, newest.ID
}

// shouldRestartOnFailure tells whether any container of a Pod may be started again.
func shouldRestartOnFailure(pod *corev1.Pod) bool {
	if pod.Spec.RestartPolicy != corev1.RestartPolicyNever {
		return true
	}
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			// A sidecar by itself doesn't keep a Pod going.
			if !container.IsRestartableInitContainer(&list[i]) && container.IsContainerRestartable(&list[i], pod) {
				return true
			}
		}
	}
	return false
}

func containerSucceeded(c *corev1.Container, status *container.PodStatus) bool {
	s := status.FindContainerStatusByName(c.Name)
	return s != nil && s.State == container.StateExited && s.ExitCode == 0
}

func containerChanged(c *corev1.Container, s *container.Status) bool {
	return s.Hash != hashContainer(c)
}

// computePodActions compares what a Pod's spec asks for with what the runtime has.
// Upstream: kuberuntime_manager.go computePodActions.
func (m *Manager) computePodActions(log sim.Logger, pod *corev1.Pod, status *container.PodStatus) podActions {
	create, attempt, sandboxID := podSandboxChanged(log, pod, status)
	actions := podActions{KillPod: create, CreateSandbox: create, SandboxID: sandboxID, Attempt: attempt}
	if create {
		if !shouldRestartOnFailure(pod) && attempt != 0 && len(status.ContainerStatuses) != 0 {
			// Everything has run that may run. A new sandbox would be for nothing.
			actions.CreateSandbox = false
			return actions
		}
		for i := range pod.Spec.Containers {
			c := &pod.Spec.Containers[i]
			if containerSucceeded(c, status) && pod.Spec.RestartPolicy != corev1.RestartPolicyNever && !container.ContainerShouldRestart(c, pod, 0) {
				continue
			}
			actions.ContainersToStart = append(actions.ContainersToStart, i)
		}
		if len(actions.ContainersToStart) == 0 && anyRegularContainerCreated(pod, status) {
			actions.CreateSandbox = false
			return actions
		}
		if len(pod.Spec.InitContainers) > 0 {
			// A new sandbox begins from the beginning.
			actions.InitContainersToStart, actions.ContainersToStart = []int{0}, nil
		}
		return actions
	}
	if actions.RestartAll = restartsAll(pod, status); actions.RestartAll != "" {
		return actions
	}
	for i := range pod.Spec.EphemeralContainers {
		if status.FindContainerStatusByName(pod.Spec.EphemeralContainers[i].Name) == nil {
			actions.EphemeralContainersToStart = append(actions.EphemeralContainersToStart, i)
		}
	}
	if initialized := m.computeInitContainerActions(log, pod, status, &actions); actions.KillPod || !initialized {
		return actions
	}
	keep := 0
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		s := status.FindContainerStatusByName(c.Name)
		if s == nil || s.State != container.StateRunning {
			if container.ShouldContainerBeRestarted(c, pod, status) {
				log.V(3).Info("Container of pod is not in the desired state and shall be started", "containerName", c.Name, "pod", container.PodKey(pod))
				actions.ContainersToStart = append(actions.ContainersToStart, i)
				if s != nil && s.State == container.StateUnknown {
					actions.kill(s, c, fmt.Sprintf("Container is in %q state, try killing it before restart", s.State), reasonUnknown)
				}
			}
			continue
		}
		restart := container.IsContainerRestartable(c, pod)
		var message string
		var reason killReason
		switch {
		case containerChanged(c, s):
			message, restart = fmt.Sprintf("Container %s definition changed", c.Name), true
		case m.helper.Liveness(s.ID) == Failure:
			message, reason = fmt.Sprintf("Container %s failed liveness probe", c.Name), reasonLivenessProbe
		case m.helper.Startup(s.ID) == Failure:
			message, reason = fmt.Sprintf("Container %s failed startup probe", c.Name), reasonStartupProbe
		case s.Resources != Resources(c) && resizeRestarts(c, s):
			message, restart = fmt.Sprintf("Container %s resize requires restart", c.Name), true
		default:
			if s.Resources != Resources(c) {
				actions.ContainersToUpdate = append(actions.ContainersToUpdate, containerToUpdate{s, c})
			}
			keep++
			continue
		}
		if restart && !strings.HasSuffix(message, "requires restart") {
			message += ", will be restarted"
		}
		if restart {
			actions.ContainersToStart = append(actions.ContainersToStart, i)
		}
		actions.kill(s, c, message, reason)
		log.V(2).Info("Message for Container of pod", "containerName", c.Name, "pod", container.PodKey(pod), "containerMessage", message)
	}
	if keep == 0 && len(actions.ContainersToStart) == 0 {
		actions.KillPod = true
		actions.InitContainersToStart, actions.EphemeralContainersToStart = nil, nil // they don't keep a Pod alive
	}
	return actions
}

// restartsAll finds a container that has ended in a way that its rules answer
// by starting all containers of the Pod again.
// Upstream: kuberuntime_manager.go shouldRestartAllContainers.
func restartsAll(pod *corev1.Pod, status *container.PodStatus) string {
	if pod.DeletionTimestamp != nil {
		return ""
	}
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			c := &list[i]
			s := status.FindContainerStatusByName(c.Name)
			if s == nil || s.State != container.StateExited {
				continue
			}
			if rule := container.FindMatchingContainerRestartRule(c, s.ExitCode); rule != nil &&
				rule.Action == corev1.ContainerRestartRuleActionRestartAllContainers {
				return c.Name
			}
		}
	}
	return ""
}

// resizeRestarts tells whether a container's policy is to be restarted for the
// limit that changes. Upstream: kuberuntime_manager.go computePodResizeAction.
func resizeRestarts(c *corev1.Container, s *container.Status) bool {
	want := Resources(c)
	for _, policy := range c.ResizePolicy {
		changes := policy.ResourceName == corev1.ResourceCPU && want.CPULimit != s.Resources.CPULimit ||
			policy.ResourceName == corev1.ResourceMemory && want.MemoryLimit != s.Resources.MemoryLimit
		if changes && policy.RestartPolicy == corev1.RestartContainer {
			return true
		}
	}
	return false
}

func (a *podActions) kill(s *container.Status, c *corev1.Container, message string, reason killReason) {
	a.ContainersToKill = append(a.ContainersToKill, containerToKill{s, c, message, reason})
}

// anyRegularContainerCreated: the init containers are done, then.
// Upstream: kuberuntime_container.go HasAnyRegularContainerCreated.
func anyRegularContainerCreated(pod *corev1.Pod, status *container.PodStatus) bool {
	for i := range pod.Spec.Containers {
		if s := status.FindContainerStatusByName(pod.Spec.Containers[i].Name); s != nil {
			return true
		}
	}
	return false
}

// computeInitContainerActions finds the init container whose turn it is, and
// the sidecars that have to be started again. It tells whether initialization is over.
//
// It looks at the last one first: those that have ended may have been removed
// from the runtime, so that one ran is known by what came after it.
//
// Upstream: kuberuntime_container.go computeInitContainerActions.
func (m *Manager) computeInitContainerActions(log sim.Logger, pod *corev1.Pod, status *container.PodStatus, actions *podActions) bool {
	inits := pod.Spec.InitContainers
	if len(inits) == 0 {
		return true
	}
	initialized := false
	for i := range pod.Spec.Containers {
		// A container that has ended proves nothing: it may be of an older sandbox.
		s := status.FindContainerStatusByName(pod.Spec.Containers[i].Name)
		if s != nil && s.State != container.StateExited {
			initialized = true
		}
	}
	before := initialized // this one's turn is over: a later one was there
	for i := len(inits) - 1; i >= 0; i-- {
		c := &inits[i]
		sidecar := container.IsRestartableInitContainer(c)
		s := status.FindContainerStatusByName(c.Name)
		if s == nil {
			if before && sidecar {
				actions.InitContainersToStart = append(actions.InitContainersToStart, i)
			}
			continue
		}
		if before && !sidecar {
			continue
		}
		next := func() {
			if i == len(inits)-1 {
				initialized = true
			} else if !before {
				actions.InitContainersToStart = append(actions.InitContainersToStart, i+1)
			}
		}
		switch s.State {
		case container.StateCreated:
			actions.InitContainersToStart = append(actions.InitContainersToStart, i)
		case container.StateRunning:
			if !sidecar {
				break
			}
			if c.StartupProbe != nil {
				verdict := m.helper.Startup(s.ID)
				if verdict == Failure {
					actions.kill(s, c, fmt.Sprintf("Init container %s failed startup probe", c.Name), reasonStartupProbe)
					actions.InitContainersToStart = append(actions.InitContainersToStart, i)
				}
				if verdict != Success {
					break
				}
			}
			next()
			if m.helper.Liveness(s.ID) == Failure {
				actions.kill(s, c, fmt.Sprintf("Init container %s failed liveness probe", c.Name), reasonLivenessProbe)
				actions.InitContainersToStart = append(actions.InitContainersToStart, i)
			}
		case container.StateExited:
			switch {
			case sidecar:
				actions.InitContainersToStart = append(actions.InitContainersToStart, i)
			case s.ExitCode == 0:
				log.V(4).Info("Init container has been initialized", "pod", container.PodKey(pod), "container", c.Name)
				next()
			case !container.ContainerShouldRestart(c, pod, s.ExitCode):
				actions.KillPod, actions.InitContainersToStart = true, nil
				return false
			default:
				actions.InitContainersToStart = append(actions.InitContainersToStart, i)
			}
		default:
			actions.kill(s, c, fmt.Sprintf("Init container is in %q state, try killing it before restart", s.State), reasonUnknown)
			if !sidecar && !container.IsContainerRestartable(c, pod) {
				actions.KillPod, actions.InitContainersToStart = true, nil
				return false
			}
			actions.InitContainersToStart = append(actions.InitContainersToStart, i)
		}
		before = true
	}
	if !before {
		actions.InitContainersToStart = append(actions.InitContainersToStart, 0)
	}
	slices.Sort(actions.InitContainersToStart)
	return initialized
}

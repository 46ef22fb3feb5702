package status

import (
	"fmt"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
)

// Reasons of conditions. Upstream: generate.go.
const (
	UnknownContainerStatuses    = "UnknownContainerStatuses"
	PodCompleted                = "PodCompleted"
	PodFailed                   = "PodFailed"
	ContainersNotReady          = "ContainersNotReady"
	ContainersNotInitialized    = "ContainersNotInitialized"
	ReadinessGatesNotReady      = "ReadinessGatesNotReady"
	messageUnknownStatus        = "containers with unknown status: [%s]"
	messageUnready              = "containers with unready status: [%s]"
	messageIncomplete           = "containers with incomplete status: [%s]"
	messageGateWithoutCondition = "corresponding condition of pod readiness gate %q does not exist."
	messageGateConditionNotTrue = "the status of pod readiness gate %q is not \"True\", but %v"
)

// ConditionByKubelet tells whether the kubelet alone sets a condition.
// Upstream: pkg/kubelet/types/pod_status.go PodConditionByKubelet.
func ConditionByKubelet(t corev1.PodConditionType) bool {
	switch t {
	case corev1.PodScheduled, corev1.PodReady, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReadyToStartContainers,
		corev1.PodResizePending, corev1.PodResizeInProgress:
		return true
	}
	return false
}

// ConditionSharedByKubelet tells whether the kubelet is one of several who set
// a condition. Upstream: pkg/kubelet/types/pod_status.go PodConditionSharedByKubelet.
func ConditionSharedByKubelet(t corev1.PodConditionType) bool { return t == corev1.DisruptionTarget }

// FindContainer returns the status of that name, or nil.
func FindContainer(list []corev1.ContainerStatus, name string) *corev1.ContainerStatus {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// FindCondition returns the condition of that type, or nil.
func FindCondition(list []corev1.PodCondition, t corev1.PodConditionType) *corev1.PodCondition {
	for i := range list {
		if list[i].Type == t {
			return &list[i]
		}
	}
	return nil
}

func condition(pod *corev1.Pod, t corev1.PodConditionType, ok bool, reason, message string) corev1.PodCondition {
	c := corev1.PodCondition{Type: t, Status: corev1.ConditionFalse, Reason: reason, Message: message, ObservedGeneration: pod.Generation}
	if ok {
		c.Status = corev1.ConditionTrue
	}
	return c
}

// GenerateContainersReadyCondition says whether all containers are ready.
// statuses are nil while nothing is known.
func GenerateContainersReadyCondition(pod *corev1.Pod, statuses []corev1.ContainerStatus, phase corev1.PodPhase) corev1.PodCondition {
	if statuses == nil {
		return condition(pod, corev1.ContainersReady, false, UnknownContainerStatuses, "")
	}
	var unknown, unready []string
	judge := func(c *corev1.Container) {
		if s := FindContainer(statuses, c.Name); s == nil {
			unknown = append(unknown, c.Name)
		} else if !s.Ready {
			unready = append(unready, c.Name)
		}
	}
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; container.IsRestartableInitContainer(c) {
			judge(c)
		}
	}
	for i := range pod.Spec.Containers {
		judge(&pod.Spec.Containers[i])
	}
	switch {
	case phase == corev1.PodSucceeded && len(unknown) == 0:
		return condition(pod, corev1.ContainersReady, false, PodCompleted, "")
	case phase == corev1.PodFailed:
		return condition(pod, corev1.ContainersReady, false, PodFailed, "")
	}
	if message := lists(messageUnknownStatus, unknown, messageUnready, unready); message != "" {
		return condition(pod, corev1.ContainersReady, false, ContainersNotReady, message)
	}
	return condition(pod, corev1.ContainersReady, true, "", "")
}

// GeneratePodReadyCondition adds the Pod's readiness gates to ContainersReady.
// Other conditions than the kubelet's own are those of the Pod in the API.
func GeneratePodReadyCondition(pod *corev1.Pod, others []corev1.PodCondition, statuses []corev1.ContainerStatus, phase corev1.PodPhase) corev1.PodCondition {
	ready := GenerateContainersReadyCondition(pod, statuses, phase)
	ready.Type = corev1.PodReady
	if ready.Status != corev1.ConditionTrue {
		return ready
	}
	var missing []string
	for _, gate := range pod.Spec.ReadinessGates {
		switch c := FindCondition(others, gate.ConditionType); {
		case c == nil:
			missing = append(missing, fmt.Sprintf(messageGateWithoutCondition, string(gate.ConditionType)))
		case c.Status != corev1.ConditionTrue:
			missing = append(missing, fmt.Sprintf(messageGateConditionNotTrue, string(gate.ConditionType), c.Status))
		}
	}
	if len(missing) > 0 {
		return condition(pod, corev1.PodReady, false, ReadinessGatesNotReady, strings.Join(missing, ", "))
	}
	return ready
}

// GeneratePodInitializedCondition says whether all init containers are done,
// and sidecars started.
func GeneratePodInitializedCondition(pod *corev1.Pod, statuses []corev1.ContainerStatus, phase corev1.PodPhase) corev1.PodCondition {
	if statuses == nil && len(pod.Spec.InitContainers) > 0 {
		return condition(pod, corev1.PodInitialized, false, UnknownContainerStatuses, "")
	}
	if phase == corev1.PodSucceeded {
		return condition(pod, corev1.PodInitialized, true, PodCompleted, "")
	}
	var unknown, incomplete []string
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		switch s := FindContainer(statuses, c.Name); {
		case s == nil:
			unknown = append(unknown, c.Name)
		case container.IsRestartableInitContainer(c) && (s.Started == nil || !*s.Started),
			!container.IsRestartableInitContainer(c) && !s.Ready:
			incomplete = append(incomplete, c.Name)
		}
	}
	message := lists(messageUnknownStatus, unknown, messageIncomplete, incomplete)
	if message != "" {
		// Once a container has started, initialization was over, whatever is left of it.
		for i := range pod.Spec.Containers {
			s := FindContainer(statuses, pod.Spec.Containers[i].Name)
			if s != nil && (s.State.Running != nil || s.State.Terminated != nil || s.LastTerminationState.Terminated != nil) {
				return condition(pod, corev1.PodInitialized, true, "", "")
			}
		}
		return condition(pod, corev1.PodInitialized, false, ContainersNotInitialized, message)
	}
	return condition(pod, corev1.PodInitialized, true, "", "")
}

// GeneratePodReadyToStartContainersCondition says whether the Pod has a sandbox
// with a network.
func GeneratePodReadyToStartContainersCondition(pod *corev1.Pod, status *container.PodStatus) corev1.PodCondition {
	ready := false
	if len(status.SandboxStatuses) > 0 {
		newest := status.SandboxStatuses[0]
		ready = newest.State == cri.SandboxReady && (newest.Config.HostNetwork || newest.IP != "")
	}
	return condition(pod, corev1.PodReadyToStartContainers, ready, "", "")
}

func lists(format1 string, names1 []string, format2 string, names2 []string) string {
	var parts []string
	if len(names1) > 0 {
		parts = append(parts, fmt.Sprintf(format1, strings.Join(names1, " ")))
	}
	if len(names2) > 0 {
		parts = append(parts, fmt.Sprintf(format2, strings.Join(names2, " ")))
	}
	return strings.Join(parts, ", ")
}

package kubelet

import (
	"sort"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/status"
)

// Reasons why a container waits that nobody has to give.
const (
	containerCreating = "ContainerCreating"
	podInitializing   = "PodInitializing"
)

// generateAPIPodStatus turns what the runtime has of a Pod into what the API
// shows. podIsTerminal says that nothing of it will be started any more.
// Upstream: kubelet_pods.go generateAPIPodStatus.
func (kl *Kubelet) generateAPIPodStatus(pod *corev1.Pod, podStatus *container.PodStatus, podIsTerminal bool) corev1.PodStatus {
	old, found := kl.statusManager.GetPodStatus(pod.UID)
	if !found {
		old = pod.Status
	}
	s := kl.convertStatusToAPIStatus(pod, podStatus, &old)
	all := append(append([]corev1.ContainerStatus{}, s.InitContainerStatuses...), s.ContainerStatuses...)
	s.Phase = getPhase(pod, all, podIsTerminal, initialized(&old))
	if isPodPhaseTerminal(old.Phase) {
		s.Phase = old.Phase // whoever ended it has said how: an eviction, a deadline
	}
	if s.Phase == old.Phase {
		s.Reason, s.Message = old.Reason, old.Message
	}
	if isPodPhaseTerminal(pod.Status.Phase) {
		s.Phase, s.Reason, s.Message = pod.Status.Phase, pod.Status.Reason, pod.Status.Message // terminal is final
	}
	if reason, message, over := kl.deadlineExceeded(pod); over && !isPodPhaseTerminal(s.Phase) {
		if old.Reason != reason {
			kl.recorder.Eventf(container.PodReference(pod), corev1.EventTypeNormal, reason, "%s", message)
		}
		s.Phase, s.Reason, s.Message = corev1.PodFailed, reason, message
	}
	kl.probeManager.UpdatePodStatus(pod, &s)
	s.Conditions = otherConditions(pod, &old)
	all = append(append([]corev1.ContainerStatus{}, s.InitContainerStatuses...), s.ContainerStatuses...)
	s.Conditions = append(s.Conditions, kl.resizeConditions(pod, podStatus)...)
	s.Conditions = append(s.Conditions,
		status.GeneratePodReadyToStartContainersCondition(pod, podStatus),
		status.GeneratePodInitializedCondition(pod, all, s.Phase),
		status.GeneratePodReadyCondition(pod, pod.Status.Conditions, all, s.Phase),
		status.GenerateContainersReadyCondition(pod, all, s.Phase),
		corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, ObservedGeneration: pod.Generation},
	)
	s.HostIP = kl.options.InternalIP
	s.HostIPs = []corev1.HostIP{{IP: s.HostIP}}
	if pod.Spec.HostNetwork && s.PodIP == "" {
		s.PodIP, s.PodIPs = s.HostIP, []corev1.PodIP{{IP: s.HostIP}}
	}
	return s
}

// deadlineExceeded tells whether a Pod has run for longer than its activeDeadlineSeconds.
// Upstream: active_deadline.go.
func (kl *Kubelet) deadlineExceeded(pod *corev1.Pod) (reason, message string, over bool) {
	s, ok := kl.statusManager.GetPodStatus(pod.UID)
	if !ok {
		s = pod.Status
	}
	if pod.Spec.ActiveDeadlineSeconds == nil || s.StartTime == nil || s.StartTime.IsZero() {
		return "", "", false
	}
	over = kl.kernel.Time().Sub(s.StartTime.Time) >= time.Duration(*pod.Spec.ActiveDeadlineSeconds)*time.Second
	return "DeadlineExceeded", "Pod was active on the node longer than the specified deadline", over
}

func initialized(s *corev1.PodStatus) bool {
	c := status.FindCondition(s.Conditions, corev1.PodInitialized)
	return c != nil && c.Status == corev1.ConditionTrue
}

// otherConditions are those that others than the kubelet set, and those that
// the kubelet shares with them, as it set them before.
func otherConditions(pod *corev1.Pod, old *corev1.PodStatus) []corev1.PodCondition {
	var out []corev1.PodCondition
	for _, c := range pod.Status.Conditions {
		if !status.ConditionByKubelet(c.Type) && !(old != nil && status.ConditionSharedByKubelet(c.Type) &&
			status.FindCondition(old.Conditions, c.Type) != nil) {
			out = append(out, c)
		}
	}
	if old != nil {
		for _, c := range old.Conditions {
			if status.ConditionSharedByKubelet(c.Type) {
				out = append(out, c)
			}
		}
	}
	return out
}

// getPhase sums containers up in one word.
// Upstream: kubelet_pods.go getPhase.
func getPhase(pod *corev1.Pod, info []corev1.ContainerStatus, podIsTerminal, podHasInitialized bool) corev1.PodPhase {
	var pendingInit, pendingSidecars, failedInit, unknown, running, waiting, stopped, succeeded int
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		s := status.FindContainer(info, c.Name)
		if container.IsRestartableInitContainer(c) {
			switch {
			case s == nil:
				unknown++
			case s.State.Running != nil:
				if s.Started == nil || !*s.Started {
					pendingSidecars++
				}
				running++
			case s.State.Terminated != nil, s.State.Waiting != nil && s.LastTerminationState.Terminated != nil:
				// A sidecar that ended doesn't count.
			case s.State.Waiting != nil:
				pendingSidecars++
				waiting++
			default:
				pendingSidecars++
				unknown++
			}
			continue
		}
		switch {
		case s == nil:
			pendingInit++
		case s.State.Terminated != nil:
			if code := s.State.Terminated.ExitCode; code != 0 {
				if container.ContainerShouldRestart(c, pod, code) {
					pendingInit++
				} else {
					failedInit++
				}
			}
		case s.State.Waiting != nil && s.LastTerminationState.Terminated != nil:
			if code := s.LastTerminationState.Terminated.ExitCode; code != 0 {
				if container.ContainerShouldRestart(c, pod, code) {
					pendingInit++
				} else {
					failedInit++
				}
			}
		default:
			pendingInit++
		}
	}
	again := 0 // those of stopped that will be started again
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		s := status.FindContainer(info, c.Name)
		switch {
		case s == nil:
			unknown++
		case s.State.Running != nil:
			running++
		case s.State.Terminated != nil:
			stopped++
			if container.ContainerShouldRestart(c, pod, s.State.Terminated.ExitCode) {
				again++
			}
			if s.State.Terminated.ExitCode == 0 {
				succeeded++
			}
		case s.State.Waiting != nil && s.LastTerminationState.Terminated != nil:
			stopped++
			if container.ContainerShouldRestart(c, pod, s.LastTerminationState.Terminated.ExitCode) {
				again++
			}
		case s.State.Waiting != nil:
			waiting++
		default:
			unknown++
		}
	}
	if failedInit > 0 {
		return corev1.PodFailed
	}
	switch {
	case pendingInit > 0, pendingSidecars > 0 && !podHasInitialized:
		return corev1.PodPending
	case waiting > 0:
		return corev1.PodPending
	case running > 0 && unknown == 0:
		return corev1.PodRunning
	case running == 0 && stopped > 0 && unknown == 0:
		switch {
		case podIsTerminal && stopped == succeeded:
			return corev1.PodSucceeded
		case podIsTerminal:
			return corev1.PodFailed
		case again > 0:
			return corev1.PodRunning
		case stopped == succeeded:
			return corev1.PodSucceeded
		}
		return corev1.PodFailed
	}
	return corev1.PodPending
}

// convertStatusToAPIStatus fills in addresses and containers.
// Upstream: kubelet_pods.go convertStatusToAPIStatus.
func (kl *Kubelet) convertStatusToAPIStatus(pod *corev1.Pod, podStatus *container.PodStatus, old *corev1.PodStatus) corev1.PodStatus {
	s := corev1.PodStatus{QOSClass: qosClass(pod)}
	for _, ip := range podStatus.IPs {
		s.PodIPs = append(s.PodIPs, corev1.PodIP{IP: ip})
	}
	if len(s.PodIPs) == 0 && podIsOver(podStatus) {
		s.PodIPs = old.PodIPs // where it was, for whoever looks at it later
	}
	if len(s.PodIPs) > 0 {
		s.PodIP = s.PodIPs[0].IP
	}
	hasInit := len(pod.Spec.InitContainers) > 0
	s.ContainerStatuses = kl.convertToAPIContainerStatuses(pod, podStatus, old.ContainerStatuses, pod.Spec.Containers, hasInit, false)
	s.InitContainerStatuses = kl.convertToAPIContainerStatuses(pod, podStatus, old.InitContainerStatuses, pod.Spec.InitContainers, hasInit, true)
	var ephemeral []corev1.Container
	for i := range pod.Spec.EphemeralContainers {
		ephemeral = append(ephemeral, *container.Ephemeral(&pod.Spec.EphemeralContainers[i]))
	}
	s.EphemeralContainerStatuses = kl.convertToAPIContainerStatuses(pod, podStatus, old.EphemeralContainerStatuses, ephemeral, false, false)
	sort.SliceStable(s.ContainerStatuses, func(i, j int) bool { return s.ContainerStatuses[i].Name < s.ContainerStatuses[j].Name })
	return s
}

func podIsOver(podStatus *container.PodStatus) bool {
	return len(podStatus.SandboxStatuses) > 0 && isPodStatusCacheTerminal(podStatus)
}

// convertToAPIContainerStatuses says of each container of a list what it does,
// did before, and why it waits. Upstream: kubelet_pods.go convertToAPIContainerStatuses.
func (kl *Kubelet) convertToAPIContainerStatuses(pod *corev1.Pod, podStatus *container.PodStatus, previous []corev1.ContainerStatus,
	containers []corev1.Container, hasInit, isInit bool) []corev1.ContainerStatus {
	if len(containers) == 0 {
		return nil
	}
	why := containerCreating
	if hasInit {
		why = podInitializing
	}
	out := make([]corev1.ContainerStatus, len(containers))
	for i := range containers {
		c := &containers[i]
		s := corev1.ContainerStatus{Name: c.Name, Image: c.Image, State: waiting(why, "")}
		old := status.FindContainer(previous, c.Name)
		if old != nil {
			if old.State.Terminated != nil {
				s = *old.DeepCopy()
			} else {
				s.RestartCount, s.LastTerminationState = old.RestartCount, old.LastTerminationState
			}
		}
		if podStatus.FindContainerStatusByName(c.Name) == nil && old != nil && old.State.Running != nil && s.LastTerminationState.Terminated == nil {
			// It ran, and nothing of it is left: it has ended somehow.
			s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
				Reason: "ContainerStatusUnknown", ExitCode: 137,
				Message: "The container could not be located when the pod was deleted.  The container used to be Running",
			}
			if pod.DeletionTimestamp == nil {
				s.RestartCount++
			}
		}
		seen := 0
		for _, found := range podStatus.ContainerStatuses { // the newest first
			if found.Name != c.Name {
				continue
			}
			if seen++; seen == 1 {
				s = convertContainerStatus(found, c)
				s.VolumeMounts = volumeMountStatuses(pod, c)
			} else if s.LastTerminationState.Terminated == nil {
				s.LastTerminationState = convertContainerStatus(found, c).State
				break
			}
		}
		if seen == 1 && old != nil && old.ContainerID != "" && old.ContainerID != s.ContainerID && s.LastTerminationState.Terminated == nil {
			// The one before was removed already.
			if s.LastTerminationState = old.LastTerminationState; old.State.Terminated != nil {
				s.LastTerminationState = old.State
			}
		} else if seen == 1 && old != nil && old.ContainerID == s.ContainerID && s.LastTerminationState.Terminated == nil {
			s.LastTerminationState = old.LastTerminationState
			if old.LastTerminationState.Terminated != nil && s.State.Terminated != nil &&
				old.LastTerminationState.Terminated.ContainerID == s.ContainerID {
				s.LastTerminationState = corev1.ContainerState{} // that was this one, while it waited
			}
		}
		out[i] = kl.withReason(pod, podStatus, c, s, isInit)
	}
	return out
}

// withReason makes a container that is to be started, but could not be, wait.
func (kl *Kubelet) withReason(pod *corev1.Pod, podStatus *container.PodStatus, c *corev1.Container, s corev1.ContainerStatus,
	isInit bool) corev1.ContainerStatus {
	found := podStatus.FindContainerStatusByName(c.Name)
	if isInit && found != nil && found.State == container.StateExited && found.ExitCode == 0 && !container.IsRestartableInitContainer(c) {
		return s
	}
	if !container.ShouldContainerBeRestarted(c, pod, podStatus) {
		return s
	}
	r, ok := kl.reasonCache.Get(pod.UID, c.Name)
	if !ok {
		return s
	}
	if s.State.Terminated != nil {
		s.LastTerminationState = s.State
	}
	s.State = waiting(r.err.Error(), r.message)
	return s
}

// volumeMountStatuses repeats what a container mounts, as it came out.
// Upstream: kubelet_pods.go convertToAPIContainerStatuses, convertContainerStatusMounts.
func volumeMountStatuses(pod *corev1.Pod, c *corev1.Container) []corev1.VolumeMountStatus {
	var out []corev1.VolumeMountStatus
	for i := range c.VolumeMounts {
		mount := &c.VolumeMounts[i]
		s := corev1.VolumeMountStatus{Name: mount.Name, MountPath: mount.MountPath, ReadOnly: mount.ReadOnly}
		if mount.ReadOnly {
			disabled := corev1.RecursiveReadOnlyDisabled
			s.RecursiveReadOnly = &disabled
		}
		out = append(out, s)
	}
	return out
}

func waiting(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func convertContainerStatus(found *container.Status, c *corev1.Container) corev1.ContainerStatus {
	s := corev1.ContainerStatus{Name: found.Name, RestartCount: int32(found.RestartCount), Image: found.Image, ImageID: found.ImageRef, ContainerID: found.ID}
	switch found.State {
	case container.StateRunning:
		s.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(found.StartedAt)}
	case container.StateExited:
		s.State.Terminated = &corev1.ContainerStateTerminated{
			ExitCode: found.ExitCode, Reason: found.Reason, Message: found.Message, ContainerID: found.ID,
			StartedAt: metav1.NewTime(found.StartedAt), FinishedAt: metav1.NewTime(found.FinishedAt),
		}
	default:
		s.State = waiting("", "")
	}
	if len(c.Resources.Requests)+len(c.Resources.Limits) > 0 {
		s.AllocatedResources = c.Resources.DeepCopy().Requests
		s.Resources = c.Resources.DeepCopy()
		if found.State == container.StateRunning { // the limits that are in force
			for _, actual := range []struct {
				name  corev1.ResourceName
				limit int64
			}{{corev1.ResourceCPU, found.Resources.CPULimit / 1_000_000}, {corev1.ResourceMemory, found.Resources.MemoryLimit}} {
				q, ok := s.Resources.Limits[actual.name]
				if !ok || actual.limit == 0 {
					continue
				}
				if actual.name == corev1.ResourceCPU && q.MilliValue() != actual.limit {
					s.Resources.Limits[actual.name] = *resource.NewMilliQuantity(actual.limit, resource.DecimalSI)
				} else if actual.name == corev1.ResourceMemory && q.Value() != actual.limit {
					s.Resources.Limits[actual.name] = *resource.NewQuantity(actual.limit, resource.BinarySI)
				}
			}
		}
	}
	return s
}

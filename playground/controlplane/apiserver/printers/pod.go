package printers

import (
	"fmt"
	"strconv"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
)

// printPod says how a Pod is in one word, which no field of it holds: STATUS is
// the phase, unless something more telling is known of its containers.
// Upstream: printers.go, printPod.
func (p printer) printPod(pod *corev1.Pod) []any {
	s := summarize(pod)
	restarts := strconv.Itoa(s.restarts)
	if s.restarts != 0 && !s.lastRestart.IsZero() {
		restarts = fmt.Sprintf("%d (%s ago)", s.restarts, p.age(s.lastRestart))
	}
	ip := ""
	if len(pod.Status.PodIPs) > 0 {
		ip = pod.Status.PodIPs[0].IP
	}
	return []any{
		pod.Name, fmt.Sprintf("%d/%d", s.ready, s.total), s.reason, restarts, p.created(pod),
		or(ip, "<none>"), or(pod.Spec.NodeName, "<none>"), or(pod.Status.NominatedNodeName, "<none>"), readinessGates(pod),
	}
}

func readinessGates(pod *corev1.Pod) string {
	if len(pod.Spec.ReadinessGates) == 0 {
		return "<none>"
	}
	open := 0
	for _, gate := range pod.Spec.ReadinessGates {
		if podCondition(pod, gate.ConditionType) {
			open++
		}
	}
	return fmt.Sprintf("%d/%d", open, len(pod.Spec.ReadinessGates))
}

// podCondition says that a condition is there and true.
func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// summary is what a row says of a Pod's containers.
type summary struct {
	reason       string
	ready, total int
	restarts     int
	lastRestart  time.Time
}

// restarted counts a container's restarts.
func (s *summary) restarted(c *corev1.ContainerStatus) {
	s.restarts += int(c.RestartCount)
	if t := c.LastTerminationState.Terminated; t != nil && s.lastRestart.Before(t.FinishedAt.Time) {
		s.lastRestart = t.FinishedAt.Time
	}
}

func summarize(pod *corev1.Pod) summary {
	s := summary{reason: string(pod.Status.Phase), total: len(pod.Spec.Containers)}
	if pod.Status.Reason != "" {
		s.reason = pod.Status.Reason
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonSchedulingGated {
			s.reason = corev1.PodReasonSchedulingGated
		}
	}
	sidecars := map[string]bool{}
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars[c.Name] = true
			s.total++
		}
	}
	var ofSidecars summary // their restarts go on counting when the others' no longer do
	initializing := false
	for i := range pod.Status.InitContainerStatuses {
		c := &pod.Status.InitContainerStatuses[i]
		s.restarted(c)
		if sidecars[c.Name] {
			ofSidecars.restarted(c)
		}
		if waitsFor := s.initContainer(c, sidecars[c.Name], fmt.Sprintf("%d/%d", i, len(pod.Spec.InitContainers))); waitsFor {
			initializing = true
			break
		}
	}
	if !initializing || podCondition(pod, corev1.PodInitialized) {
		s.restarts, s.lastRestart = ofSidecars.restarts, ofSidecars.lastRestart
		s.containers(pod)
	}
	switch {
	case pod.DeletionTimestamp == nil:
	case pod.Status.Reason == "NodeLost": // upstream: node.NodeUnreachablePodReason
		s.reason = "Unknown"
	case pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed:
		s.reason = "Terminating"
	}
	return s
}

// initContainer says whether the Pod waits for an init container, and as what.
func (s *summary) initContainer(c *corev1.ContainerStatus, sidecar bool, progress string) bool {
	t, w := c.State.Terminated, c.State.Waiting
	switch {
	case t != nil && t.ExitCode == 0:
		return false
	case sidecar && c.Started != nil && *c.Started:
		if c.Ready {
			s.ready++
		}
		return false
	case t != nil:
		s.reason = "Init:" + ended(t)
	case w != nil && w.Reason != "" && w.Reason != "PodInitializing":
		s.reason = "Init:" + w.Reason
	default:
		s.reason = "Init:" + progress
	}
	return true
}

func (s *summary) containers(pod *corev1.Pod) {
	running, failed := false, ""
	for i := len(pod.Status.ContainerStatuses) - 1; i >= 0; i-- {
		c := &pod.Status.ContainerStatuses[i]
		s.restarted(c)
		switch t, w := c.State.Terminated, c.State.Waiting; {
		case w != nil && w.Reason != "":
			s.reason = w.Reason
		case t != nil:
			s.reason = ended(t)
			if t.ExitCode != 0 {
				failed = s.reason
			}
		case c.Ready && c.State.Running != nil:
			running = true
			s.ready++
		}
	}
	// One container is done, but that is not all there is to say.
	if s.reason != "Completed" {
		return
	}
	switch {
	case running && podCondition(pod, corev1.PodReady):
		s.reason = "Running"
	case failed != "":
		s.reason = failed
	case running:
		s.reason = "NotReady"
	}
}

// ended says how a container ended.
func ended(t *corev1.ContainerStateTerminated) string {
	switch {
	case t.Reason != "":
		return t.Reason
	case t.Signal != 0:
		return fmt.Sprintf("Signal:%d", t.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", t.ExitCode)
}

func (p printer) printPodTemplate(o *corev1.PodTemplate) []any {
	names, images := layoutContainerCells(o.Template.Spec.Containers)
	return []any{o.Name, names, images, labels.FormatLabels(o.Template.Labels)}
}

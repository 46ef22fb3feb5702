package quota

import (
	"strings"

	"kubewalk/playground/api/corev1"
)

// PodRequests is what a Pod asks of its node: the sum of its containers and
// sidecars, or what its init containers need one after the other if that is
// more; what the Pod states as a whole instead; and its overhead. While a
// container is resized, it counts with the larger of what it has and wants.
// Upstream: k8s.io/component-helpers/resource/helpers.go, PodRequests.
func PodRequests(pod *corev1.Pod) corev1.ResourceList {
	sum := ofContainers(pod, func(c *corev1.Container) corev1.ResourceList {
		return duringResize(pod, c.Name, c.Resources.Requests)
	})
	if pod.Spec.Resources != nil {
		// order: each name is set by itself.
		for name, q := range pod.Spec.Resources.Requests {
			if isPodLevel(name) {
				sum[name] = q
			}
		}
	}
	return Add(sum, pod.Spec.Overhead)
}

// PodLimits is what a Pod may use at most. The overhead raises only what is limited.
// Upstream: PodLimits.
func PodLimits(pod *corev1.Pod) corev1.ResourceList {
	sum := ofContainers(pod, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Limits })
	if pod.Spec.Resources != nil {
		// order: each name is set by itself.
		for name, q := range pod.Spec.Resources.Limits {
			if isPodLevel(name) {
				sum[name] = q
			}
		}
	}
	// order: each name is a sum of its own.
	for name, q := range pod.Spec.Overhead {
		if limit, ok := sum[name]; ok {
			limit.Add(q)
			sum[name] = limit
		}
	}
	return sum
}

func ofContainers(pod *corev1.Pod, list func(*corev1.Container) corev1.ResourceList) corev1.ResourceList {
	sum, initMax, sidecars := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for i := range pod.Spec.Containers {
		sum = Add(sum, list(&pod.Spec.Containers[i]))
	}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		during := Add(sidecars, list(c))
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sum, sidecars = Add(sum, list(c)), during
		}
		initMax = Max(initMax, during)
	}
	return Max(sum, initMax)
}

// isPodLevel says that a Pod may state the resource as a whole. Upstream: IsSupportedPodLevelResource.
func isPodLevel(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// duringResize is the most of what a container wants, was given, and has. What
// it wants does not count when the node can never give it.
// Upstream: determineContainerReqs.
func duringResize(pod *corev1.Pod, container string, wants corev1.ResourceList) corev1.ResourceList {
	for _, statuses := range [][]corev1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		for i := range statuses {
			s := &statuses[i]
			if s.Name != container || s.Resources == nil {
				continue
			}
			has := Max(s.Resources.Requests, s.AllocatedResources)
			for _, c := range pod.Status.Conditions {
				if c.Type == corev1.PodResizePending && c.Reason == corev1.PodReasonInfeasible {
					return has
				}
			}
			return Max(wants, has)
		}
	}
	return wants
}

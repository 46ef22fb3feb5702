package endpoints

import "kubewalk/playground/api/corev1"

// ContainerStatus is that of a Pod's container, the first if none is named; nil if there is none yet.
func ContainerStatus(pod *corev1.Pod, name string) *corev1.ContainerStatus {
	if name == "" {
		name = pod.Spec.Containers[0].Name
	}
	for _, list := range [][]corev1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses, pod.Status.EphemeralContainerStatuses} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// ContainerEnded tells whether a container will print nothing more.
func ContainerEnded(pod *corev1.Pod, status *corev1.ContainerStatus) bool {
	over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	return over || status != nil && status.State.Terminated != nil
}

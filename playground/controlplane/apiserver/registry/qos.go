package registry

import "kubewalk/playground/api/corev1"

// computePodQOS says how a Pod fares when its node runs out of memory. Guaranteed: every container's limits of CPU and
// memory are its requests. BestEffort: nothing is requested. Burstable: what is between.
// Upstream: pkg/apis/core/v1/helper/qos/qos.go, ComputePodQOS; without requests of the Pod as a whole.
func computePodQOS(pod *corev1.Pod) corev1.PodQOSClass {
	guaranteed, any := true, false
	all := append(append([]corev1.Container(nil), pod.Spec.Containers...), pod.Spec.InitContainers...)
	for i := range all {
		r := &all[i].Resources
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			request, limit := r.Requests[name], r.Limits[name]
			if !request.IsZero() || !limit.IsZero() {
				any = true
			}
			if limit.IsZero() || !request.IsZero() && request.Cmp(limit) != 0 {
				guaranteed = false
			}
		}
	}
	switch {
	case !any:
		return corev1.PodQOSBestEffort
	case guaranteed:
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}

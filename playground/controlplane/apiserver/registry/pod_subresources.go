package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// podEphemeralContainersStrategy is for pods/ephemeralcontainers: it takes these and leaves the rest.
// Upstream: pkg/registry/core/pod/strategy.go.
type podEphemeralContainersStrategy struct{ podStrategy }

// podResizeStrategy is for pods/resize: it takes what containers ask for, and how they are resized.
// Upstream: pkg/registry/core/pod/strategy.go.
type podResizeStrategy struct{ podStrategy }

func init() {
	register("/pods/ephemeralcontainers", podEphemeralContainersStrategy{})
	register("/pods/resize", podResizeStrategy{})
}

func (podEphemeralContainersStrategy) PrepareForUpdate(obj, old api.Object) {
	pod := obj.(*corev1.Pod)
	containers := pod.Spec.EphemeralContainers
	*pod = *old.DeepCopyObject().(*corev1.Pod)
	pod.Spec.EphemeralContainers = containers
	countGeneration(pod, old.(*corev1.Pod))
}

func (podEphemeralContainersStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidatePodEphemeralContainersUpdate(obj.(*corev1.Pod), old.(*corev1.Pod))
}

func (podResizeStrategy) PrepareForUpdate(obj, old api.Object) {
	pod := obj.(*corev1.Pod)
	asked := pod.Spec
	*pod = *old.DeepCopyObject().(*corev1.Pod)
	resize(pod.Spec.Containers, asked.Containers)
	resize(pod.Spec.InitContainers, asked.InitContainers)
	countGeneration(pod, old.(*corev1.Pod))
}

// resize takes over the resources of containers of the same name. Upstream: strategy.go, dropNonResizeUpdates.
func resize(containers, asked []corev1.Container) {
	for i := range containers {
		for j := range asked {
			if asked[j].Name == containers[i].Name {
				containers[i].Resources, containers[i].ResizePolicy = asked[j].Resources, asked[j].ResizePolicy
			}
		}
	}
}

func (podResizeStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	pod, oldPod := obj.(*corev1.Pod), old.(*corev1.Pod)
	errs := validation.ValidatePodResize(pod, oldPod)
	if qos := computePodQOS(pod); qos != computePodQOS(oldPod) {
		errs = append(errs, field.Invalid(field.NewPath("spec"), string(qos), "Pod QOS Class may not change as a result of resizing"))
	}
	return errs
}

// countGeneration counts a change of the spec. Upstream: strategy.go, updatePodGeneration.
func countGeneration(pod, old *corev1.Pod) {
	if !api.SemanticDeepEqual(pod.Spec, old.Spec) {
		pod.Generation = old.Generation + 1
	}
}

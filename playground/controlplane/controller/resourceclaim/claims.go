package resourceclaim

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/types"
)

// isPodDone says that none of a Pod's containers runs or ever will. Upstream: pkg/controller/resourceclaim/controller.go.
func isPodDone(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed || pod.DeletionTimestamp != nil && pod.Spec.NodeName == ""
}

// owningPod is the Pod for which a claim was made. Upstream: pkg/controller/resourceclaim/controller.go.
func owningPod(claim *resourcev1.ResourceClaim) (name string, uid types.UID) {
	for _, o := range claim.OwnerReferences {
		if o.Controller != nil && *o.Controller && o.APIVersion == "v1" && o.Kind == "Pod" {
			return o.Name, o.UID
		}
	}
	return "", ""
}

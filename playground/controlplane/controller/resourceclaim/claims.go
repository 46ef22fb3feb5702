package resourceclaim

import (
	"errors"
	"fmt"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/types"
)

// errClaimNotFound says that the claim of a Pod has not been made. Upstream: dynamic-resource-allocation/resourceclaim, ErrClaimNotFound.
var errClaimNotFound = errors.New("ResourceClaim not created yet")

// claimName is the name of the claim that a Pod uses; "" if none is needed. mustCheckOwner says that it must be the Pod's own.
// Upstream: dynamic-resource-allocation/resourceclaim/resourceclaim.go, Name.
func claimName(pod *corev1.Pod, c *corev1.PodResourceClaim) (name string, mustCheckOwner bool, err error) {
	if c.ResourceClaimName != nil {
		return *c.ResourceClaimName, false, nil
	}
	for _, s := range pod.Status.ResourceClaimStatuses {
		if s.Name != c.Name {
			continue
		}
		if s.ResourceClaimName == nil {
			return "", true, nil
		}
		return *s.ResourceClaimName, true, nil
	}
	return "", false, fmt.Errorf(`pod "%s/%s": %w`, pod.Namespace, pod.Name, errClaimNotFound)
}

// isForPod checks that the claim was made for the Pod. Upstream: IsForPod.
func isForPod(pod *corev1.Pod, claim *resourcev1.ResourceClaim) error {
	if metav1.IsControlledBy(claim, pod) {
		return nil
	}
	return fmt.Errorf("ResourceClaim %s/%s was not created for Pod %s/%s (Pod is not owner)", claim.Namespace, claim.Name, pod.Namespace, pod.Name)
}

// isReservedForPod says whether the Pod may use the claim's devices. Upstream: IsReservedForPod.
func isReservedForPod(pod *corev1.Pod, claim *resourcev1.ResourceClaim) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool { return r.UID == pod.UID })
}

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

// Package resourceclaim says what a ResourceClaim has to do with a Pod, for the controller, the scheduler and the kubelet.
//
// Upstream: k8s.io/dynamic-resource-allocation/resourceclaim.
package resourceclaim

import (
	"errors"
	"fmt"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resourcev1"
)

// ErrClaimNotFound says that the claim of a Pod has not been made. Upstream: the same name.
var ErrClaimNotFound = errors.New("ResourceClaim not created yet")

// Name is the name of the claim that a Pod uses; "" if none is needed. mustCheckOwner says that it must be the Pod's own.
// Upstream: resourceclaim.go, Name.
func Name(pod *corev1.Pod, c *corev1.PodResourceClaim) (name string, mustCheckOwner bool, err error) {
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
	return "", false, fmt.Errorf(`pod "%s/%s": %w`, pod.Namespace, pod.Name, ErrClaimNotFound)
}

// IsForPod checks that the claim was made for the Pod. Upstream: the same name.
func IsForPod(pod *corev1.Pod, claim *resourcev1.ResourceClaim) error {
	if metav1.IsControlledBy(claim, pod) {
		return nil
	}
	return fmt.Errorf("ResourceClaim %s/%s was not created for Pod %s/%s (Pod is not owner)", claim.Namespace, claim.Name, pod.Namespace, pod.Name)
}

// IsReservedForPod says whether the Pod may use the claim's devices. Upstream: the same name.
func IsReservedForPod(pod *corev1.Pod, claim *resourcev1.ResourceClaim) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool { return r.UID == pod.UID })
}

// ToleratesTaint says whether a toleration is for a device's taint. Upstream: devicetoleration.go, ToleratesTaint.
func ToleratesTaint(t *resourcev1.DeviceToleration, taint *resourcev1.DeviceTaint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	return t.Operator == resourcev1.DeviceTolerationOpExists || (t.Operator == "" || t.Operator == resourcev1.DeviceTolerationOpEqual) && t.Value == taint.Value
}

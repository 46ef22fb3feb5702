package resourceclaim

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/sim"
)

// syncClaim takes Pods from a claim that use it no longer, gives back what was allocated after the last of them, and deletes a claim whose
// Pod is done. Upstream: pkg/controller/resourceclaim/controller.go, syncClaim.
func (ec *Controller) syncClaim(p *sim.Proc, namespace, name string) error {
	claim, found := ec.claims.ResourceClaims(namespace).Find(name)
	if !found {
		return nil
	}
	remaining := make([]resourcev1.ResourceClaimConsumerReference, 0, len(claim.Status.ReservedFor))
	for _, r := range claim.Status.ReservedFor {
		keep, err := ec.keeps(p, namespace, r)
		if err != nil {
			return err
		}
		if keep {
			remaining = append(remaining, r)
		}
	}
	claims := ec.client.ResourceV1().ResourceClaims(namespace)
	has := slices.Contains(claim.Finalizers, resourcev1.Finalizer)
	switch {
	case len(remaining) < len(claim.Status.ReservedFor):
		changed := claim.DeepCopyObject().(*resourcev1.ResourceClaim)
		changed.Status.ReservedFor = remaining
		if len(remaining) == 0 && has {
			changed.Status.Allocation = nil
		}
		changed, err := claims.UpdateStatus(p, changed, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		if slices.Contains(changed.Finalizers, resourcev1.Finalizer) && changed.Status.Allocation == nil {
			if err := ec.release(p, changed); err != nil {
				return err
			}
		}
	case has && claim.DeletionTimestamp != nil && len(remaining) == 0:
		changed := claim.DeepCopyObject().(*resourcev1.ResourceClaim)
		if changed.Status.Allocation != nil {
			changed.Status.Allocation = nil
			var err error
			if changed, err = claims.UpdateStatus(p, changed, metav1.UpdateOptions{}); err != nil {
				return err
			}
		}
		if err := ec.release(p, changed); err != nil {
			return err
		}
	}
	if len(remaining) > 0 {
		return nil
	}
	// The garbage collector deletes it with its Pod, but that may not be deleted for a while.
	owner, uid := owningPod(claim)
	pod, found := ec.pods.Pods(namespace).Find(owner)
	if owner == "" || !found || pod.UID == uid && !isPodDone(pod) {
		return nil
	}
	if err := claims.Delete(p, name, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("delete unused generated claim %s/%s: %w", namespace, name, err)
	}
	return nil
}

// release takes the finalizer away that the scheduler put there.
func (ec *Controller) release(p *sim.Proc, claim *resourcev1.ResourceClaim) error {
	claim = claim.DeepCopyObject().(*resourcev1.ResourceClaim)
	claim.Finalizers = slices.DeleteFunc(claim.Finalizers, func(f string) bool { return f == resourcev1.Finalizer })
	_, err := ec.client.ResourceV1().ResourceClaims(claim.Namespace).Update(p, claim, metav1.UpdateOptions{})
	return err
}

// keeps says whether a claim stays reserved for something. What is no Pod stays: nobody knows here when it ends.
func (ec *Controller) keeps(p *sim.Proc, namespace string, r resourcev1.ResourceClaimConsumerReference) (bool, error) {
	if r.APIGroup != "" || r.Resource != "pods" {
		return true, nil
	}
	if slices.Contains(ec.deleted, r.UID) {
		return false, nil
	}
	if pod, found := ec.pods.Pods(namespace).Find(r.Name); found {
		return pod.UID == r.UID && !isPodDone(pod), nil
	}
	// The cache may not have it yet, and to take a Pod away that is being scheduled would be bad: the server knows.
	var pod *corev1.Pod
	pod, err := ec.client.CoreV1().Pods(namespace).Get(p, r.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return pod.UID == r.UID, nil
}

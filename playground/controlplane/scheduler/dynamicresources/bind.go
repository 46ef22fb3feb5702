package dynamicresources

import (
	"errors"
	"fmt"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resourceclaim"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/retry"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// Reserve implements framework.ReservePlugin: what was found for the node counts as allocated from now on.
func (pl *plugin) Reserve(p *sim.Proc, cs *framework.CycleState, _ *corev1.Pod, nodeName string) *framework.Status {
	s, status := read(cs)
	if s == nil {
		return status
	}
	on := s.byNode[nodeName]
	claims := s.toAllocate(on)
	if len(claims) == 0 {
		return nil
	}
	if on == nil || len(on.results) != len(claims) {
		return framework.AsStatus(errors.New("claim allocation not found for node"))
	}
	for i, c := range claims {
		c.allocation = on.results[i]
		claim := c.claim
		if c.extended {
			claim = on.extended
		}
		claim = claim.DeepCopyObject().(*resourcev1.ResourceClaim)
		claim.Status.Allocation = c.allocation
		pl.manager.inFlight[c.uid] = claim
		p.Logger().V(5).Info("Reserved resource in allocation result", "claim", key(claim))
	}
	return nil
}

// Unreserve implements framework.ReservePlugin. What this Pod has not allocated stays as it is.
func (pl *plugin) Unreserve(p *sim.Proc, cs *framework.CycleState, pod *corev1.Pod, _ string) {
	s, _ := read(cs)
	if s == nil {
		return
	}
	for _, c := range s.claims {
		if c.extended {
			continue
		}
		if c.allocation != nil && pl.manager.inFlight[c.claim.UID] != nil {
			delete(pl.manager.inFlight, c.claim.UID)
			pl.manager.claims.Restore(key(c.claim))
		}
		if c.claim.Status.Allocation == nil || !resourceclaim.IsReservedForPod(pod, c.claim) {
			continue
		}
		p.Logger().V(5).Info("unreserve", "resourceclaim", key(c.claim), "pod", framework.Key(pod))
		patch := fmt.Appendf(nil, `{"metadata": {"uid": %q}, "status": { "reservedFor": [ {"$patch": "delete", "uid": %q} ] }}`, c.claim.UID, pod.UID)
		if _, err := pl.handle.ClientSet().ResourceV1().ResourceClaims(c.claim.Namespace).Patch(p, c.claim.Name, types.StrategicMergePatchType, patch,
			metav1.PatchOptions{}, "status"); err != nil {
			p.Logger().Error(err, "unreserve", "resourceclaim", key(c.claim)) // the next attempt of the Pod comes here again
		}
	}
	pl.unreserveExtended(p, s, pod)
}

// PreBindPreFlight implements framework.PreBindPlugin.
func (pl *plugin) PreBindPreFlight(_ *sim.Proc, cs *framework.CycleState, _ *corev1.Pod, _ string) *framework.Status {
	s, status := read(cs)
	if s == nil {
		return status
	}
	if len(s.claims) == 0 {
		return framework.NewStatus(framework.Skip)
	}
	return nil
}

// PreBind implements framework.PreBindPlugin: it writes what is allocated, and for whom.
func (pl *plugin) PreBind(p *sim.Proc, cs *framework.CycleState, pod *corev1.Pod, nodeName string) *framework.Status {
	s, status := read(cs)
	if s == nil {
		return status
	}
	for _, c := range s.claims {
		if resourceclaim.IsReservedForPod(pod, c.claim) || c.extended && c.allocation == nil { // or the node has the resources by itself
			continue
		}
		bound, err := pl.bindClaim(p, s, c, pod, nodeName)
		if err != nil {
			return framework.AsStatus(err)
		}
		c.claim = bound // for Unreserve
		p.Logger().V(5).Info("reserved", "pod", framework.Key(pod), "node", nodeName, "resourceclaim", key(bound))
	}
	return pl.waitForBindingConditions(p, s, pod, nodeName)
}

// bindClaim ends what Reserve began for one claim. Upstream: the same name.
func (pl *plugin) bindClaim(p *sim.Proc, s *state, c *claimState, pod *corev1.Pod, nodeName string) (*resourcev1.ResourceClaim, error) {
	if c.allocation != nil {
		defer delete(pl.manager.inFlight, c.uid)
	}
	if c.extended {
		made, err := pl.createExtendedResourceClaim(p, s, pod, nodeName)
		if err != nil {
			return nil, err
		}
		c.claim = made // for Unreserve
	}
	claims := pl.handle.ClientSet().ResourceV1().ResourceClaims(c.claim.Namespace)
	claim, refresh := c.claim.DeepCopyObject().(*resourcev1.ResourceClaim), false
	err := retry.RetryOnConflict(p, retry.DefaultRetry, func() error {
		if refresh {
			latest, err := claims.Get(p, claim.Name, metav1.GetOptions{})
			if err != nil {
				return fmt.Errorf("get updated claim %s after conflict: %w", key(claim), err)
			}
			claim = latest.DeepCopyObject().(*resourcev1.ResourceClaim)
		}
		refresh = true
		if claim.DeletionTimestamp != nil {
			return fmt.Errorf("claim %s got deleted in the meantime", key(claim))
		}
		if c.allocation != nil {
			if claim.Status.Allocation != nil {
				return fmt.Errorf("claim %s got allocated elsewhere in the meantime", key(claim))
			}
			// The finalizer takes an ordinary update, before the one of the status.
			if !slices.Contains(claim.Finalizers, resourcev1.Finalizer) {
				claim.Finalizers = append(claim.Finalizers, resourcev1.Finalizer)
				after, err := claims.Update(p, claim, metav1.UpdateOptions{})
				if err != nil {
					return fmt.Errorf("add finalizer to claim %s: %w", key(claim), err)
				}
				claim = after.DeepCopyObject().(*resourcev1.ResourceClaim)
			}
			claim.Status.Allocation = c.allocation.DeepCopy()
		}
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
		if claim.Status.Allocation == nil {
			return fmt.Errorf("claim %s got deallocated elsewhere in the meantime", key(claim))
		}
		if claim.Status.Allocation.AllocationTimestamp == nil {
			now := metav1.NewTime(p.Time()).Rfc3339Copy()
			claim.Status.Allocation.AllocationTimestamp = &now
		}
		what := "add reservation to"
		if c.allocation != nil {
			what = "add allocation and reservation to"
		}
		after, err := claims.UpdateStatus(p, claim, metav1.UpdateOptions{})
		if err != nil {
			return fmt.Errorf("%s claim %s: %w", what, key(claim), err)
		}
		claim = after
		return nil
	})
	if c.extended {
		defer func() { pl.waitForExtendedClaim(p, claim) }()
		if err == nil {
			err = pl.patchPodExtendedResourceClaimStatus(p, s, pod, claim, nodeName)
		}
		return claim, err
	}
	if err != nil {
		return nil, err
	}
	if err := pl.manager.claims.Assume(key(claim), claim); err != nil {
		p.Logger().V(5).Info("Claim not stored in assume cache", "err", err, "claim", key(claim))
	}
	return claim, nil
}

func (pl *plugin) updateStatus(p *sim.Proc, claim *resourcev1.ResourceClaim) error {
	_, err := pl.handle.ClientSet().ResourceV1().ResourceClaims(claim.Namespace).UpdateStatus(p, claim, metav1.UpdateOptions{})
	return err
}

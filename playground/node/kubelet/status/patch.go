package status

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// mergePodStatus puts the kubelet's status over the server's, and keeps what
// is not the kubelet's. Upstream: mergePodStatus.
func mergePodStatus(old, status *corev1.PodStatus, couldHaveRunningContainers bool, now metav1.Time) *corev1.PodStatus {
	merged := *status // what is inside is shared: neither is changed any more
	out := &merged
	var conditions []corev1.PodCondition
	for _, c := range old.Conditions {
		if !ConditionByKubelet(c.Type) {
			conditions = append(conditions, c)
		}
	}
	for _, c := range status.Conditions {
		switch {
		case ConditionByKubelet(c.Type):
			conditions = append(conditions, c)
		case ConditionSharedByKubelet(c.Type):
			if FindCondition(conditions, c.Type) != nil {
				*FindCondition(conditions, c.Type) = c
				continue
			}
			// It says that the Pod fails: not before it does.
			if !couldHaveRunningContainers || isTerminal(old.Phase) {
				conditions = append(conditions, c)
			}
		}
	}
	out.Conditions = conditions
	out.NominatedNodeName = old.NominatedNodeName
	out.ResourceClaimStatuses, out.ExtendedResourceClaimStatus = old.ResourceClaimStatuses, old.ExtendedResourceClaimStatus
	if !isTerminal(old.Phase) && isTerminal(out.Phase) && couldHaveRunningContainers {
		// Terminal is final: others may act on it, so it waits for the containers.
		out.Phase, out.Reason, out.Message = old.Phase, old.Reason, old.Message
	}
	if isTerminal(out.Phase) {
		reason := PodCompleted
		if out.Phase == corev1.PodFailed {
			reason = PodFailed
		}
		for i := range out.Conditions {
			c := &out.Conditions[i]
			if c.Type != corev1.PodReady && c.Type != corev1.ContainersReady {
				continue
			}
			if c.Status != corev1.ConditionFalse {
				c.LastTransitionTime = now.Rfc3339Copy()
			}
			c.Status, c.Reason, c.Message = corev1.ConditionFalse, reason, ""
		}
	}
	return out
}

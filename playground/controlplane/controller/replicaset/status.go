package replicaset

import (
	"slices"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// updateReplicaSetStatus writes a status, unless it says what the last one said,
// and returns the ReplicaSet as it then is. When the write is refused, most
// likely since the cache was behind, it reads the newest version and tries once more.
// Upstream: replica_set_utils.go, updateReplicaSetStatus.
func updateReplicaSetStatus(p *sim.Proc, c sets, rs *appsv1.ReplicaSet, status appsv1.ReplicaSetStatus) (*appsv1.ReplicaSet, error) {
	old := &rs.Status
	if old.Replicas == status.Replicas &&
		old.FullyLabeledReplicas == status.FullyLabeledReplicas &&
		old.ReadyReplicas == status.ReadyReplicas &&
		old.AvailableReplicas == status.AvailableReplicas &&
		sameCount(old.TerminatingReplicas, status.TerminatingReplicas) &&
		rs.Generation == old.ObservedGeneration &&
		slices.EqualFunc(old.Conditions, status.Conditions, sameCondition) {
		return rs, nil
	}
	// The generation that was acted on: on a second try the spec may be newer.
	status.ObservedGeneration = rs.Generation
	for i := 0; ; i++ {
		p.Logger().V(4).Info("Updating status", "replicaSet", controller.KObj(rs), "need", *rs.Spec.Replicas,
			"oldReplicas", rs.Status.Replicas, "replicas", status.Replicas,
			"oldReadyReplicas", rs.Status.ReadyReplicas, "readyReplicas", status.ReadyReplicas,
			"oldAvailableReplicas", rs.Status.AvailableReplicas, "availableReplicas", status.AvailableReplicas,
			"oldTerminatingReplicas", rs.Status.TerminatingReplicas, "terminatingReplicas", status.TerminatingReplicas,
			"observedGeneration", status.ObservedGeneration)
		changed := rs.DeepCopy()
		changed.Status = *status.DeepCopy()
		updated, err := c.UpdateStatus(p, changed, metav1.UpdateOptions{})
		if err == nil {
			return updated, nil
		}
		if i >= statusUpdateRetries {
			return nil, err
		}
		if rs, err = c.Get(p, rs.Name, metav1.GetOptions{}); err != nil {
			return nil, err
		}
	}
}

// countPods counts the Pods that are there, not those that were just asked for.
func countPods(rs *appsv1.ReplicaSet, activePods, terminatingPods []*corev1.Pod, now time.Time) counts {
	n := counts{active: len(activePods), terminating: len(terminatingPods)}
	template := labels.SelectorFromSet(rs.Spec.Template.Labels)
	for _, pod := range activePods {
		if template.Matches(labels.Set(pod.Labels)) {
			n.fullyLabeled++
		}
		if controller.IsPodReady(pod) {
			n.ready++
			if controller.IsPodAvailable(pod, rs.Spec.MinReadySeconds, now) {
				n.available++
			}
		}
	}
	return n
}

// calculateStatus is the status of a ReplicaSet whose Pods were counted.
func calculateStatus(rs *appsv1.ReplicaSet, n counts, manageReplicasErr error, now time.Time) appsv1.ReplicaSetStatus {
	status := *rs.Status.DeepCopy()
	failure := GetCondition(status, appsv1.ReplicaSetReplicaFailure)
	switch {
	case manageReplicasErr != nil && failure == nil:
		reason := ""
		if diff := n.active - int(*rs.Spec.Replicas); diff < 0 {
			reason = "FailedCreate"
		} else if diff > 0 {
			reason = "FailedDelete"
		}
		SetCondition(&status, NewReplicaSetCondition(appsv1.ReplicaSetReplicaFailure, corev1.ConditionTrue, reason, manageReplicasErr.Error(), now))
	case manageReplicasErr == nil && failure != nil:
		RemoveCondition(&status, appsv1.ReplicaSetReplicaFailure)
	}

	terminating := int32(n.terminating)
	status.Replicas = int32(n.active)
	status.FullyLabeledReplicas = int32(n.fullyLabeled)
	status.ReadyReplicas = int32(n.ready)
	status.AvailableReplicas = int32(n.available)
	status.TerminatingReplicas = &terminating
	return status
}

// NewReplicaSetCondition makes a condition that changed now.
func NewReplicaSetCondition(t appsv1.ReplicaSetConditionType, status corev1.ConditionStatus, reason, message string, now time.Time) appsv1.ReplicaSetCondition {
	return appsv1.ReplicaSetCondition{Type: t, Status: status, LastTransitionTime: metav1.NewTime(now), Reason: reason, Message: message}
}

// GetCondition finds a condition; nil when there is none.
func GetCondition(status appsv1.ReplicaSetStatus, t appsv1.ReplicaSetConditionType) *appsv1.ReplicaSetCondition {
	for i := range status.Conditions {
		if status.Conditions[i].Type == t {
			return &status.Conditions[i]
		}
	}
	return nil
}

// SetCondition adds or replaces a condition, unless it says the same with
// another message.
func SetCondition(status *appsv1.ReplicaSetStatus, c appsv1.ReplicaSetCondition) {
	if cur := GetCondition(*status, c.Type); cur != nil && cur.Status == c.Status && cur.Reason == c.Reason {
		return
	}
	RemoveCondition(status, c.Type)
	status.Conditions = append(status.Conditions, c)
}

// RemoveCondition removes the condition of that type.
func RemoveCondition(status *appsv1.ReplicaSetStatus, t appsv1.ReplicaSetConditionType) {
	var kept []appsv1.ReplicaSetCondition
	for _, c := range status.Conditions {
		if c.Type != t {
			kept = append(kept, c)
		}
	}
	status.Conditions = kept
}

func sameCondition(a, b appsv1.ReplicaSetCondition) bool {
	return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message &&
		a.LastTransitionTime.Equal(&b.LastTransitionTime)
}

func sameCount(a, b *int32) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

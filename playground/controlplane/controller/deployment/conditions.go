package deployment

import (
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// The reasons of a Deployment's conditions. Upstream: util/deployment_util.go.
const (
	// ReplicaSetUpdatedReason: the roll-out has come one step further.
	ReplicaSetUpdatedReason = "ReplicaSetUpdated"
	// FailedRSCreateReason: the API server refused the new ReplicaSet.
	FailedRSCreateReason = "ReplicaSetCreateError"
	// NewReplicaSetReason: the new ReplicaSet was created.
	NewReplicaSetReason = "NewReplicaSetCreated"
	// FoundNewRSReason: a ReplicaSet of this template was there already.
	FoundNewRSReason = "FoundNewReplicaSet"
	// NewRSAvailableReason: the roll-out is complete.
	NewRSAvailableReason = "NewReplicaSetAvailable"
	// TimedOutReason: no step within progressDeadlineSeconds.
	TimedOutReason = "ProgressDeadlineExceeded"
	// PausedDeployReason: paused; the deadline stands still.
	PausedDeployReason = "DeploymentPaused"
	// ResumedDeployReason: resumed; the deadline starts anew.
	ResumedDeployReason = "DeploymentResumed"
	// MinimumReplicasAvailable and MinimumReplicasUnavailable are the reasons of Available.
	MinimumReplicasAvailable   = "MinimumReplicasAvailable"
	MinimumReplicasUnavailable = "MinimumReplicasUnavailable"
)

// NewDeploymentCondition makes a condition that changed now.
func NewDeploymentCondition(t appsv1.DeploymentConditionType, status corev1.ConditionStatus, reason, message string, now time.Time) appsv1.DeploymentCondition {
	return appsv1.DeploymentCondition{Type: t, Status: status, LastUpdateTime: metav1.NewTime(now), LastTransitionTime: metav1.NewTime(now), Reason: reason,
		Message: message}
}

// GetDeploymentCondition finds a condition; nil when there is none.
func GetDeploymentCondition(status *appsv1.DeploymentStatus, t appsv1.DeploymentConditionType) *appsv1.DeploymentCondition {
	for i := range status.Conditions {
		if status.Conditions[i].Type == t {
			return &status.Conditions[i]
		}
	}
	return nil
}

// SetDeploymentCondition adds or replaces a condition, unless there is one of
// the same status and reason. The transition time moves only with the status.
func SetDeploymentCondition(status *appsv1.DeploymentStatus, c appsv1.DeploymentCondition) {
	cur := GetDeploymentCondition(status, c.Type)
	if cur != nil && cur.Status == c.Status {
		if cur.Reason == c.Reason {
			return
		}
		c.LastTransitionTime = cur.LastTransitionTime
	}
	RemoveDeploymentCondition(status, c.Type)
	status.Conditions = append(status.Conditions, c)
}

// RemoveDeploymentCondition removes the condition of that type. The slice is a
// new one: the old may be shared.
func RemoveDeploymentCondition(status *appsv1.DeploymentStatus, t appsv1.DeploymentConditionType) {
	var kept []appsv1.DeploymentCondition
	for _, c := range status.Conditions {
		if c.Type != t {
			kept = append(kept, c)
		}
	}
	status.Conditions = kept
}

// ReplicaSetToDeploymentCondition passes a ReplicaSet's failure on.
func ReplicaSetToDeploymentCondition(c appsv1.ReplicaSetCondition) appsv1.DeploymentCondition {
	return appsv1.DeploymentCondition{
		Type: appsv1.DeploymentConditionType(c.Type), Status: c.Status, Reason: c.Reason, Message: c.Message,
		LastTransitionTime: c.LastTransitionTime, LastUpdateTime: c.LastTransitionTime,
	}
}

// DeploymentComplete: all Pods are of the newest template, and available, and no other is left.
func DeploymentComplete(d *appsv1.Deployment, status *appsv1.DeploymentStatus) bool {
	return status.UpdatedReplicas == *d.Spec.Replicas && status.Replicas == *d.Spec.Replicas &&
		status.AvailableReplicas == *d.Spec.Replicas && status.ObservedGeneration >= d.Generation
}

// DeploymentProgressing: since the last status, Pods of the new template came,
// old ones went, or some became ready or available.
func DeploymentProgressing(d *appsv1.Deployment, status *appsv1.DeploymentStatus) bool {
	old := &d.Status
	return status.UpdatedReplicas > old.UpdatedReplicas ||
		status.Replicas-status.UpdatedReplicas < old.Replicas-old.UpdatedReplicas ||
		status.ReadyReplicas > old.ReadyReplicas || status.AvailableReplicas > old.AvailableReplicas
}

// DeploymentTimedOut: the last progress is longer ago than the deadline allows.
func DeploymentTimedOut(p *sim.Proc, d *appsv1.Deployment, status *appsv1.DeploymentStatus) bool {
	if !HasProgressDeadline(d) {
		return false
	}
	c := GetDeploymentCondition(status, appsv1.DeploymentProgressing)
	if c == nil || c.Reason == NewRSAvailableReason {
		// Nothing to judge by; or complete, and so without a deadline until the next roll-out.
		return false
	}
	if c.Reason == TimedOutReason {
		return true
	}
	now := p.Time()
	timedOut := c.LastUpdateTime.Add(time.Duration(*d.Spec.ProgressDeadlineSeconds) * time.Second).Before(now)
	p.Logger().V(4).Info("Deployment timed out from last progress check", "deployment", controller.KObj(d), "timeout", timedOut,
		"from", c.LastUpdateTime.UTC().Format(time.RFC3339), "deadline", *d.Spec.ProgressDeadlineSeconds, "now", now.UTC().Format(time.RFC3339))
	return timedOut
}

// HasProgressDeadline: the greatest number stands for none.
func HasProgressDeadline(d *appsv1.Deployment) bool {
	return d.Spec.ProgressDeadlineSeconds != nil && *d.Spec.ProgressDeadlineSeconds != maxInt32
}

// HasRevisionHistoryLimit: the greatest number stands for none.
func HasRevisionHistoryLimit(d *appsv1.Deployment) bool {
	return d.Spec.RevisionHistoryLimit != nil && *d.Spec.RevisionHistoryLimit != maxInt32
}

const maxInt32 = 1<<31 - 1

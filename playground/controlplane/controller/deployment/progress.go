package deployment

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// syncRolloutStatus writes the status of a roll-out, with how it gets on: the
// condition Progressing says that it came further, that it is complete, or that
// it has not moved within spec.progressDeadlineSeconds. Upstream: progress.go.
func (dc *DeploymentController) syncRolloutStatus(p *sim.Proc, allRSs []*appsv1.ReplicaSet, newRS *appsv1.ReplicaSet, d *appsv1.Deployment) error {
	now := p.Time()
	status := calculateStatus(allRSs, newRS, d, now)
	if !HasProgressDeadline(d) {
		RemoveDeploymentCondition(&status, appsv1.DeploymentProgressing)
	}
	current := GetDeploymentCondition(&d.Status, appsv1.DeploymentProgressing)
	// Complete, and said so: Pods that fail from now on are no matter of a roll-out.
	isComplete := status.Replicas == status.UpdatedReplicas && current != nil && current.Reason == NewRSAvailableReason
	if HasProgressDeadline(d) && !isComplete {
		who := fmt.Sprintf("Deployment %q", d.Name)
		if newRS != nil {
			who = fmt.Sprintf("ReplicaSet %q", newRS.Name)
		}
		switch {
		case DeploymentComplete(d, &status):
			SetDeploymentCondition(&status, NewDeploymentCondition(appsv1.DeploymentProgressing, corev1.ConditionTrue, NewRSAvailableReason,
				who+" has successfully progressed.", now))
		case DeploymentProgressing(d, &status):
			c := NewDeploymentCondition(appsv1.DeploymentProgressing, corev1.ConditionTrue, ReplicaSetUpdatedReason, who+" is progressing.", now)
			// The condition is replaced even by one of the same reason: its time is where the deadline counts from.
			if current != nil {
				if current.Status == corev1.ConditionTrue {
					c.LastTransitionTime = current.LastTransitionTime
				}
				RemoveDeploymentCondition(&status, appsv1.DeploymentProgressing)
			}
			SetDeploymentCondition(&status, c)
		case DeploymentTimedOut(p, d, &status):
			SetDeploymentCondition(&status, NewDeploymentCondition(appsv1.DeploymentProgressing, corev1.ConditionFalse, TimedOutReason,
				who+" has timed out progressing.", now))
		}
	}
	if failures := dc.getReplicaFailures(allRSs, newRS); len(failures) > 0 {
		SetDeploymentCondition(&status, failures[0])
	} else {
		RemoveDeploymentCondition(&status, appsv1.DeploymentReplicaFailure)
	}

	if api.SemanticDeepEqual(d.Status, status) {
		dc.requeueStuckDeployment(p, d, &status)
		return nil
	}
	p.Logger().V(4).Info("Updating status", "deployment", controller.KObj(d), "replicas", status.Replicas, "updatedReplicas", status.UpdatedReplicas,
		"readyReplicas", status.ReadyReplicas, "availableReplicas", status.AvailableReplicas, "unavailableReplicas", status.UnavailableReplicas,
		"observedGeneration", status.ObservedGeneration)
	d.Status = status
	return dc.updateStatus(p, d)
}

// getReplicaFailures returns the failure of the new ReplicaSet, or else those of the others.
func (dc *DeploymentController) getReplicaFailures(allRSs []*appsv1.ReplicaSet, newRS *appsv1.ReplicaSet) []appsv1.DeploymentCondition {
	of := func(rs *appsv1.ReplicaSet) (out []appsv1.DeploymentCondition) {
		if rs == nil {
			return nil
		}
		for _, c := range rs.Status.Conditions {
			if c.Type == appsv1.ReplicaSetReplicaFailure {
				out = append(out, ReplicaSetToDeploymentCondition(c))
			}
		}
		return out
	}
	if failures := of(newRS); len(failures) > 0 {
		return failures
	}
	var out []appsv1.DeploymentCondition
	for _, rs := range allRSs {
		out = append(out, of(rs)...)
	}
	return out
}

// requeueStuckDeployment comes back when the deadline will have passed: nothing
// else happens at that moment that would wake the controller. It returns after
// how long, or -1 when there is no need.
func (dc *DeploymentController) requeueStuckDeployment(p *sim.Proc, d *appsv1.Deployment, status *appsv1.DeploymentStatus) time.Duration {
	c := GetDeploymentCondition(&d.Status, appsv1.DeploymentProgressing)
	if !HasProgressDeadline(d) || c == nil || DeploymentComplete(d, status) || c.Reason == TimedOutReason {
		return -1
	}
	after := c.LastUpdateTime.Add(time.Duration(*d.Spec.ProgressDeadlineSeconds) * time.Second).Sub(p.Time())
	if after < time.Second {
		p.Logger().V(4).Info("Queueing up deployment for a progress check now", "deployment", controller.KObj(d))
		dc.enqueueRateLimited(d)
		return 0
	}
	p.Logger().V(4).Info("Queueing up deployment for a progress check", "deployment", controller.KObj(d), "queueAfter", after)
	dc.enqueueAfter(d, after+time.Second) // conditions have whole seconds
	return after + time.Second
}

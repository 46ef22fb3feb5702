package deployment

import (
	"strconv"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// ResolveFenceposts makes numbers of maxSurge and maxUnavailable for so many
// Pods: surge is rounded up, unavailability down. When both come out as 0
// nothing could ever move, so one Pod may be unavailable.
// Upstream: util/deployment_util.go, ResolveFenceposts.
func ResolveFenceposts(maxSurge, maxUnavailable *intstr.IntOrString, desired int32) (surge, unavailable int32, err error) {
	zero := intstr.FromInt32(0)
	s, err := intstr.GetScaledValueFromIntOrPercent(intstr.ValueOrDefault(maxSurge, zero), int(desired), true)
	if err != nil {
		return 0, 0, err
	}
	u, err := intstr.GetScaledValueFromIntOrPercent(intstr.ValueOrDefault(maxUnavailable, zero), int(desired), false)
	if err != nil {
		return 0, 0, err
	}
	if s == 0 && u == 0 {
		u = 1
	}
	return int32(s), int32(u), nil
}

// IsRollingUpdate tells whether the strategy is RollingUpdate.
func IsRollingUpdate(d *appsv1.Deployment) bool {
	return d.Spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType
}

// fenceposts are the numbers of a Deployment; what can't be read was refused by validation.
func fenceposts(d *appsv1.Deployment) (surge, unavailable int32) {
	if r := d.Spec.Strategy.RollingUpdate; r != nil {
		surge, unavailable, _ = ResolveFenceposts(r.MaxSurge, r.MaxUnavailable, *d.Spec.Replicas)
	}
	return surge, unavailable
}

// MaxUnavailable is how many of the wanted Pods may be missing, never more than all.
func MaxUnavailable(d *appsv1.Deployment) int32 {
	if !IsRollingUpdate(d) || *d.Spec.Replicas == 0 {
		return 0
	}
	_, unavailable := fenceposts(d)
	return min(unavailable, *d.Spec.Replicas)
}

// MaxSurge is how many Pods more than wanted there may be.
func MaxSurge(d *appsv1.Deployment) int32 {
	if !IsRollingUpdate(d) {
		return 0
	}
	surge, _ := fenceposts(d)
	return surge
}

// NewRSNewReplicas is how many Pods the new ReplicaSet may ask for now: as many
// as the surge leaves room for, and not more than wanted.
func NewRSNewReplicas(p *sim.Proc, d *appsv1.Deployment, allRSs []*appsv1.ReplicaSet, newRS *appsv1.ReplicaSet) (int32, error) {
	switch d.Spec.Strategy.Type {
	case appsv1.RollingUpdateDeploymentStrategyType:
		maxSurge := MaxSurge(d)
		currentPodCount := GetReplicaCountForReplicaSets(allRSs)
		maxTotalPods := *d.Spec.Replicas + maxSurge
		scaleUpCount := max(0, min(maxTotalPods-currentPodCount, *d.Spec.Replicas-*newRS.Spec.Replicas))
		p.Logger().V(4).Info("New replica set's replicas", "deployment", controller.KObj(d), "newRS", newRS.Name,
			"maxSurge", maxSurge, "maxTotalPods", maxTotalPods, "currentPodCount", currentPodCount, "scaleUpCount", scaleUpCount)
		if currentPodCount >= maxTotalPods {
			return *newRS.Spec.Replicas, nil
		}
		return *newRS.Spec.Replicas + scaleUpCount, nil
	case appsv1.RecreateDeploymentStrategyType:
		return *d.Spec.Replicas, nil
	}
	return 0, errStrategy(d)
}

// IsSaturated: the new ReplicaSet has all Pods that the Deployment wants, and
// knew of that number when it was scaled.
func IsSaturated(d *appsv1.Deployment, rs *appsv1.ReplicaSet) bool {
	if rs == nil {
		return false
	}
	desired, ok := GetDesiredReplicasAnnotation(rs)
	return ok && *rs.Spec.Replicas == *d.Spec.Replicas && desired == *d.Spec.Replicas && rs.Status.AvailableReplicas == *d.Spec.Replicas
}

// FindActiveOrLatest returns the one ReplicaSet that asks for Pods; the newest
// when none does; nil when several do and have to share.
func FindActiveOrLatest(newRS *appsv1.ReplicaSet, oldRSs []*appsv1.ReplicaSet) *appsv1.ReplicaSet {
	switch active := controller.FilterActiveReplicaSets(withNew(oldRSs, newRS)); len(active) {
	case 0:
		if newRS != nil || len(oldRSs) == 0 {
			return newRS
		}
		sorted := append([]*appsv1.ReplicaSet(nil), oldRSs...)
		controller.SortReplicaSetsByCreationTimestamp(sorted)
		return sorted[len(sorted)-1]
	case 1:
		return active[0]
	}
	return nil
}

// withNew is the old ReplicaSets and, if there is one, the new, in a slice of its own.
func withNew(oldRSs []*appsv1.ReplicaSet, newRS *appsv1.ReplicaSet) []*appsv1.ReplicaSet {
	all := append(make([]*appsv1.ReplicaSet, 0, len(oldRSs)+1), oldRSs...)
	if newRS != nil {
		all = append(all, newRS)
	}
	return all
}

// GetReplicaSetProportion is by how much one ReplicaSet grows or shrinks when
// the Deployment does, as its part of all; never more than is left.
func GetReplicaSetProportion(rs *appsv1.ReplicaSet, d *appsv1.Deployment, replicasToAdd, replicasAdded int32) int32 {
	if rs == nil || *rs.Spec.Replicas == 0 || replicasToAdd == 0 || replicasToAdd == replicasAdded {
		return 0
	}
	fraction, allowed := getReplicaSetFraction(rs, d), replicasToAdd-replicasAdded
	if replicasToAdd > 0 {
		return min(fraction, allowed)
	}
	return max(fraction, allowed)
}

// getReplicaSetFraction keeps a ReplicaSet's part of the greatest number of
// Pods the same: what that was before is in its annotation.
func getReplicaSetFraction(rs *appsv1.ReplicaSet, d *appsv1.Deployment) int32 {
	if *d.Spec.Replicas == 0 {
		return -*rs.Spec.Replicas
	}
	before, ok := getMaxReplicasAnnotation(rs)
	if !ok || before == 0 {
		// Somebody took the annotation off: how many there are stands in for it.
		if before = d.Status.Replicas; before == 0 {
			return 0
		}
	}
	// Rounded to the nearest, halves up: upstream adds 0.5 to a float.
	size := int64(*rs.Spec.Replicas) * int64(*d.Spec.Replicas+MaxSurge(d))
	return int32((2*size+int64(before))/(2*int64(before))) - *rs.Spec.Replicas
}

// GetDesiredReplicasAnnotation reads how many the Deployment wanted when the ReplicaSet was scaled.
func GetDesiredReplicasAnnotation(rs *appsv1.ReplicaSet) (int32, bool) {
	return getNonNegativeInt32FromAnnotation(rs, DesiredReplicasAnnotation)
}

func getMaxReplicasAnnotation(rs *appsv1.ReplicaSet) (int32, bool) {
	return getNonNegativeInt32FromAnnotation(rs, MaxReplicasAnnotation)
}

func getNonNegativeInt32FromAnnotation(rs *appsv1.ReplicaSet, key string) (int32, bool) {
	n, err := strconv.ParseInt(rs.Annotations[key], 10, 32)
	if err != nil || n < 0 {
		return 0, false
	}
	return int32(n), true
}

// SetReplicasAnnotations writes both numbers and tells whether one is new.
func SetReplicasAnnotations(rs *appsv1.ReplicaSet, desired, most int32) bool {
	if !ReplicasAnnotationsNeedUpdate(rs, desired, most) {
		return false
	}
	set(&rs.Annotations, DesiredReplicasAnnotation, strconv.Itoa(int(desired)))
	set(&rs.Annotations, MaxReplicasAnnotation, strconv.Itoa(int(most)))
	return true
}

// ReplicasAnnotationsNeedUpdate tells whether the annotations say something else.
func ReplicasAnnotationsNeedUpdate(rs *appsv1.ReplicaSet, desired, most int32) bool {
	return rs.Annotations[DesiredReplicasAnnotation] != strconv.Itoa(int(desired)) ||
		rs.Annotations[MaxReplicasAnnotation] != strconv.Itoa(int(most))
}

// GetReplicaCountForReplicaSets is how many Pods are asked for. Here and below nil counts nothing.
func GetReplicaCountForReplicaSets(sets []*appsv1.ReplicaSet) (n int32) {
	for _, rs := range sets {
		if rs != nil {
			n += *rs.Spec.Replicas
		}
	}
	return n
}

// GetActualReplicaCountForReplicaSets is how many Pods there are.
func GetActualReplicaCountForReplicaSets(sets []*appsv1.ReplicaSet) (n int32) {
	for _, rs := range sets {
		if rs != nil {
			n += rs.Status.Replicas
		}
	}
	return n
}

// GetReadyReplicaCountForReplicaSets is how many Pods are ready.
func GetReadyReplicaCountForReplicaSets(sets []*appsv1.ReplicaSet) (n int32) {
	for _, rs := range sets {
		if rs != nil {
			n += rs.Status.ReadyReplicas
		}
	}
	return n
}

// GetAvailableReplicaCountForReplicaSets is how many Pods are available.
func GetAvailableReplicaCountForReplicaSets(sets []*appsv1.ReplicaSet) (n int32) {
	for _, rs := range sets {
		if rs != nil {
			n += rs.Status.AvailableReplicas
		}
	}
	return n
}

// GetTerminatingReplicaCountForReplicaSets is how many Pods are being deleted;
// nil when one of the ReplicaSets does not say.
func GetTerminatingReplicaCountForReplicaSets(sets []*appsv1.ReplicaSet) *int32 {
	var n int32
	for _, rs := range sets {
		switch {
		case rs == nil:
		case rs.Status.TerminatingReplicas == nil:
			return nil
		default:
			n += *rs.Status.TerminatingReplicas
		}
	}
	return &n
}

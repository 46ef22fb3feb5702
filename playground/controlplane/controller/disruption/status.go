package disruption

import (
	"maps"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// allowed is how many Pods may go. None, while nobody expects any: the first ones
// that appear are safe before they are counted.
func allowed(healthy, desiredHealthy, expected int32) int32 {
	if expected <= 0 {
		return 0
	}
	return max(0, healthy-desiredHealthy)
}

// updatePdbStatus writes the status, unless it says so already.
func (dc *DisruptionController) updatePdbStatus(p *sim.Proc, pdb *policyv1.PodDisruptionBudget, healthy, desiredHealthy, expected int32,
	disrupted map[string]metav1.Time) error {
	s := &pdb.Status
	n := allowed(healthy, desiredHealthy, expected)
	same := s.CurrentHealthy == healthy && s.DesiredHealthy == desiredHealthy && s.ExpectedPods == expected && s.DisruptionsAllowed == n &&
		s.ObservedGeneration == pdb.Generation && conditionsAreUpToDate(pdb) &&
		maps.EqualFunc(s.DisruptedPods, disrupted, func(a, b metav1.Time) bool { return a.Time.Equal(b.Time) })
	if same {
		return nil
	}
	changed := pdb.DeepCopy()
	changed.Status = policyv1.PodDisruptionBudgetStatus{
		CurrentHealthy: healthy, DesiredHealthy: desiredHealthy, ExpectedPods: expected, DisruptionsAllowed: n,
		DisruptedPods: disrupted, ObservedGeneration: pdb.Generation, Conditions: changed.Status.Conditions,
	}
	updateDisruptionAllowedCondition(changed, p.Time())
	return dc.writePdbStatus(p, changed)
}

// failSafe allows nothing, and says why.
func (dc *DisruptionController) failSafe(p *sim.Proc, pdb *policyv1.PodDisruptionBudget, cause error) error {
	changed := pdb.DeepCopy()
	changed.Status.DisruptionsAllowed = 0
	setStatusCondition(&changed.Status.Conditions, metav1.Condition{Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
		Reason: policyv1.SyncFailedReason, Message: cause.Error(), ObservedGeneration: changed.Status.ObservedGeneration}, p.Time())
	return dc.writePdbStatus(p, changed)
}

// writePdbStatus fails with a conflict when an eviction was faster: what it took
// off the budget must not be written over.
func (dc *DisruptionController) writePdbStatus(p *sim.Proc, pdb *policyv1.PodDisruptionBudget) error {
	_, err := dc.kubeClient.PolicyV1().PodDisruptionBudgets(pdb.Namespace).UpdateStatus(p, pdb, metav1.UpdateOptions{})
	return err
}

// conditionsAreUpToDate and updateDisruptionAllowedCondition are upstream's
// pkg/apis/policy/v1 helpers, component-helpers/apps/poddisruptionbudget.
func conditionsAreUpToDate(pdb *policyv1.PodDisruptionBudget) bool {
	for i := range pdb.Status.Conditions {
		c := &pdb.Status.Conditions[i]
		if c.Type == policyv1.DisruptionAllowedCondition {
			want, reason := disruptionAllowed(pdb)
			return c.ObservedGeneration == pdb.Status.ObservedGeneration && c.Status == want && c.Reason == reason
		}
	}
	return false
}

func disruptionAllowed(pdb *policyv1.PodDisruptionBudget) (metav1.ConditionStatus, string) {
	if pdb.Status.DisruptionsAllowed > 0 {
		return metav1.ConditionTrue, policyv1.SufficientPodsReason
	}
	return metav1.ConditionFalse, policyv1.InsufficientPodsReason
}

func updateDisruptionAllowedCondition(pdb *policyv1.PodDisruptionBudget, now time.Time) {
	status, reason := disruptionAllowed(pdb)
	setStatusCondition(&pdb.Status.Conditions, metav1.Condition{Type: policyv1.DisruptionAllowedCondition, Status: status,
		Reason: reason, ObservedGeneration: pdb.Status.ObservedGeneration}, now)
}

// setStatusCondition is upstream's apimachinery/pkg/api/meta, SetStatusCondition:
// the time of transition moves only with the status.
func setStatusCondition(conditions *[]metav1.Condition, c metav1.Condition, now time.Time) {
	c.LastTransitionTime = metav1.NewTime(now)
	for i := range *conditions {
		if old := &(*conditions)[i]; old.Type == c.Type {
			if old.Status == c.Status {
				c.LastTransitionTime = old.LastTransitionTime
			}
			*old = c
			return
		}
	}
	*conditions = append(*conditions, c)
}

// staleDisruptionCondition tells whether a Pod that is not on its way out is marked
// as a target, and how much longer it may be.
// Upstream: disruption.go, nonTerminatingPodHasStaleDisruptionCondition.
func (dc *DisruptionController) staleDisruptionCondition(pod *corev1.Pod) (bool, time.Duration) {
	_, c := controller.GetPodCondition(&pod.Status, corev1.DisruptionTarget)
	if pod.DeletionTimestamp != nil || c == nil || c.Status != corev1.ConditionTrue || c.Reason == corev1.PodReasonTerminationByKubelet ||
		controller.IsPodTerminal(pod) {
		return false, 0
	}
	return true, max(0, stalePodDisruptionTimeout-dc.kernel.Time().Sub(c.LastTransitionTime.Time))
}

// syncStalePodDisruption takes the condition back from a Pod that nobody disrupted.
func (dc *DisruptionController) syncStalePodDisruption(p *sim.Proc, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	pod, err := dc.podLister.Pods(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		p.Logger().V(4).Info("Skipping clearing DisruptionTarget because pod was deleted", "pod", key)
		return nil
	}
	if err != nil {
		return err
	}
	has, after := dc.staleDisruptionCondition(pod)
	if !has {
		return nil
	}
	if after > 0 {
		dc.stalePodDisruptionQueue.AddAfter(key, after)
		return nil
	}
	if err := controller.PatchPodStatus(p, dc.kubeClient, pod, "",
		&corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionFalse}); err != nil {
		return err
	}
	p.Logger().V(2).Info("Reset stale DisruptionTarget condition to False", "pod", key)
	return nil
}

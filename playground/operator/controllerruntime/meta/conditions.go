// Package meta has the function of k8s.io/apimachinery/pkg/api/meta that reconcilers call.
package meta

import "kubewalk/playground/api/metav1"

// SetStatusCondition adds a condition, or replaces the one of its type. The time of the last transition changes only with the status.
// Simplified: it has no clock, so the condition has to bring a time.
// Upstream: apimachinery/pkg/api/meta/conditions.go, SetStatusCondition.
func SetStatusCondition(conditions *[]metav1.Condition, condition metav1.Condition) {
	for i := range *conditions {
		if before := &(*conditions)[i]; before.Type == condition.Type {
			if before.Status == condition.Status {
				condition.LastTransitionTime = before.LastTransitionTime
			}
			*before = condition
			return
		}
	}
	*conditions = append(*conditions, condition)
}

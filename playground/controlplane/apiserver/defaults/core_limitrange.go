package defaults

import (
	"maps"

	"kubewalk/playground/api/corev1"
)

// setLimitRange fills in what a container gets that states nothing: the most it
// may have as its limit, its limit as its request, and if there is neither the
// least as its request.
// Upstream: SetDefaults_LimitRangeItem.
func setLimitRange(l *corev1.LimitRange) {
	for i := range l.Spec.Limits {
		item := &l.Spec.Limits[i]
		if item.Type != corev1.LimitTypeContainer {
			continue
		}
		limits, requests := corev1.ResourceList{}, corev1.ResourceList{}
		maps.Copy(limits, item.Max)
		maps.Copy(limits, item.Default)
		maps.Copy(requests, item.Min)
		maps.Copy(requests, limits)
		maps.Copy(requests, item.DefaultRequest)
		item.Default, item.DefaultRequest = limits, requests
	}
}

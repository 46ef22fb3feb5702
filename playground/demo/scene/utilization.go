package scene

import (
	"kubewalk/playground/api/autoscalingv2"
)

// utilization is what the autoscaler compares: the use of a resource that the object on which it works aims at, and the last
// one that it computed, in percent of what Pods request. It is made of what is in the autoscaler's cache. now is -1 before it has computed one.
func (in *inside) utilization() (target, now int, ok bool) {
	all := in.seen["horizontalpodautoscalers"]
	key := in.subject
	if keys := sortedKeys(all); all[key] == nil && len(keys) > 0 {
		key = keys[0]
	}
	hpa, _ := all[key].(*autoscalingv2.HorizontalPodAutoscaler)
	if hpa == nil || len(hpa.Spec.Metrics) == 0 {
		return 0, 0, false
	}
	spec := hpa.Spec.Metrics[0].Resource
	if spec == nil || spec.Target.AverageUtilization == nil {
		return 0, 0, false
	}
	now = -1
	if len(hpa.Status.CurrentMetrics) > 0 {
		if r := hpa.Status.CurrentMetrics[0].Resource; r != nil && r.Current.AverageUtilization != nil {
			now = int(*r.Current.AverageUtilization)
		}
	}
	return int(*spec.Target.AverageUtilization), now, true
}

package scene

import (
	"testing"

	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/metav1"
)

func TestUtilization(t *testing.T) {
	of := func(n int32) *int32 { return &n }
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	in := newInside("horizontal-pod-autoscaler")
	check := func(when string, target, now int, ok bool) {
		t.Helper()
		if a, b, c := in.utilization(); a != target || b != now || c != ok {
			t.Errorf("%s: %d, %d, %v, not %d, %d, %v", when, a, b, c, target, now, ok)
		}
	}
	check("nothing in the cache", 0, 0, false)
	in.seen["horizontalpodautoscalers"] = map[string]metav1.Object{"default/web": hpa}
	check("no metric", 0, 0, false)
	hpa.Spec.Metrics = []autoscalingv2.MetricSpec{{Resource: &autoscalingv2.ResourceMetricSource{Target: autoscalingv2.MetricTarget{AverageUtilization: of(50)}}}}
	check("nothing computed yet", 50, -1, true)
	now := autoscalingv2.MetricValueStatus{AverageUtilization: of(200)}
	hpa.Status.CurrentMetrics = []autoscalingv2.MetricStatus{{Resource: &autoscalingv2.ResourceMetricStatus{Current: now}}}
	in.subject = "default/web"
	check("computed", 50, 200, true)
}

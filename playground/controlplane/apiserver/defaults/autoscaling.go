package defaults

import (
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/corev1"
)

// defaultCPUUtilization is what an autoscaler aims at that names no metric, in
// percent of the request. Upstream: pkg/apis/autoscaling/types.go, DefaultCPUUtilization.
const defaultCPUUtilization = 80

// setHorizontalPodAutoscaler is upstream's pkg/apis/autoscaling/v2/defaults.go,
// SetDefaults_HorizontalPodAutoscaler and SetDefaults_HorizontalPodAutoscalerBehavior.
func setHorizontalPodAutoscaler(hpa *autoscalingv2.HorizontalPodAutoscaler) {
	orElse(&hpa.Spec.MinReplicas, 1)
	if len(hpa.Spec.Metrics) == 0 {
		utilization := int32(defaultCPUUtilization)
		hpa.Spec.Metrics = []autoscalingv2.MetricSpec{{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricSource{
				Name:   corev1.ResourceCPU,
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &utilization},
			},
		}}
	}
	if b := hpa.Spec.Behavior; b != nil {
		b.ScaleUp = scalingRules(b.ScaleUp, true)
		b.ScaleDown = scalingRules(b.ScaleDown, false)
	}
}

// scalingRules fills in rules: up, at most the larger of 4 Pods and as many again
// in 15 s, at once; down, any number, after the controller's stabilization window.
func scalingRules(given *autoscalingv2.HPAScalingRules, up bool) *autoscalingv2.HPAScalingRules {
	r := &autoscalingv2.HPAScalingRules{}
	if given != nil {
		r = given.DeepCopy()
	}
	orElse(&r.SelectPolicy, autoscalingv2.MaxChangePolicySelect)
	percent := autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15}
	if up {
		orElse(&r.StabilizationWindowSeconds, 0)
		if r.Policies == nil {
			r.Policies = []autoscalingv2.HPAScalingPolicy{{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: 15}, percent}
		}
	} else if r.Policies == nil {
		r.Policies = []autoscalingv2.HPAScalingPolicy{percent}
	}
	return r
}

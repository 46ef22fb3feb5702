// Package autoscalingv2 holds HorizontalPodAutoscalers.
//
// The types are generated from upstream's k8s.io/api/autoscaling/v2; see ../gen.
package autoscalingv2

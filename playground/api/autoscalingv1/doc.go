// Package autoscalingv1 holds Scale, the subresource by which anything is scaled without knowing its kind.
//
// The types are generated from upstream's k8s.io/api/autoscaling/v1; see ../gen.
package autoscalingv1

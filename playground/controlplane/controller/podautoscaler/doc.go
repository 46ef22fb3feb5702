// Package podautoscaler is the HorizontalPodAutoscaler controller: it sets the
// replicas of whatever has a scale, so that a metric of its Pods comes near a target.
//
// Every autoscaler is looked at every 15 s. From each of its metrics a number of
// replicas follows (replica_calculator.go); the largest counts. Then that number is
// held back: within tolerance nothing changes, shrinking waits until nothing
// within the last five minutes asked for more (stabilization), and growing is at most by
// half of what there will be, or what spec.behavior says (normalize.go,
// behavior.go). What was asked for and what was done is remembered here and
// nowhere else: after a restart the windows begin anew.
//
// Numbers come from controller/podautoscaler/metrics; there are no floats.
//
// Absent: scaling to zero, which is alpha in 1.36 (HPAScaleToZero), autoscaling/v1,
// metrics about itself. External metrics have no labels to select by.
//
// Upstream: pkg/controller/podautoscaler.
package podautoscaler

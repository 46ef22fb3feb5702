// Package schedulingv1 holds PriorityClasses.
//
// The types are generated from upstream's k8s.io/api/scheduling/v1; see ../gen.
package schedulingv1

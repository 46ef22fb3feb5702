// Package policyv1 holds PodDisruptionBudgets and Evictions.
//
// The types are generated from upstream's k8s.io/api/policy/v1; see ../gen.
package policyv1

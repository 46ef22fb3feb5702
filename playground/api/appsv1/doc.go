// Package appsv1 holds ReplicaSets and Deployments.
//
// The types are generated from upstream's k8s.io/api/apps/v1; see ../gen.
package appsv1

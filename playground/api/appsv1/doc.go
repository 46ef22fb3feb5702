// Package appsv1 holds the workloads that run Pods for as long as nobody says otherwise.
//
// The types are generated from upstream's k8s.io/api/apps/v1; see ../gen.
package appsv1

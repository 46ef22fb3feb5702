// Package corev1 holds Pods, Nodes, Namespaces, Services and what they are made of.
//
// The types are generated from upstream's k8s.io/api/core/v1; see ../gen.
package corev1

// Package apiregistrationv1 holds APIServices: who serves a group.
//
// The types are generated from upstream's k8s.io/kube-aggregator/pkg/apis/apiregistration/v1; see ../gen.
package apiregistrationv1

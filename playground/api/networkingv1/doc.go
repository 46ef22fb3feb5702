// Package networkingv1 holds Ingresses, NetworkPolicies and the addresses of Services.
//
// The types are generated from upstream's k8s.io/api/networking/v1; see ../gen.
package networkingv1

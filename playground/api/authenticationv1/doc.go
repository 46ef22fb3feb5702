// Package authenticationv1 holds TokenRequests.
//
// The types are generated from upstream's k8s.io/api/authentication/v1; see ../gen.
package authenticationv1

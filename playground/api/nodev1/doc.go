// Package nodev1 holds RuntimeClasses.
//
// The types are generated from upstream's k8s.io/api/node/v1; see ../gen.
package nodev1

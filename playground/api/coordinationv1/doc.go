// Package coordinationv1 holds Leases: by which leaders are elected and nodes say that they live.
//
// The types are generated from upstream's k8s.io/api/coordination/v1; see ../gen.
package coordinationv1

// Package discoveryv1 holds EndpointSlices.
//
// The types are generated from upstream's k8s.io/api/discovery/v1; see ../gen.
package discoveryv1

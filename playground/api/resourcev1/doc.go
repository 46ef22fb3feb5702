// Package resourcev1 holds DeviceClasses, ResourceClaims, ResourceClaimTemplates and ResourceSlices.
//
// The types are generated from upstream's k8s.io/api/resource/v1; see ../gen.
package resourcev1

// Package storagev1 holds StorageClasses and what CSI drivers say of themselves.
//
// The types are generated from upstream's k8s.io/api/storage/v1; see ../gen.
package storagev1

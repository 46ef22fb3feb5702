// Package metav1 holds what every API object has (metadata, type, list metadata), what requests carry (options) and
// what the API server answers with when there is no object (Status).
//
// The types are generated from upstream's k8s.io/apimachinery/pkg/apis/meta/v1; see ../gen. Written by hand are those
// that marshal themselves (Time, MicroTime, Duration, FieldsV1), the accessors, and the two interfaces Object and List,
// which upstream spreads over meta/v1 and runtime.
package metav1

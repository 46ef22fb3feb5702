// Package api describes the objects of the control plane: which kinds are served, how they are written as JSON, and
// when two are the same. The types themselves are in the packages below (corev1, appsv1, …), generated from upstream's
// and as complete, so that any real manifest survives a round trip.
//
// Upstream spreads this over apimachinery's runtime (Scheme), runtime/serializer/json and api/equality. It is one
// small package here, because there is one version of each kind and no conversion.
package api

import (
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
)

// The names under which most of the code uses these types.
type (
	Object               = metav1.Object
	List                 = metav1.List
	GroupVersion         = schema.GroupVersion
	GroupKind            = schema.GroupKind
	GroupVersionKind     = schema.GroupVersionKind
	GroupResource        = schema.GroupResource
	GroupVersionResource = schema.GroupVersionResource
)

// Version is the Kubernetes whose API this is.
const Version = "v1.36.3"

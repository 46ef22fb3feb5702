// Package runtime has a Scheme: which kind a Go type is.
// Upstream: k8s.io/apimachinery/pkg/runtime.
package runtime

import (
	"reflect"

	"kubewalk/playground/api"
)

// Scheme knows all built-in kinds, and those that were added.
type Scheme struct {
	added map[reflect.Type]api.GroupVersionKind
}

// NewScheme returns one to which nothing was added.
func NewScheme() *Scheme { return &Scheme{map[reflect.Type]api.GroupVersionKind{}} }

// AddKnownTypes adds kinds, which have their types' names.
func (s *Scheme) AddKnownTypes(gv api.GroupVersion, objects ...api.Object) {
	for _, obj := range objects {
		t := reflect.TypeOf(obj)
		s.added[t] = gv.WithKind(t.Elem().Name())
	}
}

// KindFor is an object's kind, by its Go type. Upstream: controller-runtime/pkg/client/apiutil, GVKForObject.
func (s *Scheme) KindFor(obj api.Object) api.GroupVersionKind {
	if gvk, ok := s.added[reflect.TypeOf(obj)]; ok {
		return gvk
	}
	return api.KindOf(obj).GroupVersionKind
}

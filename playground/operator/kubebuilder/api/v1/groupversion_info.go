// Package v1 is the group web.example.com of the example. Its types are copies (generator/dev/operator); controller-gen's
// part is written by hand.
package v1

import (
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/operator/controllerruntime/runtime"
)

// SchemeGroupVersion is the group and version of these kinds.
var SchemeGroupVersion = api.GroupVersion{Group: "web.example.com", Version: "v1"}

// AddToScheme adds the kinds to a scheme.
func AddToScheme(scheme *runtime.Scheme) { scheme.AddKnownTypes(SchemeGroupVersion, &Website{}) }

// DeepCopyObject implements api.Object.
func (w *Website) DeepCopyObject() api.Object {
	out := *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if w.Spec.Replicas != nil {
		replicas := *w.Spec.Replicas
		out.Spec.Replicas = &replicas
	}
	out.Status.Conditions = slices.Clone(w.Status.Conditions)
	return &out
}

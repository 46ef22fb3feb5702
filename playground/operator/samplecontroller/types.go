package samplecontroller

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
)

// Foo is what a user writes.
// Upstream: pkg/apis/samplecontroller/v1alpha1/types.go, Foo.
type Foo struct {
	metav1.TypeMeta
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   FooSpec   `json:"spec"`
	Status FooStatus `json:"status"`
}

// DeepCopyObject implements api.Object.
func (f *Foo) DeepCopyObject() api.Object {
	out := *f
	f.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if f.Spec.Replicas != nil {
		replicas := *f.Spec.Replicas
		out.Spec.Replicas = &replicas
	}
	return &out
}

// FooSpec is what should be.
type FooSpec struct {
	DeploymentName string `json:"deploymentName"`
	Replicas       *int32 `json:"replicas"`
}

// FooStatus is what is.
type FooStatus struct {
	AvailableReplicas int32 `json:"availableReplicas"`
}

// The kind's name in full, and its resource's.
var (
	SchemeGroupVersion = api.GroupVersion{Group: "samplecontroller.k8s.io", Version: "v1alpha1"}
	fooKind            = SchemeGroupVersion.WithKind("Foo")
	fooResource        = SchemeGroupVersion.WithResource("foos")
)

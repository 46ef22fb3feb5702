package main

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// modulePath is where the generated packages stand.
const modulePath = "kubewalk/playground/api/"

// pkg is one generated package. Everything that its roots reach is generated too, into the package of its own name.
type pkg struct {
	name     string
	upstream string
	roots    []any
}

// packages says what is generated. To serve another kind, add it (and its list) here, run go generate, and register it
// in playground/api/kinds.go.
var packages = []pkg{
	{"metav1", "k8s.io/apimachinery/pkg/apis/meta/v1", []any{
		metav1.TypeMeta{}, metav1.ObjectMeta{}, metav1.ListMeta{}, metav1.OwnerReference{}, metav1.LabelSelector{},
		metav1.Condition{}, metav1.ManagedFieldsEntry{}, metav1.Preconditions{},
		metav1.GetOptions{}, metav1.ListOptions{}, metav1.CreateOptions{}, metav1.UpdateOptions{}, metav1.PatchOptions{},
		metav1.DeleteOptions{},
		metav1.Status{}, metav1.StatusDetails{}, metav1.StatusCause{},
		metav1.APIVersions{}, metav1.APIGroup{}, metav1.APIGroupList{}, metav1.APIResource{}, metav1.APIResourceList{},
	}},
	{"corev1", "k8s.io/api/core/v1", []any{
		corev1.Pod{}, corev1.PodList{}, corev1.PodTemplateSpec{}, corev1.Binding{},
		corev1.Node{}, corev1.NodeList{}, corev1.Namespace{}, corev1.NamespaceList{},
		corev1.Event{}, corev1.EventList{}, corev1.ConfigMap{}, corev1.ConfigMapList{},
		corev1.Secret{}, corev1.SecretList{}, corev1.Service{}, corev1.ServiceList{},
		corev1.ServiceAccount{}, corev1.ServiceAccountList{},
	}},
	{"appsv1", "k8s.io/api/apps/v1", []any{
		appsv1.ReplicaSet{}, appsv1.ReplicaSetList{}, appsv1.Deployment{}, appsv1.DeploymentList{},
	}},
	{"coordinationv1", "k8s.io/api/coordination/v1", []any{coordinationv1.Lease{}, coordinationv1.LeaseList{}}},
	{"eventsv1", "k8s.io/api/events/v1", []any{eventsv1.Event{}, eventsv1.EventList{}}},
	{"autoscalingv1", "k8s.io/api/autoscaling/v1", []any{autoscalingv1.Scale{}}},
}

// packageNames maps an upstream package to ours; the last three are written by hand.
var packageNames = func() map[string]string {
	m := map[string]string{
		"k8s.io/apimachinery/pkg/api/resource": "resource",
		"k8s.io/apimachinery/pkg/util/intstr":  "intstr",
		"k8s.io/apimachinery/pkg/types":        "types",
	}
	for _, p := range packages {
		m[p.upstream] = p.name
	}
	return m
}()

// handWritten are the types inside generated packages that marshal themselves. Copying their value copies them whole.
var handWritten = map[string]bool{
	"metav1.Time": true, "metav1.MicroTime": true, "metav1.Duration": true, "metav1.FieldsV1": true,
}

package api_test

import (
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
)

func TestKinds(t *testing.T) {
	for _, k := range api.AllKinds() {
		if api.KindFor(k.GroupVersionKind) != k || api.KindOf(k.New()) != k {
			t.Errorf("kind %v is not found by its name or type", k.GroupVersionKind)
		}
		if k.Resource != "" && api.KindForResource(k.GroupVersionResource()) != k {
			t.Errorf("kind %v is not found by its resource", k.GroupVersionKind)
		}
		if k.NewList != nil {
			list := k.NewList()
			list.SetItems([]api.Object{k.New()})
			api.SetListKind(list)
			if api.KindOfList(list) != k || len(list.GetItems()) != 1 || list.GetObjectKind().Kind != k.Kind+"List" {
				t.Errorf("kind %v: its list is of another kind", k.GroupVersionKind)
			}
		}
		for _, s := range k.Subresources {
			if s, _ := k.Subresource(s.Name); api.KindFor(s.Kind) == nil {
				t.Errorf("kind %v: subresource %s is a %v, which is not registered", k.GroupVersionKind, s.Name, s.Kind)
			}
		}
	}
	if got := api.KindOf(new(appsv1.ReplicaSet)).GroupResource().String(); got != "replicasets.apps" {
		t.Errorf("resource of ReplicaSet is %s, want replicasets.apps", got)
	}
	pod := new(corev1.Pod)
	api.SetKind(pod)
	if pod.APIVersion != "v1" || pod.Kind != "Pod" {
		t.Errorf("a Pod was given %q, %q", pod.APIVersion, pod.Kind)
	}
}

func TestResolve(t *testing.T) {
	tests := []struct{ name, want string }{
		{"po", "/v1, Kind=Pod"}, {"pods", "/v1, Kind=Pod"}, {"Pod", "/v1, Kind=Pod"},
		{"rs", "apps/v1, Kind=ReplicaSet"}, {"replicasets.apps", "apps/v1, Kind=ReplicaSet"},
		{"replicasets.v1.apps", "apps/v1, Kind=ReplicaSet"}, {"deploy", "apps/v1, Kind=Deployment"},
		{"ev", "/v1, Kind=Event"}, {"events.events.k8s.io", "events.k8s.io/v1, Kind=Event"},
		{"scale", ""}, {"nosuch", ""}, {"pods.apps", ""}, {"", ""},
	}
	for _, tt := range tests {
		got := ""
		if k := api.Resolve(tt.name); k != nil {
			got = k.GroupVersionKind.String()
		}
		if got != tt.want {
			t.Errorf("Resolve(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

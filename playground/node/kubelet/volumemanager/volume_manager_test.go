package volumemanager

import (
	"maps"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

type node struct{ Host }

func (node) NodeAllocatable() corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi")}
}

// TestDownwardFiles: fields of the Pod and resources of its containers, which are the node's where a limit is not set.
// Upstream: pkg/volume/downwardapi/downwardapi.go, CollectData.
func TestDownwardFiles(t *testing.T) {
	pod := &corev1.Pod{}
	pod.Name = "web"
	pod.Spec.Containers = []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m")}}}}
	of := func(name, divisor string) *corev1.ResourceFieldSelector {
		return &corev1.ResourceFieldSelector{ContainerName: "app", Resource: name, Divisor: resource.MustParse(divisor)}
	}
	m := &Manager{host: node{}}
	got, err := m.downwardFiles(pod, []corev1.DownwardAPIVolumeFile{
		{Path: "name", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}},
		{Path: "cpu", ResourceFieldRef: of("requests.cpu", "1m")}, {Path: "memory", ResourceFieldRef: of("limits.memory", "1Mi")},
	})
	want := map[string]string{"name": "web", "cpu": "250", "memory": "8192"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	other := of("limits.cpu", "1")
	other.ContainerName = "none"
	if _, err := m.downwardFiles(pod, []corev1.DownwardAPIVolumeFile{{Path: "cpu", ResourceFieldRef: other}}); err == nil {
		t.Error("a container that is not there has resources")
	}
}

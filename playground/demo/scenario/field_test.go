package scenario

import (
	"encoding/json"
	"fmt"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
)

// TestFieldOf: every path that an object's JSON has, and some that it lacks, is
// found in the object as in its JSON.
func TestFieldOf(t *testing.T) {
	pod := &corev1.Pod{}
	text := `{"apiVersion":"v1","kind":"Pod",
		"metadata":{"name":"web-x","namespace":"default","generation":3,"creationTimestamp":"2026-01-02T03:04:05Z",
			"labels":{"app.kubernetes.io/name":"web","app":"x"},"ownerReferences":[{"kind":"ReplicaSet","name":"web","uid":"u","apiVersion":"apps/v1","controller":true}]},
		"spec":{"nodeName":"node-1","terminationGracePeriodSeconds":0,
			"containers":[{"name":"c","image":"nginx","resources":{"requests":{"cpu":"500m","memory":"1Gi"}},
				"readinessProbe":{"httpGet":{"path":"/","port":"http"}},"env":[{"name":"A","value":"b"}]}],
			"tolerations":[{"key":"k","operator":"Exists","tolerationSeconds":300}]},
		"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3 nodes are available: 3 Insufficient cpu."},{"type":"Ready","status":"True"}],
			"containerStatuses":[{"name":"c","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ImagePullBackOff"}}}]}}`
	if err := json.Unmarshal([]byte(text), pod); err != nil {
		t.Fatal(err)
	}
	var obj api.Object = pod
	tree := treeOf(obj)
	paths := []string{"", "nothing", "spec.nothing.more", "metadata.labels[nothing]", "spec.containers.7.name", "spec.containers[x].name", "spec.nodeName.more",
		"metadata.deletionTimestamp", "spec.containers[c].resources.limits.cpu", "metadata.labels[app.kubernetes.io/name]", "status.conditions[Ready",
		"spec.priority", "status.hostIP"}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		paths = append(paths, path)
		switch v := v.(type) {
		case map[string]any:
			for k, inner := range v {
				walk(fmt.Sprintf("%s[%s]", path, k), inner)
				if path == "" {
					walk(k, inner)
				}
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprintf("%s.%d", path, i), inner)
				walk(fmt.Sprintf("%s[%d]", path, i), inner)
				if m, ok := inner.(map[string]any); ok {
					for _, key := range []string{"type", "name"} {
						if name, ok := m[key].(string); ok {
							walk(fmt.Sprintf("%s[%s]", path, name), inner)
						}
					}
				}
			}
		}
	}
	walk("", tree)
	if len(paths) < 150 {
		t.Fatalf("%d paths", len(paths))
	}
	for _, path := range paths {
		if got, want := fieldOf(obj, path), lookup(tree, path); got != want {
			t.Errorf("%s: %q in the object, %q in its JSON", path, got, want)
		}
	}
}

func BenchmarkFieldOf(b *testing.B) {
	pod := &corev1.Pod{}
	pod.Status.Conditions = []corev1.PodCondition{{Type: "PodScheduled", Status: "True"}, {Type: "Ready", Status: "True"}}
	for b.Loop() {
		fieldOf(pod, "status.conditions[Ready].status")
	}
}

package scenario

import (
	"fmt"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// BenchmarkAttempt reads a run in which a thousand Pods come up: eight writes each.
func BenchmarkAttempt(b *testing.B) {
	rec := trace.NewRecorder(trace.Objects)
	for n := range 8000 {
		pod := &corev1.Pod{}
		pod.Name, pod.Labels = fmt.Sprint("web-", n%1000), map[string]string{"app": "web"}
		pod.Status.Conditions = []corev1.PodCondition{{Type: "PodScheduled", Status: "True"},
			{Type: "Ready", Status: corev1.ConditionStatus(fmt.Sprint(n > 7000))}}
		rec.Record(trace.Event{At: seconds(float64(n) / 100), Component: "etcd", Op: trace.StoreCommit}, nil,
			[]trace.Delta{trace.Set(trace.Cell{Kind: trace.CellObject, Owner: "pods", Key: "default/" + pod.Name}, pod)}, 0)
	}
	ready := running("1000", "", 0, false)
	ready.Objects.Fields = map[string]string{"status.conditions[Ready].status": "true"}
	x := &Exercise{Goal: []Part{{Claim: ready}}, Hints: []Hint{{When: []Part{{Claim: ready}}}}}
	for b.Loop() {
		x.Attempt(0).Read(rec, seconds(80))
	}
}

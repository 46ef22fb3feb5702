package scene

import (
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/trace"
)

// TestWhatAPodAsksForMovesWithIt: in its cycle a Pod is drawn large, with what it asks for. That is a text of its own shape: one that stood by
// itself would lie on the Pod, and on what was said before, while the Pod moves there.
func TestWhatAPodAsksForMovesWithIt(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := NewStage(Options{Layout: layout, Focus: castScheduler})
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "picky", Namespace: "default"}, Spec: corev1.PodSpec{
			NodeSelector: map[string]string{"disk": "ssd"},
			Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3")}}}}}}
		s.Apply(&trace.Event{Op: trace.SchedulingPop, Object: trace.Ref{Resource: "pods", Namespace: "default", Name: "picky"}, Deltas: []trace.Delta{
			trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: castScheduler}, "running"),
			object("pods", "default/picky", pod),
			trace.Set(trace.Cell{Kind: trace.CellScheduling, Owner: inFlight, Key: "default/picky"}, "")}})
		all := shapes(s)
		if p := all["pod/default/picky"]; p.Title != "picky" || p.Detail != "cpu 3 · disk=ssd" {
			t.Errorf("%s: the Pod says %q and asks for %q", layout, p.Title, p.Detail)
		}
		for id, shape := range all {
			if shape.Kind == Box && shape.Z == LayerPackets {
				t.Errorf("%s: %s stands above Pods that move", layout, id)
			}
		}
	}
}

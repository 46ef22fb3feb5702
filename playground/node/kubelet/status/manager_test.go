package status

import (
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

func TestMergePodStatus(t *testing.T) {
	ready := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}
	others := corev1.PodCondition{Type: "example.com/gate", Status: corev1.ConditionTrue}
	server := &corev1.PodStatus{Phase: corev1.PodRunning, NominatedNodeName: "node-2", Conditions: []corev1.PodCondition{others, ready}}
	mine := &corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Conditions: []corev1.PodCondition{ready}}

	got := mergePodStatus(server, mine, true, metav1.Time{})
	if got.Phase != corev1.PodRunning || got.Reason != "" {
		t.Errorf("a terminal phase is reported while containers may run: %s %s", got.Phase, got.Reason)
	}
	got = mergePodStatus(server, mine, false, metav1.Time{})
	if got.Phase != corev1.PodFailed || got.NominatedNodeName != "node-2" || len(got.Conditions) != 2 || got.Conditions[0].Type != others.Type {
		t.Errorf("%+v", got)
	}
	if c := FindCondition(got.Conditions, corev1.PodReady); c.Status != corev1.ConditionFalse || c.Reason != PodFailed {
		t.Errorf("a failed Pod is ready: %+v", c)
	}
	if mine.Conditions[0].Status != corev1.ConditionTrue {
		t.Error("the status that was given was changed")
	}
}

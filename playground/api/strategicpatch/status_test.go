package strategicpatch

import (
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

func TestThePatchHoldsOnlyWhatDiffers(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "uid-1"},
		Status:     corev1.PodStatus{Phase: corev1.PodPending, HostIP: "10.0.0.11", Reason: "Because"},
	}
	check := func(now *corev1.PodStatus, want string) {
		t.Helper()
		if patch := NewStatus(pod, now.DeepCopy(), "uid-1"); patch == nil || string(patch.Text()) != want {
			t.Errorf("%s, want %s", patch.Text(), want)
		}
	}
	check(&corev1.PodStatus{Phase: corev1.PodRunning, HostIP: "10.0.0.11", PodIP: "10.244.1.2"},
		`{"metadata":{"uid":"uid-1"},"status":{"phase":"Running","podIP":"10.244.1.2","reason":null}}`)
	// Of a list with keys only the elements that differ, and the order.
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
	now := pod.Status.DeepCopy()
	now.Conditions = append([]corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}, now.Conditions...)
	check(now, `{"metadata":{"uid":"uid-1"},"status":{"$setElementOrder/conditions":[{"type":"Ready"},{"type":"PodScheduled"}],`+
		`"conditions":[{"lastProbeTime":null,"lastTransitionTime":null,"status":"False","type":"Ready"}]}}`)
	same := pod.Status.DeepCopy()
	same.PodIPs = []corev1.PodIP{} // as good as none
	if patch := NewStatus(pod, same, "uid-1"); patch != nil {
		t.Errorf("nothing differs, but there is a patch: %s", patch.Text())
	}
}

package endpoint

import (
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// Each thing that an endpoint shows of a Pod counts by itself; what it does not show counts for nothing.
func TestPodEndpointsChanged(t *testing.T) {
	ended := metav1.NewTime(time.Unix(100, 0))
	for name, c := range map[string]struct {
		change                func(p *corev1.Pod)
		changed, labelsChange bool
	}{
		"nothing":  {func(*corev1.Pod) {}, false, false},
		"image":    {func(p *corev1.Pod) { p.Spec.Containers[0].Image = "nginx:1.28" }, false, false},
		"deletion": {func(p *corev1.Pod) { p.DeletionTimestamp = &ended }, true, false},
		"ready":    {func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionFalse }, true, false},
		"phase":    {func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, true, false},
		"address":  {func(p *corev1.Pod) { p.Status.PodIP = "10.244.1.8" }, true, false},
		"node":     {func(p *corev1.Pod) { p.Spec.NodeName = "node-2" }, true, false},
		"labels":   {func(p *corev1.Pod) { p.Labels = map[string]string{"app": "b"} }, false, true},
		"hostname": {func(p *corev1.Pod) { p.Spec.Hostname = "web" }, false, true},
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "default", Labels: map[string]string{"app": "a"}}}
		pod.Spec.NodeName, pod.Spec.Containers = "node-1", []corev1.Container{{Name: "c", Image: "nginx:1.27"}}
		pod.Status.Phase, pod.Status.PodIP = corev1.PodRunning, "10.244.1.7"
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		after := pod.DeepCopy()
		c.change(after)
		if changed, labels := PodEndpointsChanged(pod, after); changed != c.changed || labels != c.labelsChange {
			t.Errorf("%s: changed %v, labels %v, want %v and %v", name, changed, labels, c.changed, c.labelsChange)
		}
	}
}

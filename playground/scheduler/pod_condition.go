package scheduler

import (
	"encoding/json"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// patchCondition writes a condition of a Pod's status, if it says anything new.
// The patch holds what changed and nothing else, so that it does not undo what
// the kubelet writes.
// Upstream: schedule_one.go, updatePod; pkg/scheduler/util/utils.go, PatchPodStatus.
func (s *Scheduler) patchCondition(p *sim.Proc, pod *corev1.Pod, c corev1.PodCondition) error {
	patch := conditionPatch(pod, c, metav1.NewTime(p.Time()).Rfc3339Copy())
	if patch == nil {
		return nil
	}
	p.Logger().V(3).Info("Updating pod condition", "pod", pod.Namespace+"/"+pod.Name, "conditionType", string(c.Type),
		"conditionStatus", string(c.Status), "conditionReason", c.Reason)
	body, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = s.client.CoreV1().Pods(pod.Namespace).Patch(p, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
	return err
}

// conditionPatch is a strategic merge patch, as encoding/json writes it: with
// sorted keys. nil when the Pod has the condition already.
func conditionPatch(pod *corev1.Pod, c corev1.PodCondition, now metav1.Time) map[string]any {
	var old *corev1.PodCondition
	order := []map[string]any{}
	for i := range pod.Status.Conditions {
		order = append(order, map[string]any{"type": pod.Status.Conditions[i].Type})
		if pod.Status.Conditions[i].Type == c.Type {
			old = &pod.Status.Conditions[i]
		}
	}
	change := map[string]any{"type": c.Type}
	switch {
	case old == nil:
		order = append(order, map[string]any{"type": c.Type})
		change["lastProbeTime"], change["lastTransitionTime"] = nil, now
		change["status"], change["reason"], change["message"] = c.Status, c.Reason, c.Message
		if c.ObservedGeneration != 0 {
			change["observedGeneration"] = c.ObservedGeneration
		}
	case old.Status == c.Status && old.Reason == c.Reason && old.Message == c.Message:
		return nil
	default:
		if old.Status != c.Status {
			change["status"], change["lastTransitionTime"] = c.Status, now
		}
		if old.Reason != c.Reason {
			change["reason"] = c.Reason
		}
		if old.Message != c.Message {
			change["message"] = c.Message
		}
		if old.ObservedGeneration != c.ObservedGeneration {
			change["observedGeneration"] = c.ObservedGeneration
		}
	}
	return map[string]any{"status": map[string]any{
		"$setElementOrder/conditions": order,
		"conditions":                  []any{change},
	}}
}

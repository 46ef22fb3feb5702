package controller

import (
	"encoding/json"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// PatchPodStatus merges a phase (unless it is "") and a condition (unless it is
// nil) into a Pod's status, provided that the Pod has still the UID that it was read with. It asks
// nobody when the Pod says so already.
// Upstream: pkg/util/pod PatchPodStatus, which makes the patch of two statuses.
func PatchPodStatus(p *sim.Proc, c *client.Clientset, pod *corev1.Pod, phase corev1.PodPhase, condition *corev1.PodCondition) error {
	changed := phase != "" && pod.Status.Phase != phase
	var conditions []corev1.PodCondition
	if condition != nil {
		c := *condition
		changed = UpdatePodCondition(pod.Status.DeepCopy(), &c, metav1.NewTime(p.Time())) || changed
		conditions = append(conditions, c)
	}
	if !changed {
		return nil
	}
	type meta struct {
		UID types.UID `json:"uid"`
	}
	type statusPatch struct {
		Phase      corev1.PodPhase       `json:"phase,omitempty"`
		Conditions []corev1.PodCondition `json:"conditions,omitempty"`
	}
	patch, err := json.Marshal(struct {
		Metadata meta        `json:"metadata"`
		Status   statusPatch `json:"status"`
	}{meta{pod.UID}, statusPatch{phase, conditions}})
	if err != nil {
		return err
	}
	_, err = c.CoreV1().Pods(pod.Namespace).Patch(p, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

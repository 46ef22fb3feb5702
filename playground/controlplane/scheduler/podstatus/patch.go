// Package podstatus writes what the scheduler has to say on a Pod: conditions,
// and the node that it was promised.
//
// A patch holds what changed and nothing else, so that it does not undo what the
// kubelet writes. It is a strategic merge patch, as encoding/json writes it: with
// sorted keys. Upstream: pkg/scheduler/util/utils.go, PatchPodStatus.
package podstatus

import (
	"encoding/json"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// Patch writes a condition (nil is none) and a nomination (nil leaves it), if
// that says anything new. before, if any, is called when it does.
func Patch(p *sim.Proc, cs *client.Clientset, pod *corev1.Pod, c *corev1.PodCondition, info *framework.NominatingInfo, before func()) error {
	status := map[string]any{}
	if c != nil {
		addCondition(status, pod, *c, metav1.NewTime(p.Time()).Rfc3339Copy())
	}
	if info.Mode() == framework.ModeOverride && pod.Status.NominatedNodeName != info.NominatedNodeName {
		status["nominatedNodeName"] = nil
		if info.NominatedNodeName != "" {
			status["nominatedNodeName"] = info.NominatedNodeName
		}
	}
	if len(status) == 0 {
		return nil
	}
	if before != nil {
		before()
	}
	body, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = cs.CoreV1().Pods(pod.Namespace).Patch(p, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
	return err
}

// addCondition changes nothing when the Pod has the condition already.
func addCondition(status map[string]any, pod *corev1.Pod, c corev1.PodCondition, now metav1.Time) {
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
		return
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
	status["$setElementOrder/conditions"] = order
	status["conditions"] = []any{change}
}
